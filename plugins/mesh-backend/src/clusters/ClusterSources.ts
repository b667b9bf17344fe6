import { createHash } from 'node:crypto';
import {
  AuthService,
  LoggerService,
  RootConfigService,
} from '@backstage/backend-plugin-api';
import { CatalogService } from '@backstage/plugin-catalog-node';
import {
  MeshCluster,
  MeshClusterSource,
} from '@mesh-for-backstage/plugin-mesh-node';
import { ClusterRegistration } from '../store/ClusterStore';
import { createCatalogSource } from './catalogSource';
import { createConfigSource } from './configSource';
import { createInClusterSource } from './inClusterSource';
import { createKubeconfigSource } from './kubeconfigSource';
import {
  ClusterOverlay,
  ClusterSourcesSettings,
  readClusterSettings,
} from './settings';

/** A source that takes longer counts as one that fails: the clusters of the others do not wait for it. */
const ANSWER_WITHIN_MS = 10_000;

/** A cluster with all that the configuration says of it. */
export interface ClusterDefinition extends ClusterRegistration {
  /** Absent where there is a problem. */
  createKubeConfig?: MeshCluster['createKubeConfig'];
  /** Differs where the cluster has to be collected in another way. */
  fingerprint: string;
}

/** @internal */
export interface ListedClusters {
  clusters: ClusterDefinition[];
  /** Sources that could not say what they have now. What they named last is in `clusters`. */
  incomplete: ReadonlySet<string>;
}

/**
 * All clusters, from all sources, merged by name: where two sources name the same
 * cluster, the first one counts. What app-config adds under `mesh.clusters` is
 * laid over it.
 */
export class ClusterSources {
  readonly #sources: readonly MeshClusterSource[];
  readonly #settings: ClusterSourcesSettings;
  readonly #systemNamespaces: string[];
  readonly #logger: LoggerService;
  readonly #lastNamed = new Map<string, MeshCluster[]>();
  readonly #told = new Set<string>();

  static create(options: {
    sources: readonly MeshClusterSource[];
    settings: ClusterSourcesSettings;
    systemNamespaces: string[];
    logger: LoggerService;
  }): ClusterSources {
    return new ClusterSources(options);
  }

  private constructor(options: {
    sources: readonly MeshClusterSource[];
    settings: ClusterSourcesSettings;
    systemNamespaces: string[];
    logger: LoggerService;
  }) {
    this.#sources = options.sources;
    this.#settings = options.settings;
    this.#systemNamespaces = options.systemNamespaces;
    this.#logger = options.logger;
  }

  /** How often sources are asked. */
  get refreshIntervalMs(): number {
    return this.#settings.refreshIntervalMs;
  }

  async list(): Promise<ListedClusters> {
    const incomplete = new Set<string>();
    const answers = await Promise.all(
      this.#sources.map(source =>
        this.#ask(source).catch(error => {
          incomplete.add(source.id);
          this.#tellOnce(
            `Clusters of ${source.id} cannot be listed: ${
              (error as Error).message
            }`,
          );
          return this.#lastNamed.get(source.id) ?? [];
        }),
      ),
    );
    const clusters = new Map<string, ClusterDefinition>();
    this.#sources.forEach((source, index) => {
      for (const cluster of answers[index]) {
        const first = clusters.get(cluster.name);
        if (first) {
          this.#tellOnce(
            `Cluster ${cluster.name} is named by ${first.source} and by ${source.id}; the former is used`,
          );
        } else if (this.#isWanted(cluster.name)) {
          clusters.set(cluster.name, this.#define(cluster, source.id));
        }
      }
    });
    this.#tellOfUnknown([...clusters.keys()], incomplete);
    return { clusters: [...clusters.values()], incomplete };
  }

  async #ask(source: MeshClusterSource): Promise<MeshCluster[]> {
    const named = await within(ANSWER_WITHIN_MS, source.listClusters());
    this.#lastNamed.set(source.id, named);
    return named;
  }

  #isWanted(name: string): boolean {
    const overlays = this.#settings.clusters;
    if (overlays.get(name)?.exclude) return false;
    const picksSome = [...overlays.values()].some(overlay => overlay.include);
    return !picksSome || overlays.get(name)?.include === true;
  }

  #define(cluster: MeshCluster, source: string): ClusterDefinition {
    const overlay: ClusterOverlay =
      this.#settings.clusters.get(cluster.name) ?? {};
    const problem = nameProblem(cluster.name) ?? cluster.problem;
    if (problem) this.#tellOnce(`Cluster ${cluster.name}: ${problem.message}`);
    const systemNamespaces = overlay.systemNamespaces ?? this.#systemNamespaces;
    return {
      name: cluster.name,
      source,
      title: overlay.title ?? cluster.title,
      server: cluster.server && serverToShow(cluster.server),
      environment: overlay.environment,
      labels: { ...cluster.labels, ...overlay.labels },
      clusterDomain: overlay.clusterDomain,
      systemNamespaces,
      problem,
      ...(!problem && { createKubeConfig: cluster.createKubeConfig }),
      fingerprint: createHash('sha256')
        .update(JSON.stringify([source, cluster.fingerprint, systemNamespaces]))
        .digest('base64'),
    };
  }

  /** Says of an overlay that it lies over nothing, with what it may have meant. */
  #tellOfUnknown(names: string[], incomplete: ReadonlySet<string>): void {
    if (incomplete.size > 0) return;
    for (const [name, overlay] of this.#settings.clusters) {
      if (names.includes(name) || overlay.exclude) continue;
      this.#tellOnce(
        `mesh.clusters.${name} names no cluster; known are ${
          names.sort().join(', ') || 'none'
        }`,
      );
    }
  }

  #tellOnce(message: string): void {
    if (this.#told.has(message)) return;
    this.#told.add(message);
    this.#logger.warn(message);
  }
}

