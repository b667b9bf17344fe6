import { KubeObject } from '../ApiClient';
import { remoteTargets, treat, TreatOptions } from './treat';

const options: TreatOptions = {
  istio: true,
  linkedClusters: new Set(['west']),
  bundledCrds: new Set(['gateways.gateway.networking.k8s.io']),
};

function object(
  kind: string,
  rest: Record<string, any> = {},
  apiVersion = 'v1',
): KubeObject {
  const { metadata, ...fields } = rest;
  return {
    apiVersion,
    kind,
    metadata: { name: 'one', namespace: 'shop', ...metadata },
    ...fields,
  };
}

const ownedBy = (kind: string) => ({
  metadata: { ownerReferences: [{ kind, name: 'cart', controller: true }] },
});

describe('what a controller writes is left to it', () => {
  it.each<[string, KubeObject]>([
    ['a pod of a ReplicaSet', object('Pod', ownedBy('ReplicaSet'))],
    ['a pod of a StatefulSet', object('Pod', ownedBy('StatefulSet'))],
    ['a ReplicaSet', object('ReplicaSet', ownedBy('Deployment'), 'apps/v1')],
    ['a Job of a CronJob', object('Job', ownedBy('CronJob'), 'batch/v1')],
    ['addresses of a Service', object('EndpointSlice', ownedBy('Service'))],
    ['Endpoints', object('Endpoints')],
    ['a Lease', object('Lease')],
    [
      'a CRD of a bundle',
      object('CustomResourceDefinition', {
        metadata: { name: 'gateways.gateway.networking.k8s.io' },
      }),
    ],
    [
      'the root of the mesh',
      object('ConfigMap', { metadata: { name: 'istio-ca-root-cert' } }),
    ],
    [
      'settings of istiod',
      object('ConfigMap', {
        metadata: { name: 'istio-1-29' },
        data: { mesh: '' },
      }),
    ],
    [
      'a tag',
      object('MutatingWebhookConfiguration', {
        webhooks: [{ name: 'rev.object.sidecar-injector.istio.io' }],
      }),
    ],
    [
      'a proxy of a Gateway',
      object('Deployment', {
        metadata: {
          labels: { 'gateway.istio.io/managed': 'istio.io-gateway-controller' },
        },
      }),
    ],
    [
      'a remote secret of a cluster that runs',
      object('Secret', {
        metadata: { labels: { 'istio/multiCluster': 'true' } },
        stringData: { west: 'kubeconfig' },
      }),
    ],
  ])('%s', (_, source) => {
    expect(treat(source, options)).toEqual({
      action: 'leave',
      why: expect.any(String),
    });
  });
});

describe('what nobody here writes is applied', () => {
  it.each<[string, KubeObject]>([
    ['a pod without an owner', object('Pod')],
    ['a Job', object('Job', {}, 'batch/v1')],
    [
      'addresses that nobody owns',
      object('EndpointSlice', {
        metadata: { labels: { 'kubernetes.io/service-name': 'legacy' } },
      }),
    ],
    [
      'addresses that another controller keeps',
      object('EndpointSlice', {
        metadata: {
          ownerReferences: [{ kind: 'Service', name: 'cart' }],
          labels: { 'endpointslice.kubernetes.io/managed-by': 'cilium' },
        },
      }),
    ],
    [
      'a ConfigMap that is only named like one of istiod',
      object('ConfigMap', {
        metadata: { name: 'istio-dashboards' },
        data: { 'mesh.json': '{}' },
      }),
    ],
    [
      'a remote secret of a cluster elsewhere',
      object('Secret', {
        metadata: { labels: { 'istio/multiCluster': 'true' } },
        stringData: { mars: 'kubeconfig' },
      }),
    ],
    ['a Deployment of istiod', object('Deployment', {}, 'apps/v1')],
  ])('%s', (_, source) => {
    expect(treat(source, options)).toMatchObject({ action: 'apply' });
  });

  it('takes the folder’s settings of istiod where none runs', () => {
    const source = object('ConfigMap', {
      metadata: { name: 'istio' },
      data: { mesh: '' },
    });
    expect(treat(source, { ...options, istio: false }).action).toBe('apply');
  });
});

