import {
  DatabaseService,
  resolvePackagePath,
} from '@backstage/backend-plugin-api';
import { Knex } from 'knex';

/** The plugin's database, with its tables in their newest form. */
export async function openDatabase(database: DatabaseService): Promise<Knex> {
  const knex = await database.getClient();
  if (!database.migrations?.skip) {
    await knex.migrate.latest({
      directory: resolvePackagePath(
        '@mesh-for-backstage/plugin-mesh-backend',
        'migrations',
      ),
    });
  }
  if (String(knex.client.config.client).includes('sqlite')) {
    // Many small writes: a log that is synced at checkpoints makes each of them
    // ten times cheaper, and a crash of the machine loses at most the last ones,
    // which are read from the clusters again.
    await knex.raw('pragma journal_mode = wal');
    await knex.raw('pragma synchronous = normal');
  }
  return knex;
}
