import { Port, WorkloadKind } from './workloads';

/** Tidemark: sells outdoor gear on the web and in its own stores. */
export interface Team {
  name: string;
  title: string;
  description: string;
  domain: string;
}

export const teams: Team[] = [
  {
    name: 'storefront',
    title: 'Storefront',
    domain: 'shopping',
    description:
      'The shop as customers see it: pages, search, recommendations and reviews.',
  },
  {
    name: 'checkout',
    title: 'Checkout',
    domain: 'shopping',
    description: 'From the basket to the paid order.',
  },
  {
    name: 'logistics',
    title: 'Logistics',
    domain: 'fulfilment',
    description: 'Stock, shipping and returns.',
  },
  {
    name: 'insights',
    title: 'Insights',
    domain: 'growth',
    description: 'Prices, loyalty, notifications, and what the numbers say.',
  },
  {
    name: 'platform',
    title: 'Platform',
    domain: 'foundation',
    description: 'Clusters, the mesh, identity and shared stores.',
  },
];

export const domains = [
  {
    name: 'shopping',
    title: 'Shopping',
    owner: 'storefront',
    description: 'Finding and buying.',
  },
  {
    name: 'fulfilment',
    title: 'Fulfilment',
    owner: 'logistics',
    description: 'Getting what was bought to the customer, and back.',
  },
  {
    name: 'growth',
    title: 'Growth',
    owner: 'insights',
    description: 'Prices, loyalty and reporting.',
  },
  {
    name: 'foundation',
    title: 'Foundation',
    owner: 'platform',
    description: 'What every team builds on.',
  },
  {
    name: 'stores',
    title: 'Stores',
    owner: 'logistics',
    description: 'Tills and shelves in the shops.',
  },
];

export interface DemoNamespace {
  name: string;
  /** Unowned where absent. */
  team?: string;
  domain: string;
  description: string;
  /** In which clusters it is. */
  clusters: string[];
  /** Labels that decide about the mesh, by cluster; `production` stands for the three regions. */
  mesh: Record<string, Record<string, string>>;
  /** What the pods run, where it differs from what the labels ask for: `1-29`, or `none`. */
  running?: Record<string, string>;
  notes?: Record<string, string>;
}

const production = ['eu-west', 'eu-north', 'us-east'];
const everywhere = [...production, 'staging'];
const stable = { 'istio.io/rev': 'stable' };
const canary = { 'istio.io/rev': 'canary' };
const injected = { 'istio-injection': 'enabled' };
const ambient = { 'istio.io/dataplane-mode': 'ambient' };

