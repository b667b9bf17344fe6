import {
  analyse,
  linksOf,
  namespaceIn,
  rulesOf,
  serviceNamed,
  servicesNamed,
  workloadNamed,
} from '../testing/fleet';
import {
  deployment,
  istio,
  namespace,
  now,
  pod,
  remoteSecret,
  running,
  service,
  slice,
  waypoint,
  ambient,
} from '../testing/objects';
import { createInventory } from '../inventory/createInventory';
import { manifestCoverage } from '../inventory/manifestCoverage';
import { meaningOfHost } from '../inventory/hosts';
import { analyseCluster } from './analyseCluster';

/** Two clusters of one mesh whose control planes read each other. */
const east = () => istio({ clusterId: 'east', remotes: ['west'] });
const west = () => istio({ clusterId: 'west', remotes: ['east'] });

describe('CA-01: the same Service, defined differently in two clusters', () => {
  const a = [
    service('api', {
      spec: {
        selector: undefined,
        ports: [
          { name: 'http', port: 80 },
          { name: 'tcp-raw', port: 9000, protocol: 'TCP' },
        ],
      },
    }),
    service('cache', {
      spec: {
        selector: undefined,
        clusterIP: 'None',
        ports: [{ name: 'tcp', port: 6379 }],
      },
    }),
    service('same', { spec: { selector: undefined } }),
  ];
  const b = [
    service('api', { spec: { selector: undefined } }),
    service('cache', {
      spec: {
        selector: undefined,
        clusterIP: '10.1.0.9',
        ports: [{ name: 'tcp', port: 6379 }],
      },
    }),
    service('same', { spec: { selector: undefined, clusterIP: '10.2.0.4' } }),
  ];

  it.each([
    [
      'control planes that read each other',
      analyse({ east: [...east(), ...a], west: [...west(), ...b] }),
    ],
    [
      'manifests of applications alone: whether they are linked is not known',
      analyse({
        east: { objects: a, coverage: manifestCoverage(a) },
        west: { objects: b, coverage: manifestCoverage(b) },
      }),
    ],
  ])('%s', (_, view) => {
    const findings = (name: string) =>
      serviceNamed(view, name).findings.map(
        ({ rule, severity, equivalents }) => ({
          rule,
          severity,
          equivalents,
        }),
      );
    expect(findings('api')).toEqual([
      { rule: 'PortSetDiffers', severity: 'warning', equivalents: ['IST0170'] },
    ]);
    expect(findings('cache')).toEqual([
      { rule: 'HeadlessMixed', severity: 'warning', equivalents: ['IST0170'] },
    ]);
    // Cluster IPs always differ; that is no finding.
    expect(findings('same')).toEqual([]);
  });

  it('is no finding between clusters that have nothing to do with each other', () => {
    const view = analyse({ east: a, west: b });
    expect(servicesNamed(view, 'api').map(one => one.scope)).toEqual([
      'east',
      'west',
    ]);
    expect(rulesOf(view)).toEqual([]);
  });
});

describe('CA-03: a cluster with its own DNS suffix', () => {
  const objects = [
    ...istio({ mesh: 'trustDomain: corp.example\n' }),
    service('api'),
  ];
  const domainOf = (more: { configured?: string; inMesh?: string }) =>
    analyseCluster(
      createInventory({
        now,
        clusters: [
          {
            name: 'east',
            objects: [...objects, ...istio({ clusterDomain: more.inMesh })],
          },
        ],
      }),
      'east',
      more.configured ? { clusterDomains: { east: more.configured } } : {},
    ).clusterDomain;

  it('takes it from the configuration, else from the mesh; never from the trust domain', () => {
    expect(
      domainOf({ configured: 'k8s.internal', inMesh: 'cluster.local' }),
    ).toBe('k8s.internal');
    expect(domainOf({ inMesh: 'k8s.internal' })).toBe('k8s.internal');
    expect(domainOf({})).toMatchObject({ unknown: 'not-reported' });
  });

  it('resolves names in it, and leaves them open where it is not known', () => {
    const host = 'api.shop.svc.k8s.internal';
    expect(
      meaningOfHost(host, { namespace: 'shop', clusterDomain: 'k8s.internal' }),
    ).toEqual({
      kind: 'service',
      namespace: 'shop',
      name: 'api',
    });
    expect(meaningOfHost(host, { namespace: 'shop' }).kind).toBe('unverified');
  });
});

