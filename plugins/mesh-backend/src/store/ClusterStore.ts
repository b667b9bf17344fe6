import { KindId, watchedKinds } from '@mesh-for-backstage/mesh-analysis';
import {
  ClusterState,
  ClusterSummary,
  KindCoverage,
} from '@mesh-for-backstage/plugin-mesh-common';
import { Knex } from 'knex';
import { Bucket, bucketsOfKey, coverageBucket } from './buckets';
import {
  ChangeMarker,
  ClusterLease,
  holdLease,
  isPostgres,
  LeaseLostError,
} from './ClusterLease';

/** What the configuration says of a cluster. */
export interface ClusterRegistration {
  name: string;
  source: string;
  title?: string;
  /** Host and port; never credentials. */
  server?: string;
  environment?: string;
  labels: Record<string, string>;
  /** Suffix of service names in the cluster, where it is not `cluster.local`. */
  clusterDomain?: string;
  /** Namespaces of mesh and CNI, in which ConfigMaps are read. */
  systemNamespaces: string[];
  /** Set where the cluster cannot be watched. */
  problem?: { state: 'misconfigured' | 'needs-user'; message: string };
}

/** A cluster and how it is. */
export interface StoredCluster extends Omit<ClusterRegistration, 'problem'> {
  state: ClusterState;
  message?: string;
  since: string;
  lastContact?: string;
  kubernetesVersion?: string;
  /** The replica that collects it now. */
  collectedBy?: string;
}

export type CoverageState = KindCoverage['state'];

/** How well a kind of a cluster is known. `asOf` is absent where it was never listed to the end. */
export interface StoredCoverage {
  cluster: string;
  kind: KindId;
  /** Plural and group, as in an RBAC rule. */
  resource: string;
  version?: string;
  state: CoverageState;
  message?: string;
  missing?: NonNullable<KindCoverage['missing']>;
  objects: number;
  since: string;
  asOf?: string;
}

/** What a collector says of its cluster. */
export interface ClusterStatus {
  state: ClusterState;
  message?: string;
  since: string;
  lastContact?: string;
  kubernetesVersion?: string;
}

/**
 * The clusters, how well each of their kinds is known, and which replica collects
 * them.
 */
export class ClusterStore {
  readonly #database: Knex;
  readonly #marker: ChangeMarker;
  readonly #now: () => Date;

  static create(options: {
    database: Knex;
    queue: ChangeMarker;
    now?: () => Date;
  }): ClusterStore {
    return new ClusterStore(options);
  }

  private constructor(options: {
    database: Knex;
    queue: ChangeMarker;
    now?: () => Date;
  }) {
    this.#database = options.database;
    this.#marker = options.queue;
    this.#now = options.now ?? (() => new Date());
  }

