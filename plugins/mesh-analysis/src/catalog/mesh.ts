import { Fact } from '../inventory/Fact';
import { LabelSelector } from '../inventory/selectors';
import { Finding } from '../rules/Finding';

/**
 * What the platform tells the analysis of a fleet. Everything has a default.
 *
 * @public
 */
export interface AnalysisOptions {
  /** Namespaces in which control planes and their configuration may live, besides those that the injector webhooks name. Default: `istio-system`. */
  systemNamespaces?: string[];
  /** Namespaces in which network gateways may live, besides the system namespaces. */
  gatewayNamespaces?: string[];
  /** DNS suffix of the Services by cluster, `*` for those that are not named. Where it is not configured, the control plane's settings are asked. */
  clusterDomains?: Record<string, string>;
}

/**
 * One revision of Istio in one cluster, as its Deployment, ConfigMaps and webhooks
 * describe it. The revision without a name is `default`.
 *
 * @public
 */
export interface IstioRevision {
  revision: string;
  namespace: string;
  /** The Deployment of the control plane, where it runs in this cluster. */
  controlPlane?: {
    name: string;
    version: Fact<string>;
    pods: Fact<{ ready: number; total: number }>;
  };
  clusterId: Fact<string>;
  meshId: Fact<string>;
  trustDomain: Fact<string>;
  /** What the control plane looks at; an empty list is everything. */
  discoverySelectors: Fact<LabelSelector[]>;
  /** Hosts that `serviceSettings` keeps in their cluster, wildcards included. */
  clusterLocalHosts: Fact<string[]>;
  /** Hosts of `serviceSettings` that are taken out of what is cluster-local by default. */
  notClusterLocalHosts: string[];
  serviceScopes: Fact<
    Array<{
      scope: 'LOCAL' | 'GLOBAL';
      namespaceSelector?: LabelSelector;
      servicesSelector?: LabelSelector;
    }>
  >;
  /** Whether proxies answer names that have no Service in their own cluster. */
  dnsCapture: Fact<boolean>;
  injection: Fact<{
    policy: 'enabled' | 'disabled';
    neverInjectSelector: LabelSelector[];
    alwaysInjectSelector: LabelSelector[];
  }>;
  nativeSidecars: Fact<'enabled' | 'disabled' | 'auto'>;
  /** Whether a namespace waypoint and ambient routing across clusters are served at all. */
  ambient: Fact<boolean>;
  mcs: Fact<{
    serviceDiscovery: boolean;
    host: boolean;
    clusterLocal: boolean;
    autoExport: boolean;
  }>;
  /** Networks for which `meshNetworks` names gateways. */
  networksWithGateways: string[];
  /** True where credentials for other clusters may come from elsewhere than Secrets. */
  credentialsElsewhere: boolean;
}

/**
 * One webhook that may add a sidecar to a pod, with the selectors as they stand.
 *
 * @public
 */
export interface InjectorWebhook {
  configuration: string;
  name: string;
  /** What it injects. */
  revision: string;
  tag?: string;
  namespaceSelector?: LabelSelector;
  objectSelector?: LabelSelector;
}

/**
 * What one cluster declares about another.
 *
 * @public
 */
export interface DeclaredLink {
  mechanism: 'istio' | 'linkerd' | 'cilium' | 'consul';
  /** The other cluster, by the name that the mechanism uses. */
  target: string;
  state: 'active' | 'broken' | 'unknown';
  reason?: string;
  /** The object that declares it. */
  by: { kind: string; namespace?: string; name: string };
  /** For Istio: the revisions that read the other cluster. */
  revisions?: string[];
}

/** @public */
export interface NetworkGateway {
  kind: 'Service' | 'Gateway.gateway.networking.k8s.io';
  namespace: string;
  name: string;
  network: string;
  mtlsPort?: number;
  hbonePort?: number;
  /** Why the control plane does not use it. */
  ignored?: string;
}

/**
 * The mesh as one cluster describes it: what every namespace of the cluster is read
 * against, and what links between clusters are drawn from. Stored as a view.
 *
 * @public
 */
export interface ClusterMesh {
  cluster: string;
  clusterId: Fact<string>;
  meshId: Fact<string>;
  network: Fact<string>;
  trustDomain: Fact<string>;
  clusterDomain: Fact<string>;
  /** Revisions, the default one first. */
  revisions: IstioRevision[];
  tags: Array<{ tag: string; revision: string }>;
  injectors: Fact<InjectorWebhook[]>;
  /** Cluster ids whose control planes may manage this cluster: `topology.istio.io/controlPlaneClusters`. */
  controlPlaneClusters: string[];
  /** Ambient in this cluster. */
  ambient: {
    installed: Fact<boolean>;
    cni: Fact<boolean>;
    cniVersion?: Fact<string>;
    ztunnelVersion?: Fact<string>;
    /** Which pods the CNI agent takes; absent where it is its default. */
    enablementSelectors?: Array<{
      podSelector?: LabelSelector;
      namespaceSelector?: LabelSelector;
    }>;
    excludedNamespaces: string[];
  };
  /** Whether new pods get a native sidecar where nothing else is asked for. */
  nativeSidecarDefault: Fact<boolean>;
  networkGateways: NetworkGateway[];
  /** Links that this cluster declares to others. */
  declaredLinks: DeclaredLink[];
  /** Why there may be links besides `declaredLinks`, by mechanism. */
  linksUnknown: Partial<Record<DeclaredLink['mechanism'], string>>;
  linkerd?: { controlPlane: boolean; version: Fact<string> };
  cilium?: {
    clusterName: Fact<string>;
    clusterId: Fact<string>;
    clusterMesh: Fact<boolean>;
    mcsApi: boolean;
    /** `clustermesh-default-global-namespace`. */
    defaultGlobalNamespace: boolean;
    cacheTtl: string;
  };
  mcs: {
    installed: Fact<boolean>;
    clusterSet?: string;
    clusterProperty?: string;
  };
  consul?: {
    peers: Array<{
      name: string;
      role: 'acceptor' | 'dialer';
      synced: Fact<boolean>;
    }>;
    exports: Array<{ service: string; namespace?: string; peers: string[] }>;
  };
  findings: Finding[];
}
