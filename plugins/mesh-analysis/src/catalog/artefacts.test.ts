import { ManifestObject } from '../inventory/FleetObject';
import {
  analyse,
  linksOf,
  serviceNamed,
  servicesNamed,
} from '../testing/fleet';
import { istio, namespace, running, service } from '../testing/objects';

function roleOf(object: ManifestObject, ...more: ManifestObject[]) {
  const view = analyse({
    east: [...istio(), namespace('shop'), object, ...more],
  });
  const instance = view.services
    .flatMap(one => one.instances)
    .find(one => one.name === object.metadata.name)!;
  return {
    role: instance.role,
    ...(instance.mirrorOf && {
      of: `${instance.mirrorOf.cluster}/${instance.mirrorOf.namespace}/${instance.mirrorOf.name}`,
    }),
  };
}

const noSelector = { selector: undefined };
const ownedBy = (object: ManifestObject, kind: string, apiVersion: string) => ({
  ...object,
  metadata: {
    ...object.metadata,
    ownerReferences: [{ apiVersion, kind, name: 'web', controller: true }],
  },
});
const serviceImport = (
  annotations: Record<string, string>,
): ManifestObject => ({
  apiVersion: 'multicluster.x-k8s.io/v1alpha1',
  kind: 'ServiceImport',
  metadata: { name: 'web', namespace: 'shop', annotations },
});

describe('what controllers wrote', () => {
  it.each<[string, ReturnType<typeof roleOf>, ReturnType<typeof roleOf>]>([
    [
      'a Linkerd mirror',
      roleOf(
        service('web-west', {
          labels: {
            'mirror.linkerd.io/mirrored-service': 'true',
            'mirror.linkerd.io/cluster-name': 'west',
          },
          annotations: {
            'mirror.linkerd.io/remote-svc-fq-name':
              'web.front.svc.cluster.local',
          },
        }),
      ),
      { role: 'mirror', of: 'west/front/web' },
    ],
    [
      'a Linkerd mirror that names its source by itself only',
      roleOf(
        service('web-west', {
          labels: {
            'mirror.linkerd.io/mirrored-service': 'true',
            'mirror.linkerd.io/cluster-name': 'west',
          },
        }),
      ),
      { role: 'mirror', of: 'west/shop/web' },
    ],
    [
      'remote discovery of Linkerd',
      roleOf(
        service('web-west', {
          labels: {
            'multicluster.linkerd.io/remote-discovery': 'west',
            'multicluster.linkerd.io/remote-service': 'web',
          },
        }),
      ),
      { role: 'mirror', of: 'west/shop/web' },
    ],
    [
      'a federated service of Linkerd',
      roleOf(
        service('web-federated', {
          annotations: {
            'multicluster.linkerd.io/remote-discovery': 'web@west,web@north',
            'multicluster.linkerd.io/local-discovery': 'web',
          },
        }),
      ),
      { role: 'mirror', of: 'east/shop/web' },
    ],
    [
      "Cilium's, by its owner",
      roleOf(
        ownedBy(
          service('derived-a1b2c3d4e5', { spec: noSelector }),
          'ServiceImport',
          'multicluster.x-k8s.io/v1beta1',
        ),
      ),
      { role: 'derived', of: 'east/shop/web' },
    ],
    [
      "Cilium's, by the import",
      roleOf(
        service('derived-a1b2c3d4e5', { spec: noSelector }),
        serviceImport({
          'multicluster.kubernetes.io/derived-service': 'derived-a1b2c3d4e5',
        }),
      ),
      { role: 'derived', of: 'east/shop/web' },
    ],
    [
      "AWS's, by the import",
      roleOf(
        service('imported-x', { spec: noSelector }),
        serviceImport({
          'multicluster.k8s.aws/derived-service':
            '[{"cluster":"west","derivedService":"imported-x"}]',
        }),
      ),
      { role: 'derived', of: 'east/shop/web' },
    ],
    [
      'the Service of an XBackend',
      roleOf(
        ownedBy(
          service('xb-1'),
          'XBackend',
          'gateway.networking.x-k8s.io/v1alpha1',
        ),
      ),
      { role: 'derived', of: 'east/shop/web' },
    ],
    [
      "a Gateway's",
      roleOf(
        service('gw', {
          labels: { 'gateway.networking.k8s.io/gateway-name': 'gw' },
        }),
      ),
      { role: 'gateway' },
    ],
    [
      'one in front of gateway pods',
      roleOf(
        service('ingress'),
        ...running('ingress', {
          sidecar: 'istio/proxyv2:1.30.2',
          annotations: { 'inject.istio.io/templates': 'gateway' },
        }),
      ),
      { role: 'gateway' },
    ],
    ['nothing of the kind', roleOf(service('web')), { role: 'backend' }],
    [
      'a name that only looks like it',
      roleOf(service('derived-metrics')),
      { role: 'backend' },
    ],
  ])('%s', (_, found, expected) => {
    expect(found).toEqual(expected);
  });

  it('a federated service is one with those that it joins', () => {
    const view = analyse({
      east: [
        service('web'),
        service('web-federated', {
          annotations: {
            'multicluster.linkerd.io/remote-discovery': 'web@west',
          },
          spec: noSelector,
        }),
        {
          apiVersion: 'multicluster.linkerd.io/v1alpha3',
          kind: 'Link',
          metadata: { name: 'west', namespace: 'linkerd-multicluster' },
          spec: { targetClusterName: 'west' },
        },
      ],
      west: [service('web')],
    });
    expect(servicesNamed(view, 'web')).toHaveLength(1);
    expect(linksOf(serviceNamed(view, 'web'))).toEqual([
      'east>west linkerd-federated unknown',
    ]);
  });
});
