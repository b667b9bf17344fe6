import { ClusterFolder } from './ClusterFolder';
import { revisionOfTag } from './clusters';
import { Manifest } from './Folder';
import { suffixFrom } from './seeded';
import { addService, addWorkload, controller } from './workloads';

const istioController = 'istio.io/gateway-controller';
const written = '2026-11-12T09:20:31Z';

/** Gateway API, exports and policies: what the topics after the catalog judge. */
export function addTopics(to: ClusterFolder) {
  if (to.cluster.istio) {
    addGateways(to);
    addPolicies(to);
  }
  if (to.cluster.cni === 'cilium') addExports(to);
}

const condition = (
  type: string,
  status: 'True' | 'False',
  reason: string,
  message = '',
  observedGeneration = 1,
) => ({
  type,
  status,
  reason,
  message,
  observedGeneration,
  lastTransitionTime: written,
});

function addGateways(to: ClusterFolder) {
  const { cluster } = to;
  const production = cluster.environment === 'production';
  const revision =
    revisionOfTag(cluster, 'stable') ?? cluster.istio!.revisions[0];
  for (const [name, description] of [
    ['istio', 'The default Istio GatewayClass'],
    ...(cluster.istio!.ambient
      ? [['istio-waypoint', 'The default Istio waypoint GatewayClass']]
      : []),
  ]) {
    to.add('gateway-classes', {
      apiVersion: 'gateway.networking.k8s.io/v1',
      kind: 'GatewayClass',
      metadata: { name, generation: 1 },
      spec: {
        controllerName:
          name === 'istio' ? istioController : 'istio.io/mesh-controller',
        description,
      },
      status: {
        conditions: [
          condition(
            'Accepted',
            'True',
            'Accepted',
            'Handled by Istio controller',
          ),
        ],
      },
    });
  }

  const hosts = production
    ? 'shop.tidemark.example'
    : 'shop.staging.tidemark.example';
  const attached = production ? 4 : 2;
  const gateway = to.add('ingress', {
    apiVersion: 'gateway.networking.k8s.io/v1',
    kind: 'Gateway',
    metadata: {
      name: 'public',
      namespace: 'ingress',
      generation: 1,
      labels: production ? { 'istio.io/rev': 'stable' } : undefined,
    },
    spec: {
      gatewayClassName: 'istio',
      listeners: [
        {
          name: 'http',
          port: 80,
          protocol: 'HTTP',
          allowedRoutes: { namespaces: { from: 'Same' } },
        },
        {
          name: 'https',
          port: 443,
          protocol: 'HTTPS',
          hostname: `*.${hosts.slice(hosts.indexOf('.') + 1)}`,
          tls: {
            mode: 'Terminate',
            certificateRefs: [
              { group: '', kind: 'Secret', name: 'public-certificate' },
            ],
          },
          allowedRoutes: { namespaces: { from: 'All' } },
        },
      ],
    },
    status: {
      addresses: [{ type: 'IPAddress', value: `203.0.113.${cluster.number}` }],
      conditions: [
        condition('Accepted', 'True', 'Accepted', 'Resource accepted'),
        condition(
          'Programmed',
          'True',
          'Programmed',
          'Resource programmed, assigned to service(s) public-istio.ingress.svc.cluster.local:443 and public-istio.ingress.svc.cluster.local:80',
        ),
      ],
      listeners: ['http', 'https'].map(name => ({
        name,
        attachedRoutes: name === 'https' ? attached : 1,
        supportedKinds: [
          { group: 'gateway.networking.k8s.io', kind: 'HTTPRoute' },
          { group: 'gateway.networking.k8s.io', kind: 'GRPCRoute' },
        ],
        conditions: [
          condition('Accepted', 'True', 'Accepted', 'No errors found'),
          condition('Conflicted', 'False', 'NoConflicts', 'No errors found'),
          condition('Programmed', 'True', 'Programmed', 'No errors found'),
          condition('ResolvedRefs', 'True', 'ResolvedRefs', 'No errors found'),
        ],
      })),
    },
  });
  addGatewayProxy(
    to,
    'ingress',
    gateway,
    `public-istio`,
    'istio',
    'istio.io-gateway-controller',
    revision,
    [
      { name: 'status-port', port: 15021 },
      { name: 'http', port: 80 },
      { name: 'https', port: 443 },
    ],
  );

  addRoute(to, 'ingress', 'redirect-to-https', {
    parentRefs: [{ name: 'public', sectionName: 'http' }],
    rules: [
      {
        filters: [
          {
            type: 'RequestRedirect',
            requestRedirect: { scheme: 'https', statusCode: 301 },
          },
        ],
      },
    ],
  });
  addRoute(to, 'storefront', 'shop', {
    hostnames: [hosts],
    parentRefs: [
      { name: 'public', namespace: 'ingress', sectionName: 'https' },
    ],
    rules: [
      {
        matches: [{ path: { type: 'PathPrefix', value: '/api' } }],
        backendRefs: [{ name: 'web-bff', port: 8080 }],
      },
      {
        matches: [{ path: { type: 'PathPrefix', value: '/' } }],
        backendRefs: [{ name: 'web', port: 8080 }],
      },
    ],
  });
  addRoute(to, 'identity', 'sign-in', {
    hostnames: [`login.${hosts.slice(hosts.indexOf('.') + 1)}`],
    parentRefs: [
      { name: 'public', namespace: 'ingress', sectionName: 'https' },
    ],
    rules: [
      {
        matches: [{ path: { type: 'PathPrefix', value: '/' } }],
        backendRefs: [{ name: 'login', port: 8080 }],
      },
    ],
  });
  if (production) {
    addRoute(to, 'checkout', 'checkout', {
      hostnames: [hosts],
      parentRefs: [
        { name: 'public', namespace: 'ingress', sectionName: 'https' },
      ],
      rules: [
        {
          matches: [{ path: { type: 'PathPrefix', value: '/checkout' } }],
          backendRefs: [{ name: 'checkout-api', port: 8080, weight: 100 }],
          timeouts: { request: '10s' },
        },
      ],
    });
  }
  if (cluster.name === 'eu-west') {
    addRoute(
      to,
      'returns',
      'returns-portal',
      {
        hostnames: ['returns.tidemark.example'],
        parentRefs: [
          { name: 'public', namespace: 'ingress', sectionName: 'https' },
        ],
        rules: [{ backendRefs: [{ name: 'returns-portal', port: 8080 }] }],
      },
      {
        broken: 'returns-portal',
        note: 'Situation: the route names a Service that is not there.',
      },
    );
    // A mesh route: the parent is a Service, and sidecars apply it.
    to.add('payments', {
      apiVersion: 'gateway.networking.k8s.io/v1',
      kind: 'GRPCRoute',
      metadata: { name: 'fraud-scorer', namespace: 'payments', generation: 1 },
      spec: {
        parentRefs: [
          { group: '', kind: 'Service', name: 'fraud-scorer', port: 9090 },
        ],
        rules: [{ backendRefs: [{ name: 'fraud-scorer', port: 9090 }] }],
      },
      status: {
        parents: [
          {
            controllerName: istioController,
            parentRef: {
              group: '',
              kind: 'Service',
              name: 'fraud-scorer',
              port: 9090,
            },
            conditions: [
              condition('Accepted', 'True', 'Accepted', 'Route was valid'),
              condition(
                'ResolvedRefs',
                'True',
                'ResolvedRefs',
                'All references resolved',
              ),
            ],
          },
        ],
      },
    });
  }

  if (cluster.istio!.ambient) {
    const waypoint = to.add('recommendations', {
      apiVersion: 'gateway.networking.k8s.io/v1',
      kind: 'Gateway',
      metadata: {
        name: 'waypoint',
        namespace: 'recommendations',
        generation: 1,
        labels: { 'istio.io/waypoint-for': 'service' },
      },
      spec: {
        gatewayClassName: 'istio-waypoint',
        listeners: [
          {
            name: 'mesh',
            port: 15008,
            protocol: 'HBONE',
            allowedRoutes: { namespaces: { from: 'Same' } },
          },
        ],
      },
      status: {
        addresses: [
          {
            type: 'Hostname',
            value: 'waypoint.recommendations.svc.cluster.local',
          },
        ],
        conditions: [
          condition('Accepted', 'True', 'Accepted', 'Resource accepted'),
          condition(
            'Programmed',
            'True',
            'Programmed',
            'Resource programmed, assigned to service(s) waypoint.recommendations.svc.cluster.local:15008',
          ),
        ],
        listeners: [
          {
            name: 'mesh',
            attachedRoutes: 0,
            supportedKinds: [],
            conditions: [
              condition('Accepted', 'True', 'Accepted', 'No errors found'),
              condition('Programmed', 'True', 'Programmed', 'No errors found'),
              condition(
                'ResolvedRefs',
                'True',
                'ResolvedRefs',
                'No errors found',
              ),
            ],
          },
        ],
      },
    });
    addGatewayProxy(
      to,
      'recommendations',
      waypoint,
      'waypoint',
      'istio-waypoint',
      'istio.io-mesh-controller',
      revision,
      [
        { name: 'status-port', port: 15021 },
        { name: 'mesh', port: 15008 },
      ],
    );
  }
}