describe('CA-05: a namespace that is in one cluster only', () => {
  it('is absent elsewhere, which is no error', () => {
    const view = analyse({ a: [namespace('shop')], b: [namespace('other')] });
    expect(namespaceIn(view, 'a', 'shop')).toBeDefined();
    expect(namespaceIn(view, 'b', 'shop')).toBeUndefined();
    expect(view.findings).toEqual([]);
  });

  it.each(['forbidden', 'unreachable'] as const)(
    'is told from one that is not known: %s',
    state => {
      const view = analyse({
        a: [namespace('shop'), service('web')],
        b: { objects: [], coverage: { '*': { state, message: 'why' } } },
      });
      const [web] = servicesNamed(view, 'web');
      expect(web.partial).toBe(true);
      expect(view.meshes[1].network).toEqual({ unknown: state, detail: 'why' });
    },
  );
});

describe('CA-07: injected, and not discovered', () => {
  const selectors = 'discoverySelectors:\n- matchLabels: {mesh: in}\n';
  const fleet = (mesh: string, labels: Record<string, string>) => [
    {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'istio', namespace: 'istio-system' },
      data: { mesh },
    },
    namespace('shop', labels),
    pod('web-1', {
      sidecar: 'istio/proxyv2:1.30.2',
      phase: 'Pending',
      ready: false,
    }),
    service('web'),
  ];
  const enabled = { 'istio-injection': 'enabled' };

  it('is an error, and the namespace is listed as outside the mesh', () => {
    const objects = fleet(selectors, enabled);
    const view = analyse({
      east: { objects, coverage: manifestCoverage(objects) },
    });
    expect(view.findings).toEqual([
      expect.objectContaining({
        rule: 'InjectedButNotDiscovered',
        severity: 'error',
        kind: 'Namespace',
        name: 'shop',
      }),
    ]);
    expect(namespaceIn(view, 'east', 'shop').discovered).toBe(false);
    expect(serviceNamed(view, 'web').instances).toHaveLength(1);
  });

  it.each([
    ['the namespace has the label', selectors, { ...enabled, mesh: 'in' }],
    ['an empty list is everything', 'discoverySelectors: []', enabled],
    ['there is no list', 'trustDomain: x', enabled],
    ['an empty selector is everything', 'discoverySelectors: [{}]', enabled],
    [
      'one of several selectors takes it',
      `${selectors}- matchExpressions: [{key: istio-injection, operator: Exists}]\n`,
      enabled,
    ],
  ])('no finding: %s', (_, mesh, labels) => {
    const objects = fleet(mesh, labels);
    const view = analyse({
      east: { objects, coverage: manifestCoverage(objects) },
    });
    expect(rulesOf(view)).toEqual([]);
    expect(namespaceIn(view, 'east', 'shop').discovered).toBe(true);
  });

  it('no finding where nothing is injected', () => {
    const view = analyse({
      east: [
        ...istio({ mesh: selectors }),
        namespace('shop'),
        ...running('web'),
      ],
    });
    expect(namespaceIn(view, 'east', 'shop').discovered).toBe(false);
    expect(rulesOf(view)).toEqual(['NamespaceNotInjected']);
  });
});