  /**
   * Writes what the configuration says of a cluster. What is known of how it is
   * stays, except where it turns out that it cannot be watched, or that it can be
   * again. Answers whether anything has changed.
   */
  async register(cluster: ClusterRegistration): Promise<boolean> {
    const described = {
      source: cluster.source,
      title: cluster.title ?? null,
      server: cluster.server ?? null,
      environment: cluster.environment ?? null,
      labels: JSON.stringify(cluster.labels),
      cluster_domain: cluster.clusterDomain ?? null,
      system_namespaces: JSON.stringify(cluster.systemNamespaces),
    };
    return this.#database.transaction(async trx => {
      const row = await trx('clusters').where({ name: cluster.name }).first();
      const now = this.#now().toISOString();
      if (!row) {
        await trx('clusters')
          .insert({
            name: cluster.name,
            ...described,
            state: cluster.problem?.state ?? 'connecting',
            message: cluster.problem?.message ?? null,
            since: now,
          })
          .onConflict('name')
          .ignore();
        return true;
      }
      const state = registeredState(row, cluster);
      const update = {
        ...described,
        ...state,
        ...(state.state !== row.state && { since: now }),
      };
      const differs = Object.entries(update).some(
        ([column, value]) => row[column] !== value,
      );
      if (!differs) return false;
      await trx('clusters').where({ name: cluster.name }).update(update);
      return true;
    });
  }

  /** Forgets a cluster and all that was read from it; what was made of it is marked to be drawn anew. */
  async remove(name: string): Promise<void> {
    await this.#database.transaction(async trx => {
      const buckets = new Set<Bucket>();
      const scopes = await trx('objects')
        .distinct('kind', 'namespace')
        .where({ cluster: name })
        .whereNot({ namespace: '' });
      const clusterWide = await trx('objects')
        .select('kind', 'namespace', 'name')
        .where({ cluster: name, namespace: '' });
      for (const key of [...scopes, ...clusterWide]) {
        for (const bucket of bucketsOfKey({ cluster: name, ...key })) {
          buckets.add(bucket);
        }
      }
      const kinds = await trx('coverage')
        .select('kind')
        .where({ cluster: name });
      for (const { kind } of kinds) buckets.add(coverageBucket(name, kind));

      await trx('clusters').where({ name }).delete();
      await trx('objects').where({ cluster: name }).delete();
      await trx('coverage').where({ cluster: name }).delete();
      await this.#marker.markChanged(trx, [...buckets]);
    });
  }

  async list(): Promise<StoredCluster[]> {
    const rows = await this.#database('clusters').select();
    return rows.map(toCluster).sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  async get(name: string): Promise<StoredCluster | undefined> {
    const row = await this.#database('clusters').where({ name }).first();
    return row && toCluster(row);
  }

  /** Coverage of one cluster, or of all, in the order of cluster and kind. */
  async coverage(cluster?: string): Promise<StoredCoverage[]> {
    const rows = await this.#database('coverage')
      .select()
      .where(cluster === undefined ? {} : { cluster });
    return rows
      .map(toCoverage)
      .sort((a, b) =>
        `${a.cluster}|${a.kind}` < `${b.cluster}|${b.kind}` ? -1 : 1,
      );
  }

  /**
   * Writes coverage. Readers are marked where state or message differ from what
   * is stored, not where only time and count do.
   */
  async saveCoverage(
    lease: ClusterLease,
    rows: readonly StoredCoverage[],
  ): Promise<{ changed: KindId[] }> {
    if (rows.length === 0) return { changed: [] };
    return this.#database.transaction(async trx => {
      await holdLease(trx, lease);
      const stored = new Map<string, { state: string; message: string | null }>(
        (
          await trx('coverage')
            .select('kind', 'state', 'message')
            .where({ cluster: lease.cluster })
        ).map(row => [row.kind, row]),
      );
      await trx('coverage')
        .insert(rows.map(fromCoverage))
        .onConflict(['cluster', 'kind'])
        .merge();
      const changed = rows
        .filter(row => {
          const before = stored.get(row.kind);
          return (
            before?.state !== row.state ||
            (before.message ?? undefined) !== row.message
          );
        })
        .map(row => row.kind);
      await this.#marker.markChanged(
        trx,
        changed.map(kind => coverageBucket(lease.cluster, kind)),
      );
      return { changed };
    });
  }

  /**
   * Removes what is no longer read, since nothing would correct it: kinds that are
   * not watched any more, and, of kinds that are read in some namespaces only, what
   * lies in others.
   */
  async keepOnly(
    lease: ClusterLease,
    scopes: ReadonlyArray<{ kind: KindId; namespaces?: readonly string[] }>,
  ): Promise<void> {
    const { cluster } = lease;
    const namespacesOf = new Map(
      scopes.map(({ kind, namespaces }) => [kind, namespaces]),
    );
    await this.#database.transaction(async trx => {
      await holdLease(trx, lease);
      await trx('coverage')
        .where({ cluster })
        .whereNotIn('kind', [...namespacesOf.keys()])
        .delete();
      const stored: Array<{ kind: KindId; namespace: string }> = await trx(
        'objects',
      )
        .distinct('kind', 'namespace')
        .where({ cluster });
      const buckets = new Set<Bucket>();
      for (const { kind, namespace } of stored) {
        const isRead =
          namespacesOf.has(kind) &&
          (namespacesOf.get(kind)?.includes(namespace) ?? true);
        if (isRead) continue;
        const gone = { cluster, kind, namespace };
        const names = await trx('objects').where(gone).pluck('name');
        await trx('objects').where(gone).delete();
        for (const name of names) {
          bucketsOfKey({ ...gone, name }).forEach(one => buckets.add(one));
        }
      }
      await this.#marker.markChanged(trx, [...buckets]);
    });
  }

  async saveStatus(lease: ClusterLease, status: ClusterStatus): Promise<void> {
    const updated = await this.#database('clusters')
      .where({
        name: lease.cluster,
        lease_owner: lease.owner,
        fence: lease.fence,
      })
      .update({
        state: status.state,
        message: status.message ?? null,
        since: status.since,
        ...(status.lastContact && { last_contact: status.lastContact }),
        ...(status.kubernetesVersion && {
          kubernetes_version: status.kubernetesVersion,
        }),
      });
    if (updated === 0) throw new LeaseLostError(lease);
  }

  /** Takes a cluster that nobody collects, or whose collector has not been heard of for too long. */
  async acquireLease(
    cluster: string,
    owner: string,
    milliseconds: number,
  ): Promise<ClusterLease | undefined> {
    const now = this.#databaseTime();
    const rows = await this.#database('clusters')
      .where({ name: cluster })
      .where('lease_until', '<', now)
      .update(
        {
          lease_owner: owner,
          lease_until: this.#database.raw('? + ?', [now, milliseconds]),
          fence: this.#database.raw('fence + 1'),
        },
        ['fence'],
      );
    return rows.length === 0
      ? undefined
      : { cluster, owner, fence: Number(rows[0].fence) };
  }

  /** Prolongs leases; answers those that are still held. */
  async renewLeases(
    leases: readonly ClusterLease[],
    milliseconds: number,
  ): Promise<ClusterLease[]> {
    if (leases.length === 0) return [];
    const { owner } = leases[0];
    const rows = await this.#database('clusters')
      .where({ lease_owner: owner })
      .whereIn(
        'name',
        leases.map(lease => lease.cluster),
      )
      .update(
        {
          lease_until: this.#database.raw('? + ?', [
            this.#databaseTime(),
            milliseconds,
          ]),
        },
        ['name', 'fence'],
      );
    const fences = new Map(rows.map(row => [row.name, Number(row.fence)]));
    return leases.filter(lease => fences.get(lease.cluster) === lease.fence);
  }

  /** Gives a cluster back, so that another replica need not wait for it. */
  async releaseLease(lease: ClusterLease): Promise<void> {
    await this.#database('clusters')
      .where({
        name: lease.cluster,
        lease_owner: lease.owner,
        fence: lease.fence,
      })
      .update({ lease_owner: null, lease_until: 0 });
  }

  /** Milliseconds since 1970 by the database's clock, since those of replicas differ; SQLite runs in this process. */
  #databaseTime(): Knex.Raw {
    return isPostgres(this.#database)
      ? this.#database.raw(
          '(extract(epoch from clock_timestamp()) * 1000)::bigint',
        )
      : this.#database.raw('?', [this.#now().getTime()]);
  }
}

