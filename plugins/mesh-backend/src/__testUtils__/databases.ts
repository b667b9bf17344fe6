import { TestDatabases } from '@backstage/backend-test-utils';
import { resolvePackagePath } from '@backstage/backend-plugin-api';

const databases = TestDatabases.create({
  ids: process.env.BACKSTAGE_TEST_DATABASE_POSTGRES18_CONNECTION_STRING
    ? ['SQLITE_3', 'POSTGRES_18']
    : ['SQLITE_3'],
});

/** The databases that a test can run on here: SQLite, and PostgreSQL where there is one. */
export const databaseIds = databases.eachSupportedId();

/** A new database with our tables. */
export async function createDatabase(id: (typeof databaseIds)[number][0]) {
  const knex = await databases.init(id);
  await knex.migrate.latest({
    directory: resolvePackagePath(
      '@mesh-for-backstage/plugin-mesh-backend',
      'migrations',
    ),
  });
  return knex;
}
