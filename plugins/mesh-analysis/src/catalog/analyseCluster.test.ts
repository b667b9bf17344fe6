import {
  createInventory,
  InventoryCluster,
} from '../inventory/createInventory';
import { ManifestObject } from '../inventory/FleetObject';
import { rulesOf } from '../testing/fleet';
import {
  ambient,
  istio,
  namespace,
  now,
  service,
  webhooks,
} from '../testing/objects';
import { analyseCluster } from './analyseCluster';
import { AnalysisOptions } from './mesh';

function read(
  objects: ManifestObject[],
  coverage: InventoryCluster['coverage'] = {},
  options?: AnalysisOptions,
) {
  return analyseCluster(
    createInventory({ now, clusters: [{ name: 'east', objects, coverage }] }),
    'east',
    options,
  );
}

const node = (kubeletVersion: string, name = 'n1'): ManifestObject => ({
  apiVersion: 'v1',
  kind: 'Node',
  metadata: { name },
  status: { nodeInfo: { kubeletVersion } },
});

describe('analyseCluster', () => {
  it('reads control plane, ids, network and tags', () => {
    const mesh = read([
      ...istio({
        clusterId: 'east-1',
        meshId: 'mesh1',
        network: 'n1',
        version: '1.30.2',
      }),
      ...istio({ revision: 'canary', version: '1.31.0', network: 'n1' }),
      webhooks({ revision: 'canary', tag: 'next' }),
    ]);
    expect(mesh).toMatchObject({
      clusterId: 'east-1',
      meshId: 'mesh1',
      network: 'n1',
      trustDomain: 'corp.example',
      tags: [{ tag: 'next', revision: 'canary' }],
      findings: [],
    });
    expect(
      mesh.revisions.map(({ revision, controlPlane }) => [
        revision,
        controlPlane?.version,
      ]),
    ).toEqual([
      ['default', '1.30.2'],
      ['canary', '1.31.0'],
    ]);
    expect(JSON.parse(JSON.stringify(mesh))).toEqual(mesh);
  });

  it('knows nothing, and says so, where there is no mesh', () => {
    const mesh = read([]);
    expect(mesh).toMatchObject({
      clusterId: { unknown: 'not-reported' },
      meshId: { unknown: 'not-reported' },
      trustDomain: { unknown: 'not-reported' },
      injectors: [],
      revisions: [],
      declaredLinks: [],
      ambient: { installed: false },
      findings: [],
    });
  });

  it('falls back to the literal that istiod uses for a cluster without an id', () => {
    expect(read(istio({ clusterId: '' })).clusterId).toBe('Kubernetes');
  });

  it('looks where the webhooks point, besides the namespaces that are configured', () => {
    const moved = istio().map(object =>
      JSON.parse(JSON.stringify(object).replaceAll('istio-system', 'mesh')),
    );
    expect(read(moved).clusterId).toBe('east');
    const silent = moved.filter(
      one => one.kind !== 'MutatingWebhookConfiguration',
    );
    expect(read(silent).revisions).toEqual([]);
    expect(read(silent, {}, { systemNamespaces: ['mesh'] }).clusterId).toBe(
      'east',
    );
  });

  it('a remote cluster has webhooks and no control plane of its own', () => {
    const mesh = read([
      namespace(
        'istio-system',
        {},
        { 'topology.istio.io/controlPlaneClusters': 'primary, other' },
      ),
      webhooks({ revision: 'default', isDefault: true }),
    ]);
    expect(mesh.revisions).toEqual([
      expect.objectContaining({ revision: 'default' }),
    ]);
    expect(mesh.revisions[0].controlPlane).toBeUndefined();
    expect(mesh.controlPlaneClusters).toEqual(['primary', 'other']);
  });

  it('MeshConfigUnreadable, and what does not depend on it stands', () => {
    const mesh = read(istio({ mesh: 'trustDomain: [broken' }));
    expect(rulesOf(mesh)).toEqual(['MeshConfigUnreadable']);
    expect(mesh.trustDomain).toMatchObject({ unknown: 'not-reported' });
    expect(mesh.clusterId).toBe('east');
  });

  it('ControlPlaneNotReady', () => {
    expect(rulesOf(read(istio({ ready: 0 })))).toEqual([
      'ControlPlaneNotReady',
    ]);
    expect(rulesOf(read(istio({ ready: 1 })))).toEqual([]);
  });

  it('TagWithoutRevision', () => {
    const mesh = read([
      ...istio(),
      webhooks({ revision: 'gone', tag: 'next' }),
    ]);
    expect(rulesOf(mesh)).toEqual(['TagWithoutRevision']);
  });

  describe('native sidecars by default', () => {
    it.each<[string, Parameters<typeof istio>[0], ManifestObject[], unknown]>([
      [
        'every kubelet is new enough',
        { version: '1.30.2' },
        [node('v1.33.1'), node('v1.34.0-eks-1', 'n2')],
        true,
      ],
      [
        'one kubelet is too old',
        { version: '1.30.2' },
        [node('v1.33.1'), node('v1.32.9', 'n2')],
        false,
      ],
      ['a kubelet without a version', { version: '1.30.2' }, [node('')], false],
      [
        'before 1.27 they had to be switched on',
        { version: '1.26.8' },
        [node('v1.33.1')],
        false,
      ],
      [
        'switched on',
        { environment: { ENABLE_NATIVE_SIDECARS: 'true' } },
        [node('v1.30.0')],
        true,
      ],
      [
        'switched off',
        { environment: { ENABLE_NATIVE_SIDECARS: 'false' } },
        [node('v1.33.1')],
        false,
      ],
      [
        'auto before 1.27',
        { version: '1.26.8', environment: { ENABLE_NATIVE_SIDECARS: 'auto' } },
        [node('v1.33.1')],
        true,
      ],
      [
        'a value that istiod does not know',
        { environment: { ENABLE_NATIVE_SIDECARS: 'yes' } },
        [node('v1.33.1')],
        false,
      ],
    ])('%s', (_, options, nodes, expected) => {
      expect(read([...istio(options), ...nodes]).nativeSidecarDefault).toBe(
        expected,
      );
    });

    it('is not known where nodes may not be read', () => {
      expect(
        read(istio(), { Node: 'forbidden' }).nativeSidecarDefault,
      ).toMatchObject({
        unknown: 'forbidden',
      });
    });
  });

  describe('remote secrets', () => {
    it('tells the target by annotation, else by name', () => {
      const byName = {
        apiVersion: 'v1',
        kind: 'Secret',
        metadata: {
          name: 'istio-remote-secret-north',
          namespace: 'istio-system',
          labels: { 'istio/multiCluster': 'true' },
        },
      };
      const other = {
        ...byName,
        metadata: { ...byName.metadata, name: 'x', labels: {} },
      };
      const mesh = read([...istio({ remotes: ['west'] }), byName, other]);
      expect(
        mesh.declaredLinks.map(({ target, state }) => `${target} ${state}`),
      ).toEqual(['north active', 'west active']);
      expect(mesh.linksUnknown).toEqual({});
    });

    it.each([
      [
        'they may not be read',
        istio(),
        { Secret: 'forbidden' as const },
        'forbidden',
      ],
      [
        'credentials come from files',
        istio({
          environment: { PILOT_MULTICLUSTER_KUBECONFIG_PATH: '/etc/kube' },
        }),
        {},
        'elsewhere',
      ],
      [
        'credentials come from a controller',
        istio({
          environment: { PILOT_ENABLE_REMOTE_CREDENTIALS_CONTROLLER: 'true' },
        }),
        {},
        'elsewhere',
      ],
    ])(
      'their absence proves nothing where %s',
      (_, objects, coverage, reason) => {
        expect(read(objects, coverage).linksUnknown.istio).toContain(reason);
      },
    );
  });

  describe('network gateways', () => {
    const gateway = (ports: number[], labels = {}) =>
      service('eastwest', {
        namespace: 'istio-system',
        labels: { 'topology.istio.io/network': 'n1', ...labels },
        spec: { ports: ports.map(port => ({ port })) },
      });
    const gatewayApi = (listeners: unknown[]): ManifestObject => ({
      apiVersion: 'gateway.networking.k8s.io/v1',
      kind: 'Gateway',
      metadata: {
        name: 'eastwest',
        namespace: 'istio-system',
        labels: { 'topology.istio.io/network': 'n1' },
      },
      spec: { gatewayClassName: 'istio-eastwest', listeners },
    });
    const port = 'networking.istio.io/gatewayPort';
    it.each<[string, ManifestObject, object, boolean]>([
      ['15443', gateway([15021, 15443]), { mtlsPort: 15443 }, false],
      ['15008', gateway([15008]), { hbonePort: 15008 }, false],
      [
        'another port by label',
        gateway([443], { [port]: '443' }),
        { mtlsPort: 443 },
        false,
      ],
      [
        'a label that is no number',
        gateway([15443], { [port]: 'x' }),
        { mtlsPort: 15443 },
        false,
      ],
      [
        'the labelled port is not open',
        gateway([15443], { [port]: '443' }),
        {},
        true,
      ],
      ['neither', gateway([80]), {}, true],
      [
        'HBONE of Gateway API',
        gatewayApi([{ port: 15008, protocol: 'HBONE' }]),
        { hbonePort: 15008 },
        false,
      ],
      [
        'passthrough of Gateway API',
        gatewayApi([
          { port: 15443, protocol: 'TLS', tls: { mode: 'Passthrough' } },
        ]),
        { mtlsPort: 15443 },
        false,
      ],
      [
        'neither of Gateway API',
        gatewayApi([{ port: 80, protocol: 'HTTP' }]),
        {},
        true,
      ],
    ])('%s', (_, object, ports, ignored) => {
      const mesh = read([...istio({ network: 'n1' }), object]);
      expect(mesh.networkGateways).toEqual([
        expect.objectContaining({ network: 'n1', ...ports }),
      ]);
      expect(mesh.networkGateways[0].ignored !== undefined).toBe(ignored);
      expect(rulesOf(mesh)).toEqual(ignored ? ['NetworkGatewayIgnored'] : []);
    });

    it('is found in any namespace where the usual ones have none', () => {
      const far = gateway([15443]);
      far.metadata.namespace = 'edge';
      expect(
        read([...istio({ network: 'n1' }), far]).networkGateways,
      ).toHaveLength(1);
    });
  });

  it('reads ambient', () => {
    expect(read([...istio(), ...ambient()]).ambient).toMatchObject({
      installed: true,
      cni: true,
      cniVersion: '1.30.2',
      ztunnelVersion: '1.30.2',
      excludedNamespaces: ['kube-system'],
    });
    expect(
      read(istio(), { 'DaemonSet.apps': 'forbidden' }).ambient.installed,
    ).toMatchObject({
      unknown: 'forbidden',
    });
  });

  it('reads the flags of MCS', () => {
    expect(
      read(istio({ environment: { ENABLE_MCS_SERVICE_DISCOVERY: 'true' } }))
        .revisions[0].mcs,
    ).toEqual({
      serviceDiscovery: true,
      host: false,
      clusterLocal: false,
      autoExport: false,
    });
  });

  describe('Linkerd', () => {
    const link = (conditions: unknown[] | undefined): ManifestObject => ({
      apiVersion: 'multicluster.linkerd.io/v1alpha3',
      kind: 'Link',
      metadata: { name: 'west', namespace: 'linkerd-multicluster' },
      spec: { targetClusterName: 'west' },
      ...(conditions && {
        status: {
          mirrorServices: conditions.map(condition => ({
            remoteRef: { namespace: 'shop', name: 'web' },
            conditions: [condition],
          })),
        },
      }),
    });
    const mirrored = { type: 'Mirrored', status: 'True', reason: 'Mirrored' };
    const missing = {
      type: 'Mirrored',
      status: 'False',
      reason: 'MissingNamespace',
    };
    it.each([
      ['works', [mirrored], 'active', []],
      ['has no status', undefined, 'unknown', []],
      ['mirrors some', [mirrored, missing], 'active', ['MirrorNotCreated']],
      ['mirrors none', [missing], 'broken', ['LinkBroken', 'MirrorNotCreated']],
    ])('a Link that %s', (_, conditions, state, rules) => {
      const mesh = read([link(conditions)]);
      expect(mesh.declaredLinks).toEqual([
        expect.objectContaining({
          mechanism: 'linkerd',
          target: 'west',
          state,
        }),
      ]);
      expect(rulesOf(mesh)).toEqual(rules);
    });
  });

  describe('Cilium', () => {
    const config = (data: Record<string, string>): ManifestObject[] => [
      {
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: { name: 'cilium-config', namespace: 'kube-system' },
        data: { 'cluster-name': 'east', 'cluster-id': '1', ...data },
      },
      {
        apiVersion: 'apps/v1',
        kind: 'Deployment',
        metadata: { name: 'clustermesh-apiserver', namespace: 'kube-system' },
      },
    ];

    it('reads cluster mesh, and StaleBackends', () => {
      const mesh = read(config({}));
      expect(mesh.cilium).toMatchObject({
        clusterName: 'east',
        clusterId: '1',
        clusterMesh: true,
        defaultGlobalNamespace: true,
      });
      expect(rulesOf(mesh)).toEqual(['StaleBackends']);
      expect(rulesOf(read(config({ 'clustermesh-cache-ttl': '5m' })))).toEqual(
        [],
      );
      const alone = read(config({ 'cluster-id': '0' }));
      expect(alone.cilium?.clusterMesh).toBe(false);
      expect(rulesOf(alone)).toEqual([]);
    });
  });

  describe('Consul', () => {
    const peering = (kind: string, status?: string): ManifestObject => ({
      apiVersion: 'consul.hashicorp.com/v1alpha1',
      kind,
      metadata: { name: 'west', namespace: 'consul' },
      ...(status && { status: { conditions: [{ type: 'Synced', status }] } }),
    });
    it.each([
      ['PeeringAcceptor', 'False', ['PeeringIncomplete']],
      ['PeeringDialer', 'False', ['PeeringIncomplete']],
      ['PeeringAcceptor', 'True', []],
      ['PeeringDialer', undefined, []],
    ])('%s with Synced %s', (kind, status, rules) => {
      const mesh = read([peering(kind, status)]);
      expect(mesh.consul?.peers).toHaveLength(1);
      expect(rulesOf(mesh)).toEqual(rules);
    });
  });
});
