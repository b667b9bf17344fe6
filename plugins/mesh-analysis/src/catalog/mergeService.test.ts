import { ManifestObject } from '../inventory/FleetObject';
import {
  analyse,
  linksOf,
  rulesOf,
  serviceNamed,
  servicesNamed,
} from '../testing/fleet';
import {
  ambient,
  istio,
  namespace,
  running,
  service,
  slice,
  webhooks,
} from '../testing/objects';

const image = 'istio/proxyv2:1.30.2';

describe('links of Istio', () => {
  it('are directed, and reach through others', () => {
    const view = analyse({
      a: [...istio({ clusterId: 'a', remotes: ['b'] }), service('web')],
      b: [...istio({ clusterId: 'b', remotes: ['c'] }), service('web')],
      c: [...istio({ clusterId: 'c' }), service('web')],
      d: [...istio({ clusterId: 'd' }), service('web')],
    });
    const [together, alone] = servicesNamed(view, 'web');
    expect(together.instances.map(one => one.cluster)).toEqual(['a', 'b', 'c']);
    expect(linksOf(together)).toEqual(['a>b istio active', 'b>c istio active']);
    expect(alone.instances.map(one => one.cluster)).toEqual(['d']);
    // Both would be called by the mesh id; two services cannot have one name.
    expect([together.scope, alone.scope]).toEqual(['a', 'd']);
  });

  it.each([
    ['*', true],
    ['primary', true],
    ['', true],
    ['somebody-else', false],
  ])(
    'a remote cluster sees what its control plane (%s) sees',
    (named, linked) => {
      const view = analyse({
        primary: [
          ...istio({ clusterId: 'primary', remotes: ['remote', 'other'] }),
          service('web'),
        ],
        remote: [
          namespace(
            'istio-system',
            {},
            { 'topology.istio.io/controlPlaneClusters': named },
          ),
          {
            apiVersion: 'v1',
            kind: 'ConfigMap',
            metadata: {
              name: 'istio-sidecar-injector',
              namespace: 'istio-system',
            },
            data: {
              values:
                '{"global":{"meshID":"mesh1","multiCluster":{"clusterName":"remote"}}}',
            },
          },
          webhooks({ revision: 'default', isDefault: true }),
          service('web'),
        ],
        other: [...istio({ clusterId: 'other' }), service('web')],
      });
      const links = linksOf(serviceNamed(view, 'web'));
      expect(links.includes('remote>primary istio active')).toBe(linked);
      expect(links.includes('remote>other istio active')).toBe(linked);
      expect(links).toContain('primary>remote istio active');
    },
  );

  it('are unknown where remote secrets are not read, and only within a mesh id', () => {
    const side = (clusterId: string, meshId: string) => ({
      objects: [...istio({ clusterId, meshId }), service('web')],
      coverage: { Secret: 'forbidden' as const },
    });
    const view = analyse({
      a: side('a', 'm'),
      b: side('b', 'm'),
      c: side('c', 'other'),
    });
    const [together, apart] = servicesNamed(view, 'web');
    expect(together.links).toEqual([
      {
        from: ['a', 'b'],
        to: ['a', 'b'],
        mechanism: 'istio',
        state: 'unknown',
        reason: expect.stringContaining('forbidden'),
      },
    ]);
    expect(apart.instances[0].cluster).toBe('c');
    expect(view.findings).toEqual([]);
  });

  it('MeshIdDiffers: a secret does not make two meshes one', () => {
    const view = analyse({
      a: [
        ...istio({ clusterId: 'a', meshId: 'm', remotes: ['b'] }),
        service('web'),
      ],
      b: [
        ...istio({ clusterId: 'b', meshId: 'n', remotes: ['a'] }),
        service('web'),
      ],
    });
    expect(rulesOf(view)).toEqual(['MeshIdDiffers']);
    expect(servicesNamed(view, 'web').map(one => one.scope)).toEqual([
      'm',
      'n',
    ]);
  });

  it('AsymmetricDiscovery is not claimed where the other side may read by other means', () => {
    const view = analyse({
      a: [...istio({ clusterId: 'a', remotes: ['b'] })],
      b: {
        objects: istio({ clusterId: 'b' }),
        coverage: { Secret: 'forbidden' },
      },
    });
    expect(rulesOf(view)).toEqual([]);
  });

  it.each([
    ['on, and exported there', true, 'istio-mcs active'],
    ['on, and not exported', false, 'istio-mcs suppressed'],
  ])('ENABLE_MCS_SERVICE_DISCOVERY is %s', (_, exported, expected) => {
    const environment = { ENABLE_MCS_SERVICE_DISCOVERY: 'true' };
    const view = analyse({
      a: [
        ...istio({ clusterId: 'a', remotes: ['b'], environment }),
        service('web'),
      ],
      b: [
        ...istio({ clusterId: 'b' }),
        service('web'),
        ...(exported ? [serviceExport('web')] : []),
      ],
    });
    expect(linksOf(serviceNamed(view, 'web'))).toContain(`a>b ${expected}`);
  });

  it.each([
    ['LOCAL by default', '', {}, 'suppressed'],
    [
      'GLOBAL by the label of the service',
      'serviceScopeConfigs: [{scope: GLOBAL, servicesSelector: {matchExpressions: [{key: istio.io/global, operator: In, values: ["true"]}]}}]',
      { 'istio.io/global': 'true' },
      'active',
    ],
    [
      'GLOBAL for others',
      'serviceScopeConfigs: [{scope: GLOBAL, servicesSelector: {matchLabels: {istio.io/global: "true"}}}]',
      {},
      'suppressed',
    ],
    [
      'GLOBAL by the namespace',
      'serviceScopeConfigs: [{scope: GLOBAL, namespaceSelector: {matchLabels: {team: a}}}]',
      {},
      'active',
    ],
  ])('ambient: %s', (_, mesh, labels, state) => {
    const side = (clusterId: string, other: string) => [
      ...istio({ clusterId, remotes: [other], mesh }),
      ...ambient(),
      namespace('shop', { 'istio.io/dataplane-mode': 'ambient', team: 'a' }),
      service('web', { labels }),
      ...running('web', {
        annotations: { 'ambient.istio.io/redirection': 'enabled' },
      }),
    ];
    const view = analyse({ a: side('a', 'b'), b: side('b', 'a') });
    expect(linksOf(serviceNamed(view, 'web'))).toEqual([
      `a>b istio ${state}`,
      `b>a istio ${state}`,
    ]);
  });
});

