import type {
  ClusterDetail,
  ClusterSummary,
  KindCoverage,
  ServiceCluster,
  ServiceDetail,
  ServiceInstance,
  ServiceRow,
  StoredFinding,
  Workload,
} from '@mesh-for-backstage/plugin-mesh-common';

/**
 * A small fleet for component tests and the development page, in the shapes of the
 * contract: three regions of one mesh in the middle of an upgrade, staging with a
 * missing permission, and an edge cluster that went away.
 */

export const ago = (minutes: number): string =>
  new Date(Date.now() - minutes * 60_000).toISOString();

const coverage = (
  part: Partial<ClusterSummary['coverage']>,
): ClusterSummary['coverage'] => ({
  synced: 0,
  forbidden: 0,
  absentApi: 0,
  unreachable: 0,
  stale: 0,
  ...part,
});

const production = (
  name: string,
  istio: Array<{ revision: string; version: string }>,
  counts: { services: number; workloads: number; nodes: number },
): ClusterSummary => ({
  name,
  source: 'kubernetes.config',
  server: `${name}.k8s.example.net:6443`,
  state: 'synced',
  since: ago(600),
  lastContact: ago(0.2),
  asOf: ago(0.4),
  environment: 'production',
  labels: { region: name.slice(5) },
  mesh: {
    meshId: 'shop-mesh',
    clusterId: name,
    network: `network-${name}`,
    trustDomain: 'cluster.local',
    tags: [{ tag: 'stable', revision: istio[0].revision }],
  },
  versions: { kubernetes: 'v1.35.2', istio },
  counts: { ...counts, namespaces: 12 },
  coverage: coverage({ synced: 34, absentApi: 9 }),
  findings: { error: 1, warning: 3, info: 2 },
  partial: false,
});

export const clusters: ClusterSummary[] = [
  production(
    'prod-eu-west',
    [
      { revision: '1-28-2', version: '1.28.2' },
      { revision: '1-29-0', version: '1.29.0' },
    ],
    { services: 31, workloads: 36, nodes: 9 },
  ),
  production('prod-us-east', [{ revision: '1-28-2', version: '1.28.2' }], {
    services: 28,
    workloads: 33,
    nodes: 8,
  }),
  production('prod-ap-south', [{ revision: '1-29-0', version: '1.29.0' }], {
    services: 22,
    workloads: 25,
    nodes: 6,
  }),
  {
    ...production('staging', [{ revision: 'default', version: '1.29.0' }], {
      services: 38,
      workloads: 41,
      nodes: 3,
    }),
    state: 'degraded',
    since: ago(190),
    environment: 'staging',
    message:
      '3 kinds may not be read; the permissions that are missing are listed with the cluster.',
    counts: {
      services: 38,
      workloads: 41,
      nodes: { unknown: 'forbidden' },
      namespaces: 14,
    },
    coverage: coverage({ synced: 31, forbidden: 3, absentApi: 9 }),
    partial: true,
  },
  {
    ...production('edge-fra', [{ revision: 'default', version: '1.27.4' }], {
      services: 6,
      workloads: 7,
      nodes: 2,
    }),
    state: 'unreachable',
    since: ago(260),
    lastContact: ago(260),
    asOf: ago(260),
    environment: 'edge',
    message:
      'edge-fra.k8s.example.net:6443 does not answer (connection timed out). Check the network and the API server.',
    mesh: {
      meshId: 'edge-mesh',
      clusterId: 'edge-fra',
      network: { unknown: 'not-reported' },
      trustDomain: 'edge.example.net',
      tags: [],
    },
    coverage: coverage({ unreachable: 34, absentApi: 9 }),
    findings: { error: 0, warning: 1, info: 0 },
    partial: true,
  },
];

const kind = (
  name: string,
  resource: string,
  topics: string[],
  rest: Partial<KindCoverage> = {},
): KindCoverage => ({
  kind: name,
  resource,
  version: 'v1',
  state: 'synced',
  objects: 12,
  asOf: ago(0.4),
  topics,
  ...rest,
});

