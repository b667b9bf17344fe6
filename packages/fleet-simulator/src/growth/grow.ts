import { KubeObject } from '../objects/KubeObject';
import { Random } from './Random';
import { workload } from './workload';

/** What a grown cluster is made from. */
export interface GrowthPlan {
  cluster: string;
  /** Number of the cluster in the fleet, from 0. */
  index: number;
  services: number;
  namespaces: number;
  seed: string;
}

const AREAS = [
  'accounts',
  'billing',
  'booking',
  'catalog',
  'checkout',
  'claims',
  'content',
  'delivery',
  'fraud',
  'identity',
  'insights',
  'inventory',
  'loyalty',
  'messaging',
  'orders',
  'partners',
  'payments',
  'pricing',
  'returns',
  'search',
  'shipping',
  'support',
  'warehouse',
];

const ROLES = [
  'api',
  'gateway',
  'worker',
  'sync',
  'events',
  'ledger',
  'reader',
  'writer',
  'scheduler',
  'cache',
  'export',
  'import',
  'notifier',
  'audit',
  'rules',
  'quotes',
  'index',
  'mailer',
  'reports',
  'tokens',
  'feed',
  'store',
  'broker',
  'admin',
];

const REVISIONS = ['1-30-2', '1-31-0'];

/**
 * The objects of one cluster of a given size. Names depend on the seed alone and not
 * on the cluster, so that clusters of one fleet hold the same services, as the
 * clusters of one mesh do.
 */
export function* grow(plan: GrowthPlan): Generator<KubeObject> {
  yield* controlPlane(plan);
  const names = Random.create(`${plan.seed}/names`);
  const random = Random.create(`${plan.seed}/${plan.index}`);
  const namespaces = namespaceNames(plan.namespaces);
  for (const [index, name] of namespaces.entries()) {
    yield namespace(name, injectionOf(index));
    yield {
      apiVersion: 'v1',
      kind: 'ServiceAccount',
      metadata: { name: 'default', namespace: name },
    };
  }
  for (let i = 0; i < plan.services; i++) {
    const index = i % namespaces.length;
    yield* workload({
      cluster: plan.cluster,
      clusterIndex: plan.index,
      number: i,
      namespace: namespaces[index],
      name: serviceName(names, i),
      injection: injectionOf(index),
      random,
    });
  }
}

/** How the pods of a namespace come to their sidecar, or do not. */
export interface Injection {
  labels: Record<string, string>;
  revision?: string;
  isAmbient?: boolean;
}

/** Of ten namespaces six are injected by revision, one by the old label, one is ambient, and two are not in the mesh. */
function injectionOf(index: number): Injection {
  const place = index % 10;
  if (place < 6) {
    const revision = REVISIONS[place % 2];
    return { labels: { 'istio.io/rev': revision }, revision };
  }
  if (place === 6) {
    return {
      labels: { 'istio-injection': 'enabled' },
      revision: REVISIONS[0],
    };
  }
  if (place === 7) {
    return {
      labels: { 'istio.io/dataplane-mode': 'ambient' },
      isAmbient: true,
    };
  }
  return { labels: {} };
}

function namespaceNames(count: number): string[] {
  return Array.from({ length: count }, (_, i) => {
    const area = AREAS[i % AREAS.length];
    const round = Math.floor(i / AREAS.length);
    return round === 0 ? area : `${area}-${round + 1}`;
  });
}

function serviceName(random: Random, number: number): string {
  return `${random.pick(AREAS)}-${random.pick(ROLES)}-${number + 1}`;
}

function namespace(name: string, injection: Injection): KubeObject {
  return {
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: {
      name,
      labels: {
        ...injection.labels,
        'company.example/team': `team-${name.split('-')[0]}`,
      },
    },
  };
}

/** Mesh configuration, webhooks and istiod for each revision. */
function* controlPlane({ cluster, index }: GrowthPlan): Generator<KubeObject> {
  const network = `network-${index + 1}`;
  yield {
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: {
      name: 'istio-system',
      labels: { 'topology.istio.io/network': network },
    },
  };
  for (const revision of REVISIONS) {
    const version = revision.replace(/-/g, '.');
    yield {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: {
        name: `istio-${revision}`,
        namespace: 'istio-system',
        labels: { 'istio.io/rev': revision },
      },
      data: {
        mesh: 'trustDomain: cluster.local\ndefaultConfig:\n  discoveryAddress: istiod.istio-system.svc:15012\n',
        meshNetworks: 'networks: {}',
      },
    };
    yield {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: {
        name: `istio-sidecar-injector-${revision}`,
        namespace: 'istio-system',
        labels: { 'istio.io/rev': revision },
      },
      data: {
        values: JSON.stringify({
          global: {
            meshID: 'company',
            network,
            multiCluster: { clusterName: cluster },
          },
          revision,
        }),
      },
    };
    yield istiod(cluster, revision, version);
    yield injector(revision);
  }
}

function istiod(
  cluster: string,
  revision: string,
  version: string,
): KubeObject {
  const labels = { app: 'istiod', 'istio.io/rev': revision };
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: {
      name: `istiod-${revision}`,
      namespace: 'istio-system',
      labels,
    },
    spec: {
      replicas: 2,
      selector: { matchLabels: labels },
      template: {
        metadata: { labels },
        spec: {
          containers: [
            {
              name: 'discovery',
              image: `docker.io/istio/pilot:${version}`,
              env: [
                { name: 'REVISION', value: revision },
                { name: 'CLUSTER_ID', value: cluster },
              ],
            },
          ],
        },
      },
    },
    status: { replicas: 2, readyReplicas: 2, updatedReplicas: 2 },
  };
}

/** The injector of a revision; the first one also answers for the old label. */
function injector(revision: string): KubeObject {
  const service = {
    name: `istiod-${revision}`,
    namespace: 'istio-system',
    path: '/inject',
    port: 443,
  };
  const webhook = (name: string, expressions: object[]) => ({
    name,
    admissionReviewVersions: ['v1'],
    sideEffects: 'None',
    failurePolicy: 'Fail',
    clientConfig: { service },
    rules: [
      {
        operations: ['CREATE'],
        apiGroups: [''],
        apiVersions: ['v1'],
        resources: ['pods'],
      },
    ],
    namespaceSelector: { matchExpressions: expressions },
    objectSelector: {
      matchExpressions: [
        {
          key: 'sidecar.istio.io/inject',
          operator: 'NotIn',
          values: ['false'],
        },
      ],
    },
  });
  const byRevision = webhook('rev.namespace.sidecar-injector.istio.io', [
    { key: 'istio.io/rev', operator: 'In', values: [revision] },
    { key: 'istio-injection', operator: 'DoesNotExist' },
  ]);
  const byLabel = webhook('namespace.sidecar-injector.istio.io', [
    { key: 'istio-injection', operator: 'In', values: ['enabled'] },
  ]);
  return {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'MutatingWebhookConfiguration',
    metadata: {
      name: `istio-sidecar-injector-${revision}`,
      labels: { app: 'sidecar-injector', 'istio.io/rev': revision },
    },
    webhooks: revision === REVISIONS[0] ? [byRevision, byLabel] : [byRevision],
  };
}