/** Deployment and Service that istiod makes of a Gateway. */
function addGatewayProxy(
  to: ClusterFolder,
  namespace: string,
  gateway: Manifest,
  name: string,
  gatewayClass: string,
  managed: string,
  revision: { name: string; version: string },
  ports: Array<{ name: string; port: number }>,
) {
  const gatewayName = gateway.metadata.name;
  const labels = {
    'gateway.istio.io/managed': managed,
    'gateway.networking.k8s.io/gateway-class-name': gatewayClass,
    'gateway.networking.k8s.io/gateway-name': gatewayName,
  };
  const selector = { 'gateway.networking.k8s.io/gateway-name': gatewayName };
  const waypoint = gatewayClass === 'istio-waypoint';
  const pods = addWorkload(to, namespace, {
    namespace,
    name,
    kind: 'Deployment',
    image: `registry.istio.io/release/proxyv2:${revision.version}`,
    version: revision.version,
    system: 'mesh',
    containerName: 'istio-proxy',
    replicas: waypoint ? 1 : 2,
    proxies: [null],
    selector,
    workloadLabels: labels,
    podLabels: {
      ...labels,
      'istio.io/dataplane-mode': 'none',
      'service.istio.io/canonical-name': name,
      'service.istio.io/canonical-revision': 'latest',
      'sidecar.istio.io/inject': 'false',
    },
    podAnnotations: {
      'istio.io/rev': revision.name || 'default',
      'prometheus.io/path': '/stats/prometheus',
      'prometheus.io/port': '15020',
      'prometheus.io/scrape': 'true',
    },
    ports,
    args: [
      'proxy',
      waypoint ? 'waypoint' : 'router',
      '--domain',
      '$(POD_NAMESPACE).svc.cluster.local',
    ],
  });
  addService(
    to,
    namespace,
    {
      namespace,
      name,
      type: waypoint ? 'ClusterIP' : 'LoadBalancer',
      loadBalancer: waypoint ? undefined : `203.0.113.${to.cluster.number}`,
      labels,
      selector,
      ports,
      ownerReferences: [
        {
          ...controller(
            to,
            'gateway.networking.k8s.io/v1',
            'Gateway',
            namespace,
            gatewayName,
          ),
          controller: undefined,
          blockOwnerDeletion: undefined,
        },
      ],
    },
    pods,
  );
}