export const kinds: KindCoverage[] = [
  kind('Service', 'services', ['catalog', 'gateway', 'export'], {
    objects: 38,
  }),
  kind('Pod', 'pods', ['catalog', 'upgrade'], { objects: 164 }),
  kind('EndpointSlice.discovery.k8s.io', 'endpointslices.discovery.k8s.io', [
    'catalog',
  ]),
  kind('Deployment.apps', 'deployments.apps', ['catalog']),
  kind('Node', 'nodes', ['acceleration', 'catalog'], {
    state: 'forbidden',
    objects: undefined,
    asOf: undefined,
    since: ago(190),
    missing: { verb: 'list', group: '', resource: 'nodes' },
  }),
  kind(
    'MutatingWebhookConfiguration.admissionregistration.k8s.io',
    'mutatingwebhookconfigurations.admissionregistration.k8s.io',
    ['catalog', 'upgrade'],
    {
      state: 'forbidden',
      objects: undefined,
      asOf: undefined,
      since: ago(190),
      missing: {
        verb: 'list',
        group: 'admissionregistration.k8s.io',
        resource: 'mutatingwebhookconfigurations',
      },
    },
  ),
  kind(
    'HTTPRoute.gateway.networking.k8s.io',
    'httproutes.gateway.networking.k8s.io',
    ['gateway'],
    { state: 'stale', since: ago(11), asOf: ago(16) },
  ),
  kind('ServiceImport.multicluster.x-k8s.io', 'serviceimports', ['export'], {
    state: 'absent-api',
    objects: undefined,
    asOf: undefined,
  }),
];

export const clusterDetail = (name: string): ClusterDetail => ({
  ...clusters.find(cluster => cluster.name === name)!,
  kinds: name === 'staging' ? kinds : kinds.slice(0, 4),
});

const finding = (
  part: Partial<StoredFinding> & Pick<StoredFinding, 'id' | 'rule' | 'title'>,
): StoredFinding => ({
  severity: 'warning',
  kind: 'Service',
  clusters: ['prod-us-east'],
  namespace: 'checkout',
  name: 'cart',
  message: 'Something is not as it is meant to be.',
  actor: 'service-owner',
  evidence: [],
  owner: 'group:default/checkout',
  service: { scope: 'shop-mesh', namespace: 'checkout', name: 'cart' },
  firstSeen: ago(3000),
  lastSeen: ago(0.5),
  ...part,
});

export const findings: StoredFinding[] = [
  finding({
    id: 'f1',
    rule: 'PortNameMismatch',
    title: 'Port names differ between clusters',
    severity: 'error',
    clusters: ['prod-eu-west', 'prod-us-east'],
    message:
      'Port 8080 is named "http-cart" in prod-eu-west and "tcp-cart" in prod-us-east. Callers treat the endpoints of prod-us-east as TCP, so that retries, timeouts and routes do not apply to them.',
    fix: 'Name the port alike in both clusters, with the protocol in front:\n\nspec:\n  ports:\n    - name: http-cart\n      port: 8080',
    evidence: [
      {
        cluster: 'prod-eu-west',
        kind: 'Service',
        namespace: 'checkout',
        name: 'cart',
        field: 'spec.ports[0].name',
        value: 'http-cart',
      },
      {
        cluster: 'prod-us-east',
        kind: 'Service',
        namespace: 'checkout',
        name: 'cart',
        field: 'spec.ports[0].name',
        value: 'tcp-cart',
      },
    ],
    equivalents: ['KIA0601'],
    docs: 'https://istio.io/latest/docs/ops/configuration/traffic-management/protocol-selection/',
    firstSeen: ago(38),
  }),
  finding({
    id: 'f2',
    rule: 'RevisionDiffers',
    title: 'Pods run another revision than the one asked for',
    severity: 'warning',
    kind: 'Deployment.apps',
    clusters: ['prod-eu-west'],
    message:
      'The namespace asks for the tag stable, which is revision 1-29-0 since yesterday. Two of five pods still run 1-28-2.',
    fix: 'kubectl --context prod-eu-west -n checkout rollout restart deployment/cart',
    evidence: [
      {
        cluster: 'prod-eu-west',
        kind: 'Namespace',
        name: 'checkout',
        field: 'metadata.labels["istio.io/rev"]',
        value: 'stable',
      },
    ],
    firstSeen: ago(1400),
  }),
  finding({
    id: 'f3',
    rule: 'ServiceUnowned',
    title: 'Service has no owner',
    severity: 'info',
    namespace: 'payments',
    name: 'ledger-export',
    owner: undefined,
    actor: 'platform',
    service: {
      scope: 'shop-mesh',
      namespace: 'payments',
      name: 'ledger-export',
    },
    message:
      'No catalog entity claims this service, and neither it nor its namespace has an ownership label.',
    evidence: [],
    firstSeen: ago(9000),
  }),
  finding({
    id: 'f4',
    rule: 'RemoteSecretUnusable',
    title: 'A remote secret leads nowhere',
    severity: 'error',
    kind: 'Secret',
    clusters: ['prod-ap-south'],
    namespace: 'istio-system',
    name: 'istio-remote-secret-edge-fra',
    owner: undefined,
    service: undefined,
    actor: 'platform',
    message:
      'The control plane of prod-ap-south reports that it cannot reach edge-fra. Services there get no endpoints from it.',
    evidence: [],
    firstSeen: ago(255),
  }),
];

