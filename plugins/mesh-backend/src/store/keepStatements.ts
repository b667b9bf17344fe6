import { Knex } from 'knex';

interface Connection {
  prepare(sql: string): unknown;
}

/** Statements that are kept; the one that was not used for longest goes first. */
const KEPT = 200;
/** Longer ones are rare and would take much memory. */
const LONGEST = 8_000;

/**
 * Makes the SQLite connection keep its prepared statements: knex prepares each anew
 * every time, which takes longer than many of them take to run. Statements are used
 * by one query at a time, since better-sqlite3 runs each to its end.
 */
export async function keepStatements(knex: Knex): Promise<void> {
  const connection: Connection = await knex.client.acquireConnection();
  try {
    const prepare = connection.prepare.bind(connection);
    const kept = new Map<string, unknown>();
    connection.prepare = sql => {
      const statement = kept.get(sql) ?? prepare(sql);
      if (sql.length > LONGEST) return statement;
      // At the end of the map are those that were used last.
      kept.delete(sql);
      kept.set(sql, statement);
      if (kept.size > KEPT) kept.delete(kept.keys().next().value!);
      return statement;
    };
  } finally {
    await knex.client.releaseConnection(connection);
  }
}
