import { ClusterFolder } from './ClusterFolder';
import { Manifest } from './Folder';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { addNamespace, ofPlatform, teamLabel } from './system';
import { addService, addWorkload } from './workloads';

/** The stores' mesh: Linkerd, with a link to eu-west and a mirror of one service there. */
export function addLinkerd(to: ClusterFolder) {
  addControlPlane(to);
  addNamespace(to, 'linkerd-multicluster', 'linkerd-multicluster', {
    'linkerd.io/extension': 'multicluster',
    ...ofPlatform,
  });
  if (to.cluster.environment === 'stores') {
    addLink(to);
  } else {
    addGateway(to);
  }
}

function addControlPlane(to: ClusterFolder) {
  const { version, root } = to.cluster.linkerd!;
  addNamespace(to, 'linkerd', 'linkerd', {
    'linkerd.io/is-control-plane': 'true',
    'linkerd.io/control-plane-ns': 'linkerd',
    ...ofPlatform,
  });
  for (const name of [
    'linkerd-identity',
    'linkerd-destination',
    'linkerd-proxy-injector',
  ]) {
    const component = name.replace('linkerd-', '');
    const pods = addWorkload(to, 'linkerd', {
      namespace: 'linkerd',
      name,
      kind: 'Deployment',
      image: `cr.l5d.io/linkerd/controller:${version}`,
      version,
      system: 'Linkerd',
      containerName: component,
      replicas: 1,
      proxies: [null],
      linkerd: version,
      selector: { 'linkerd.io/control-plane-component': component },
      ports: [
        { name: 'grpc', port: component === 'destination' ? 8086 : 8080 },
      ],
    });
    addService(
      to,
      'linkerd',
      {
        namespace: 'linkerd',
        name: component === 'destination' ? 'linkerd-dst' : name,
        labels: { 'linkerd.io/control-plane-component': component },
        selector: { 'linkerd.io/control-plane-component': component },
        ports: [
          { name: 'grpc', port: component === 'destination' ? 8086 : 8080 },
        ],
      },
      pods,
    );
  }
  to.add('linkerd', {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: {
      name: 'linkerd-config',
      namespace: 'linkerd',
      labels: { 'linkerd.io/control-plane-component': 'controller' },
    },
    data: {
      values: `linkerdVersion: ${version}\nidentityTrustDomain: stores.tidemark.example\nclusterDomain: cluster.local\n`,
    },
  });
  to.add('linkerd', {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'linkerd-identity-trust-roots', namespace: 'linkerd' },
    data: {
      'ca-bundle.crt': readFileSync(
        join(__dirname, 'roots', `${root}.pem`),
        'utf8',
      ),
    },
  });
  to.add('admission-webhooks', injector());
}

/** Where the stores' calls come in. */
function addGateway(to: ClusterFolder) {
  const { version } = to.cluster.linkerd!;
  const selector = { app: 'linkerd-gateway' };
  const ports = [
    { name: 'mc-gateway', port: 4143 },
    { name: 'mc-probe', port: 4191 },
  ];
  const pods = addWorkload(to, 'linkerd-multicluster', {
    namespace: 'linkerd-multicluster',
    name: 'linkerd-gateway',
    kind: 'Deployment',
    image: 'registry.k8s.io/pause:3.10',
    version,
    system: 'Linkerd',
    containerName: 'pause',
    replicas: 2,
    proxies: [null],
    linkerd: version,
    selector,
    ports: [],
  });
  addService(
    to,
    'linkerd-multicluster',
    {
      namespace: 'linkerd-multicluster',
      name: 'linkerd-gateway',
      type: 'LoadBalancer',
      loadBalancer: '198.51.100.77',
      labels: { 'linkerd.io/extension': 'multicluster' },
      selector,
      ports,
    },
    pods,
  );
}