export const resolvedFinding: StoredFinding = finding({
  id: 'r1',
  rule: 'StubWithoutBackend',
  title: 'Stub without a backend',
  firstSeen: ago(5000),
  lastSeen: ago(90),
  resolvedAt: ago(90),
  name: 'wishlist',
  namespace: 'catalog',
  service: { scope: 'shop-mesh', namespace: 'catalog', name: 'wishlist' },
});

const instance = (
  cluster: string,
  part: Partial<ServiceInstance> = {},
): ServiceInstance => ({
  cluster,
  namespace: 'checkout',
  name: 'cart',
  role: 'backend',
  type: 'ClusterIP',
  ports: [
    {
      name: 'http-cart',
      port: 8080,
      targetPort: 'http',
      protocol: 'TCP',
      appProtocol: 'http',
    },
    { name: 'grpc', port: 9090, protocol: 'TCP' },
  ],
  endpoints: { ready: 5, total: 5 },
  workloads: ['Deployment/cart'],
  dataplane: 'sidecar',
  labels: {},
  annotations: {},
  ...part,
});

const workload = (cluster: string, part: Partial<Workload> = {}): Workload => ({
  cluster,
  namespace: 'checkout',
  kind: 'Deployment',
  name: 'cart',
  serviceAccount: 'cart',
  labels: { app: 'cart' },
  pods: { ready: 5, total: 5 },
  dataplane: 'sidecar',
  requested: {
    dataplane: 'sidecar',
    revision: '1-29-0',
    tag: 'stable',
    by: 'namespace checkout: istio.io/rev=stable',
  },
  actual: [
    { revision: '1-29-0', version: '1.29.0', pods: 5, nativeSidecar: true },
  ],
  ...part,
});

const besideService = ({
  name,
  environment,
  state,
  since = ago(600),
  message,
  lastContact,
}: ClusterSummary): ServiceCluster => ({
  name,
  environment,
  state,
  since,
  message,
  lastContact,
});

/** The service with most to tell. */
export const cart: ServiceDetail = {
  scope: 'shop-mesh',
  namespace: 'checkout',
  name: 'cart',
  owner: 'group:default/checkout',
  ownerBy: 'component:default/cart',
  entities: ['component:default/cart'],
  instances: [
    instance('prod-eu-west'),
    instance('prod-us-east', {
      endpoints: { ready: 2, total: 4 },
      ports: [{ name: 'tcp-cart', port: 8080, protocol: 'TCP' }],
    }),
    instance('prod-ap-south', {
      role: 'stub',
      endpoints: { ready: 0, total: 0 },
      workloads: [],
      dataplane: { unknown: 'not-reported', detail: 'no pod stands behind it' },
    }),
    instance('staging', {
      dataplane: 'ambient',
      endpoints: { unknown: 'forbidden' },
      waypoint: {
        namespace: 'checkout',
        name: 'waypoint',
        by: 'Namespace/checkout',
        state: 'not-ready',
        reason: 'its Gateway is not programmed',
      },
    }),
  ],
  workloads: [
    workload('prod-eu-west', {
      actual: [
        { revision: '1-29-0', version: '1.29.0', pods: 3, nativeSidecar: true },
        { revision: '1-28-2', version: '1.28.2', pods: 2 },
      ],
    }),
    workload('prod-us-east', {
      pods: { ready: 2, total: 4 },
      actual: [{ revision: '1-28-2', version: '1.28.2', pods: 4 }],
    }),
    workload('staging', {
      dataplane: 'ambient',
      pods: { unknown: 'forbidden' },
      requested: {
        dataplane: 'ambient',
        by: 'namespace checkout: istio.io/dataplane-mode=ambient',
      },
      actual: [],
      ambient: 'wanted-not-enrolled',
    }),
  ],
  links: [
    {
      from: ['prod-eu-west'],
      to: ['prod-us-east'],
      mechanism: 'istio',
      state: 'active',
    },
    {
      from: ['prod-us-east'],
      to: ['prod-eu-west'],
      mechanism: 'istio',
      state: 'active',
    },
    {
      from: ['prod-ap-south'],
      to: ['prod-eu-west'],
      mechanism: 'istio',
      state: 'active',
    },
    {
      from: ['prod-ap-south'],
      to: ['prod-us-east'],
      mechanism: 'istio',
      state: 'broken',
      reason: 'the remote secret is refused with 401',
    },
    {
      from: ['staging'],
      to: ['prod-eu-west'],
      mechanism: 'mcs',
      state: 'unknown',
      reason: 'ServiceImports may not be read in staging',
    },
  ],
  homonyms: ['edge-mesh'],
  dataplane: 'mixed',
  endpoints: { ready: 7, total: 9 },
  partial: true,
  findings: findings.slice(0, 2),
  asOf: ago(0.5),
  clusters: clusters.slice(0, 4).map(besideService),
};

