import {
  FleetObject,
  KindId,
  watchedKinds,
} from '@mesh-for-backstage/mesh-analysis';
import { Knex } from 'knex';
import { Bucket, bucketsOfKey } from './buckets';
import { chunks } from './chunks';
import { ChangeMarker, ClusterLease, holdLease } from './ClusterLease';

/** The key of an object within its cluster. */
export interface ObjectKey {
  kind: KindId;
  /** Empty where the kind has none. */
  namespace: string;
  name: string;
}

/** An object in trimmed form, ready to be written. */
export interface ObjectRecord extends ObjectKey {
  /** Of the trimmed form: an object whose hash is the stored one is not written. */
  hash: string;
  /** JSON of the trimmed form, without the cluster. */
  body: string;
}

/** What one transaction does to the objects of a cluster. */
export interface ObjectChanges {
  upserts: readonly ObjectRecord[];
  deletes: readonly ObjectKey[];
}

/**
 * Objects in a statement. More would save no time: the statement would be too long
 * to be kept for the next time, see `openDatabase`.
 */
const CHUNK = 100;

const kindsInNamespaces = watchedKinds
  .filter(kind => kind.namespaced)
  .map(kind => kind.id);

/**
 * The trimmed objects of all clusters. Every write carries the lease of the
 * collector that makes it, and marks in the same transaction what has changed.
 */
export class ObjectStore {
  readonly #database: Knex;
  readonly #marker: ChangeMarker;

  static create(options: { database: Knex; queue: ChangeMarker }): ObjectStore {
    return new ObjectStore(options.database, options.queue);
  }

  private constructor(database: Knex, marker: ChangeMarker) {
    this.#database = database;
    this.#marker = marker;
  }

  /** Writes what differs from what is stored. Throws `LeaseLostError` where another replica has taken over. */
  async write(
    lease: ClusterLease,
    changes: ObjectChanges,
  ): Promise<{ written: number; deleted: number }> {
    const { upserts, deletes } = changes;
    if (upserts.length === 0 && deletes.length === 0) {
      return { written: 0, deleted: 0 };
    }
    return this.#database.transaction(async trx => {
      await holdLease(trx, lease);
      const changed: ObjectKey[] = [];
      for (const some of chunks(upserts, CHUNK)) {
        changed.push(...(await upsert(trx, lease.cluster, some)));
      }
      const written = changed.length;
      changed.push(...(await remove(trx, lease.cluster, deletes)));
      await this.#marker.markChanged(trx, bucketsOf(lease.cluster, changed));
      return { written, deleted: changed.length - written };
    });
  }

  /**
   * Ends a list: what is stored and was not in it is gone. `seen` holds
   * `namespace/name` of everything that was listed.
   */
  async removeUnseen(
    lease: ClusterLease,
    scope: { kind: KindId; namespace?: string },
    seen: ReadonlySet<string>,
  ): Promise<number> {
    const stored = await this.#database('objects')
      .select('namespace', 'name')
      .where(defined({ cluster: lease.cluster, ...scope }));
    const gone = stored
      .filter(row => !seen.has(`${row.namespace}/${row.name}`))
      .map(row => ({ ...row, kind: scope.kind }));
    if (gone.length === 0) return 0;
    const { deleted } = await this.write(lease, { upserts: [], deletes: gone });
    return deleted;
  }

  /** All objects of a kind in one namespace, or in the whole cluster, in the order of namespace and name. */
  async list(scope: {
    cluster: string;
    kind: KindId;
    /** Empty for kinds without namespaces; left out for all of them. */
    namespace?: string;
  }): Promise<FleetObject[]> {
    const rows = await this.#database('objects')
      .select('namespace', 'name', 'body')
      .where(defined(scope));
    return inOrder(rows).map(row => parse(scope.cluster, row.body));
  }

  /** Everything that one namespace of a cluster holds of the watched kinds, by kind. */
  async listNamespace(scope: {
    cluster: string;
    namespace: string;
  }): Promise<Map<KindId, FleetObject[]>> {
    const rows = await this.#database('objects')
      .select('kind', 'namespace', 'name', 'body')
      // The kinds are named so that the primary key finds the rows.
      .where({ cluster: scope.cluster, namespace: scope.namespace })
      .whereIn('kind', kindsInNamespaces);
    const byKind = new Map<KindId, FleetObject[]>();
    for (const row of inOrder(rows)) {
      const objects = byKind.get(row.kind);
      const object = parse(scope.cluster, row.body);
      if (objects) objects.push(object);
      else byKind.set(row.kind, [object]);
    }
    return byKind;
  }

  async get(
    key: ObjectKey & { cluster: string },
  ): Promise<FleetObject | undefined> {
    const row = await this.#database('objects')
      .select('body')
      .where({
        cluster: key.cluster,
        namespace: key.namespace,
        kind: key.kind,
        name: key.name,
      })
      .first();
    return row && parse(key.cluster, row.body);
  }

  /** How many objects of each kind a cluster has; kinds without any are left out. */
  async count(cluster: string): Promise<Map<KindId, number>> {
    const rows: Array<{ kind: string; objects: unknown }> =
      await this.#database('objects')
        .select('kind')
        .count({ objects: '*' })
        .where({ cluster })
        .groupBy('kind');
    return new Map(rows.map(row => [row.kind, Number(row.objects)]));
  }

  /** Names of the namespaces of a cluster in which there is anything. */
  async namespaces(cluster: string): Promise<string[]> {
    const rows = await this.#database('objects')
      .distinct('namespace')
      .where({ cluster })
      .whereNot({ namespace: '' });
    return rows.map(row => row.namespace).sort();
  }
}

