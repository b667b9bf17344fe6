import { mockServices, TestDatabases } from '@backstage/backend-test-utils';
import { KubeConfig } from '@kubernetes/client-node';
import { KindId } from '@mesh-for-backstage/mesh-analysis';
import {
  MeshCluster,
  MeshClusterSource,
} from '@mesh-for-backstage/plugin-mesh-node';
import { Knex } from 'knex';
import { resolve } from 'path';
import { ClusterSources } from '../../clusters';
import { readClusterSettings } from '../../clusters/settings';
import {
  ClusterStore,
  StoredCluster,
  StoredCoverage,
} from '../../store/ClusterStore';
import { ObjectStore } from '../../store/ObjectStore';
import { Queue } from '../../store/Queue';
import { Collectors, LeaseSettings } from '../Collectors';
import { CollectSettings, defaultCollectSettings } from '../settings';

export function databaseIds(): Array<'SQLITE_3' | 'POSTGRES_18'> {
  return process.env.BACKSTAGE_TEST_DATABASE_POSTGRES18_CONNECTION_STRING
    ? ['SQLITE_3', 'POSTGRES_18']
    : ['SQLITE_3'];
}

export async function initDatabase(
  databases: TestDatabases,
  id: 'SQLITE_3' | 'POSTGRES_18' | string,
): Promise<Knex> {
  const knex = await databases.init(id as 'SQLITE_3');
  await knex.migrate.latest({
    directory: resolve(__dirname, '../../../migrations'),
  });
  return knex;
}

/** Settings under which what takes minutes in earnest takes moments. */
export const quickSettings: CollectSettings = {
  ...defaultCollectSettings,
  discoveryIntervalMs: 500,
  staleAfterMs: 90_000,
  stableWatchMs: 300,
  connectTimeoutMs: 2_000,
  requestTimeoutMs: 2_000,
  forbiddenRetryMs: 500,
  backoff: { baseMs: 50, capMs: 500 },
  asOfIntervalMs: 200,
  writeDelayMs: 5,
};

/** A cluster that is reached at a URL with a token, as a source would name it. */
export function clusterAt(options: {
  name: string;
  url: string;
  caData?: string;
  token: string | (() => string);
}): MeshCluster {
  const { name, url, caData, token } = options;
  return {
    name,
    server: url,
    fingerprint: url,
    createKubeConfig: () => {
      const kubeConfig = new KubeConfig();
      kubeConfig.loadFromClusterAndUser(
        { name, server: url, caData, skipTLSVerify: false },
        { name, token: typeof token === 'string' ? token : token() },
      );
      return kubeConfig;
    },
  };
}

/** Everything that collecting takes, on a real database, against real servers. */
export class Harness {
  readonly knex: Knex;
  readonly queue: Queue;
  readonly clusterStore: ClusterStore;
  readonly objectStore: ObjectStore;
  readonly clusters: MeshCluster[];
  readonly #settings: CollectSettings;
  readonly #running = new Set<Collectors>();

  static create(options: {
    knex: Knex;
    clusters: MeshCluster[];
    settings?: Partial<CollectSettings>;
  }): Harness {
    return new Harness(options);
  }

  private constructor(options: {
    knex: Knex;
    clusters: MeshCluster[];
    settings?: Partial<CollectSettings>;
  }) {
    this.knex = options.knex;
    this.clusters = options.clusters;
    this.#settings = { ...quickSettings, ...options.settings };
    this.queue = Queue.create({ database: this.knex, instanceId: 'test' });
    this.clusterStore = ClusterStore.create({
      database: this.knex,
      queue: this.queue,
    });
    this.objectStore = ObjectStore.create({
      database: this.knex,
      queue: this.queue,
    });
  }

  /** Starts a replica. */
  start(
    options: {
      instanceId?: string;
      leases?: LeaseSettings;
      objectStore?: ObjectStore;
      source?: MeshClusterSource;
      refreshIntervalMs?: number;
    } = {},
  ): Collectors {
    const logger = mockServices.logger.mock();
    logger.child.mockReturnValue(logger);
    if (process.env.TRACE_COLLECT) {
      for (const level of ['error', 'warn', 'info'] as const) {
        logger[level].mockImplementation((...said: unknown[]) => {
          process.stderr.write(`${level} ${said.map(String).join(' ')}\n`);
        });
      }
    }
    const config = mockServices.rootConfig({ data: {} });
    const sources = ClusterSources.create({
      sources: [
        options.source ?? {
          id: 'test',
          listClusters: async () => [...this.clusters],
        },
      ],
      settings: {
        ...readClusterSettings(config),
        refreshIntervalMs: options.refreshIntervalMs ?? 100,
      },
      systemNamespaces: this.#settings.systemNamespaces,
      logger,
    });
    const collectors = Collectors.create({
      sources,
      clusterStore: this.clusterStore,
      objectStore: options.objectStore ?? this.objectStore,
      settings: this.#settings,
      logger,
      instanceId: options.instanceId ?? 'one',
      leases: options.leases ?? { durationMs: 10_000, renewEveryMs: 100 },
    });
    collectors.start();
    this.#running.add(collectors);
    return collectors;
  }

  async stop(): Promise<void> {
    await Promise.all([...this.#running].map(one => one.stop()));
    this.#running.clear();
  }

  async cluster(name: string): Promise<StoredCluster> {
    const cluster = await this.clusterStore.get(name);
    if (!cluster) throw new Error(`There is no cluster ${name}`);
    return cluster;
  }

  async coverage(cluster: string, kind: KindId): Promise<StoredCoverage> {
    const row = (await this.clusterStore.coverage(cluster)).find(
      one => one.kind === kind,
    );
    if (!row) throw new Error(`There is no coverage of ${kind} in ${cluster}`);
    return row;
  }

  /** Names of the objects of a kind, as `namespace/name`. */
  async names(cluster: string, kind: KindId): Promise<string[]> {
    const objects = await this.objectStore.list({ cluster, kind });
    return objects.map(
      ({ metadata }) => `${metadata.namespace ?? ''}/${metadata.name}`,
    );
  }

  async untilState(name: string, state: StoredCluster['state']): Promise<void> {
    await eventually(async () => {
      const cluster = await this.cluster(name);
      if (cluster.state !== state) {
        throw new Error(
          `Cluster ${name} is ${cluster.state}, not ${state}: ${cluster.message}`,
        );
      }
    });
  }
}

/** Repeats an expectation until it holds; a slow machine is given its time. */
export async function eventually(
  expectation: () => Promise<void> | void,
  withinMs = 30_000,
): Promise<void> {
  const end = Date.now() + withinMs;
  for (;;) {
    try {
      await expectation();
      return;
    } catch (error) {
      if (Date.now() > end) throw error;
      await new Promise(done => setTimeout(done, 50));
    }
  }
}