function addRoute(
  to: ClusterFolder,
  namespace: string,
  name: string,
  spec: any,
  { broken, note }: { broken?: string; note?: string } = {},
) {
  to.add(
    namespace,
    {
      apiVersion: 'gateway.networking.k8s.io/v1',
      kind: 'HTTPRoute',
      metadata: { name, namespace, generation: 1 },
      spec,
      status: {
        parents: spec.parentRefs.map((parentRef: any) => ({
          controllerName: istioController,
          parentRef: {
            group: 'gateway.networking.k8s.io',
            kind: 'Gateway',
            ...parentRef,
          },
          conditions: [
            condition('Accepted', 'True', 'Accepted', 'Route was valid'),
            broken
              ? condition(
                  'ResolvedRefs',
                  'False',
                  'BackendNotFound',
                  `backend(${broken}.${namespace}.svc.cluster.local) not found`,
                )
              : condition(
                  'ResolvedRefs',
                  'True',
                  'ResolvedRefs',
                  'All references resolved',
                ),
          ],
        })),
      },
    },
    { note },
  );
}

/** Exports of Cilium's MCS API between the two European regions. */
function addExports(to: ClusterFolder) {
  const exported = (
    namespace: string,
    name: string,
    created: string,
    conditions: any[],
    note?: string,
  ) =>
    to.add(
      namespace,
      {
        apiVersion: 'multicluster.x-k8s.io/v1beta1',
        kind: 'ServiceExport',
        metadata: { name, namespace, generation: 1 },
        status: { conditions },
      },
      { note, created },
    );
  const good = [
    condition('Valid', 'True', 'Valid', 'ServiceExport is Valid for export'),
    condition('Ready', 'True', 'Exported', 'ServiceExport is ready'),
    condition(
      'Conflict',
      'False',
      'NoConflicts',
      'ServiceExport has no conflicts',
    ),
  ];
  const older = '2026-06-09T08:14:20Z';
  const newer = '2026-10-22T13:41:07Z';
  exported('inventory', 'stock', to.name === 'eu-west' ? older : newer, good);
  addImport(
    to,
    'inventory',
    'stock',
    [{ name: 'grpc', port: 9090, protocol: 'TCP', appProtocol: 'grpc' }],
    ['eu-north', 'eu-west'],
  );
  const conflict = [
    good[0],
    good[1],
    condition(
      'Conflict',
      'True',
      'PortConflict',
      '1/2 clusters disagree. Using "tcp-kafka" port 9092 from oldest service export in cluster "eu-west".',
    ),
  ];
  exported(
    'inventory',
    'stock-events',
    to.name === 'eu-west' ? older : newer,
    conflict,
  );
  addImport(
    to,
    'inventory',
    'stock-events',
    [{ name: 'tcp-kafka', port: 9092, protocol: 'TCP' }],
    ['eu-north', 'eu-west'],
  );
  if (to.name === 'eu-north') {
    exported(
      'shipping',
      'customs',
      '2026-11-03T16:05:55Z',
      [
        condition(
          'Valid',
          'False',
          'NoService',
          'Service to export was not found',
        ),
        condition('Ready', 'False', 'Pending', 'ServiceExport is not valid'),
      ],
      'Situation: a broken export. The Service was renamed to carrier-rates; the export was forgotten.',
    );
  }
}