/** A service that is well, in one cluster. */
export const search: ServiceDetail = {
  ...cart,
  namespace: 'catalog',
  name: 'search',
  owner: 'group:default/discovery',
  ownerBy: 'namespace label team',
  entities: [],
  instances: [
    instance('prod-eu-west', {
      namespace: 'catalog',
      name: 'search',
      workloads: ['Deployment/search'],
    }),
  ],
  workloads: [
    workload('prod-eu-west', { namespace: 'catalog', name: 'search' }),
  ],
  links: [],
  homonyms: [],
  dataplane: 'sidecar',
  endpoints: { ready: 5, total: 5 },
  partial: false,
  findings: [],
  clusters: clusters.slice(0, 1).map(besideService),
};

const regions = Array.from(
  { length: 40 },
  (_, index) => `region-${String(index + 1).padStart(2, '0')}`,
);
const regionsBut = (...names: string[]) =>
  regions.filter(region => !names.includes(region));

/** A service in forty clusters, of which two do not reach all the others. */
export const sessions: ServiceDetail = {
  ...search,
  namespace: 'identity',
  name: 'sessions',
  instances: regions.map(region =>
    instance(region, {
      namespace: 'identity',
      name: 'sessions',
      workloads: ['Deployment/sessions'],
    }),
  ),
  workloads: regions.map(region =>
    workload(region, { namespace: 'identity', name: 'sessions' }),
  ),
  links: [
    {
      from: regionsBut('region-07', 'region-31'),
      to: regions,
      mechanism: 'istio',
      state: 'active',
    },
    {
      from: ['region-07'],
      to: regionsBut('region-07', 'region-12'),
      mechanism: 'istio',
      state: 'active',
    },
    {
      from: ['region-31'],
      to: regionsBut('region-31'),
      mechanism: 'istio',
      state: 'unknown',
      reason: 'remote secrets may not be read there',
    },
  ],
  endpoints: { ready: 200, total: 200 },
  clusters: regions.map(name => ({
    name,
    environment: 'production',
    state: 'synced',
    since: ago(600),
    lastContact: ago(0.2),
  })),
};

export const rows: ServiceRow[] = [
  {
    scope: 'shop-mesh',
    namespace: 'checkout',
    name: 'cart',
    owner: 'group:default/checkout',
    entities: ['component:default/cart'],
    clusters: ['prod-eu-west', 'prod-us-east', 'prod-ap-south', 'staging'],
    dataplane: 'mixed',
    endpoints: { ready: 7, total: 9 },
    revisions: ['1-28-2', '1-29-0'],
    findings: { error: 1, warning: 1, info: 0 },
    worst: 'error',
    partial: true,
  },
  {
    scope: 'shop-mesh',
    namespace: 'catalog',
    name: 'search',
    owner: 'group:default/discovery',
    clusters: ['prod-eu-west'],
    dataplane: 'sidecar',
    endpoints: { ready: 5, total: 5 },
    revisions: ['1-29-0'],
    findings: { error: 0, warning: 0, info: 0 },
    partial: false,
  },
  {
    scope: 'shop-mesh',
    namespace: 'payments',
    name: 'ledger-export',
    clusters: ['prod-us-east'],
    dataplane: 'none',
    endpoints: { ready: 0, total: 2 },
    findings: { error: 0, warning: 0, info: 1 },
    worst: 'info',
    partial: false,
  },
  {
    scope: 'edge-mesh',
    namespace: 'checkout',
    name: 'cart',
    clusters: ['edge-fra'],
    dataplane: { unknown: 'unreachable' },
    endpoints: { unknown: 'unreachable' },
    findings: { error: 0, warning: 0, info: 0 },
    partial: true,
  },
];