/** The part of the API's answer for a cluster that its row and coverage tell. */
export function summariseCluster(
  cluster: StoredCluster,
  coverage: readonly StoredCoverage[],
): ClusterSummary {
  const byKind = new Map(coverage.map(row => [row.kind, row]));
  const read = coverage.filter(
    row => row.state !== 'absent-api' && !isSwitchedOff(row),
  );
  const times = read.flatMap(row => row.asOf ?? []).sort();
  const inState = (state: CoverageState) =>
    coverage.filter(row => row.state === state).length;
  return {
    name: cluster.name,
    ...(cluster.title && { title: cluster.title }),
    source: cluster.source,
    ...(cluster.server && { server: cluster.server }),
    state: cluster.state,
    ...(cluster.message && { message: cluster.message }),
    since: cluster.since,
    ...(cluster.lastContact && { lastContact: cluster.lastContact }),
    ...(times.length > 0 && { asOf: times[0] }),
    ...(cluster.environment && { environment: cluster.environment }),
    labels: cluster.labels,
    versions: {
      kubernetes: cluster.kubernetesVersion ?? {
        unknown:
          cluster.state === 'unreachable' ? 'unreachable' : 'not-reported',
      },
    },
    counts: {
      services: countOf(byKind, cluster, ['Service']),
      workloads: countOf(byKind, cluster, [
        'Deployment.apps',
        'StatefulSet.apps',
        'DaemonSet.apps',
      ]),
      nodes: countOf(byKind, cluster, ['Node']),
      namespaces: countOf(byKind, cluster, ['Namespace']),
    },
    coverage: {
      synced: inState('synced'),
      forbidden: inState('forbidden'),
      absentApi: inState('absent-api'),
      unreachable: inState('unreachable'),
      stale: inState('stale'),
    },
    partial: read.length === 0 || read.some(row => row.state !== 'synced'),
  };
}