function serviceExport(name: string): ManifestObject {
  return {
    apiVersion: 'multicluster.x-k8s.io/v1alpha1',
    kind: 'ServiceExport',
    metadata: { name, namespace: 'shop' },
  };
}

describe('networks', () => {
  const side = (
    id: string,
    other: string,
    network: string | undefined,
    more: ManifestObject[] = [],
    options = {},
  ) => [
    ...istio({ clusterId: id, remotes: [other], network, ...options }),
    namespace('shop'),
    service('web'),
    slice('web', [{ addresses: [`10.0.0.${id.length}`] }]),
    ...more,
  ];
  const gateway = (network: string, port = 15443) =>
    service(`gateway-${network}`, {
      namespace: 'istio-system',
      labels: { 'topology.istio.io/network': network },
      spec: { ports: [{ port }] },
    });
  const rules = (a: ManifestObject[], b: ManifestObject[]) =>
    serviceNamed(analyse({ a, b }), 'web').findings.map(
      ({ rule, clusters }) => `${rule} ${clusters[0]}`,
    );

  it('NoEndpointPath, for each network without a gateway', () => {
    expect(rules(side('a', 'b', 'n1'), side('b', 'a', 'n2'))).toEqual([
      'NoEndpointPath a',
      'NoEndpointPath b',
    ]);
    expect(
      rules(side('a', 'b', 'n1', [gateway('n1')]), side('b', 'a', 'n2')),
    ).toEqual(['NoEndpointPath b']);
  });

  it('is no finding with gateways, in one network, or where networks are not named', () => {
    expect(
      rules(
        side('a', 'b', 'n1', [gateway('n1')]),
        side('b', 'a', 'n2', [gateway('n2', 15008)]),
      ),
    ).toEqual([]);
    expect(rules(side('a', 'b', 'n1'), side('b', 'a', 'n1'))).toEqual([]);
    expect(rules(side('a', 'b', undefined), side('b', 'a', undefined))).toEqual(
      [],
    );
  });

  it('a gateway that is ignored is none', () => {
    expect(
      rules(
        side('a', 'b', 'n1', [gateway('n1', 80)]),
        side('b', 'a', 'n2', [gateway('n2')]),
      ),
    ).toEqual(['NoEndpointPath a']);
  });

  it('meshNetworks may name gateways', () => {
    const meshNetworks =
      'networks: {n1: {gateways: [{address: 1.1.1.1, port: 15443}]}, n2: {gateways: [{address: 2.2.2.2, port: 15443}]}}';
    expect(
      rules(side('a', 'b', 'n1', [], { meshNetworks }), side('b', 'a', 'n2')),
    ).toEqual([]);
  });
});

