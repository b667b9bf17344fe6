import type { ClusterMesh } from '@mesh-for-backstage/mesh-analysis';
import { createHash } from 'crypto';
import { Knex } from 'knex';
import { chunks } from './chunks';

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

/** What the analysis of clusters and namespaces came to. */
export class ViewStore {
  readonly #database: Knex;
  /** Parsed meshes by cluster: one a cluster, and every service is merged against all of them. */
  readonly #meshes = new Map<string, { hash: string; mesh: ClusterMesh }>();
  #all: readonly ClusterMesh[] = [];

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
    const missing = rows
      .filter(({ cluster, hash }) => this.#meshes.get(cluster)?.hash !== hash)
      .map(({ cluster }) => cluster);
    if (missing.length > 0) {
      const bodies = await this.#database('views')
        .select('cluster', 'hash', 'body')
        .where({ topic: 'mesh', namespace: '' })
        .whereIn('cluster', missing);
      for (const { cluster, hash, body } of bodies) {
        this.#meshes.set(cluster, { hash, mesh: JSON.parse(body) });
      }
    }
    const meshes = new Map<string, ClusterMesh>();
    for (const { cluster } of rows) {
      const kept = this.#meshes.get(cluster);
      if (kept) meshes.set(cluster, kept.mesh);
    }
    return meshes;
  }

  /** The meshes of all clusters, by name; the same list as the last time where all are the same. */
  async allMeshes(): Promise<readonly ClusterMesh[]> {
    const meshes = await this.meshes();
    const all = [...meshes.values()].sort((a, b) =>
      a.cluster < b.cluster ? -1 : 1,
    );
    const same =
      all.length === this.#all.length &&
      all.every((mesh, index) => mesh === this.#all[index]);
    if (!same) this.#all = all;
    for (const cluster of this.#meshes.keys()) {
      if (!meshes.has(cluster)) this.#meshes.delete(cluster);
    }
    return this.#all;
  }

  /** The views of one topic for a namespace of this name in any cluster, by cluster. */
  async inNamespaces<T>(
    topic: string,
    namespaces: readonly string[],
  ): Promise<Array<{ cluster: string; namespace: string; body: T }>> {
    const found: Array<{ cluster: string; namespace: string; body: T }> = [];
    for (const some of chunks(namespaces, 500)) {
      const rows = await this.#database('views')
        .select('cluster', 'namespace', 'body')
        .where({ topic })
        .whereIn('namespace', some);
      for (const { cluster, namespace, body } of rows) {
        found.push({ cluster, namespace, body: JSON.parse(body) });
      }
    }
    return found;
  }
}