export const namespaces: DemoNamespace[] = [
  {
    name: 'storefront',
    team: 'storefront',
    domain: 'shopping',
    description: 'Pages of the shop',
    clusters: everywhere,
    mesh: { production: canary, staging: ambient },
  },
  {
    name: 'search',
    team: 'storefront',
    domain: 'shopping',
    description: 'Search and suggestions',
    clusters: production,
    mesh: { production: stable },
  },
  {
    name: 'recommendations',
    team: 'storefront',
    domain: 'shopping',
    description: 'What goes well with it',
    clusters: everywhere,
    mesh: {
      production: canary,
      staging: { ...ambient, 'istio.io/use-waypoint': 'waypoint' },
    },
  },
  {
    name: 'reviews',
    team: 'storefront',
    domain: 'shopping',
    description: 'Stars and comments',
    clusters: ['eu-west', 'eu-north', 'staging'],
    mesh: {
      production: canary,
      staging: { ...ambient, 'istio.io/use-waypoint': 'reviews-waypoint' },
    },
    notes: {
      staging: 'Situation: the label names a waypoint that nobody created.',
    },
  },
  {
    name: 'checkout',
    team: 'checkout',
    domain: 'shopping',
    description: 'Basket and checkout',
    clusters: everywhere,
    mesh: { production: stable, staging: injected },
  },
  {
    name: 'payments',
    team: 'checkout',
    domain: 'shopping',
    description: 'Payments and fraud',
    clusters: everywhere,
    mesh: { production: stable, staging: injected },
  },
  {
    name: 'orders',
    team: 'checkout',
    domain: 'shopping',
    description: 'Orders and their history',
    clusters: everywhere,
    mesh: { production: stable, staging: injected },
  },
  {
    name: 'gift-cards',
    team: 'checkout',
    domain: 'shopping',
    description: 'Gift cards',
    clusters: ['eu-west', 'eu-north'],
    mesh: {
      'eu-west': { ...injected, 'istio.io/rev': 'canary' },
      'eu-north': canary,
    },
    running: { 'eu-west': '1-29' },
    notes: {
      'eu-west':
        'Situation: istio-injection wins, so the revision label does nothing and 1-29 injects.',
    },
  },
  {
    name: 'inventory',
    team: 'logistics',
    domain: 'fulfilment',
    description: 'What lies where',
    clusters: everywhere,
    mesh: { production: stable, staging: injected },
  },
  {
    name: 'shipping',
    team: 'logistics',
    domain: 'fulfilment',
    description: 'Parcels and carriers',
    clusters: production,
    mesh: { production: stable },
  },
  {
    name: 'returns',
    team: 'logistics',
    domain: 'fulfilment',
    description: 'Returns and refunds',
    clusters: ['eu-west', 'eu-north'],
    mesh: { 'eu-west': stable, 'eu-north': { 'istio.io/rev': '1-27' } },
    running: { 'eu-north': 'none' },
    notes: {
      'eu-north':
        'Situation: revision 1-27 is gone from this cluster, so new pods get no sidecar and nobody complains.',
    },
  },
  {
    name: 'warehouse',
    team: 'logistics',
    domain: 'fulfilment',
    description: 'Picking and packing',
    clusters: ['eu-west', 'us-east'],
    mesh: { production: injected },
  },
  {
    name: 'pricing',
    team: 'insights',
    domain: 'growth',
    description: 'Prices and campaigns',
    clusters: production,
    mesh: { production: stable },
  },
  {
    name: 'loyalty',
    team: 'insights',
    domain: 'growth',
    description: 'Points and tiers',
    clusters: ['eu-west', 'us-east', 'staging'],
    mesh: { production: canary, staging: ambient },
    running: { 'eu-west': '1-29', staging: 'default' },
    notes: {
      'eu-west':
        'Situation: moved to the canary tag on 26 November; the pods have not been restarted since.',
      staging:
        'Situation: labelled for ambient while the pods still carry sidecars, which wins.',
    },
  },
  {
    name: 'notifications',
    team: 'insights',
    domain: 'growth',
    description: 'Mail and push',
    clusters: ['eu-west', 'eu-north'],
    mesh: { production: stable },
  },
  {
    name: 'insights',
    team: 'insights',
    domain: 'growth',
    description: 'Events and reports',
    clusters: ['eu-west', 'us-east'],
    mesh: { production: stable },
  },
  {
    name: 'identity',
    team: 'platform',
    domain: 'foundation',
    description: 'Sign-in and accounts',
    clusters: everywhere,
    mesh: { production: stable, staging: injected },
  },
  {
    name: 'sessions',
    team: 'platform',
    domain: 'foundation',
    description: 'Caches shared by Cilium Cluster Mesh, outside Istio',
    clusters: ['eu-west', 'eu-north'],
    mesh: {},
  },
  {
    name: 'observability',
    team: 'platform',
    domain: 'foundation',
    description: 'Metrics and logs',
    clusters: everywhere,
    mesh: {
      'eu-west': {},
      production: { 'istio-injection': 'disabled' },
      staging: { 'istio-injection': 'disabled' },
    },
  },
  {
    name: 'ingress',
    team: 'platform',
    domain: 'foundation',
    description: 'Public gateways',
    clusters: everywhere,
    mesh: {},
  },
  {
    name: 'data-science',
    team: 'insights',
    domain: 'growth',
    description: 'Notebooks',
    clusters: ['eu-west'],
    mesh: { 'eu-west': { 'istio-injection': 'disabled' } },
    notes: {
      'eu-west':
        'Situation: injection is switched off for the namespace, so the label on the pods does nothing.',
    },
  },
  {
    name: 'legacy-erp',
    domain: 'fulfilment',
    description: 'Bridge to the old ERP; nobody wants to own it',
    clusters: ['eu-west'],
    mesh: {
      'eu-west': { ...stable, 'mesh.tidemark.example/discovery': 'disabled' },
    },
    notes: {
      'eu-west':
        'Situation: injected, but outside discoverySelectors; new pods wait for a root certificate that never comes.',
    },
  },
  {
    name: 'tills',
    team: 'logistics',
    domain: 'stores',
    description: 'Tills in the stores',
    clusters: ['edge'],
    mesh: {},
  },
  {
    name: 'shelves',
    domain: 'stores',
    description: 'Electronic shelf labels',
    clusters: ['edge'],
    mesh: {},
  },
];