describe('absent members', () => {
  const a = [
    ...istio({ clusterId: 'a' }),
    namespace('shop'),
    service('web'),
    slice('web', [{ addresses: ['10.0.0.1'] }]),
  ];
  const reader = (mesh: string, more: ManifestObject[] = []) => [
    ...istio({ clusterId: 'b', remotes: ['a'], mesh }),
    namespace('shop', { 'istio-injection': 'enabled' }),
    ...more,
  ];
  const caller = running('caller', {
    sidecar: image,
    annotations: { 'istio.io/rev': 'default' },
  });
  const capture =
    'defaultConfig: {proxyMetadata: {ISTIO_META_DNS_CAPTURE: "true"}}';

  it.each([
    [
      'callers, no Service, no DNS capture',
      reader('{}', caller),
      ['StubMissing'],
    ],
    ['DNS capture', reader(capture, caller), []],
    ['no callers', reader('{}'), []],
    [
      'a stub',
      reader('{}', [
        ...caller,
        service('web', { spec: { selector: undefined } }),
      ]),
      [],
    ],
    ['ambient answers DNS', reader('{}', [...caller, ...ambient()]), []],
  ])('StubMissing: %s', (_, b, expected) => {
    expect(
      serviceNamed(analyse({ a, b }), 'web').findings.map(one => one.rule),
    ).toEqual(expected);
  });

  it('NamespaceMissing, for what is exported', () => {
    const b = istio({ clusterId: 'b', remotes: ['a'] });
    const rules = (objects: ManifestObject[]) =>
      serviceNamed(analyse({ a: objects, b }), 'web').findings.map(
        one => one.rule,
      );
    expect(rules([...a, serviceExport('web')])).toEqual(['NamespaceMissing']);
    expect(rules(a)).toEqual([]);
  });
});

describe('SelectorOwnerDiffers', () => {
  const side = (id: string, other: string, owner?: string) => [
    ...istio({ clusterId: id, remotes: [other] }),
    service('web', { labels: owner ? { team: owner } : {} }),
  ];
  const rules = (a?: string, b?: string) =>
    analyse(
      { a: side('a', 'b', a), b: side('b', 'a', b) },
      { ownerLabels: ['team'] },
    ).services[0].findings.map(one => one.rule);

  it('fires where two owners are named, and not where one is', () => {
    expect(rules('red', 'blue')).toEqual(['SelectorOwnerDiffers']);
    expect(rules('red', 'red')).toEqual([]);
    expect(rules('red', undefined)).toEqual([]);
  });
});

describe('global services of Cilium', () => {
  const config = (
    name: string,
    id: string,
    defaultGlobal: boolean,
  ): ManifestObject[] => [
    {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'cilium-config', namespace: 'kube-system' },
      data: {
        'cluster-name': name,
        'cluster-id': id,
        'clustermesh-cache-ttl': '5m',
        ...(!defaultGlobal && {
          'clustermesh-default-global-namespace': 'false',
        }),
      },
    },
    {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: 'clustermesh-apiserver', namespace: 'kube-system' },
    },
  ];
  interface Side {
    global?: boolean;
    shared?: boolean;
    namespaceGlobal?: boolean;
  }
  const side = (
    name: string,
    id: string,
    { global, shared, namespaceGlobal }: Side,
  ) => [
    ...config(name, id, false),
    namespace(
      'shop',
      {},
      namespaceGlobal ? { 'clustermesh.cilium.io/global': 'true' } : {},
    ),
    service('web', {
      annotations: {
        ...(global && { 'service.cilium.io/global': 'true' }),
        ...(shared === false && { 'service.cilium.io/shared': 'false' }),
      },
    }),
  ];
  const booleans = [true, false];
  const sides = booleans.flatMap(global =>
    booleans.flatMap(shared =>
      booleans.map(namespaceGlobal => ({ global, shared, namespaceGlobal })),
    ),
  );

  it.each(sides.flatMap(a => sides.map(b => ({ a, b }))))('%j', ({ a, b }) => {
    const view = analyse({ a: side('a', '1', a), b: side('b', '2', b) });
    const inA = a.global && a.namespaceGlobal;
    const inB = b.global && b.namespaceGlobal;
    const services = servicesNamed(view, 'web');
    expect({
      services: services.length,
      links: services.flatMap(linksOf),
      rules: rulesOf(view),
    }).toEqual(expectation());

    function expectation() {
      if (!inA && !inB) {
        return { services: 2, links: [], rules: [] };
      }
      return inA && inB
        ? {
            services: 1,
            // Which clusters are connected stands in a Secret; it is never claimed.
            links: [
              `a>b cilium-global ${b.shared ? 'unknown' : 'suppressed'}`,
              `b>a cilium-global ${a.shared ? 'unknown' : 'suppressed'}`,
            ],
            rules: [],
          }
        : {
            services: 1,
            links: ['a>b cilium-global broken', 'b>a cilium-global broken'],
            rules: ['OneSidedGlobal'],
          };
    }
  });

  it('namespaces are global unless the configuration says otherwise', () => {
    const web = service('web', {
      annotations: { 'service.cilium.io/global': 'true' },
    });
    const view = analyse({
      a: [...config('a', '1', true), namespace('shop'), web],
      b: [...config('b', '2', true), namespace('shop'), web],
    });
    expect(linksOf(serviceNamed(view, 'web'))).toEqual([
      'a>b cilium-global unknown',
      'b>a cilium-global unknown',
    ]);
  });

  it('two clusters with one id cannot be connected', () => {
    const web = service('web', {
      annotations: { 'service.cilium.io/global': 'true' },
    });
    const view = analyse({
      a: [...config('a', '1', true), web],
      b: [...config('b', '1', true), web],
    });
    expect(servicesNamed(view, 'web')).toHaveLength(2);
  });
});

