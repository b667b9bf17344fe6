import { Knex } from 'knex';
import { Bucket, Unit } from './buckets';
import { chunks } from './chunks';
import { isImplied } from './Queue';

/** Which units have read which buckets, beyond what follows from what they are. */
export class ReadStore {
  readonly #database: Knex;

  static create(options: { database: Knex }): ReadStore {
    return new ReadStore(options.database);
  }

  private constructor(database: Knex) {
    this.#database = database;
  }

  async get(unit: Unit): Promise<Set<Bucket>> {
    const rows = await this.#database('reads').select('bucket').where({ unit });
    return new Set(rows.map(row => row.bucket));
  }

  /** Makes the reads of a unit those that are given; answers whether there are new ones. */
  async replace(
    trx: Knex,
    unit: Unit,
    before: ReadonlySet<Bucket>,
    reads: ReadonlySet<Bucket>,
  ): Promise<{ added: boolean }> {
    const recorded = recordedReads(unit, reads);
    const added = [...recorded].filter(bucket => !before.has(bucket));
    const gone = [...before].filter(bucket => !recorded.has(bucket));
    for (const some of chunks(gone, 500)) {
      await trx('reads').where({ unit }).whereIn('bucket', some).delete();
    }
    for (const some of chunks(added, 500)) {
      await trx('reads')
        .insert(some.map(bucket => ({ bucket, unit })))
        .onConflict(['bucket', 'unit'])
        .ignore();
    }
    return { added: added.length > 0 };
  }
}

function recordedReads(
  unit: Unit,
  reads: ReadonlySet<Bucket>,
): ReadonlySet<Bucket> {
  return new Set([...reads].filter(bucket => !isImplied(unit, bucket)));
}
