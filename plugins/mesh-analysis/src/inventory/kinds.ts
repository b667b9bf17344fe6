import { Topic } from '../topics';

/**
 * Kind and API group as kubectl accepts them: `Service`, `HTTPRoute.gateway.networking.k8s.io`.
 *
 * @public
 */
export type KindId = string;

/**
 * A kind that the backend watches.
 *
 * @public
 */
export interface WatchedKind {
  id: KindId;
  group: string;
  kind: string;
  /** Plural name, as it stands in URLs and RBAC rules. */
  plural: string;
  namespaced: boolean;
  /** Versions that the analysis understands, the best first. The collector takes the first one that the cluster serves. */
  versions: string[];
  /** Read in the system namespaces of mesh and CNI only, not in the whole cluster. */
  systemNamespacesOnly?: boolean;
  /** Only objects with these labels are listed. */
  labelSelector?: string;
  /** Asked for as PartialObjectMetadata: nothing but metadata leaves the API server. */
  metadataOnly?: boolean;
  /** Switched off unless app-config switches it on: the key under `mesh.collect`. */
  optIn?: string;
  topics: Topic[];
}

/** Splits `HTTPRoute.gateway.networking.k8s.io` into kind and group. @public */
export function kindIdOf(object: { apiVersion: string; kind: string }): KindId {
  const slash = object.apiVersion.indexOf('/');
  return slash < 0
    ? object.kind
    : `${object.kind}.${object.apiVersion.slice(0, slash)}`;
}

function kind(
  apiVersions: string,
  kindAndPlural: string,
  topics: Topic[],
  more: Partial<WatchedKind> = {},
): WatchedKind {
  const slash = apiVersions.lastIndexOf('/');
  const group = slash < 0 ? '' : apiVersions.slice(0, slash);
  const [name, plural] = kindAndPlural.split(' ');
  return {
    id: group ? `${name}.${group}` : name,
    group,
    kind: name,
    plural,
    namespaced: true,
    versions: apiVersions.slice(slash + 1).split(','),
    topics,
    ...more,
  };
}

const clusterWide = { namespaced: false };
const all: Topic[] = [
  'catalog',
  'gateway',
  'export',
  'trust',
  'isolation',
  'acceleration',
  'upgrade',
  'load',
];

/**
 * Every kind that any topic reads. The collector watches exactly these, and the
 * ClusterRole in `docs/` is written from them.
 *
 * Source: the API groups of the projects named; versions as of 2026-11-30.
 *
 * @public
 */