describe('edge cases', () => {
  it('two clusters, one name, no link: homonyms', () => {
    const view = analyse({
      east: [...istio({ clusterId: 'east', meshId: 'a' }), service('web')],
      west: [...istio({ clusterId: 'west', meshId: 'b' }), service('web')],
    });
    expect(
      servicesNamed(view, 'web').map(({ scope, homonyms }) => ({
        scope,
        homonyms,
      })),
    ).toEqual([
      { scope: 'a', homonyms: ['b'] },
      { scope: 'b', homonyms: ['a'] },
    ]);
  });

  it('a remote secret in one of two clusters', () => {
    const view = analyse({
      east: [...east(), service('web')],
      west: [...istio({ clusterId: 'west' }), service('web')],
    });
    const web = serviceNamed(view, 'web');
    expect(web.scope).toBe('mesh1');
    expect(web.instances.map(one => one.cluster)).toEqual(['east', 'west']);
    expect(
      view.findings.map(({ rule, clusters }) => ({ rule, clusters })),
    ).toEqual([{ rule: 'AsymmetricDiscovery', clusters: ['east', 'west'] }]);
  });

  it('a remote secret with two keys', () => {
    const secret = { ...remoteSecret('many'), dataKeys: ['west', 'north'] };
    const fleet = analyse({
      east: [
        ...istio({ clusterId: 'east' }),
        secret,
        service('web'),
        slice('web', [{ addresses: ['10.0.0.1'] }]),
      ],
      west: [
        ...west(),
        service('web'),
        slice('web', [{ addresses: ['10.1.0.1'] }]),
      ],
      north: [
        ...istio({ clusterId: 'north', remotes: ['east'] }),
        service('web'),
        slice('web', [{ addresses: ['10.2.0.1'] }]),
      ],
    });
    expect(linksOf(serviceNamed(fleet, 'web'))).toEqual([
      'east>north istio active',
      'east>west istio active',
      'north>east istio active',
      'west>east istio active',
    ]);
  });

  it('two clusters with one id', () => {
    const view = analyse({
      east: istio({ clusterId: 'prod' }),
      west: istio({ clusterId: 'prod' }),
      other: istio({ clusterId: 'prod', meshId: 'elsewhere' }),
    });
    expect(view.findings).toEqual([
      expect.objectContaining({
        rule: 'ClusterIdCollision',
        severity: 'error',
        clusters: ['east', 'west'],
        name: 'prod',
      }),
    ]);
  });

  it('a stub: neither selector nor endpoints', () => {
    const view = analyse({
      east: [
        ...east(),
        service('web'),
        slice('web', [{ addresses: ['10.0.0.1'] }]),
      ],
      west: [...west(), service('web', { spec: { selector: undefined } })],
    });
    const web = serviceNamed(view, 'web');
    expect(web.instances.map(one => one.role)).toEqual(['backend', 'stub']);
    expect(web.endpoints).toEqual({ ready: 1, total: 1 });
    // Nothing can be reached at a stub.
    expect(linksOf(web)).toEqual(['west>east istio active']);
    expect(web.findings).toEqual([]);
  });

  it('no selector, and endpoints of its own: a backend', () => {
    const view = analyse({
      east: [
        service('web', { spec: { selector: undefined } }),
        slice('web', [{ addresses: ['10.0.0.1'] }]),
      ],
    });
    expect(serviceNamed(view, 'web').instances[0].role).toBe('backend');
  });

  it('ExternalName in one cluster', () => {
    const view = analyse({
      east: [...east(), service('web')],
      west: [
        ...west(),
        service('web', {
          spec: {
            type: 'ExternalName',
            externalName: 'x.example',
            selector: undefined,
            ports: undefined,
          },
        }),
      ],
    });
    const web = serviceNamed(view, 'web');
    expect(web.instances[1].type).toBe('ExternalName');
    expect(web.findings.map(one => one.rule)).toEqual(['TypeDiffers']);
  });

  it('headless and with a cluster IP, both with pods', () => {
    const view = analyse({
      east: [...east(), service('web', { spec: { clusterIP: 'None' } })],
      west: [...west(), service('web')],
    });
    expect(serviceNamed(view, 'web').findings).toEqual([
      expect.objectContaining({ rule: 'HeadlessMixed', severity: 'error' }),
    ]);
  });

  it.each([
    [
      'the same number, another name',
      [{ name: 'web', port: 80 }],
      ['PortNameMismatch'],
    ],
    ['the same number, no name', [{ port: 80 }], ['PortNameMismatch']],
    [
      'the same name, another number',
      [{ name: 'http', port: 8080, targetPort: 80 }],
      ['PortNumberDiffers'],
    ],
    [
      'another target port',
      [{ name: 'http', port: 80, targetPort: 8080 }],
      ['TargetPortDiffers'],
    ],
    [
      'another protocol',
      [{ name: 'http', port: 80, protocol: 'UDP' }],
      ['PortProtocolDiffers'],
    ],
    [
      'one port more',
      [
        { name: 'http', port: 80 },
        { name: 'admin', port: 90 },
      ],
      ['PortSetDiffers'],
    ],
    ['a node port', [{ name: 'http', port: 80, nodePort: 30080 }], []],
    ['the same', [{ name: 'http', port: 80, protocol: 'TCP' }], []],
  ])('ports: %s', (_, ports, expected) => {
    const view = analyse({
      east: [...east(), service('web')],
      west: [...west(), service('web', { spec: { ports } })],
    });
    expect(serviceNamed(view, 'web').findings.map(one => one.rule)).toEqual(
      expected,
    );
  });

  it('services of kube-system and kubernetes.default stay in their cluster', () => {
    const objects = [
      service('dns', { namespace: 'kube-system' }),
      service('kubernetes', { namespace: 'default' }),
    ];
    const view = analyse({
      east: [...east(), ...objects],
      west: [...west(), ...objects],
    });
    expect(linksOf(serviceNamed(view, 'dns'))).toEqual([
      'east>west istio suppressed',
      'west>east istio suppressed',
    ]);
    expect(linksOf(serviceNamed(view, 'kubernetes'))).toEqual([
      'east>west istio suppressed',
      'west>east istio suppressed',
    ]);
  });

  it('serviceSettings with a wildcard', () => {
    const mesh =
      'serviceSettings:\n- settings: {clusterLocal: true}\n  hosts: ["*.shop.svc.cluster.local"]\n';
    const view = analyse({
      east: [
        ...istio({ clusterId: 'east', remotes: ['west'], mesh }),
        service('web'),
        service('api', { namespace: 'other' }),
      ],
      west: [...west(), service('web'), service('api', { namespace: 'other' })],
    });
    // Each control plane has its own settings.
    expect(linksOf(serviceNamed(view, 'web'))).toEqual([
      'east>west istio suppressed',
      'west>east istio active',
    ]);
    expect(linksOf(serviceNamed(view, 'api'))).toEqual([
      'east>west istio active',
      'west>east istio active',
    ]);
  });

  it('serviceSettings may take kube-system out of what is local', () => {
    const mesh =
      'serviceSettings:\n- settings: {clusterLocal: false}\n  hosts: ["*.kube-system.svc.cluster.local"]\n';
    const view = analyse({
      east: [
        ...istio({ clusterId: 'east', remotes: ['west'], mesh }),
        service('dns', { namespace: 'kube-system' }),
      ],
      west: [...west(), service('dns', { namespace: 'kube-system' })],
    });
    expect(linksOf(serviceNamed(view, 'dns'))).toContain(
      'east>west istio active',
    );
  });

  it('a Linkerd mirror and its source count once', () => {
    const mirror = service('web-west', {
      labels: {
        'mirror.linkerd.io/mirrored-service': 'true',
        'mirror.linkerd.io/cluster-name': 'west',
      },
      annotations: {
        'mirror.linkerd.io/remote-svc-fq-name': 'web.shop.svc.cluster.local',
      },
      spec: { selector: undefined },
    });
    const link = {
      apiVersion: 'multicluster.linkerd.io/v1alpha3',
      kind: 'Link',
      metadata: { name: 'west', namespace: 'linkerd-multicluster' },
      spec: { targetClusterName: 'west' },
      status: {
        mirrorServices: [
          {
            remoteRef: { namespace: 'shop', name: 'web' },
            conditions: [
              { type: 'Mirrored', status: 'True', reason: 'Mirrored' },
            ],
          },
        ],
      },
    };
    const view = analyse({
      east: [mirror, slice('web-west', [{ addresses: ['1.2.3.4'] }]), link],
      west: [
        service('web'),
        slice('web', [
          { addresses: ['10.0.0.1'] },
          { addresses: ['10.0.0.2'] },
        ]),
      ],
    });
    expect(view.services).toHaveLength(1);
    const web = serviceNamed(view, 'web');
    expect(
      web.instances.map(({ cluster, name, role }) => ({ cluster, name, role })),
    ).toEqual([
      { cluster: 'east', name: 'web-west', role: 'mirror' },
      { cluster: 'west', name: 'web', role: 'backend' },
    ]);
    expect(web.endpoints).toEqual({ ready: 2, total: 2 });
    expect(linksOf(web)).toEqual(['east>west linkerd-mirror active']);
  });

  it('istio-injection=disabled on the namespace, inject=true on the pod: no sidecar', () => {
    const view = analyse({
      east: [
        ...istio(),
        namespace('shop', { 'istio-injection': 'disabled' }),
        deployment('web', { labels: { 'sidecar.istio.io/inject': 'true' } }),
      ],
    });
    expect(workloadNamed(view, 'web').requested.dataplane).toBe('none');
    expect(rulesOf(view)).toEqual(['InjectionBlockedByNamespace']);
  });

  it('a revision label that names a tag which does not exist', () => {
    const view = analyse({
      east: [
        ...istio(),
        namespace('shop', { 'istio.io/rev': 'stable' }),
        deployment('web'),
      ],
    });
    expect(view.findings).toEqual([
      expect.objectContaining({
        rule: 'RevisionNotInstalled',
        severity: 'error',
        name: 'shop',
      }),
    ]);
  });

  it('a native sidecar stands among the init containers', () => {
    const view = analyse({
      east: [
        pod('web-1', {
          sidecar: { image: 'istio/proxyv2:1.30.2', native: true },
        }),
      ],
    });
    expect(workloadNamed(view, 'web-1')).toMatchObject({
      dataplane: 'sidecar',
      actual: [{ nativeSidecar: true, version: '1.30.2' }],
    });
  });

  it('a pod with a sidecar and the label for ambient', () => {
    const view = analyse({
      east: [
        ...istio(),
        ...ambient(),
        namespace('shop', { 'istio.io/dataplane-mode': 'ambient' }),
        ...running('web', {
          sidecar: 'istio/proxyv2:1.30.2',
          annotations: { 'sidecar.istio.io/status': '{"revision":"default"}' },
        }),
      ],
    });
    expect(workloadNamed(view, 'web')).toMatchObject({
      dataplane: 'sidecar',
      ambient: 'blocked-by-sidecar',
    });
    expect(rulesOf(view)).toEqual(['SidecarAndAmbient']);
  });

  it("an object's waypoint is missing while the namespace's is ready: no way back", () => {
    const view = analyse({
      east: [
        ...istio(),
        ...ambient(),
        namespace('shop', {
          'istio.io/dataplane-mode': 'ambient',
          'istio.io/use-waypoint': 'shared',
        }),
        waypoint('shared', { programmed: 'True' }),
        service('web', { labels: { 'istio.io/use-waypoint': 'own' } }),
        {
          ...service('api'),
          status: {
            conditions: [
              {
                type: 'istio.io/WaypointBound',
                status: 'True',
                reason: 'WaypointAccepted',
              },
            ],
          },
        },
      ],
    });
    expect(serviceNamed(view, 'web').instances[0].waypoint).toMatchObject({
      name: 'own',
      by: 'Service/web',
      state: 'missing',
    });
    expect(serviceNamed(view, 'api').instances[0].waypoint).toMatchObject({
      name: 'shared',
      by: 'Namespace/shop',
      state: 'bound',
    });
    expect(rulesOf(view)).toEqual(['WaypointMissing']);
  });
});
