import { stringify } from 'yaml';
import {
  clusterFolders,
  LoadedObject,
  loadManifests,
  ManifestProblem,
} from './manifests';
import { Churn } from './growth/Churn';
import { grow } from './growth/grow';
import { SimulatedCluster } from './SimulatedCluster';
import { CertificateAuthority } from './tls';

/** @public */
export interface FleetOptions {
  /** Folder with one sub-folder a cluster. */
  dir?: string;
  /** Only these clusters of the folder; without a folder, empty clusters of these names. */
  clusters?: string[];
  /** Address to listen on and to put into the certificate; `127.0.0.1` by default. */
  host?: string;
  /** Port of the first cluster, the others follow; free ports by default. */
  port?: number;
  /** Grows a fleet to a size, the same for the same seed. */
  size?: FleetSize;
  /** Changes objects at a rate. */
  churn?: { perSecond: number };
  /** Delay before each answer. */
  latencyMs?: number;
  /** What names, tokens aside, are drawn from; `1` by default. */
  seed?: number;
  /** Serves custom resources whose definition the folder lacks; on by default. */
  implicitKinds?: boolean;
  /** How many changes a resource remembers at least; 5000 by default. */
  historySize?: number;
  /** How often a watch gets a bookmark; every minute by default. */
  bookmarkIntervalMs?: number;
}

/** @public */
export interface FleetSize {
  clusters: number;
  /** Services in each cluster. */
  services: number;
  /** Namespaces in each cluster; one for about twenty services by default. */
  namespaces?: number;
  seed?: number;
}

/**
 * Simulated clusters that run in this process.
 *
 * @public
 */
export interface Fleet {
  readonly clusters: SimulatedCluster[];
  /** What was wrong with the manifests. */
  readonly problems: ManifestProblem[];
  /** Certificate of the authority that signed the clusters' certificates. */
  readonly caPem: string;
  cluster(name: string): SimulatedCluster;
  /** A kubeconfig in YAML, one context a cluster. */
  kubeconfig(options?: { token?: string; clusters?: string[] }): string;
  stop(): Promise<void>;
}

/**
 * Starts simulated clusters from a folder of manifests, or grown to a size, or empty.
 *
 * @public
 */
export async function startFleet(options: FleetOptions): Promise<Fleet> {
  const host = options.host ?? '127.0.0.1';
  const authority = await CertificateAuthority.create('fleet-simulator');
  const certificate = await authority.issue([
    ...new Set([host, '127.0.0.1', 'localhost', 'kubernetes']),
  ]);
  const folders = selectedFolders(options);
  const problems: ManifestProblem[] = [];
  const clusters: SimulatedCluster[] = [];
  try {
    for (const [index, { name, dir }] of folders.entries()) {
      const cluster = await SimulatedCluster.create({
        name,
        seed: String(options.seed ?? 1),
        host,
        port: options.port ? options.port + index : 0,
        authority,
        certificate,
        latencyMs: options.latencyMs ?? 0,
        implicitKinds: options.implicitKinds ?? true,
        historySize: options.historySize ?? 5000,
        bookmarkIntervalMs: options.bookmarkIntervalMs ?? 60_000,
      });
      if (dir) problems.push(...fill(cluster, dir));
      else if (options.size) growInto(cluster, index, options.size, options);
      cluster.compact();
      clusters.push(cluster);
    }
    for (const each of clusters) await each.start();
  } catch (error) {
    await Promise.all(clusters.map(each => each.stop()));
    throw error;
  }
  const churn =
    options.churn &&
    Churn.create({
      clusters,
      perSecond: options.churn.perSecond,
      seed: String(options.seed ?? 1),
    });
  churn?.start();
  const byName = new Map(clusters.map(each => [each.name, each]));

  const cluster = (name: string) => {
    const found = byName.get(name);
    if (found) return found;
    throw new Error(
      `no cluster "${name}" in this fleet; there are: ${[...byName.keys()].join(
        ', ',
      )}`,
    );
  };

  return {
    clusters,
    problems,
    caPem: authority.pem,
    cluster,
    kubeconfig: ({ token = 'admin', clusters: names } = {}) =>
      kubeconfigOf(names?.map(cluster) ?? clusters, token),
    async stop() {
      churn?.stop();
      await Promise.all(clusters.map(each => each.stop()));
    },
  };
}

function selectedFolders({
  dir,
  clusters,
  size,
}: FleetOptions): Array<{ name: string; dir?: string }> {
  if (!dir) {
    const names = Array.from(
      { length: size?.clusters ?? 0 },
      (_, index) => `cluster-${String(index + 1).padStart(3, '0')}`,
    );
    return (clusters ?? names).map(name => ({ name }));
  }
  const folders = clusterFolders(dir);
  if (!clusters) return folders;
  return clusters.map(name => {
    const folder = folders.find(entry => entry.name === name);
    if (!folder) {
      throw new Error(
        `no folder for cluster "${name}" in ${dir}; there are: ${folders
          .map(entry => entry.name)
          .join(', ')}`,
      );
    }
    return folder;
  });
}

function growInto(
  cluster: SimulatedCluster,
  index: number,
  size: FleetSize,
  options: FleetOptions,
): void {
  const plan = {
    cluster: cluster.name,
    index,
    services: size.services,
    namespaces: size.namespaces ?? Math.max(1, Math.ceil(size.services / 20)),
    seed: String(size.seed ?? options.seed ?? 1),
  };
  for (const object of grow(plan)) cluster.load(object);
}

/** Definitions and namespaces first, so that the order of files does not matter. */
function fill(cluster: SimulatedCluster, dir: string): ManifestProblem[] {
  const { objects, problems } = loadManifests(cluster.name, dir);
  const rank = ({ object }: LoadedObject) =>
    ['CustomResourceDefinition', 'Namespace'].indexOf(object.kind) + 1 || 3;
  for (const loaded of [...objects].sort((a, b) => rank(a) - rank(b))) {
    try {
      cluster.load(loaded.object);
    } catch (error) {
      const { file, document, line } = loaded;
      problems.push({
        cluster: cluster.name,
        file,
        document,
        line,
        message: (error as Error).message,
      });
    }
  }
  return problems;
}

function kubeconfigOf(clusters: SimulatedCluster[], token: string): string {
  return stringify(
    {
      apiVersion: 'v1',
      kind: 'Config',
      'current-context': clusters[0]?.name ?? '',
      clusters: clusters.map(cluster => ({
        name: cluster.name,
        cluster: {
          server: cluster.url,
          'certificate-authority-data': cluster.caData,
        },
      })),
      users: clusters.map(cluster => ({
        name: `${token}@${cluster.name}`,
        user: { token: cluster.token(token) },
      })),
      contexts: clusters.map(cluster => ({
        name: cluster.name,
        context: { cluster: cluster.name, user: `${token}@${cluster.name}` },
      })),
    },
    { lineWidth: 0, aliasDuplicateObjects: false },
  );
}