/** What differs in one cluster. */
export interface Placement {
  replicas?: number;
  unready?: number;
  waiting?: string;
  jobRuns?: boolean;
  ports?: Port[];
  headless?: boolean;
  /** A Service without selector and EndpointSlices. */
  stub?: boolean;
  /** Proxy versions of the pods in turn, where they differ. */
  versions?: string[];
  /** Pods without a sidecar although one is asked for. */
  bare?: boolean;
  serviceLabels?: Record<string, string>;
  serviceAnnotations?: Record<string, string>;
  podLabels?: Record<string, string>;
  podAnnotations?: Record<string, string>;
  team?: string;
  rolledOut?: string;
  note?: string;
  serviceNote?: string;
}

export interface DemoService {
  namespace: string;
  name: string;
  title: string;
  system: string;
  version: string;
  kind?: WorkloadKind;
  ports?: Port[];
  headless?: boolean;
  externalName?: string;
  /** Extra labels on the Service, everywhere. */
  serviceLabels?: Record<string, string>;
  podLabels?: Record<string, string>;
  pool?: string;
  schedule?: string;
  hostNetwork?: boolean;
  /** Clusters, each with what differs there. */
  in: Record<string, Placement>;
  /** Catalog: how the component names its Kubernetes objects. */
  entity?: 'id' | 'selector' | 'services' | 'misspelt' | 'bare' | 'none';
  type?: string;
  lifecycle?: string;
  dependsOn?: string[];
  tech?: string;
}

const http = (port = 8080): Port[] => [
  { name: 'http', port, appProtocol: 'http' },
];
const grpc = (port = 9090): Port[] => [
  { name: 'grpc', port, appProtocol: 'grpc' },
];
const metrics: Port = { name: 'http-metrics', port: 9102, appProtocol: 'http' };
const inAll = (more: Record<string, Placement> = {}) => ({
  'eu-west': {},
  'eu-north': {},
  'us-east': {},
  staging: {},
  ...more,
});
const inProduction = (more: Record<string, Placement> = {}) => ({
  'eu-west': {},
  'eu-north': {},
  'us-east': {},
  ...more,
});

