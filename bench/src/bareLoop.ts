import { Agent, request } from 'node:https';
import { WatchedKind, watchedKinds } from '@mesh-for-backstage/mesh-analysis';
import { Simulator } from './Simulator';

const pageSize = 500;
const systemNamespaces = ['istio-system', 'kube-system'];

type Cluster = Simulator['clusters'][number];

/**
 * What fetching cannot do without: every page of every watched kind, read to its end
 * and parsed, and nothing done with it. Clusters are read side by side, each over one
 * connection that stays open.
 */
export async function fetchAndParse(simulator: Simulator) {
  const started = performance.now();
  const cpu = process.cpuUsage();
  const read = await Promise.all(
    simulator.clusters.map(cluster => readCluster(cluster)),
  );
  return {
    ms: performance.now() - started,
    cpuMs: cpuMsSince(cpu),
    objects: sum(read.map(({ objects }) => objects)),
    bytes: sum(read.map(({ bytes }) => bytes)),
  };
}

/** The watched objects of one cluster, as they are on the wire. */
export async function objectsOf(cluster: Cluster): Promise<any[]> {
  const objects: any[] = [];
  await readCluster(cluster, list =>
    objects.push(
      // Lists leave out what all their items have in common.
      ...list.items.map((item: any) => ({
        apiVersion: list.apiVersion,
        kind: list.kind.replace(/List$/, ''),
        ...item,
      })),
    ),
  );
  return objects;
}

async function readCluster(
  cluster: Cluster,
  onPage: (list: any) => void = () => {},
) {
  const agent = new Agent({
    keepAlive: true,
    maxSockets: 1,
    ca: Buffer.from(cluster.caData, 'base64'),
  });
  const get = (path: string, accept = 'application/json') =>
    fetchText(cluster, agent, path, accept);
  let objects = 0;
  let bytes = 0;
  try {
    for (const path of await listPaths(get)) {
      let next: string | undefined = '';
      while (next !== undefined) {
        const text = await get(
          `${path.url}?limit=${pageSize}${
            next && `&continue=${encodeURIComponent(next)}`
          }`,
          path.accept,
        );
        const list = JSON.parse(text);
        objects += list.items.length;
        bytes += text.length;
        onPage(list);
        next = list.metadata?.continue || undefined;
      }
    }
  } finally {
    agent.destroy();
  }
  return { objects, bytes };
}

/** The lists that a collector reads: each watched kind in the best version that is served. */
async function listPaths(get: (path: string) => Promise<string>) {
  const served = new Map<string, Set<string>>();
  const groupVersions = [
    'api/v1',
    ...JSON.parse(await get('/apis')).groups.flatMap((group: any) =>
      group.versions.map((version: any) => `apis/${version.groupVersion}`),
    ),
  ];
  for (const groupVersion of groupVersions) {
    const { resources } = JSON.parse(await get(`/${groupVersion}`));
    served.set(
      groupVersion,
      new Set(resources.map((resource: any) => resource.name)),
    );
  }
  return watchedKinds
    .filter(({ optIn }) => !optIn)
    .flatMap(kind => {
      const base = kind.versions
        .map(version =>
          kind.group ? `apis/${kind.group}/${version}` : `api/${version}`,
        )
        .find(groupVersion => served.get(groupVersion)?.has(kind.plural));
      if (!base) return [];
      const scopes = kind.systemNamespacesOnly
        ? systemNamespaces.map(namespace => `namespaces/${namespace}/`)
        : [''];
      return scopes.map(scope => ({
        url: `/${base}/${scope}${kind.plural}`,
        accept: acceptOf(kind),
      }));
    });
}

function acceptOf({ metadataOnly }: WatchedKind): string {
  return metadataOnly
    ? 'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1'
    : 'application/json';
}

function fetchText(
  cluster: Cluster,
  agent: Agent,
  path: string,
  accept: string,
): Promise<string> {
  return new Promise((resolve, reject) => {
    request(
      `${cluster.url}${path}`,
      { agent, headers: { accept, authorization: `Bearer ${cluster.token}` } },
      response => {
        const chunks: Buffer[] = [];
        response.on('data', chunk => chunks.push(chunk));
        response.on('error', reject);
        response.on('end', () => {
          const text = Buffer.concat(chunks).toString('utf8');
          if (response.statusCode === 200) resolve(text);
          else reject(new Error(`${path}: ${response.statusCode} ${text}`));
        });
      },
    )
      .on('error', reject)
      .end();
  });
}

function cpuMsSince(before: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

function sum(numbers: number[]): number {
  return numbers.reduce((total, one) => total + one, 0);
}
