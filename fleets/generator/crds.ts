import { ClusterFolder } from './ClusterFolder';

/**
 * CustomResourceDefinitions as far as anybody reads them here: group, names, served
 * and stored versions, and who brought them. Their schemas are left open.
 */
interface Crd {
  group: string;
  kind: string;
  plural: string;
  /** The stored version first; versions that are no longer served end in `-`. */
  versions: string[];
  scope?: 'Cluster';
  /** Versions that objects were stored in, where it is not the stored one alone. */
  stored?: string[];
}

const gatewayApi = 'gateway.networking.k8s.io';
const istioNetworking = 'networking.istio.io';
const fromAlpha = { versions: ['v1', 'v1beta1', 'v1alpha3'] };

const gatewayCrds: Crd[] = [
  {
    group: gatewayApi,
    kind: 'GatewayClass',
    plural: 'gatewayclasses',
    versions: ['v1', 'v1beta1'],
    scope: 'Cluster',
  },
  {
    group: gatewayApi,
    kind: 'Gateway',
    plural: 'gateways',
    versions: ['v1', 'v1beta1'],
  },
  {
    group: gatewayApi,
    kind: 'HTTPRoute',
    plural: 'httproutes',
    versions: ['v1', 'v1beta1'],
  },
  {
    group: gatewayApi,
    kind: 'GRPCRoute',
    plural: 'grpcroutes',
    versions: ['v1'],
  },
  {
    group: gatewayApi,
    kind: 'ReferenceGrant',
    plural: 'referencegrants',
    versions: ['v1beta1'],
  },
  {
    group: gatewayApi,
    kind: 'BackendTLSPolicy',
    plural: 'backendtlspolicies',
    versions: ['v1', 'v1alpha3-'],
  },
];

const newerGatewayCrds: Crd[] = [
  {
    group: gatewayApi,
    kind: 'ListenerSet',
    plural: 'listenersets',
    versions: ['v1'],
  },
  {
    group: gatewayApi,
    kind: 'TLSRoute',
    plural: 'tlsroutes',
    versions: ['v1', 'v1alpha3-', 'v1alpha2-'],
  },
  {
    group: gatewayApi,
    kind: 'TCPRoute',
    plural: 'tcproutes',
    versions: ['v1', 'v1alpha2-'],
  },
  {
    group: gatewayApi,
    kind: 'UDPRoute',
    plural: 'udproutes',
    versions: ['v1', 'v1alpha2-'],
  },
];

const istioCrds: Crd[] = [
  {
    group: istioNetworking,
    kind: 'VirtualService',
    plural: 'virtualservices',
    ...fromAlpha,
  },
  {
    group: istioNetworking,
    kind: 'DestinationRule',
    plural: 'destinationrules',
    ...fromAlpha,
  },
  { group: istioNetworking, kind: 'Gateway', plural: 'gateways', ...fromAlpha },
  {
    group: istioNetworking,
    kind: 'ServiceEntry',
    plural: 'serviceentries',
    ...fromAlpha,
  },
  { group: istioNetworking, kind: 'Sidecar', plural: 'sidecars', ...fromAlpha },
  {
    group: istioNetworking,
    kind: 'WorkloadEntry',
    plural: 'workloadentries',
    ...fromAlpha,
  },
  {
    group: istioNetworking,
    kind: 'WorkloadGroup',
    plural: 'workloadgroups',
    ...fromAlpha,
  },
  {
    group: istioNetworking,
    kind: 'EnvoyFilter',
    plural: 'envoyfilters',
    versions: ['v1alpha3'],
  },
  {
    group: istioNetworking,
    kind: 'ProxyConfig',
    plural: 'proxyconfigs',
    versions: ['v1beta1'],
  },
  {
    group: 'security.istio.io',
    kind: 'AuthorizationPolicy',
    plural: 'authorizationpolicies',
    versions: ['v1', 'v1beta1'],
  },
  {
    group: 'security.istio.io',
    kind: 'PeerAuthentication',
    plural: 'peerauthentications',
    versions: ['v1', 'v1beta1'],
  },
  {
    group: 'security.istio.io',
    kind: 'RequestAuthentication',
    plural: 'requestauthentications',
    versions: ['v1', 'v1beta1'],
  },
  {
    group: 'telemetry.istio.io',
    kind: 'Telemetry',
    plural: 'telemetries',
    versions: ['v1', 'v1alpha1'],
  },
  {
    group: 'extensions.istio.io',
    kind: 'WasmPlugin',
    plural: 'wasmplugins',
    versions: ['v1alpha1'],
  },
];

const mcsCrds: Crd[] = [
  {
    group: 'multicluster.x-k8s.io',
    kind: 'ServiceExport',
    plural: 'serviceexports',
    versions: ['v1beta1', 'v1alpha1'],
  },
  {
    group: 'multicluster.x-k8s.io',
    kind: 'ServiceImport',
    plural: 'serviceimports',
    versions: ['v1beta1', 'v1alpha1'],
  },
  {
    group: 'about.k8s.io',
    kind: 'ClusterProperty',
    plural: 'clusterproperties',
    versions: ['v1beta1', 'v1alpha1'],
    scope: 'Cluster',
  },
];