/**
 * The sources that app-config switches on, and those of modules. Throws where the
 * settings of `mesh` themselves are wrong; what is wrong with one cluster stops only
 * that cluster.
 */
export function createClusterSources(options: {
  config: RootConfigService;
  logger: LoggerService;
  catalog: CatalogService;
  auth: AuthService;
  /** From `meshClusterSourcesExtensionPoint`. */
  sources: readonly MeshClusterSource[];
  systemNamespaces: string[];
}): ClusterSources {
  const { config, logger, catalog, auth, systemNamespaces } = options;
  const settings = readClusterSettings(config);
  const sources: MeshClusterSource[] = [];
  const methods = config.getOptionalConfigArray(
    'kubernetes.clusterLocatorMethods',
  );
  if (settings.kubernetesConfig) {
    sources.push(...createConfigSource(methods ?? []));
  }
  if (settings.kubernetesCatalog) {
    sources.push(...createCatalogSource(methods ?? [], { catalog, auth }));
  }
  if (settings.kubeconfig) {
    sources.push(createKubeconfigSource(settings.kubeconfig));
  }
  if (settings.inCluster) {
    sources.push(createInClusterSource(settings.inCluster));
  }
  if (settings.modules) sources.push(...options.sources);
  const twice = sources.find(
    (source, index) => sources.findIndex(one => one.id === source.id) !== index,
  );
  if (twice) {
    throw new Error(
      `Two sources of clusters have the id ${twice.id}; a module that adds one through the extension point has to give it another`,
    );
  }
  return ClusterSources.create({ sources, settings, systemNamespaces, logger });
}

async function within<T>(
  milliseconds: number,
  promise: Promise<T>,
): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<never>((_, reject) => {
    timer = setTimeout(
      () => reject(new Error(`no answer within ${milliseconds / 1000} s`)),
      milliseconds,
    );
    timer.unref();
  });
  return Promise.race([promise, timeout]).finally(() => clearTimeout(timer));
}

/** Names are parts of keys of what is stored, where these characters separate. */
function nameProblem(name: string): MeshCluster['problem'] {
  const isUsable =
    name.length > 0 &&
    name.length <= 200 &&
    name !== 'view' &&
    // eslint-disable-next-line no-control-regex
    !/[|*?\u0000-\u001f]/.test(name);
  return isUsable
    ? undefined
    : {
        state: 'misconfigured',
        message: `The name ${JSON.stringify(
          name.slice(0, 40),
        )} cannot be used: names have 1 to 200 characters, none of them | * ? or a control character, and are not "view"`,
      };
}

/** Scheme, host and port: what people know a server by, without credentials or path. */
function serverToShow(server: string): string | undefined {
  try {
    return new URL(server).host;
  } catch {
    return undefined;
  }
}
