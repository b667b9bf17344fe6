import { ManifestObject } from '../inventory/FleetObject';
import {
  analyse,
  namespaceIn,
  serviceNamed,
  workloadNamed,
} from '../testing/fleet';
import {
  ambient,
  deployment,
  istio,
  namespace,
  pod,
  running,
  service,
} from '../testing/objects';

const owned = (
  kind: string,
  name: string,
  apiVersion: string,
  by?: string,
): ManifestObject => ({
  apiVersion,
  kind,
  metadata: {
    name,
    namespace: 'shop',
    ...(by && {
      ownerReferences: [
        { apiVersion: 'batch/v1', kind: by, name: 'nightly', controller: true },
      ],
    }),
  },
});

describe('workloads', () => {
  it.each<[string, ManifestObject[], string]>([
    ['a ReplicaSet to its Deployment', running('web'), 'Deployment/web'],
    [
      'a ReplicaSet that cannot be read, by the hash',
      [
        pod('web-7d9f-x', {
          labels: { app: 'web', 'pod-template-hash': '7d9f' },
          owner: { kind: 'ReplicaSet', name: 'web-7d9f' },
        }),
      ],
      'Deployment/web',
    ],
    [
      'a ReplicaSet of its own',
      [pod('web-x', { owner: { kind: 'ReplicaSet', name: 'web' } })],
      'ReplicaSet/web',
    ],
    [
      'a StatefulSet',
      [pod('db-0', { owner: { kind: 'StatefulSet', name: 'db' } })],
      'StatefulSet/db',
    ],
    [
      'a Job to its CronJob',
      [
        pod('nightly-1-x', { owner: { kind: 'Job', name: 'nightly-1' } }),
        owned('Job', 'nightly-1', 'batch/v1', 'CronJob'),
      ],
      'CronJob/nightly',
    ],
    [
      'a Job',
      [pod('once-x', { owner: { kind: 'Job', name: 'once' } })],
      'Job/once',
    ],
    ['a pod alone', [pod('alone')], 'Pod/alone'],
  ])('follows %s', (_, objects, expected) => {
    const view = analyse({ east: [namespace('shop'), ...objects] });
    expect(
      namespaceIn(view, 'east', 'shop').workloads.map(
        ({ kind, name }) => `${kind}/${name}`,
      ),
    ).toEqual([expected]);
  });

  it('counts pods: those that ended do not, those that are wanted and missing do', () => {
    const view = analyse({
      east: [
        deployment('web', { replicas: 3 }),
        ...running('api', { replicas: 2, ready: false }),
        pod('done', { phase: 'Succeeded' }),
      ],
    });
    expect(workloadNamed(view, 'web').pods).toEqual({ ready: 0, total: 3 });
    expect(workloadNamed(view, 'api').pods).toEqual({ ready: 0, total: 2 });
    expect(workloadNamed(view, 'done')).toBeUndefined();
  });

  it('takes the status of the workload where pods cannot be read', () => {
    const web = {
      ...deployment('web', { replicas: 3 }),
      status: { readyReplicas: 2 },
    };
    const view = analyse({
      east: {
        objects: [web, deployment('api')],
        coverage: { Pod: 'forbidden' },
      },
    });
    expect(workloadNamed(view, 'web').pods).toEqual({ ready: 2, total: 3 });
    expect(workloadNamed(view, 'api').pods).toMatchObject({
      unknown: 'forbidden',
    });
    expect(workloadNamed(view, 'web').dataplane).toMatchObject({
      unknown: 'forbidden',
    });
  });

  it('is mixed where the pods of one workload differ', () => {
    const sidecar = 'istio/proxyv2:1.30.2';
    const [object, set, first] = running('web', { sidecar });
    const second = {
      ...running('web')[2],
      metadata: { ...first.metadata, name: 'web-7d9f-1' },
    };
    const view = analyse({ east: [object, set, first, second] });
    expect(workloadNamed(view, 'web')).toMatchObject({
      dataplane: 'mixed',
      pods: { ready: 2, total: 2 },
      actual: [{ version: '1.30.2', pods: 1 }],
    });
  });

  it('knows Linkerd by its proxy and its annotation', () => {
    const view = analyse({
      east: [
        namespace('shop', {}, { 'linkerd.io/inject': 'enabled' }),
        pod('web', { linkerd: 'cr.l5d.io/linkerd/proxy:v2.300.0' }),
      ],
    });
    expect(workloadNamed(view, 'web')).toMatchObject({
      dataplane: 'linkerd',
      requested: {
        dataplane: 'linkerd',
        by: 'namespace shop: linkerd.io/inject=enabled',
      },
      actual: [{ version: '2.300.0' }],
    });
  });

  it('knows gateways by label and by template', () => {
    const view = analyse({
      east: [
        ...istio(),
        pod('by-label', {
          labels: { 'gateway.networking.k8s.io/gateway-name': 'public' },
        }),
        pod('by-template', {
          sidecar: 'istio/proxyv2:1.30.2',
          annotations: { 'inject.istio.io/templates': 'gateway,custom' },
        }),
      ],
    });
    expect(workloadNamed(view, 'by-label').dataplane).toBe('gateway');
    expect(workloadNamed(view, 'by-template').dataplane).toBe('gateway');
  });

  it.each([
    ['ztunnel by its image', 'istio/ztunnel:1.30.2', {}, 'none', 'none'],
    ['ztunnel by its label', 'x/y:1.30.2', { app: 'ztunnel' }, 'none', 'none'],
    [
      'a gateway without a template',
      'istio/proxyv2:1.30.2',
      { istio: 'ingressgateway' },
      'gateway',
      'gateway',
    ],
    [
      'a waypoint',
      'istio/proxyv2:1.30.2',
      { 'gateway.networking.k8s.io/gateway-name': 'waypoint' },
      'gateway',
      'gateway',
    ],
  ])(
    'takes no proxy that is the workload itself for a sidecar: %s',
    (_, image, labels, dataplane, requested) => {
      const spec = { containers: [{ name: 'istio-proxy', image }] };
      const owner = { kind: 'DaemonSet', name: 'proxy' };
      const view = analyse({
        east: [
          ...istio(),
          {
            apiVersion: 'apps/v1',
            kind: 'DaemonSet',
            metadata: { name: 'proxy', namespace: 'shop' },
            spec: { template: { metadata: { labels }, spec } },
          },
          { ...pod('proxy-1', { labels, owner }), spec },
        ],
      });
      expect(workloadNamed(view, 'proxy')).toMatchObject({
        dataplane,
        requested: { dataplane: requested },
        actual: [{ version: '1.30.2', pods: 1 }],
      });
    },
  );

  it('takes the CNI agent for no member of the mesh', () => {
    const owner = { kind: 'DaemonSet', name: 'istio-cni-node' };
    const cni = pod('istio-cni-node-1', { namespace: 'istio-system', owner });
    const containers = [
      { name: 'install-cni', image: 'istio/install-cni:1.30.2' },
    ];
    const view = analyse({
      east: [...istio(), ...ambient(), { ...cni, spec: { containers } }],
    });
    expect(workloadNamed(view, 'istio-cni-node')).toMatchObject({
      dataplane: 'none',
      requested: { dataplane: 'none' },
      actual: [],
    });
  });

  it('puts behind a Service what its whole selector takes', () => {
    const view = analyse({
      east: [
        ...running('front', { labels: { app: 'web', tier: 'front' } }),
        ...running('back', { labels: { app: 'web', tier: 'back' } }),
        service('web', { spec: { selector: { app: 'web' } } }),
        service('web-front', {
          spec: { selector: { app: 'web', tier: 'front' } },
        }),
        service('nobody', { spec: { selector: { app: 'other' } } }),
      ],
    });
    const behind = (name: string) =>
      serviceNamed(view, name).instances[0].workloads;
    expect(behind('web')).toEqual(['Deployment/back', 'Deployment/front']);
    expect(behind('web-front')).toEqual(['Deployment/front']);
    expect(behind('nobody')).toEqual([]);
    expect(serviceNamed(view, 'nobody').dataplane).toMatchObject({
      unknown: 'not-reported',
    });
  });
});