function addLink(to: ClusterFolder) {
  to.add('linkerd-multicluster', {
    apiVersion: 'multicluster.linkerd.io/v1alpha3',
    kind: 'Link',
    metadata: {
      name: 'eu-west',
      namespace: 'linkerd-multicluster',
      generation: 1,
    },
    spec: {
      clusterCredentialsSecret: 'cluster-credentials-eu-west',
      gatewayAddress: '198.51.100.77',
      gatewayIdentity:
        'linkerd-gateway.linkerd-multicluster.serviceaccount.identity.linkerd.stores.tidemark.example',
      gatewayPort: '4143',
      probeSpec: { path: '/ready', period: '3s', port: '4191' },
      selector: { matchLabels: { 'mirror.linkerd.io/exported': 'true' } },
      targetClusterDomain: 'cluster.local',
      targetClusterLinkerdNamespace: 'linkerd',
      targetClusterName: 'eu-west',
    },
    status: {
      mirrorServices: [
        {
          conditions: [
            {
              type: 'Mirrored',
              status: 'True',
              reason: 'Mirrored',
              message: '',
              lastTransitionTime: '2026-09-17T12:30:09Z',
              localRef: {
                group: '',
                kind: 'Service',
                namespace: 'pricing',
                name: 'price-feed-eu-west',
              },
            },
          ],
          controllerName: 'linkerd.io/service-mirror',
          remoteRef: {
            group: '',
            kind: 'Service',
            namespace: 'pricing',
            name: 'price-feed',
          },
        },
      ],
    },
  });

  addNamespace(to, 'pricing', 'pricing', {
    [teamLabel]: 'insights',
  });
  addService(
    to,
    'pricing',
    {
      namespace: 'pricing',
      name: 'price-feed-eu-west',
      labels: {
        'mirror.linkerd.io/cluster-name': 'eu-west',
        'mirror.linkerd.io/mirrored-service': 'true',
      },
      annotations: {
        'mirror.linkerd.io/remote-gateway-identity':
          'linkerd-gateway.linkerd-multicluster.serviceaccount.identity.linkerd.stores.tidemark.example',
        'mirror.linkerd.io/remote-resource-version': '88214071',
        'mirror.linkerd.io/remote-svc-fq-name':
          'price-feed.pricing.svc.cluster.local',
      },
      ports: [{ name: 'http', port: 8080 }],
      note: "Situation: Linkerd's mirror of pricing/price-feed in eu-west; the same service, not another one.",
    },
    undefined,
  );
  to.add('pricing', {
    apiVersion: 'discovery.k8s.io/v1',
    kind: 'EndpointSlice',
    metadata: {
      name: 'price-feed-eu-west-7x2qk',
      namespace: 'pricing',
      labels: {
        'endpointslice.kubernetes.io/managed-by':
          'endpointslicemirroring-controller.k8s.io',
        'kubernetes.io/service-name': 'price-feed-eu-west',
        'mirror.linkerd.io/cluster-name': 'eu-west',
        'mirror.linkerd.io/mirrored-service': 'true',
      },
    },
    addressType: 'IPv4',
    endpoints: [{ addresses: ['198.51.100.77'], conditions: { ready: true } }],
    ports: [{ name: 'http', port: 4143, protocol: 'TCP' }],
  });
}

function injector(): Manifest {
  return {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'MutatingWebhookConfiguration',
    metadata: {
      name: 'linkerd-proxy-injector-webhook-config',
      labels: {
        'linkerd.io/control-plane-component': 'proxy-injector',
        'linkerd.io/control-plane-ns': 'linkerd',
      },
    },
    webhooks: [
      {
        name: 'linkerd-proxy-injector.linkerd.io',
        admissionReviewVersions: ['v1', 'v1beta1'],
        clientConfig: {
          service: {
            name: 'linkerd-proxy-injector',
            namespace: 'linkerd',
            path: '/',
            port: 443,
          },
        },
        failurePolicy: 'Ignore',
        matchPolicy: 'Equivalent',
        namespaceSelector: {
          matchExpressions: [
            {
              key: 'config.linkerd.io/admission-webhooks',
              operator: 'NotIn',
              values: ['disabled'],
            },
            {
              key: 'kubernetes.io/metadata.name',
              operator: 'NotIn',
              values: ['kube-system', 'cert-manager'],
            },
          ],
        },
        objectSelector: {},
        reinvocationPolicy: 'Never',
        rules: [
          {
            apiGroups: [''],
            apiVersions: ['v1'],
            operations: ['CREATE'],
            resources: ['pods', 'services'],
            scope: 'Namespaced',
          },
        ],
        sideEffects: 'None',
        timeoutSeconds: 10,
      },
    ],
  };
}
