import {
  Coverage,
  FleetObject,
  Inventory,
  KindId,
  watchedKinds,
} from '@mesh-for-backstage/mesh-analysis';
import { Bucket, coverageBucket, wholeClusterBucket } from '../store/buckets';
import { StoredCluster, StoredCoverage } from '../store/ClusterStore';

/** Something that analysis has asked for and that is not in memory yet. */
export class NotLoaded extends Error {
  readonly need: Need;

  constructor(need: Need) {
    super(`Not loaded: ${JSON.stringify(need)}`);
    this.need = need;
  }
}

/** What has to be loaded. */
export type Need =
  | { type: 'list'; cluster: string; kind: KindId; namespace?: string }
  | { type: 'object'; cluster: string; kind: KindId; name: string }
  | { type: 'coverage'; cluster: string };

/** Where it is loaded from. */
export interface Loader {
  list(scope: {
    cluster: string;
    kind: KindId;
    namespace?: string;
  }): Promise<FleetObject[]>;
  listNamespace(scope: {
    cluster: string;
    namespace: string;
  }): Promise<Map<KindId, FleetObject[]>>;
  get(key: {
    cluster: string;
    kind: KindId;
    namespace: string;
    name: string;
  }): Promise<FleetObject | undefined>;
  coverage(cluster: string): Promise<ClusterKnowledge>;
}

/** How well the kinds of a cluster are known. */
export interface ClusterKnowledge {
  cluster: StoredCluster | undefined;
  kinds: ReadonlyMap<KindId, StoredCoverage>;
}

const clusterWideKinds = new Set(
  watchedKinds.filter(kind => !kind.namespaced).map(kind => kind.id),
);

/** More rounds than any analysis needs; a mistake must not run for ever. */
const MAX_ROUNDS = 1_000;

/**
 * What is known of the fleet, read from the store as analysis asks for it. Every
 * question is recorded as a bucket, so that a change in it draws the unit anew.
 */
export class RecordingInventory implements Inventory {
  readonly now: string;
  readonly #loader: Loader;
  readonly #clusters: readonly string[];
  readonly #reads = new Set<Bucket>();
  readonly #lists = new Map<Bucket, readonly FleetObject[]>();
  readonly #objects = new Map<Bucket, FleetObject | undefined>();
  readonly #byName = new Map<Bucket, Map<string, FleetObject>>();
  readonly #coverage = new Map<string, ClusterKnowledge>();
  /** Namespaces of which everything is loaded: a kind that is not there has no objects. */
  readonly #whole = new Set<string>();

  static create(options: {
    loader: Loader;
    clusters: readonly string[];
    now: string;
  }): RecordingInventory {
    return new RecordingInventory(options);
  }

  private constructor(options: {
    loader: Loader;
    clusters: readonly string[];
    now: string;
  }) {
    this.#loader = options.loader;
    this.#clusters = options.clusters;
    this.now = options.now;
  }

  /** Runs an analysis, and again for everything that it turns out to need. */
  async run<T>(analyse: (inventory: Inventory) => T): Promise<T> {
    for (let round = 0; round < MAX_ROUNDS; round++) {
      this.#reads.clear();
      try {
        return analyse(this);
      } catch (error) {
        if (!(error instanceof NotLoaded)) throw error;
        await this.#load(error.need);
      }
    }
    throw new Error(`Analysis asked for more than ${MAX_ROUNDS} buckets`);
  }

  /** The buckets that the last run has read. */
  get reads(): ReadonlySet<Bucket> {
    return this.#reads;
  }

  /** Loads everything in a namespace by one query, ahead of the questions. */
  async loadNamespace(cluster: string, namespace: string): Promise<number> {
    const kinds = await this.#loader.listNamespace({ cluster, namespace });
    let objects = 0;
    for (const [kind, list] of kinds) {
      this.#lists.set(`${cluster}|${kind}|${namespace}`, list);
      objects += list.length;
    }
    this.#whole.add(`${cluster}|${namespace}`);
    return objects;
  }

