import { Fact } from '../inventory/Fact';
import { Finding } from '../rules/Finding';

/**
 * How a workload takes part in a mesh.
 *
 * `gateway` is a proxy that stands alone (ingress, egress, east-west, waypoint);
 * `mixed` means that the pods of one workload differ. What makes the mesh without being
 * in it (control plane, ztunnel, CNI agent) is `none`.
 *
 * @public
 */
export type Dataplane =
  | 'sidecar'
  | 'ambient'
  | 'gateway'
  | 'linkerd'
  | 'kmesh'
  | 'none'
  | 'mixed';

/**
 * What a Service object is to its logical service.
 *
 * - `backend`: has a selector or EndpointSlices of its own.
 * - `stub`: has neither; there so that the name resolves in a client cluster.
 * - `mirror`: written by a controller from another cluster's Service (Linkerd).
 * - `derived`: an implementation's virtual address behind a ServiceImport.
 * - `gateway`: the Service of a gateway or waypoint.
 *
 * @public
 */
export type ServiceRole = 'backend' | 'stub' | 'mirror' | 'derived' | 'gateway';

/** @public */
export interface ServicePort {
  name?: string;
  port: number;
  protocol: string;
  appProtocol?: string;
  targetPort?: number | string;
}

/**
 * One Service object in one cluster.
 *
 * @public
 */
export interface ServiceInstance {
  cluster: string;
  namespace: string;
  name: string;
  role: ServiceRole;
  /** `spec.type`, with `Headless` for a `clusterIP: None`. */
  type: 'ClusterIP' | 'NodePort' | 'LoadBalancer' | 'ExternalName' | 'Headless';
  ports: ServicePort[];
  /** Addresses in EndpointSlices of this cluster. */
  endpoints: Fact<{ ready: number; total: number }>;
  /** Workloads whose pods the selector takes, as `Kind/name`. */
  workloads: string[];
  /** How the pods behind it take part in the mesh. */
  dataplane: Fact<Dataplane>;
  /** The waypoint in force for the Service itself. */
  waypoint?: Waypoint;
  /** Labels and annotations that decide who owns it and which entity it belongs to. */
  labels: Record<string, string>;
  annotations: Record<string, string>;
  createdAt?: string;
  /** For a mirror or a derived Service: what it stands for. */
  mirrorOf?: { cluster: string; namespace: string; name: string };
  /** What objects beside the Service say about its use from other clusters. */
  reach?: ServiceReach;
}

/**
 * Whether other clusters are meant to use a Service, and this cluster theirs.
 *
 * @public
 */
export interface ServiceReach {
  /** A ServiceExport of the same name. */
  exported: Fact<boolean>;
  /** A ServiceImport of the same name; with the clusters that it reports. */
  imported: Fact<boolean>;
  importedFrom?: string[];
  /** Scope in ambient, from the mesh configuration and labels. */
  ambientScope: Fact<'local' | 'global'>;
  /** Whether Cilium counts the namespace as global; absent without Cilium. */
  ciliumNamespaceGlobal?: boolean;
}

/** @public */
export interface Waypoint {
  namespace: string;
  name: string;
  /** The object whose label names it, as `Kind/name`. */
  by: string;
  state:
    | 'bound'
    | 'not-ready'
    | 'missing'
    | 'denied'
    | 'unsupported'
    | 'unknown';
  reason?: string;
}

/**
 * One workload (a Deployment, StatefulSet, DaemonSet, Job, or pods without an
 * owner) in one cluster, and how it takes part in the mesh: as asked for, and as it is.
 *
 * @public
 */
export interface Workload {
  cluster: string;
  namespace: string;
  kind: string;
  name: string;
  serviceAccount?: string;
  labels: Record<string, string>;
  pods: Fact<{ ready: number; total: number }>;
  dataplane: Fact<Dataplane>;
  /** What the labels of namespace and pods ask for. */
  requested: {
    dataplane: Fact<Dataplane>;
    /** The revision that would inject a pod created now; tags are resolved. */
    revision?: Fact<string>;
    /** The tag, where the label names one. */
    tag?: string;
    /** The label that decides, such as `namespace shop: istio.io/rev=stable`. */
    by?: string;
  };
  /** What the pods run. One entry for each pair of revision and version found. */
  actual: Array<{
    revision: Fact<string>;
    version: Fact<string>;
    pods: number;
    nativeSidecar?: boolean;
  }>;
  /** Ambient enrolment, where ambient is asked for or in force. */
  ambient?:
    | 'enrolled'
    | 'pending'
    | 'wanted-not-enrolled'
    | 'blocked-by-sidecar'
    | 'blocked'
    | 'not-wanted-but-enrolled';
  waypoint?: Waypoint;
}

/**
 * What one namespace of one cluster holds. The unit of analysis: it is drawn anew
 * when anything that it was read from has changed.
 *
 * @public
 */
export interface NamespaceView {
  cluster: string;
  namespace: string;
  /** Whether the control plane looks at this namespace at all (`discoverySelectors`). */
  discovered: Fact<boolean>;
  labels: Record<string, string>;
  services: ServiceInstance[];
  workloads: Workload[];
  findings: Finding[];
}

/** @public */
export type LinkMechanism =
  | 'istio'
  | 'istio-mcs'
  | 'linkerd-mirror'
  | 'linkerd-federated'
  | 'cilium-global'
  | 'mcs'
  | 'consul';

/**
 * `from` can reach the backends of `to`. Directed: the way back is a link of its own.
 *
 * @public
 */
export interface ServiceLink {
  from: string;
  to: string;
  mechanism: LinkMechanism;
  /** `broken` links are there by intent and carry nothing; `suppressed` ones are switched off for this service. */
  state: 'active' | 'broken' | 'suppressed' | 'unknown';
  reason?: string;
}

/**
 * Links that stand alike, as a group: every cluster of `from` reaches every other
 * cluster of `to`. No cluster is linked to itself, so that clusters which all reach
 * each other are one group with the same names on both sides. `expandLinks` makes single
 * links of it.
 *
 * @public
 */
export interface ServiceLinks {
  from: string[];
  to: string[];
  mechanism: LinkMechanism;
  state: ServiceLink['state'];
  reason?: string;
}

/**
 * One logical service: the Services of the same namespace and name in clusters that
 * are linked, directly or through others. The same name in clusters without a link is
 * a homonym, with a view of its own.
 *
 * @public
 */
export interface ServiceView {
  /** The mesh id where all members agree on one, else the name of the first cluster. Unique together with namespace and name. */
  scope: string;
  namespace: string;
  name: string;
  instances: ServiceInstance[];
  workloads: Workload[];
  links: ServiceLinks[];
  /** Scopes of services of the same name that are not this one. */
  homonyms: string[];
  dataplane: Fact<Dataplane>;
  endpoints: Fact<{ ready: number; total: number }>;
  /** True where a cluster that should be counted is not known: totals are partial. */
  partial: boolean;
  findings: Finding[];
}