export const services: DemoService[] = [
  // Storefront
  {
    namespace: 'storefront',
    name: 'web',
    title: 'Shop pages',
    system: 'shop',
    version: '2026.47.3',
    ports: http(),
    in: inAll({ 'eu-west': { replicas: 3 } }),
    dependsOn: ['web-bff', 'image-proxy'],
    tech: 'react',
    type: 'website',
  },
  {
    namespace: 'storefront',
    name: 'web-bff',
    title: 'Shop backend for frontend',
    system: 'shop',
    version: '2026.47.1',
    ports: http(),
    in: inAll({
      'eu-west': {
        ports: [...http(), metrics],
        serviceNote:
          'Situation: one port more than in the other regions; only the ports of the first cluster are programmed.',
      },
    }),
    dependsOn: ['search-api', 'cart', 'recommender'],
    tech: 'typescript',
  },
  {
    namespace: 'storefront',
    name: 'image-proxy',
    title: 'Image proxy',
    system: 'shop',
    version: '3.8.0',
    ports: http(8000),
    in: inProduction(),
    tech: 'go',
  },
  {
    namespace: 'search',
    name: 'search-api',
    title: 'Search',
    system: 'search',
    version: '5.12.2',
    ports: http(),
    in: inProduction(),
    dependsOn: ['search-index'],
    tech: 'kotlin',
  },
  {
    namespace: 'search',
    name: 'search-index',
    title: 'Search index',
    system: 'search',
    version: '9.2.1',
    kind: 'StatefulSet',
    pool: 'data',
    headless: true,
    ports: [{ name: 'tcp-index', port: 9300 }],
    in: inProduction({
      'us-east': {
        headless: false,
        serviceNote: 'Situation: a cluster IP here, headless in Europe.',
      },
    }),
    tech: 'opensearch',
    type: 'database',
  },
  {
    namespace: 'search',
    name: 'suggest',
    title: 'Suggestions',
    system: 'search',
    version: '2.4.7',
    ports: grpc(),
    in: inProduction({
      'eu-north': {
        replicas: 3,
        versions: ['1.29.6', '1.29.6', '1.29.4'],
        note: 'Situation: one pod has outlived the last patch and still runs the proxy of before.',
      },
    }),
    tech: 'rust',
  },
  {
    namespace: 'recommendations',
    name: 'recommender',
    title: 'Recommendations',
    system: 'discovery',
    version: '1.31.0',
    ports: grpc(),
    in: inAll(),
    dependsOn: ['feature-store'],
    tech: 'python',
  },
  {
    namespace: 'recommendations',
    name: 'feature-store',
    title: 'Feature store',
    system: 'discovery',
    version: '0.9.14',
    kind: 'StatefulSet',
    pool: 'data',
    ports: [{ name: 'tcp-redis', port: 6379, appProtocol: 'redis' }],
    in: inProduction(),
    tech: 'redis',
    type: 'database',
  },
  {
    namespace: 'reviews',
    name: 'reviews-api',
    title: 'Reviews',
    system: 'discovery',
    version: '4.2.0',
    ports: http(),
    in: { 'eu-west': {}, 'eu-north': {}, staging: {} },
    tech: 'typescript',
  },
  {
    namespace: 'reviews',
    name: 'review-moderation',
    title: 'Review moderation',
    system: 'discovery',
    version: '1.7.3',
    ports: http(),
    in: {
      'eu-west': {},
      'eu-north': {},
      staging: {
        note: 'Situation: in an ambient namespace, but the agent has not enrolled this pod.',
      },
    },
    tech: 'python',
    entity: 'selector',
  },

  // Checkout
  {
    namespace: 'checkout',
    name: 'cart',
    title: 'Basket',
    system: 'purchase',
    version: '6.3.1',
    ports: http(),
    in: inAll({ 'eu-west': { replicas: 3 } }),
    dependsOn: ['promotions', 'session-cache'],
    tech: 'go',
  },
  {
    namespace: 'checkout',
    name: 'checkout-api',
    title: 'Checkout',
    system: 'purchase',
    version: '8.0.4',
    ports: http(),
    in: inAll(),
    dependsOn: ['cart', 'payments-api', 'stock'],
    tech: 'go',
  },
  {
    namespace: 'checkout',
    name: 'promotions',
    title: 'Promotions',
    system: 'purchase',
    version: '2.15.0',
    ports: http(),
    in: inProduction(),
    tech: 'kotlin',
  },
  {
    namespace: 'payments',
    name: 'payments-api',
    title: 'Payments',
    system: 'purchase',
    version: '11.1.0',
    ports: http(8443),
    in: inAll(),
    dependsOn: ['fraud-scorer', 'acquirer'],
    tech: 'java',
  },
  {
    namespace: 'payments',
    name: 'fraud-scorer',
    title: 'Fraud scoring',
    system: 'purchase',
    version: '3.3.2',
    ports: grpc(),
    in: inProduction({
      'eu-north': {
        stub: true,
        serviceNote:
          'Situation: a stub. No pods here; the name resolves, and the calls go to the other regions.',
      },
    }),
    tech: 'python',
  },
  {
    namespace: 'payments',
    name: 'acquirer',
    title: 'Card acquirer',
    system: 'purchase',
    version: '1',
    externalName: 'api.acquirer.example',
    in: inProduction(),
    entity: 'services',
    type: 'external',
  },
  {
    namespace: 'orders',
    name: 'order-api',
    title: 'Orders',
    system: 'purchase',
    version: '7.7.0',
    ports: http(),
    in: inAll({
      'us-east': {
        ports: [{ name: 'web', port: 8080, appProtocol: 'http' }],
        serviceNote:
          'Situation: the port is called web here and http elsewhere, so calls from other regions never reach these pods.',
      },
    }),
    dependsOn: ['order-store'],
    tech: 'java',
  },
  {
    namespace: 'orders',
    name: 'order-store',
    title: 'Order database',
    system: 'purchase',
    version: '17.6',
    kind: 'StatefulSet',
    pool: 'data',
    headless: true,
    ports: [{ name: 'tcp-postgres', port: 5432 }],
    in: inProduction(),
    tech: 'postgresql',
    type: 'database',
  },
  {
    namespace: 'gift-cards',
    name: 'gift-card-api',
    title: 'Gift cards',
    system: 'purchase',
    version: '1.9.5',
    ports: http(),
    in: { 'eu-west': {}, 'eu-north': {} },
    tech: 'typescript',
  },

  // Logistics
  {
    namespace: 'inventory',
    name: 'stock',
    title: 'Stock',
    system: 'stock',
    version: '4.18.0',
    ports: grpc(),
    in: inAll(),
    tech: 'go',
  },
  {
    namespace: 'inventory',
    name: 'stock-events',
    title: 'Stock events',
    system: 'stock',
    version: '2.6.1',
    ports: [{ name: 'tcp-kafka', port: 9092 }],
    kind: 'StatefulSet',
    pool: 'data',
    in: {
      'eu-west': {},
      'eu-north': {
        ports: [{ name: 'tcp-kafka', port: 9093 }],
        serviceNote:
          'Situation: exported from both, but the port differs: a conflict that the older export wins.',
      },
    },
    tech: 'kafka',
    type: 'database',
  },
  {
    namespace: 'inventory',
    name: 'replenishment',
    title: 'Replenishment',
    system: 'stock',
    version: '1.4.9',
    kind: 'CronJob',
    schedule: '15 2 * * *',
    in: { 'eu-west': { jobRuns: true }, 'us-east': {} },
    tech: 'python',
    type: 'job',
  },
  {
    namespace: 'shipping',
    name: 'shipment-api',
    title: 'Shipments',
    system: 'delivery',
    version: '3.0.12',
    ports: http(),
    in: inProduction(),
    dependsOn: ['carrier-rates', 'label-printer'],
    tech: 'kotlin',
  },
  {
    namespace: 'shipping',
    name: 'carrier-rates',
    title: 'Carrier rates',
    system: 'delivery',
    version: '2.2.2',
    ports: http(),
    in: inProduction(),
    tech: 'go',
    entity: 'bare',
  },
  {
    namespace: 'shipping',
    name: 'label-printer',
    title: 'Parcel labels',
    system: 'delivery',
    version: '0.14.1',
    ports: http(),
    in: {
      'eu-west': {},
      'eu-north': {
        unready: 2,
        note: 'Situation: no pod is ready; the readiness probe has failed since the last roll-out.',
      },
    },
    tech: 'dotnet',
    entity: 'misspelt',
  },
  {
    namespace: 'returns',
    name: 'returns-api',
    title: 'Returns',
    system: 'delivery',
    version: '2.1.8',
    ports: http(),
    in: { 'eu-west': {}, 'eu-north': {} },
    tech: 'typescript',
  },
  {
    namespace: 'warehouse',
    name: 'pick-planner',
    title: 'Pick planner',
    system: 'stock',
    version: '5.5.0',
    ports: http(),
    in: { 'eu-west': {}, 'us-east': {} },
    tech: 'java',
  },

  // Insights
  {
    namespace: 'pricing',
    name: 'price-engine',
    title: 'Price engine',
    system: 'pricing',
    version: '12.0.1',
    ports: grpc(),
    in: inProduction(),
    dependsOn: ['price-feed'],
    tech: 'rust',
  },
  {
    namespace: 'pricing',
    name: 'price-feed',
    title: 'Price feed',
    system: 'pricing',
    version: '1.12.0',
    ports: http(),
    in: inProduction({
      'eu-west': { serviceLabels: { 'mirror.linkerd.io/exported': 'true' } },
    }),
    tech: 'go',
  },
  {
    namespace: 'loyalty',
    name: 'loyalty-api',
    title: 'Loyalty',
    system: 'loyalty',
    version: '3.9.3',
    ports: http(),
    in: { 'eu-west': { rolledOut: '2026-10-14' }, 'us-east': {}, staging: {} },
    tech: 'typescript',
  },
  {
    namespace: 'loyalty',
    name: 'points-ledger',
    title: 'Points ledger',
    system: 'loyalty',
    version: '2.0.7',
    ports: grpc(),
    in: { 'eu-west': { rolledOut: '2026-10-21' }, 'us-east': {} },
    tech: 'java',
  },
  {
    namespace: 'notifications',
    name: 'mailer',
    title: 'Mail',
    system: 'outreach',
    version: '4.4.4',
    ports: http(),
    in: {
      'eu-west': {},
      'eu-north': {
        team: 'storefront',
        serviceNote:
          'Situation: another team runs a service of this name here; Istio takes the two for one.',
      },
    },
    tech: 'elixir',
  },
  {
    namespace: 'notifications',
    name: 'push-sender',
    title: 'Push messages',
    system: 'outreach',
    version: '1.3.0',
    ports: http(),
    in: { 'eu-west': {}, 'eu-north': {} },
    tech: 'go',
  },
  {
    namespace: 'insights',
    name: 'event-collector',
    title: 'Event collector',
    system: 'reporting',
    version: '10.2.0',
    ports: http(),
    in: {
      'eu-west': {},
      'us-east': {
        bare: true,
        rolledOut: '2026-09-28',
        note: 'Situation: these pods are older than the label of their namespace, and have no sidecar until they are restarted.',
      },
    },
    tech: 'go',
  },
  {
    namespace: 'insights',
    name: 'dashboards',
    title: 'Dashboards',
    system: 'reporting',
    version: '11.4.0',
    ports: http(3000),
    podLabels: { 'sidecar.istio.io/inject': 'false' },
    in: { 'eu-west': { bare: true } },
    tech: 'grafana',
    type: 'website',
  },
  {
    namespace: 'insights',
    name: 'nightly-report',
    title: 'Nightly report',
    system: 'reporting',
    version: '2.8.0',
    kind: 'CronJob',
    schedule: '15 2 * * *',
    podLabels: { 'sidecar.istio.io/inject': 'false' },
    in: { 'eu-west': { bare: true } },
    tech: 'python',
    type: 'job',
  },
  {
    namespace: 'data-science',
    name: 'notebooks',
    title: 'Notebooks',
    system: 'reporting',
    version: '4.3.1',
    ports: http(8888),
    podLabels: { 'sidecar.istio.io/inject': 'true' },
    in: { 'eu-west': { bare: true } },
    tech: 'python',
    entity: 'none',
  },

  // Platform
  {
    namespace: 'identity',
    name: 'login',
    title: 'Sign-in',
    system: 'accounts',
    version: '26.4.1',
    ports: http(),
    in: inAll(),
    dependsOn: ['account-api'],
    tech: 'java',
  },
  {
    namespace: 'identity',
    name: 'account-api',
    title: 'Accounts',
    system: 'accounts',
    version: '5.1.2',
    ports: http(),
    in: inAll(),
    tech: 'kotlin',
  },
  {
    namespace: 'sessions',
    name: 'session-cache',
    title: 'Session cache',
    system: 'accounts',
    version: '8.1.4',
    kind: 'StatefulSet',
    pool: 'data',
    ports: [{ name: 'tcp-redis', port: 6379 }],
    in: {
      'eu-west': { serviceAnnotations: { 'service.cilium.io/global': 'true' } },
      'eu-north': {
        serviceAnnotations: { 'service.cilium.io/global': 'true' },
      },
    },
    tech: 'valkey',
    type: 'database',
    entity: 'services',
  },
  {
    namespace: 'sessions',
    name: 'rate-limits',
    title: 'Rate limits',
    system: 'accounts',
    version: '8.1.4',
    kind: 'StatefulSet',
    pool: 'data',
    ports: [{ name: 'tcp-redis', port: 6379 }],
    in: {
      'eu-west': {
        serviceAnnotations: { 'service.cilium.io/global': 'true' },
        serviceNote:
          'Situation: global here only. The annotation takes effect when the other side has it too.',
      },
      'eu-north': {},
    },
    tech: 'valkey',
    type: 'database',
  },
  {
    namespace: 'observability',
    name: 'prometheus',
    title: 'Prometheus',
    system: 'telemetry',
    version: '3.8.0',
    kind: 'StatefulSet',
    ports: [{ name: 'http-web', port: 9090 }],
    in: inAll(),
    tech: 'prometheus',
  },
  {
    namespace: 'observability',
    name: 'alert-relay',
    title: 'Alert relay',
    system: 'telemetry',
    version: '1.0.9',
    ports: http(),
    podLabels: { 'sidecar.istio.io/inject': 'true' },
    in: {
      'eu-west': {
        note: 'Situation: no label on the namespace; the label of the pods asks for the default revision.',
      },
    },
    tech: 'go',
  },
  {
    namespace: 'observability',
    name: 'log-collector',
    title: 'Log collector',
    system: 'telemetry',
    version: '0.52.0',
    kind: 'DaemonSet',
    hostNetwork: true,
    ports: [{ name: 'http-metrics', port: 8686 }],
    in: inAll(),
    tech: 'vector',
    entity: 'none',
  },
  {
    namespace: 'legacy-erp',
    name: 'erp-bridge',
    title: 'ERP bridge',
    system: 'stock',
    version: '0.3.1',
    ports: http(),
    in: { 'eu-west': { unready: 1, waiting: 'ContainerCreating' } },
    tech: 'java',
    entity: 'none',
  },

  // Stores
  {
    namespace: 'tills',
    name: 'till-sync',
    title: 'Till synchronisation',
    system: 'point-of-sale',
    version: '3.2.0',
    ports: http(),
    in: { edge: {} },
    tech: 'go',
  },
  {
    namespace: 'tills',
    name: 'pos-gateway',
    title: 'Till gateway',
    system: 'point-of-sale',
    version: '1.18.2',
    ports: http(),
    in: { edge: {} },
    dependsOn: ['till-sync'],
    tech: 'rust',
  },
  {
    namespace: 'shelves',
    name: 'shelf-labels',
    title: 'Shelf labels',
    system: 'point-of-sale',
    version: '0.8.6',
    ports: http(),
    in: { edge: {} },
    tech: 'go',
    entity: 'none',
  },
];
