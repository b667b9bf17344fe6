import { Knex } from 'knex';
import { chunks } from './chunks';

/** An entity whose annotations name services, as far as it is needed for that. */
export interface StoredEntity {
  /** In lower case. */
  ref: string;
  /** Entity ref of `spec.owner`, in lower case. */
  owner?: string;
  /** Those that name services or owners; no others. */
  annotations: Record<string, string>;
}

/** Entities of the catalog that name services, as they were when the catalog was last asked. */
export class EntityStore {
  readonly #database: Knex;

  static create(options: { database: Knex }): EntityStore {
    return new EntityStore(options.database);
  }

  private constructor(database: Knex) {
    this.#database = database;
  }

  async list(): Promise<StoredEntity[]> {
    const rows = await this.#database('entities').select(
      'ref',
      'owner',
      'annotations',
    );
    return rows.map(row => ({
      ref: row.ref,
      ...(row.owner && { owner: row.owner }),
      annotations: JSON.parse(row.annotations),
    }));
  }

  /** The stored entities by ref, as hashes: what has another one has changed. */
  async hashes(): Promise<Map<string, string>> {
    const rows = await this.#database('entities').select('ref', 'hash');
    return new Map(rows.map(row => [row.ref, row.hash]));
  }

  async hashOf(ref: string): Promise<string | undefined> {
    const row = await this.#database('entities')
      .select('hash')
      .where({ ref })
      .first();
    return row?.hash;
  }

  async write(
    trx: Knex,
    changes: {
      upserts: ReadonlyArray<StoredEntity & { hash: string }>;
      deletes: readonly string[];
    },
  ): Promise<void> {
    for (const some of chunks(changes.upserts, 500)) {
      await trx('entities')
        .insert(
          some.map(({ ref, owner, annotations, hash }) => ({
            ref,
            owner: owner ?? null,
            annotations: JSON.stringify(annotations),
            hash,
          })),
        )
        .onConflict('ref')
        .merge();
    }
    for (const some of chunks(changes.deletes, 500)) {
      await trx('entities').whereIn('ref', some).delete();
    }
  }

  /** Names of the services that entities were last found to name. */
  async servicesOf(
    trx: Knex,
    refs: readonly string[],
  ): Promise<Array<{ namespace: string; name: string }>> {
    const services: Array<{ namespace: string; name: string }> = [];
    for (const some of chunks(refs, 500)) {
      const rows = await trx('service_entities')
        .join('services', 'services.id', 'service_entities.service_id')
        .whereIn('service_entities.entity_ref', some)
        .distinct('services.namespace', 'services.name');
      services.push(...rows);
    }
    return services;
  }
}