const ciliumCrds: Crd[] = [
  {
    group: 'cilium.io',
    kind: 'CiliumNetworkPolicy',
    plural: 'ciliumnetworkpolicies',
    versions: ['v2'],
  },
  {
    group: 'cilium.io',
    kind: 'CiliumClusterwideNetworkPolicy',
    plural: 'ciliumclusterwidenetworkpolicies',
    versions: ['v2'],
    scope: 'Cluster',
  },
  {
    group: 'cilium.io',
    kind: 'CiliumNodeConfig',
    plural: 'ciliumnodeconfigs',
    versions: ['v2', 'v2alpha1'],
  },
];

const calicoCrds: Crd[] = [
  {
    group: 'crd.projectcalico.org',
    kind: 'FelixConfiguration',
    plural: 'felixconfigurations',
    versions: ['v1'],
    scope: 'Cluster',
  },
  {
    group: 'crd.projectcalico.org',
    kind: 'NetworkPolicy',
    plural: 'networkpolicies',
    versions: ['v1'],
  },
  {
    group: 'crd.projectcalico.org',
    kind: 'GlobalNetworkPolicy',
    plural: 'globalnetworkpolicies',
    versions: ['v1'],
    scope: 'Cluster',
  },
];

const linkerdCrds: Crd[] = [
  {
    group: 'multicluster.linkerd.io',
    kind: 'Link',
    plural: 'links',
    versions: ['v1alpha3', 'v1alpha2', 'v1alpha1'],
  },
];

export function addCrds(to: ClusterFolder) {
  const { cluster } = to;
  const newest = cluster.environment === 'staging';
  if (cluster.istio) {
    const bundle = {
      annotations: {
        'gateway.networking.k8s.io/bundle-version': newest
          ? 'v1.6.0'
          : 'v1.4.1',
        'gateway.networking.k8s.io/channel': 'standard',
      },
    };
    for (const crd of [...gatewayCrds, ...(newest ? newerGatewayCrds : [])])
      addCrd(to, crd, bundle);
    const chart = newest ? '1.31.1' : cluster.istio.revisions.at(-1)!.version;
    const labels = {
      'app.kubernetes.io/name': 'istio-base',
      'app.kubernetes.io/part-of': 'istio',
      'app.kubernetes.io/version': chart,
      chart: 'istio',
      release: 'istio-base',
    };
    for (const crd of istioCrds) {
      addCrd(to, crd, {
        labels,
        // Objects of this cluster's first years were stored in the alpha version, and never rewritten.
        stored:
          cluster.name === 'us-east' && crd.kind === 'DestinationRule'
            ? ['v1alpha3', 'v1beta1', 'v1']
            : undefined,
      });
    }
  }
  if (cluster.cni === 'cilium') {
    for (const crd of ciliumCrds)
      addCrd(to, crd, {
        labels: { 'io.cilium.k8s.crd.schema.version': '1.32.1' },
      });
    for (const crd of mcsCrds)
      addCrd(to, crd, {
        labels: {
          'multicluster.x-k8s.io/crd-schema-revision': '0',
          'multicluster.x-k8s.io/release-version': 'v0.5.2',
        },
      });
  }
  if (cluster.cni === 'calico')
    for (const crd of calicoCrds) addCrd(to, crd, {});
  if (cluster.linkerd)
    for (const crd of linkerdCrds)
      addCrd(to, crd, { labels: { 'linkerd.io/extension': 'multicluster' } });
}

function addCrd(
  to: ClusterFolder,
  crd: Crd,
  more: {
    labels?: Record<string, string>;
    annotations?: Record<string, string>;
    stored?: string[];
  },
) {
  const names = {
    kind: crd.kind,
    listKind: `${crd.kind}List`,
    plural: crd.plural,
    singular: crd.kind.toLocaleLowerCase('en'),
  };
  // A group under k8s.io needs the address of its review; without it the API server refuses the definition.
  const approved = crd.group.endsWith('k8s.io')
    ? { 'api-approved.kubernetes.io': 'https://github.com/kubernetes-sigs' }
    : {};
  const stored = crd.versions[0];
  to.add('custom-resource-definitions', {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: {
      name: `${crd.plural}.${crd.group}`,
      labels: more.labels,
      annotations: { ...approved, ...more.annotations },
    },
    spec: {
      group: crd.group,
      names,
      scope: crd.scope ?? 'Namespaced',
      versions: crd.versions.map(version => ({
        name: version.replace(/-$/, ''),
        served: !version.endsWith('-'),
        storage: version === stored,
        schema: {
          openAPIV3Schema: {
            type: 'object',
            'x-kubernetes-preserve-unknown-fields': true,
          },
        },
        subresources: { status: {} },
      })),
    },
    status: {
      acceptedNames: names,
      conditions: [
        {
          type: 'NamesAccepted',
          status: 'True',
          reason: 'NoConflicts',
          message: 'no conflicts found',
          lastTransitionTime: '2026-02-03T09:12:44Z',
        },
        {
          type: 'Established',
          status: 'True',
          reason: 'InitialNamesAccepted',
          message: 'the initial names have been accepted',
          lastTransitionTime: '2026-02-03T09:12:45Z',
        },
      ],
      storedVersions: more.stored ?? [stored],
    },
  });
}
