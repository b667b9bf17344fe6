import { TestDatabases } from '@backstage/backend-test-utils';
import { resolve } from 'path';
import { databaseIds } from '../collect/__testUtils__/harness';

jest.setTimeout(120_000);

const databases = TestDatabases.create({ ids: databaseIds() });
const directory = resolve(__dirname, '../../migrations');

describe.each(databases.eachSupportedId())('migrations on %s', id => {
  it('go up, down to nothing, and up again', async () => {
    const knex = await databases.init(id);
    const tables = async (): Promise<string[]> => {
      const result = await knex.raw(
        knex.client.config.client === 'pg'
          ? `select table_name as name from information_schema.tables where table_schema = current_schema()`
          : `select name from sqlite_master where type = 'table'`,
      );
      const rows: Array<{ name: string }> = Array.isArray(result)
        ? result
        : result.rows;
      return rows
        .map(row => row.name)
        .filter(name => !/^(knex_|sqlite_)/.test(name))
        .sort();
    };
    await knex.migrate.latest({ directory });
    const up = await tables();
    expect(up).toEqual(
      expect.arrayContaining(['clusters', 'coverage', 'objects', 'queue']),
    );
    await knex.migrate.rollback({ directory }, true);
    expect(await tables()).toEqual([]);
    await knex.migrate.latest({ directory });
    expect(await tables()).toEqual(up);
  });
});
