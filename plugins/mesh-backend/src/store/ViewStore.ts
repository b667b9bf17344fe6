import type { ClusterMesh } from '@mesh-for-backstage/mesh-analysis';
import { createHash } from 'crypto';
import { Knex } from 'knex';

/** A view that was made of a cluster or of a namespace, under its key. */
export interface ViewKey {
  topic: string;
  cluster: string;
  /** Empty for the whole cluster. */
  namespace: string;
}

/** A hash of what JSON says; keys are taken in the order in which they stand. */
export function hashOf(json: string): string {
  return createHash('sha256').update(json).digest('base64url').slice(0, 22);
}

/** How many meshes are kept parsed. One takes some tens of kilobytes. */
const MESHES = 64;

/** What the analysis of clusters and namespaces came to. */
export class ViewStore {
  readonly #database: Knex;
  /** Parsed meshes by cluster, the least recently used first. */
  readonly #meshes = new Map<string, { hash: string; mesh: ClusterMesh }>();

  static create(options: { database: Knex }): ViewStore {
    return new ViewStore(options.database);
  }

  private constructor(database: Knex) {
    this.#database = database;
  }

  /** Writes a view where it differs from the stored one; answers whether it did. */
  async put(
    trx: Knex,
    key: ViewKey,
    body: string,
    asOf: string,
  ): Promise<boolean> {
    const hash = hashOf(body);
    const stored = await trx('views').select('hash').where(key).first();
    if (stored?.hash === hash) return false;
    await trx('views')
      .insert({ ...key, hash, body, as_of: asOf })
      .onConflict(['topic', 'cluster', 'namespace'])
      .merge();
    return true;
  }

  /** Answers whether there was one. */
  async delete(trx: Knex, key: ViewKey): Promise<boolean> {
    return (await trx('views').where(key).delete()) > 0;
  }

  async get<T>(key: ViewKey): Promise<T | undefined> {
    const row = await this.#database('views').select('body').where(key).first();
    return row && JSON.parse(row.body);
  }

  /**
   * The meshes of clusters; those that are not drawn yet are absent. Kept parsed,
   * and compared by hash each time, since another replica may have written one.
   */
  async meshes(
    clusters?: readonly string[],
  ): Promise<Map<string, ClusterMesh>> {
    const rows: Array<{ cluster: string; hash: string }> = await this.#database(
      'views',
    )
      .select('cluster', 'hash')
      .where({ topic: 'mesh', namespace: '' })
      .modify(query => {
        if (clusters) query.whereIn('cluster', [...clusters]);
      });
    const meshes = new Map<string, ClusterMesh>();
    const missing: string[] = [];
    for (const { cluster, hash } of rows) {
      const kept = this.#meshes.get(cluster);
      if (kept?.hash === hash) {
        meshes.set(cluster, kept.mesh);
        this.#keep(cluster, kept);
      } else {
        missing.push(cluster);
      }
    }
    if (missing.length > 0) {
      const bodies = await this.#database('views')
        .select('cluster', 'hash', 'body')
        .where({ topic: 'mesh', namespace: '' })
        .whereIn('cluster', missing);
      for (const { cluster, hash, body } of bodies) {
        const mesh: ClusterMesh = JSON.parse(body);
        meshes.set(cluster, mesh);
        this.#keep(cluster, { hash, mesh });
      }
    }
    return meshes;
  }

  #keep(cluster: string, entry: { hash: string; mesh: ClusterMesh }): void {
    this.#meshes.delete(cluster);
    this.#meshes.set(cluster, entry);
    if (this.#meshes.size > MESHES) {
      const [oldest] = this.#meshes.keys();
      this.#meshes.delete(oldest);
    }
  }
}
