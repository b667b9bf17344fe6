import { parse } from 'yaml';
import { KubeObject } from '../ApiClient';
import { remoteTargets } from '../manifests/treat';

/** One istiod that is to run beside a cluster. */
export interface RevisionPlan {
  /** `default` for the revision without a name. */
  revision: string;
  /** What the folder says runs; the real one is always the pinned build. */
  version?: string;
  tags: string[];
  meshConfig: Record<string, unknown>;
  /** Helm values of the chart. */
  values: Record<string, unknown>;
  /** Settings of istiod by environment. */
  env: Record<string, string>;
  /** The folder brings a Deployment for it. */
  hasDeployment: boolean;
}

/** The mesh of one cluster, as its folder describes it. */
export interface ClusterPlan {
  name: string;
  /** The mesh's own name of the cluster. */
  clusterId: string;
  meshId: string;
  network: string;
  revisions: RevisionPlan[];
  /** Cluster ids whose remote secrets the folder has; absent where it has none. */
  remotes?: string[];
}

/** Settings of istiod that a folder may choose; the rest describes where it runs. */
const ENV = /^(PILOT_ENABLE_|PILOT_REMOTE_|ENABLE_|MCS_|AMBIENT_|UNSAFE_)/;

/**
 * Reads a cluster's mesh from its folder: the Deployments of istiod, its
 * ConfigMaps, the tags' webhooks and the remote secrets. A folder that says
 * nothing of Istio gets one revision `default`, unless another mesh runs there.
 */
export function planCluster(name: string, objects: KubeObject[]): ClusterPlan {
  const system = objects.filter(
    o => o.metadata.namespace === 'istio-system' || !o.metadata.namespace,
  );
  const deployments = byRevision(
    system.filter(o => o.kind === 'Deployment'),
    'istiod',
  );
  const meshes = byRevision(configMapsWith(system, 'mesh'), 'istio');
  const injectors = byRevision(
    configMapsWith(system, 'values'),
    'istio-sidecar-injector',
  );
  const found = new Set([
    ...deployments.keys(),
    ...meshes.keys(),
    ...injectors.keys(),
  ]);
  if (found.size === 0 && !hasOtherMesh(objects)) {
    found.add('default');
  }
  const tags = tagsOf(system);
  const revisions = [...found].sort(defaultFirst).map(revision =>
    planRevision({
      revision,
      deployment: deployments.get(revision),
      mesh: meshes.get(revision),
      injector: injectors.get(revision),
      tags: tags.filter(t => t.revision === revision).map(t => t.tag),
    }),
  );
  const globals = revisions.map(
    ({ values }) => values.global as Record<string, any>,
  );
  const first = <T>(ask: (global: Record<string, any>) => T | undefined) =>
    globals.map(ask).find(value => value !== undefined && value !== '');
  const remotes = objects.flatMap(remoteTargets);
  const labels = objects.find(
    o => o.kind === 'Namespace' && o.metadata.name === 'istio-system',
  )?.metadata.labels;
  return {
    name,
    clusterId: first(g => g.multiCluster?.clusterName) ?? name,
    meshId: first(g => g.meshID) ?? 'mesh',
    network:
      first(g => g.network) ?? labels?.['topology.istio.io/network'] ?? '',
    revisions,
    ...(remotes.length > 0 && { remotes }),
  };
}

/**
 * Which clusters each reads: by its remote secrets, where any folder of the mesh
 * has some; else every other cluster of the same mesh.
 */
export function planLinks(
  clusters: ClusterPlan[],
): Array<{ from: ClusterPlan; to: ClusterPlan }> {
  const meshes = clusters.filter(({ revisions }) => revisions.length > 0);
  return meshes.flatMap(from => {
    const mates = meshes.filter(to => to !== from && to.meshId === from.meshId);
    const declared = [from, ...mates].some(({ remotes }) => remotes);
    return (declared ? meshes.filter(to => to !== from) : mates)
      .filter(to => !declared || from.remotes?.includes(to.clusterId))
      .map(to => ({ from, to }));
  });
}

function planRevision(parts: {
  revision: string;
  deployment?: KubeObject;
  mesh?: KubeObject;
  injector?: KubeObject;
  tags: string[];
}): RevisionPlan {
  const container = (parts.deployment?.spec as any)?.template?.spec
    ?.containers?.[0];
  const values = record(tryParse(dataOf(parts.injector).values));
  const injection = record(tryParse(dataOf(parts.injector).config));
  const global = record(values.global);
  const env: Record<string, string> = {};
  for (const { name, value } of (container?.env ?? []) as any[]) {
    if (typeof value === 'string' && ENV.test(name)) {
      env[name] = value;
    }
  }
  return {
    revision: parts.revision,
    version: container?.image?.match(/:v?(\d[\w.-]*)$/)?.[1],
    tags: parts.tags,
    meshConfig: record(tryParse(dataOf(parts.mesh).mesh)),
    values: {
      global: {
        ...pick(global, ['meshID', 'network', 'multiCluster']),
        ...(typeof injection.policy === 'string' && {
          proxy: { autoInject: injection.policy },
        }),
      },
      sidecarInjectorWebhook: {
        ...pick(record(values.sidecarInjectorWebhook), [
          'enableNamespacesByDefault',
        ]),
        ...pick(injection, ['neverInjectSelector', 'alwaysInjectSelector']),
      },
    },
    env,
    hasDeployment: parts.deployment !== undefined,
  };
}

function byRevision(
  objects: KubeObject[],
  prefix: string,
): Map<string, KubeObject> {
  const found = new Map<string, KubeObject>();
  for (const object of objects) {
    const { name, labels } = object.metadata;
    if (name === prefix || name.startsWith(`${prefix}-`)) {
      const revision =
        labels?.['istio.io/rev'] || name.slice(prefix.length + 1) || 'default';
      found.set(revision, object);
    }
  }
  return found;
}

function configMapsWith(objects: KubeObject[], key: string): KubeObject[] {
  return objects.filter(o => o.kind === 'ConfigMap' && key in dataOf(o));
}

function tagsOf(objects: KubeObject[]) {
  return objects
    .filter(o => o.kind === 'MutatingWebhookConfiguration')
    .flatMap(({ metadata: { labels } }) => {
      const tag = labels?.['istio.io/tag'];
      const revision = labels?.['istio.io/rev'];
      return tag && revision ? [{ tag, revision }] : [];
    });
}

function hasOtherMesh(objects: KubeObject[]): boolean {
  return objects.some(
    ({ kind, metadata: { name } }) =>
      kind === 'Namespace' && /^(linkerd|consul|kmesh-system)$/.test(name),
  );
}

function defaultFirst(a: string, b: string): number {
  const rank = (revision: string) => (revision === 'default' ? 0 : 1);
  return rank(a) - rank(b) || (a < b ? -1 : 1);
}

function dataOf(object: KubeObject | undefined): Record<string, string> {
  return (object?.data ?? {}) as Record<string, string>;
}

function tryParse(text: string | undefined): unknown {
  try {
    return text === undefined ? undefined : parse(text);
  } catch {
    // A broken setting of the folder is the portal's to report; here the default holds.
    return undefined;
  }
}

function record(value: unknown): Record<string, any> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Record<string, any>)
    : {};
}

function pick(from: Record<string, any>, keys: string[]): Record<string, any> {
  return Object.fromEntries(
    keys.filter(key => from[key] !== undefined).map(key => [key, from[key]]),
  );
}