function addImport(
  to: ClusterFolder,
  namespace: string,
  name: string,
  ports: any[],
  from: string[],
) {
  const derived = `derived-${suffixFrom(`derived ${namespace}/${name}`, 10)}`;
  const imported = to.add(namespace, {
    apiVersion: 'multicluster.x-k8s.io/v1beta1',
    kind: 'ServiceImport',
    metadata: {
      name,
      namespace,
      generation: 1,
      annotations: { 'multicluster.kubernetes.io/derived-service': derived },
    },
    spec: {
      type: 'ClusterSetIP',
      ips: [to.serviceIp(`${namespace}/${derived}`)],
      ports,
    },
    status: {
      clusters: from.map(cluster => ({ cluster })),
      conditions: [
        condition('Ready', 'True', 'Ready', 'ServiceImport is ready'),
      ],
      endpointSliceObjects: 'Absent',
    },
  });
  addService(
    to,
    namespace,
    {
      namespace,
      name: derived,
      labels: { 'multicluster.kubernetes.io/service-name': name },
      annotations: { 'service.cilium.io/global': 'true' },
      ports,
      ownerReferences: [
        controller(
          to,
          'multicluster.x-k8s.io/v1beta1',
          'ServiceImport',
          namespace,
          imported.metadata.name,
        ),
      ],
    },
    undefined,
  );
}