/** The API's answer for one kind of a cluster. */
export function toKindCoverage(row: StoredCoverage): KindCoverage {
  return {
    kind: row.kind,
    resource: row.resource,
    ...(row.version && { version: row.version }),
    state: row.state,
    ...(row.message && { message: row.message }),
    ...(row.missing && { missing: row.missing }),
    objects: row.objects,
    since: row.since,
    ...(row.asOf && { asOf: row.asOf }),
    topics: watchedKinds.find(kind => kind.id === row.kind)?.topics ?? [],
  };
}

/** Reading the kind is switched off by choice: nothing is missing, and nothing is known. */
export function isSwitchedOff(
  row: Pick<StoredCoverage, 'state' | 'missing'>,
): boolean {
  return row.state === 'forbidden' && row.missing === undefined;
}

/**
 * A sum over kinds, or why it is not known. The last count of a cluster that has
 * stopped answering stands, since its state says how old it is.
 */
function countOf(
  coverage: ReadonlyMap<KindId, StoredCoverage>,
  cluster: StoredCluster,
  kinds: KindId[],
): ClusterSummary['counts']['services'] {
  let sum = 0;
  for (const kind of kinds) {
    const row = coverage.get(kind);
    if (!row) {
      return {
        unknown:
          cluster.state === 'unreachable' ? 'unreachable' : 'not-reported',
        detail: cluster.message ?? `${kind} has not been read yet`,
      };
    }
    if (row.state !== 'synced' && row.asOf === undefined) {
      return {
        unknown: row.state,
        ...(row.message && { detail: row.message }),
      };
    }
    if (row.state === 'forbidden' || row.state === 'absent-api') {
      return {
        unknown: row.state,
        ...(row.message && { detail: row.message }),
      };
    }
    sum += row.objects;
  }
  return sum;
}

/** State and message of a cluster that is known already and named by the configuration again. */
function registeredState(
  row: { state: ClusterState; message: string | null },
  cluster: ClusterRegistration,
): { state: ClusterState; message: string | null } {
  if (cluster.problem) {
    return { state: cluster.problem.state, message: cluster.problem.message };
  }
  const wasStopped =
    row.state === 'misconfigured' || row.state === 'needs-user';
  return wasStopped
    ? { state: 'connecting', message: null }
    : { state: row.state, message: row.message };
}

function toCluster(row: any): StoredCluster {
  return {
    name: row.name,
    source: row.source,
    ...optional('title', row.title),
    ...optional('server', row.server),
    ...optional('environment', row.environment),
    labels: JSON.parse(row.labels),
    ...optional('clusterDomain', row.cluster_domain),
    systemNamespaces: JSON.parse(row.system_namespaces),
    state: row.state,
    ...optional('message', row.message),
    since: row.since,
    ...optional('lastContact', row.last_contact),
    ...optional('kubernetesVersion', row.kubernetes_version),
    ...optional('collectedBy', row.lease_owner),
  };
}

function toCoverage(row: any): StoredCoverage {
  return {
    cluster: row.cluster,
    kind: row.kind,
    resource: row.resource,
    ...optional('version', row.version),
    state: row.state,
    ...optional('message', row.message),
    ...(row.missing && { missing: JSON.parse(row.missing) }),
    objects: Number(row.objects),
    since: row.since,
    ...optional('asOf', row.as_of),
  };
}

function fromCoverage(row: StoredCoverage) {
  return {
    cluster: row.cluster,
    kind: row.kind,
    resource: row.resource,
    version: row.version ?? null,
    state: row.state,
    message: row.message ?? null,
    missing: row.missing ? JSON.stringify(row.missing) : null,
    objects: row.objects,
    since: row.since,
    as_of: row.asOf ?? null,
  };
}

function optional<K extends string>(
  key: K,
  value: string | null,
): { [P in K]?: string } {
  return (value === null ? {} : { [key]: value }) as { [P in K]?: string };
}