  /** Loads buckets that were read the last time, ahead of the questions. */
  async loadBuckets(buckets: Iterable<Bucket>): Promise<void> {
    for (const bucket of buckets) {
      const [cluster, kind, part] = bucket.split('|');
      if (cluster === 'view' || part === '?') continue;
      if (part === '*') {
        await this.#load({ type: 'list', cluster, kind });
      } else if (clusterWideKinds.has(kind)) {
        await this.#load({ type: 'object', cluster, kind, name: part });
      } else {
        await this.#load({ type: 'list', cluster, kind, namespace: part });
      }
    }
  }

  clusters(): readonly string[] {
    return this.#clusters;
  }

  list(
    kind: KindId,
    { cluster, namespace }: { cluster: string; namespace?: string },
  ): readonly FleetObject[] {
    const bucket =
      namespace === undefined || clusterWideKinds.has(kind)
        ? wholeClusterBucket(cluster, kind)
        : `${cluster}|${kind}|${namespace}`;
    this.#reads.add(bucket);
    const list = this.#lists.get(bucket);
    if (list) return list;
    if (this.#whole.has(`${cluster}|${namespace}`)) return [];
    throw new NotLoaded({ type: 'list', cluster, kind, namespace });
  }

  get(
    kind: KindId,
    key: { cluster: string; namespace?: string; name: string },
  ): FleetObject | undefined {
    const { cluster, namespace, name } = key;
    if (namespace !== undefined && !clusterWideKinds.has(kind)) {
      return this.#named(kind, cluster, namespace).get(name);
    }
    const bucket = `${cluster}|${kind}|${name}`;
    this.#reads.add(bucket);
    if (!this.#objects.has(bucket)) {
      throw new NotLoaded({ type: 'object', cluster, kind, name });
    }
    return this.#objects.get(bucket);
  }

  coverage(kind: KindId, cluster: string): Coverage {
    this.#reads.add(coverageBucket(cluster, kind));
    const known = this.#coverage.get(cluster);
    if (!known) throw new NotLoaded({ type: 'coverage', cluster });
    return coverageOf(kind, known);
  }

  #named(kind: KindId, cluster: string, namespace: string) {
    const bucket = `${cluster}|${kind}|${namespace}`;
    const objects = this.list(kind, { cluster, namespace });
    let byName = this.#byName.get(bucket);
    if (!byName) {
      byName = new Map(objects.map(object => [object.metadata.name, object]));
      this.#byName.set(bucket, byName);
    }
    return byName;
  }

  async #load(need: Need): Promise<void> {
    const { cluster } = need;
    if (need.type === 'coverage') {
      this.#coverage.set(cluster, await this.#loader.coverage(cluster));
    } else if (need.type === 'object') {
      const { kind, name } = need;
      this.#objects.set(
        `${cluster}|${kind}|${name}`,
        await this.#loader.get({ cluster, kind, namespace: '', name }),
      );
    } else {
      const { kind } = need;
      const namespace = clusterWideKinds.has(kind) ? undefined : need.namespace;
      this.#lists.set(
        `${cluster}|${kind}|${namespace ?? '*'}`,
        await this.#loader.list({
          cluster,
          kind,
          ...(namespace !== undefined && { namespace }),
        }),
      );
    }
  }
}

/**
 * What analysis is told of a kind. Where it was listed to the end once and is out of
 * date by now, the last state stands: that it is old is said by the cluster's state.
 */
export function coverageOf(
  kind: KindId,
  { cluster, kinds }: ClusterKnowledge,
): Coverage {
  const row = kinds.get(kind);
  if (!row) {
    return {
      state: 'unreachable',
      message: cluster?.message ?? `${kind} has not been read yet`,
      ...(cluster && { since: cluster.since }),
      pending: true,
    };
  }
  const { state, message, since, asOf } = row;
  return {
    state: state === 'unreachable' && asOf !== undefined ? 'stale' : state,
    ...(message && { message }),
    since,
    ...(state === 'unreachable' && asOf === undefined && { pending: true }),
  };
}

/** Whether a kind is known in a cluster, be it from some time ago. */
export function isKnown(kind: KindId, knowledge: ClusterKnowledge): boolean {
  const { state } = coverageOf(kind, knowledge);
  return state === 'synced' || state === 'stale';
}
