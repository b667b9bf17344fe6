import type {
  ClusterState,
  Dataplane,
  KindCoverage,
  ServiceInstance,
  ServiceLinks,
  StoredFinding,
  Waypoint,
  Workload,
} from '@mesh-for-backstage/plugin-mesh-common';
import type { Tone } from './tone';

/** How a value of the contract is said: tone, word, and what it means. */
export interface Said {
  tone: Tone;
  label: string;
  means: string;
}

export const clusterStates: Record<ClusterState, Said> = {
  synced: {
    tone: 'good',
    label: 'Synced',
    means: 'every kind that may be read is current',
  },
  connecting: {
    tone: 'unknown',
    label: 'Connecting',
    means: 'no answer yet, and nothing stored',
  },
  degraded: {
    tone: 'warning',
    label: 'Degraded',
    means: 'it answers, but some kinds are forbidden or old',
  },
  unreachable: {
    tone: 'bad',
    label: 'Unreachable',
    means: 'it does not answer; the last known state is shown',
  },
  misconfigured: {
    tone: 'bad',
    label: 'Misconfigured',
    means: 'its configuration is wrong; nothing is tried',
  },
  'needs-user': {
    tone: 'unknown',
    label: 'Needs a user',
    means: "sign-in needs a user's token, so nothing can be watched",
  },
};

/** Worst first: what needs a person comes before what is well. */
export const clusterStateOrder: ClusterState[] = [
  'misconfigured',
  'unreachable',
  'degraded',
  'connecting',
  'needs-user',
  'synced',
];

export const kindStates: Record<KindCoverage['state'], Said> = {
  synced: { tone: 'good', label: 'Synced', means: 'read and watched' },
  forbidden: {
    tone: 'warning',
    label: 'Forbidden',
    means: 'the portal may not read it',
  },
  'absent-api': {
    tone: 'unknown',
    label: 'Not installed',
    means: 'the cluster does not serve this API',
  },
  unreachable: {
    tone: 'bad',
    label: 'Unreachable',
    means: 'the cluster does not answer',
  },
  stale: {
    tone: 'warning',
    label: 'Stale',
    means: 'no sign of life for longer than allowed',
  },
};

export const dataplanes: Record<Dataplane | 'unknown', string> = {
  sidecar: 'Sidecar',
  ambient: 'Ambient',
  gateway: 'Gateway',
  linkerd: 'Linkerd',
  kmesh: 'Kmesh',
  none: 'Not in a mesh',
  mixed: 'Mixed',
  unknown: 'Unknown',
};

export const roles: Record<
  ServiceInstance['role'],
  { label: string; means: string }
> = {
  backend: { label: 'Backend', means: 'has endpoints of its own' },
  stub: {
    label: 'Stub',
    means: 'only there so that the name resolves in this cluster',
  },
  mirror: {
    label: 'Mirror',
    means: "written by a controller from another cluster's Service",
  },
  derived: {
    label: 'Derived',
    means: 'the virtual address behind a ServiceImport',
  },
  gateway: { label: 'Gateway', means: 'the Service of a gateway or waypoint' },
};

export const linkStates: Record<ServiceLinks['state'], Said> = {
  active: { tone: 'good', label: 'Active', means: 'traffic can cross' },
  broken: {
    tone: 'bad',
    label: 'Broken',
    means: 'meant to be there, and carries nothing',
  },
  suppressed: {
    tone: 'info',
    label: 'Switched off',
    means: 'switched off for this service',
  },
  unknown: { tone: 'unknown', label: 'Unknown', means: 'not known' },
};

export const mechanisms: Record<ServiceLinks['mechanism'], string> = {
  istio: 'Istio multicluster',
  'istio-mcs': 'Istio with MCS',
  'linkerd-mirror': 'Linkerd mirror',
  'linkerd-federated': 'Linkerd federated',
  'cilium-global': 'Cilium global service',
  mcs: 'Multicluster Services',
  consul: 'Consul',
};

export const waypointStates: Record<Waypoint['state'], Said> = {
  bound: { tone: 'good', label: 'Bound', means: 'traffic goes through it' },
  'not-ready': { tone: 'warning', label: 'Not ready', means: 'not ready' },
  missing: { tone: 'bad', label: 'Missing', means: 'it does not exist' },
  denied: { tone: 'bad', label: 'Denied', means: 'may not be used from here' },
  unsupported: {
    tone: 'warning',
    label: 'Unsupported',
    means: 'does not take this kind of traffic',
  },
  unknown: { tone: 'unknown', label: 'Unknown', means: 'not known' },
};

export const ambientStates: Record<NonNullable<Workload['ambient']>, Said> = {
  enrolled: { tone: 'good', label: 'Enrolled', means: 'ztunnel carries it' },
  pending: { tone: 'info', label: 'Pending', means: 'about to be enrolled' },
  'wanted-not-enrolled': {
    tone: 'bad',
    label: 'Not enrolled',
    means: 'ambient is asked for, and the pods are not in it',
  },
  'blocked-by-sidecar': {
    tone: 'warning',
    label: 'Blocked by a sidecar',
    means: 'pods with a sidecar are left out of ambient',
  },
  blocked: {
    tone: 'warning',
    label: 'Blocked',
    means: 'something keeps the pods out of ambient',
  },
  'not-wanted-but-enrolled': {
    tone: 'warning',
    label: 'Still enrolled',
    means: 'ambient is no longer asked for, and the pods are still in it',
  },
};

export const actors: Record<StoredFinding['actor'], string> = {
  'service-owner': 'the owner of the service',
  'namespace-owner': 'the owner of the namespace',
  platform: 'the platform team',
};
