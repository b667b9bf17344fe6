import {
  DatabaseService,
  resolvePackagePath,
} from '@backstage/backend-plugin-api';
import { Knex } from 'knex';
import { keepStatements } from './keepStatements';

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
    // The first reading of a fleet writes the same pages many times: they are kept
    // in memory (16 MB), and copied from the log only every 16 MB.
    await knex.raw('pragma cache_size = -16000');
    await knex.raw('pragma wal_autocheckpoint = 4000');
    await keepStatements(knex);
  }
  return knex;
}