describe('an applied object', () => {
  it('has no metadata that only a server may write, and the source keeps its own', () => {
    const source = object('ConfigMap', {
      metadata: {
        uid: '1',
        resourceVersion: '2',
        generation: 3,
        creationTimestamp: 'x',
        managedFields: [],
        ownerReferences: [{ kind: 'Thing', name: 'x', uid: '9' }],
        labels: { kept: 'yes' },
      },
    });
    const before = JSON.stringify(source);
    expect(treat(source, options)).toEqual({
      action: 'apply',
      object: object('ConfigMap', {
        metadata: { labels: { kept: 'yes' } },
      }),
    });
    expect(JSON.stringify(source)).toBe(before);
  });

  it('keeps headless Services and gives others an address of this fleet', () => {
    const specOf = (spec: object) =>
      (treat(object('Service', { spec }), options) as any).object.spec;
    expect(specOf({ clusterIP: 'None', clusterIPs: ['None'] })).toEqual({
      clusterIP: 'None',
      clusterIPs: ['None'],
    });
    expect(
      specOf({
        clusterIP: '172.20.0.1',
        clusterIPs: ['172.20.0.1'],
        ports: [],
      }),
    ).toEqual({ ports: [] });
  });

  it('cannot block others as a webhook that nobody answers', () => {
    const treated = treat(
      object('ValidatingWebhookConfiguration', {
        webhooks: [{ name: 'check.example.com', failurePolicy: 'Fail' }],
      }),
      options,
    );
    expect(treated).toMatchObject({
      object: { webhooks: [{ failurePolicy: 'Ignore', timeoutSeconds: 1 }] },
      changed: expect.stringContaining('Ignore'),
    });
  });

  it.each<[string, KubeObject, boolean]>([
    ['nodes', object('Node', { status: {} }), true],
    ['load balancers', object('Service', { status: {} }), true],
    ['exports', object('ServiceExport', { status: {} }, 'a.b/v1'), true],
    ['deployments', object('Deployment', { status: {} }, 'apps/v1'), false],
    [
      'what istiod judges',
      object('VirtualService', { status: {} }, 'networking.istio.io/v1'),
      false,
    ],
    [
      'routes of istiod',
      object(
        'HTTPRoute',
        {
          status: {
            parents: [{ controllerName: 'istio.io/gateway-controller' }],
          },
        },
        'gateway.networking.k8s.io/v1',
      ),
      false,
    ],
    [
      'routes of another controller',
      object(
        'HTTPRoute',
        { status: { parents: [{ controllerName: 'example.com/gateways' }] } },
        'gateway.networking.k8s.io/v1',
      ),
      true,
    ],
  ])(
    'brings its status where no controller writes it: %s',
    (_, source, brings) => {
      expect('status' in treat(source, options)).toBe(brings);
    },
  );
});

describe('clusters that a remote secret names', () => {
  const secret = (rest: Record<string, any>) =>
    object('Secret', {
      ...rest,
      metadata: { labels: { 'istio/multiCluster': 'true' }, ...rest.metadata },
    });

  it.each<[string, KubeObject, string[]]>([
    [
      'every key is one',
      secret({ data: { east: '' }, stringData: { west: '' } }),
      ['east', 'west'],
    ],
    [
      'without data, the annotation',
      secret({
        metadata: { annotations: { 'networking.istio.io/cluster': 'east' } },
      }),
      ['east'],
    ],
    [
      'without either, the name',
      secret({ metadata: { name: 'istio-remote-secret-east' } }),
      ['east'],
    ],
    ['any other Secret names none', object('Secret', { data: { a: '' } }), []],
  ])('%s', (_, source, targets) => {
    expect(remoteTargets(source)).toEqual(targets);
  });
});