describe('MCS and Consul', () => {
  const property = (name: string, value: string): ManifestObject => ({
    apiVersion: 'about.k8s.io/v1',
    kind: 'ClusterProperty',
    metadata: { name },
    spec: { value },
  });
  const serviceImport = (clusters?: string[]): ManifestObject => ({
    apiVersion: 'multicluster.x-k8s.io/v1alpha1',
    kind: 'ServiceImport',
    metadata: { name: 'web', namespace: 'shop' },
    ...(clusters && {
      status: { clusters: clusters.map(cluster => ({ cluster })) },
    }),
  });

  it.each([
    ['the import names the cluster', ['b'], 'a', 'active'],
    ['the import names others', ['c'], 'a', 'broken'],
    ['the import has no status, one cluster set', undefined, 'a', 'active'],
    [
      'the import has no status, the cluster set is not known',
      undefined,
      undefined,
      'unknown',
    ],
  ])('%s', (_, clusters, set, state) => {
    const properties = set ? [property('clusterset.k8s.io', set)] : [];
    const view = analyse({
      a: [...properties, service('web'), serviceImport(clusters)],
      b: [...properties, service('web'), serviceExport('web')],
    });
    expect(linksOf(serviceNamed(view, 'web'))).toEqual([`a>b mcs ${state}`]);
  });

  it('an export alone links nothing', () => {
    const view = analyse({
      a: [service('web')],
      b: [service('web'), serviceExport('web')],
    });
    expect(servicesNamed(view, 'web')).toHaveLength(2);
  });

  it('a Consul peering counts for what is exported over it', () => {
    const consul = (kind: string, name: string, spec = {}): ManifestObject => ({
      apiVersion: 'consul.hashicorp.com/v1alpha1',
      kind,
      metadata: { name, namespace: 'consul' },
      spec,
    });
    const view = analyse({
      a: [consul('PeeringDialer', 'b'), service('web'), service('api')],
      b: [
        consul('PeeringAcceptor', 'a'),
        consul('ExportedServices', 'default', {
          services: [{ name: 'web', consumers: [{ peer: 'a' }] }],
        }),
        service('web'),
        service('api'),
      ],
    });
    expect(linksOf(serviceNamed(view, 'web'))).toEqual(['a>b consul unknown']);
    expect(servicesNamed(view, 'api')).toHaveLength(2);
  });
});

describe('sums', () => {
  it('are partial, never zero, where a cluster is not known', () => {
    const view = analyse({
      a: [service('web'), slice('web', [{ addresses: ['10.0.0.1'] }])],
      b: { objects: [], coverage: { '*': 'unreachable' } },
    });
    expect(serviceNamed(view, 'web')).toMatchObject({
      endpoints: { ready: 1, total: 1 },
      partial: true,
    });
    const blind = analyse({
      a: {
        objects: [service('web')],
        coverage: { 'EndpointSlice.discovery.k8s.io': 'forbidden' },
      },
    });
    expect(serviceNamed(blind, 'web')).toMatchObject({
      endpoints: { unknown: 'forbidden' },
      partial: true,
    });
  });

  it('a service whose clusters differ is mixed', () => {
    const side = (id: string, other: string, sidecar?: string) => [
      ...istio({ clusterId: id, remotes: [other] }),
      service('web'),
      ...running('web', { sidecar }),
    ];
    const view = analyse({ a: side('a', 'b', image), b: side('b', 'a') });
    expect(serviceNamed(view, 'web').dataplane).toBe('mixed');
  });

  it('views can be stored', () => {
    const view = analyse({
      a: [
        ...istio({ clusterId: 'a', remotes: ['b'] }),
        service('web'),
        ...running('web'),
      ],
      b: [...istio({ clusterId: 'b' }), service('web')],
    });
    expect(JSON.parse(JSON.stringify(view))).toEqual(view);
  });
});