/** Inserts new objects and replaces those whose hash differs; answers the keys of both. */
async function upsert(
  trx: Knex.Transaction,
  cluster: string,
  records: readonly ObjectRecord[],
): Promise<ObjectKey[]> {
  const bindings: string[] = [];
  for (const { namespace, kind, name, hash, body } of records) {
    bindings.push(cluster, namespace, kind, name, hash, body);
  }
  const rows = records.map(() => '(?, ?, ?, ?, ?, ?)').join(', ');
  // One statement that compares, writes and tells what it wrote: reading the
  // stored hashes first would cost a second pass over the same index.
  const result = await trx.raw(
    `insert into objects (cluster, namespace, kind, name, hash, body)
     values ${rows}
     on conflict (cluster, kind, namespace, name)
     do update set hash = excluded.hash, body = excluded.body
     where objects.hash <> excluded.hash
     returning namespace, kind, name`,
    bindings,
  );
  return rowsOf(result);
}

async function remove(
  trx: Knex.Transaction,
  cluster: string,
  keys: readonly ObjectKey[],
): Promise<ObjectKey[]> {
  const removed: ObjectKey[] = [];
  const scopes = new Map<string, ObjectKey[]>();
  for (const key of keys) {
    const scope = `${key.kind}|${key.namespace}`;
    scopes.set(scope, [...(scopes.get(scope) ?? []), key]);
  }
  for (const scope of scopes.values()) {
    const { kind, namespace } = scope[0];
    for (const some of chunks(scope, CHUNK)) {
      // Written out, since knex does not return what it deletes on SQLite.
      const result = await trx.raw(
        `delete from objects
         where cluster = ? and namespace = ? and kind = ?
         and name in (${some.map(() => '?').join(', ')})
         returning namespace, kind, name`,
        [cluster, namespace, kind, ...some.map(key => key.name)],
      );
      removed.push(...rowsOf(result));
    }
  }
  return removed;
}

function bucketsOf(cluster: string, keys: readonly ObjectKey[]): Bucket[] {
  const buckets = new Set<Bucket>();
  let last: ObjectKey | undefined;
  for (const key of keys) {
    // Objects come by kind and namespace, and those of one namespace share their buckets.
    const isSame =
      key.namespace !== '' &&
      key.namespace === last?.namespace &&
      key.kind === last.kind;
    last = key;
    if (isSame) continue;
    for (const bucket of bucketsOfKey({ cluster, ...key })) buckets.add(bucket);
  }
  return [...buckets];
}

/** Knex refuses a condition on `undefined`; here it means any. */
function defined<T extends object>(scope: T): T {
  return Object.fromEntries(
    Object.entries(scope).filter(([, value]) => value !== undefined),
  ) as T;
}

function rowsOf(result: unknown): ObjectKey[] {
  return Array.isArray(result)
    ? result
    : (result as { rows: ObjectKey[] }).rows;
}

function parse(cluster: string, body: string): FleetObject {
  return { cluster, ...JSON.parse(body) };
}

/** By code point, so that SQLite and PostgreSQL with any collation agree. */
function inOrder<T extends { namespace: string; name: string }>(
  rows: T[],
): T[] {
  return rows.sort(
    (a, b) => compare(a.namespace, b.namespace) || compare(a.name, b.name),
  );
}

function compare(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