/** Security, traffic and telemetry settings of Istio, and network policies. */
function addPolicies(to: ClusterFolder) {
  const { cluster } = to;
  const domain = cluster.istio!.trustDomain;
  const production = cluster.environment === 'production';
  const inIstio = 'istio-system';
  to.add(inIstio, {
    apiVersion: 'security.istio.io/v1',
    kind: 'PeerAuthentication',
    metadata: { name: 'default', namespace: inIstio },
    spec: { mtls: { mode: production ? 'PERMISSIVE' : 'STRICT' } },
  });
  to.add(inIstio, {
    apiVersion: 'telemetry.istio.io/v1',
    kind: 'Telemetry',
    metadata: { name: 'mesh-default', namespace: inIstio },
    spec: {
      accessLogging: [
        {
          providers: [{ name: 'envoy' }],
          filter: { expression: 'response.code >= 500' },
        },
      ],
    },
  });
  const strict = (namespace: string) =>
    to.add(namespace, {
      apiVersion: 'security.istio.io/v1',
      kind: 'PeerAuthentication',
      metadata: { name: 'strict', namespace },
      spec: { mtls: { mode: 'STRICT' } },
    });
  const allow = (
    namespace: string,
    name: string,
    target: string,
    principals: string[],
    note?: string,
  ) =>
    to.add(
      namespace,
      {
        apiVersion: 'security.istio.io/v1',
        kind: 'AuthorizationPolicy',
        metadata: { name, namespace },
        spec: {
          selector: { matchLabels: { 'app.kubernetes.io/name': target } },
          action: 'ALLOW',
          rules: [{ from: [{ source: { principals } }] }],
        },
      },
      { note },
    );
  strict('payments');
  strict('orders');
  allow('payments', 'payments-api-callers', 'payments-api', [
    `${domain}/ns/checkout/sa/checkout-api`,
    `${domain}/ns/orders/sa/order-api`,
  ]);
  allow('orders', 'order-api-callers', 'order-api', [
    `${domain}/ns/checkout/sa/checkout-api`,
    `${domain}/ns/storefront/sa/web-bff`,
    `${domain}/ns/ingress/sa/public-istio`,
  ]);
  if (production) {
    allow(
      'identity',
      'account-api-callers',
      'account-api',
      ['cluster.local/ns/identity/sa/login', 'cluster.local/ns/checkout/*'],
      cluster.name === 'eu-west'
        ? 'The trust domain has been tidemark.example since 2025; these were written before.'
        : undefined,
    );
    to.add('identity', {
      apiVersion: 'security.istio.io/v1',
      kind: 'RequestAuthentication',
      metadata: { name: 'customers', namespace: 'identity' },
      spec: {
        selector: { matchLabels: { 'app.kubernetes.io/name': 'account-api' } },
        jwtRules: [
          {
            issuer: 'https://login.tidemark.example',
            jwksUri: 'https://login.tidemark.example/keys',
          },
        ],
      },
    });
    to.add('checkout', {
      apiVersion: 'networking.istio.io/v1',
      kind: 'DestinationRule',
      metadata: { name: 'cart', namespace: 'checkout' },
      spec: {
        host: 'cart.checkout.svc.cluster.local',
        trafficPolicy: {
          connectionPool: { http: { http2MaxRequests: 500 } },
          outlierDetection: {
            consecutive5xxErrors: 5,
            interval: '10s',
            baseEjectionTime: '30s',
          },
          loadBalancer: { localityLbSetting: { enabled: true } },
        },
      },
    });
    to.add('checkout', {
      apiVersion: 'networking.istio.io/v1',
      kind: 'VirtualService',
      metadata: { name: 'cart', namespace: 'checkout' },
      spec: {
        hosts: ['cart.checkout.svc.cluster.local'],
        http: [
          {
            timeout: '2s',
            retries: {
              attempts: 2,
              perTryTimeout: '600ms',
              retryOn: 'connect-failure,refused-stream,503',
            },
            route: [
              { destination: { host: 'cart.checkout.svc.cluster.local' } },
            ],
          },
        ],
      },
    });
    to.add('payments', {
      apiVersion: 'networking.istio.io/v1',
      kind: 'ServiceEntry',
      metadata: { name: 'acquirer', namespace: 'payments' },
      spec: {
        hosts: ['api.acquirer.example'],
        location: 'MESH_EXTERNAL',
        resolution: 'DNS',
        ports: [{ number: 443, name: 'tls', protocol: 'TLS' }],
      },
    });
    to.add('search', {
      apiVersion: 'networking.istio.io/v1',
      kind: 'Sidecar',
      metadata: { name: 'default', namespace: 'search' },
      spec: { egress: [{ hosts: ['./*', 'istio-system/*', 'inventory/*'] }] },
    });
    to.add('storefront', {
      apiVersion: 'networking.istio.io/v1alpha3',
      kind: 'EnvoyFilter',
      metadata: { name: 'compress-pages', namespace: 'storefront' },
      spec: {
        workloadSelector: { labels: { 'app.kubernetes.io/name': 'web' } },
        configPatches: [
          {
            applyTo: 'HTTP_FILTER',
            match: {
              context: 'SIDECAR_INBOUND',
              proxy: { proxyVersion: '^1\\.29.*' },
              listener: {
                filterChain: {
                  filter: {
                    name: 'envoy.filters.network.http_connection_manager',
                    subFilter: { name: 'envoy.filters.http.router' },
                  },
                },
              },
            },
            patch: {
              operation: 'INSERT_BEFORE',
              value: {
                name: 'envoy.filters.http.compressor',
                typed_config: {
                  '@type':
                    'type.googleapis.com/envoy.extensions.filters.http.compressor.v3.Compressor',
                  compressor_library: {
                    name: 'gzip',
                    typed_config: {
                      '@type':
                        'type.googleapis.com/envoy.extensions.compression.gzip.compressor.v3.Gzip',
                    },
                  },
                },
              },
            },
          },
        ],
      },
    });
    to.add('orders', {
      apiVersion: 'networking.k8s.io/v1',
      kind: 'NetworkPolicy',
      metadata: { name: 'order-store-from-order-api', namespace: 'orders' },
      spec: {
        podSelector: {
          matchLabels: { 'app.kubernetes.io/name': 'order-store' },
        },
        policyTypes: ['Ingress'],
        ingress: [
          {
            from: [
              {
                podSelector: {
                  matchLabels: { 'app.kubernetes.io/name': 'order-api' },
                },
              },
            ],
            ports: [
              { protocol: 'TCP', port: 5432 },
              { protocol: 'TCP', port: 15008 },
            ],
          },
        ],
      },
    });
    to.add('checkout', {
      apiVersion: 'policy/v1',
      kind: 'PodDisruptionBudget',
      metadata: { name: 'cart', namespace: 'checkout', generation: 1 },
      spec: {
        maxUnavailable: 1,
        selector: { matchLabels: { 'app.kubernetes.io/name': 'cart' } },
      },
      status: {
        observedGeneration: 1,
        currentHealthy: 2,
        desiredHealthy: 1,
        disruptionsAllowed: 1,
        expectedPods: 2,
        conditions: [
          {
            type: 'DisruptionAllowed',
            status: 'True',
            reason: 'SufficientPods',
            message: '',
            lastTransitionTime: written,
          },
        ],
      },
    });
  }
}