export const watchedKinds: readonly WatchedKind[] = [
  kind('v1', 'Namespace namespaces', all, clusterWide),
  kind('v1', 'Service services', all),
  kind('v1', 'Pod pods', all),
  kind('v1', 'Node nodes', ['catalog', 'acceleration', 'upgrade'], clusterWide),
  kind('v1', 'ServiceAccount serviceaccounts', ['trust', 'isolation']),
  kind('v1', 'ConfigMap configmaps', all, { systemNamespacesOnly: true }),
  kind('v1', 'Secret secrets', ['catalog', 'trust'], {
    systemNamespacesOnly: true,
    labelSelector: 'istio/multiCluster=true',
    metadataOnly: true,
    optIn: 'remoteSecretMetadata',
  }),
  kind('discovery.k8s.io/v1', 'EndpointSlice endpointslices', [
    'catalog',
    'gateway',
    'export',
    'load',
  ]),
  kind('apps/v1', 'Deployment deployments', all),
  kind('apps/v1', 'StatefulSet statefulsets', all),
  kind('apps/v1', 'DaemonSet daemonsets', all),
  kind('apps/v1', 'ReplicaSet replicasets', ['catalog', 'upgrade'], {
    metadataOnly: true,
  }),
  kind('batch/v1', 'Job jobs', ['catalog', 'upgrade'], { metadataOnly: true }),
  kind('batch/v1', 'CronJob cronjobs', ['catalog', 'upgrade'], {
    metadataOnly: true,
  }),
  kind('policy/v1', 'PodDisruptionBudget poddisruptionbudgets', ['upgrade']),
  kind('networking.k8s.io/v1', 'NetworkPolicy networkpolicies', ['isolation']),
  kind(
    'policy.networking.k8s.io/v1beta1,v1alpha2',
    'ClusterNetworkPolicy clusternetworkpolicies',
    ['isolation'],
    clusterWide,
  ),
  kind(
    'policy.networking.k8s.io/v1alpha1',
    'AdminNetworkPolicy adminnetworkpolicies',
    ['isolation'],
    clusterWide,
  ),
  kind(
    'policy.networking.k8s.io/v1alpha1',
    'BaselineAdminNetworkPolicy baselineadminnetworkpolicies',
    ['isolation'],
    clusterWide,
  ),
  kind(
    'gateway.networking.k8s.io/v1,v1beta1,v1alpha2',
    'GatewayClass gatewayclasses',
    ['gateway', 'upgrade'],
    clusterWide,
  ),
  kind('gateway.networking.k8s.io/v1,v1beta1,v1alpha2', 'Gateway gateways', [
    'catalog',
    'gateway',
    'export',
    'isolation',
    'upgrade',
  ]),
  kind('gateway.networking.k8s.io/v1', 'ListenerSet listenersets', ['gateway']),
  kind(
    'gateway.networking.k8s.io/v1,v1beta1,v1alpha2',
    'HTTPRoute httproutes',
    ['gateway', 'export', 'isolation'],
  ),
  kind('gateway.networking.k8s.io/v1,v1alpha2', 'GRPCRoute grpcroutes', [
    'gateway',
    'export',
  ]),
  kind('gateway.networking.k8s.io/v1,v1alpha3,v1alpha2', 'TLSRoute tlsroutes', [
    'gateway',
  ]),
  kind('gateway.networking.k8s.io/v1,v1alpha2', 'TCPRoute tcproutes', [
    'gateway',
  ]),
  kind('gateway.networking.k8s.io/v1,v1alpha2', 'UDPRoute udproutes', [
    'gateway',
  ]),
  kind(
    'gateway.networking.k8s.io/v1,v1beta1,v1alpha2',
    'ReferenceGrant referencegrants',
    ['gateway', 'export'],
  ),
  kind(
    'gateway.networking.k8s.io/v1,v1alpha3,v1alpha2',
    'BackendTLSPolicy backendtlspolicies',
    ['gateway', 'trust'],
  ),
  kind('gateway.networking.x-k8s.io/v1alpha1', 'XListenerSet xlistenersets', [
    'gateway',
  ]),
  kind(
    'gateway.networking.x-k8s.io/v1alpha1',
    'XMesh xmeshes',
    ['gateway'],
    clusterWide,
  ),
  kind('gateway.networking.x-k8s.io/v1alpha1', 'XBackend xbackends', [
    'gateway',
  ]),
  kind(
    'gateway.networking.x-k8s.io/v1alpha1',
    'XBackendTrafficPolicy xbackendtrafficpolicies',
    ['gateway'],
  ),
  kind(
    'gateway.networking.x-k8s.io/v1alpha1',
    'XTelemetryPolicy xtelemetrypolicies',
    ['gateway'],
  ),
  kind(
    'multicluster.x-k8s.io/v1beta1,v1alpha1',
    'ServiceExport serviceexports',
    ['catalog', 'export'],
  ),
  kind(
    'multicluster.x-k8s.io/v1beta1,v1alpha1',
    'ServiceImport serviceimports',
    ['catalog', 'export', 'gateway'],
  ),
  kind('net.gke.io/v1', 'ServiceExport serviceexports', ['catalog', 'export']),
  kind('net.gke.io/v1', 'ServiceImport serviceimports', [
    'catalog',
    'export',
    'gateway',
  ]),
  kind(
    'application-networking.k8s.aws/v1alpha1',
    'ServiceExport serviceexports',
    ['export'],
  ),
  kind(
    'application-networking.k8s.aws/v1alpha1',
    'ServiceImport serviceimports',
    ['export'],
  ),
  kind(
    'about.k8s.io/v1,v1beta1,v1alpha1',
    'ClusterProperty clusterproperties',
    ['export'],
    clusterWide,
  ),
  kind(
    'networking.istio.io/v1,v1beta1,v1alpha3',
    'VirtualService virtualservices',
    ['catalog', 'gateway', 'isolation', 'load', 'upgrade'],
  ),
  kind(
    'networking.istio.io/v1,v1beta1,v1alpha3',
    'DestinationRule destinationrules',
    ['trust', 'load', 'upgrade'],
  ),
  kind('networking.istio.io/v1,v1beta1,v1alpha3', 'Gateway gateways', [
    'gateway',
    'load',
    'upgrade',
  ]),
  kind(
    'networking.istio.io/v1,v1beta1,v1alpha3',
    'ServiceEntry serviceentries',
    ['catalog', 'trust', 'isolation', 'load'],
  ),
  kind('networking.istio.io/v1,v1beta1,v1alpha3', 'Sidecar sidecars', [
    'isolation',
    'load',
  ]),
  kind(
    'networking.istio.io/v1,v1beta1,v1alpha3',
    'WorkloadEntry workloadentries',
    ['catalog', 'trust'],
  ),
  kind(
    'networking.istio.io/v1,v1beta1,v1alpha3',
    'WorkloadGroup workloadgroups',
    ['catalog', 'trust'],
  ),
  kind('networking.istio.io/v1alpha3', 'EnvoyFilter envoyfilters', [
    'load',
    'upgrade',
  ]),
  kind('networking.istio.io/v1beta1', 'ProxyConfig proxyconfigs', [
    'load',
    'upgrade',
  ]),
  kind(
    'security.istio.io/v1,v1beta1',
    'AuthorizationPolicy authorizationpolicies',
    ['trust', 'isolation'],
  ),
  kind(
    'security.istio.io/v1,v1beta1',
    'PeerAuthentication peerauthentications',
    ['trust', 'isolation'],
  ),
  kind(
    'security.istio.io/v1,v1beta1',
    'RequestAuthentication requestauthentications',
    ['isolation'],
  ),
  kind('telemetry.istio.io/v1,v1alpha1', 'Telemetry telemetries', [
    'load',
    'upgrade',
  ]),
  kind('extensions.istio.io/v1alpha1', 'WasmPlugin wasmplugins', [
    'load',
    'upgrade',
  ]),
  kind('extensions.istio.io/v1alpha1', 'TrafficExtension trafficextensions', [
    'load',
    'upgrade',
  ]),
  kind(
    'admissionregistration.k8s.io/v1',
    'MutatingWebhookConfiguration mutatingwebhookconfigurations',
    ['catalog', 'upgrade'],
    clusterWide,
  ),
  kind(
    'admissionregistration.k8s.io/v1',
    'ValidatingAdmissionPolicy validatingadmissionpolicies',
    ['gateway', 'upgrade'],
    clusterWide,
  ),
  kind(
    'storagemigration.k8s.io/v1,v1beta1',
    'StorageVersionMigration storageversionmigrations',
    ['gateway', 'upgrade'],
    clusterWide,
  ),
  kind(
    'apiextensions.k8s.io/v1',
    'CustomResourceDefinition customresourcedefinitions',
    ['gateway', 'upgrade'],
    clusterWide,
  ),
  kind('cilium.io/v2', 'CiliumNetworkPolicy ciliumnetworkpolicies', [
    'isolation',
    'acceleration',
  ]),
  kind(
    'cilium.io/v2',
    'CiliumClusterwideNetworkPolicy ciliumclusterwidenetworkpolicies',
    ['isolation', 'acceleration'],
    clusterWide,
  ),
  kind('cilium.io/v2', 'CiliumNodeConfig ciliumnodeconfigs', ['acceleration']),
  kind('cilium.io/v2', 'CiliumEnvoyConfig ciliumenvoyconfigs', [
    'acceleration',
    'load',
  ]),
  kind(
    'cilium.io/v2',
    'CiliumClusterwideEnvoyConfig ciliumclusterwideenvoyconfigs',
    ['acceleration', 'load'],
    clusterWide,
  ),
  kind(
    'projectcalico.org/v3',
    'FelixConfiguration felixconfigurations',
    ['acceleration'],
    clusterWide,
  ),
  kind('projectcalico.org/v3', 'NetworkPolicy networkpolicies', ['isolation']),
  kind(
    'projectcalico.org/v3',
    'GlobalNetworkPolicy globalnetworkpolicies',
    ['isolation'],
    clusterWide,
  ),
  kind(
    'crd.projectcalico.org/v1',
    'FelixConfiguration felixconfigurations',
    ['acceleration'],
    clusterWide,
  ),
  kind('crd.projectcalico.org/v1', 'NetworkPolicy networkpolicies', [
    'isolation',
  ]),
  kind(
    'crd.projectcalico.org/v1',
    'GlobalNetworkPolicy globalnetworkpolicies',
    ['isolation'],
    clusterWide,
  ),
  kind(
    'operator.tigera.io/v1',
    'Installation installations',
    ['acceleration'],
    clusterWide,
  ),
  kind('multicluster.linkerd.io/v1alpha3,v1alpha2,v1alpha1', 'Link links', [
    'catalog',
    'trust',
  ]),
  kind('consul.hashicorp.com/v1alpha1', 'PeeringAcceptor peeringacceptors', [
    'catalog',
    'trust',
  ]),
  kind('consul.hashicorp.com/v1alpha1', 'PeeringDialer peeringdialers', [
    'catalog',
    'trust',
  ]),
  kind('consul.hashicorp.com/v1alpha1', 'ExportedServices exportedservices', [
    'catalog',
    'export',
  ]),
  kind('consul.hashicorp.com/v1alpha1', 'SamenessGroup samenessgroups', [
    'catalog',
  ]),
  kind(
    'spire.spiffe.io/v1alpha1',
    'ClusterFederatedTrustDomain clusterfederatedtrustdomains',
    ['trust'],
    clusterWide,
  ),
  kind(
    'spire.spiffe.io/v1alpha1',
    'ClusterSPIFFEID clusterspiffeids',
    ['trust'],
    clusterWide,
  ),
  kind(
    'certificates.k8s.io/v1,v1beta1',
    'ClusterTrustBundle clustertrustbundles',
    ['trust', 'gateway'],
    clusterWide,
  ),
  kind('inference.networking.k8s.io/v1', 'InferencePool inferencepools', [
    'gateway',
    'upgrade',
  ]),
  kind(
    'inference.networking.x-k8s.io/v1alpha2',
    'InferencePool inferencepools',
    ['gateway', 'upgrade'],
  ),
];
