import { KubeObject } from '../ApiClient';
import { groupOf } from './order';

/** What happens to one object of a folder on a real control plane. */
export type Treatment =
  /** Applied; `status` through its subresource where no controller here writes it. */
  | { action: 'apply'; object: KubeObject; status?: unknown; changed?: string }
  /** A controller that runs here writes it, or its real counterpart takes its place. */
  | { action: 'leave'; why: string };

export interface TreatOptions {
  /** istiod runs in this cluster. */
  istio: boolean;
  /** Names of the clusters whose remote secrets are written with real credentials. */
  linkedClusters: ReadonlySet<string>;
  /** Names of CRDs that come from their upstream bundles. */
  bundledCrds: ReadonlySet<string>;
}

interface OwnerReference {
  kind: string;
  name: string;
  controller?: boolean;
}

const CONTROLLED_BY: Record<string, string> = {
  ReplicaSet: 'the controller manager',
  Deployment: 'the controller manager',
  StatefulSet: 'the controller manager',
  DaemonSet: 'the controller manager',
  Job: 'the controller manager',
  CronJob: 'the controller manager',
  Service: 'the controller manager',
};

/** Metadata that only the server may write. */
const SERVER_METADATA = [
  'uid',
  'resourceVersion',
  'generation',
  'creationTimestamp',
  'deletionTimestamp',
  'deletionGracePeriodSeconds',
  'managedFields',
  'selfLink',
];

/** Kinds whose status one of the controllers here writes. */
const STATUS_BY_CONTROLLERS = new Set([
  'Namespace',
  'Pod',
  'Deployment',
  'StatefulSet',
  'DaemonSet',
  'ReplicaSet',
  'Job',
  'CronJob',
  'PodDisruptionBudget',
  'ResourceQuota',
  'CustomResourceDefinition',
  'ValidatingAdmissionPolicy',
]);

const ISTIO_GROUPS = new Set([
  'networking.istio.io',
  'security.istio.io',
  'telemetry.istio.io',
  'extensions.istio.io',
]);

/** Decides what becomes of an object of a folder. */
export function treat(source: KubeObject, options: TreatOptions): Treatment {
  const left = whyLeft(source, options);
  if (left) {
    return { action: 'leave', why: left };
  }
  const { status, ...rest } = source;
  const metadata = { ...source.metadata };
  for (const field of [...SERVER_METADATA, 'ownerReferences']) {
    delete metadata[field];
  }
  const object: KubeObject = { ...rest, metadata };
  const changed = adapt(object);
  return {
    action: 'apply',
    object,
    ...(status !== undefined &&
      !controllerWritesStatus(source, options) && { status }),
    ...(changed && { changed }),
  };
}

function whyLeft(
  object: KubeObject,
  options: TreatOptions,
): string | undefined {
  const { kind } = object;
  const { name, labels = {} } = object.metadata;
  const owner = (
    (object.metadata.ownerReferences as OwnerReference[] | undefined) ?? []
  ).find(reference => CONTROLLED_BY[reference.kind]);

  if (
    [
      'Endpoints',
      'Event',
      'Lease',
      'ControllerRevision',
      'APIService',
    ].includes(kind)
  ) {
    return 'written by the control plane itself';
  }
  if (kind === 'EndpointSlice') {
    const by = labels['endpointslice.kubernetes.io/managed-by'];
    return by === undefined || by === 'endpointslice-controller.k8s.io'
      ? whyEndpointsLeft(owner)
      : undefined;
  }
  if (owner && ['Pod', 'ReplicaSet', 'Job'].includes(kind)) {
    return `written by ${CONTROLLED_BY[owner.kind]} for ${owner.kind} ${
      owner.name
    }`;
  }
  if (kind === 'ConfigMap' && name === 'kube-root-ca.crt') {
    return 'written by the controller manager';
  }
  if (kind === 'Namespace' && name === 'default') {
    return undefined;
  }
  if (kind === 'CustomResourceDefinition' && options.bundledCrds.has(name)) {
    return 'taken from its upstream bundle';
  }
  return options.istio ? whyLeftToIstio(object, options) : undefined;
}

/** Slices that nobody owns, for example of a Service without a selector, are the folder's own. */
function whyEndpointsLeft(owner: OwnerReference | undefined) {
  return owner
    ? `written by the controller manager for ${owner.kind} ${owner.name}`
    : undefined;
}

function whyLeftToIstio(
  object: KubeObject,
  options: TreatOptions,
): string | undefined {
  const { kind } = object;
  const { name, labels = {}, annotations = {} } = object.metadata;
  if (kind === 'ConfigMap') {
    if (name === 'istio-ca-root-cert' || name === 'istio-ca-crl') {
      return 'written by istiod, with the root of this fleet';
    }
    if (/^(istio|istio-sidecar-injector|values)(-[a-z0-9-]+)?$/.test(name)) {
      return isControlPlaneConfig(object)
        ? 'generated for this istiod, with the settings of the folder'
        : undefined;
    }
    if (annotations['control-plane.alpha.kubernetes.io/leader'] !== undefined) {
      return 'written by istiod';
    }
  }
  if (
    (kind === 'MutatingWebhookConfiguration' ||
      kind === 'ValidatingWebhookConfiguration') &&
    isIstioWebhook(object)
  ) {
    return 'generated for this istiod';
  }
  if (kind === 'Secret') {
    if (name === 'cacerts' || name === 'istio-ca-secret') {
      return 'made for this fleet';
    }
    const targets = remoteTargets(object);
    if (targets.some(target => options.linkedClusters.has(target))) {
      return 'written anew, with the credentials of this fleet';
    }
  }
  if (labels['gateway.istio.io/managed'] !== undefined) {
    return 'written by istiod for a Gateway';
  }
  if (isIstiodsOwn(object)) {
    return 'generated for this istiod';
  }
  return undefined;
}

function isControlPlaneConfig(object: KubeObject): boolean {
  const data = (object.data ?? {}) as Record<string, unknown>;
  return ['mesh', 'meshNetworks', 'config', 'values', 'merged-values'].some(
    key => key in data,
  );
}

function isIstioWebhook(object: KubeObject): boolean {
  const webhooks = (object.webhooks ?? []) as { name?: string }[];
  return (
    webhooks.length > 0 && webhooks.every(w => w.name?.endsWith('.istio.io'))
  );
}

/** Accounts and roles of istiod; its Deployment and Service stay the folder's. */
function isIstiodsOwn(object: KubeObject): boolean {
  return (
    [
      'ServiceAccount',
      'ClusterRole',
      'ClusterRoleBinding',
      'Role',
      'RoleBinding',
    ].includes(object.kind) &&
    /^(istiod|istio-reader)(-|$)/.test(object.metadata.name)
  );
}

/** The cluster ids that a remote secret holds credentials for. */
export function remoteTargets(object: KubeObject): string[] {
  if (
    object.kind !== 'Secret' ||
    object.metadata.labels?.['istio/multiCluster'] !== 'true'
  ) {
    return [];
  }
  const data = (object.data ?? {}) as Record<string, unknown>;
  const stringData = (object.stringData ?? {}) as Record<string, unknown>;
  const keys = [...Object.keys(data), ...Object.keys(stringData)];
  const named =
    object.metadata.annotations?.['networking.istio.io/cluster'] ??
    object.metadata.name.match(/^istio-remote-secret-(.+)$/)?.[1];
  return keys.length === 0 && named ? [named] : keys;
}

/** Changes what this machine cannot have, and says so. */
function adapt(object: KubeObject): string | undefined {
  if (object.kind === 'Service') {
    const spec = { ...((object.spec ?? {}) as Record<string, unknown>) };
    // The address of the folder lies outside the ranges of this fleet.
    if (spec.clusterIP !== undefined && spec.clusterIP !== 'None') {
      delete spec.clusterIP;
      delete spec.clusterIPs;
    }
    delete spec.healthCheckNodePort;
    object.spec = spec;
    return undefined;
  }
  if (
    object.kind === 'MutatingWebhookConfiguration' ||
    object.kind === 'ValidatingWebhookConfiguration'
  ) {
    object.webhooks = ((object.webhooks ?? []) as object[]).map(webhook => ({
      ...webhook,
      failurePolicy: 'Ignore',
      timeoutSeconds: 1,
    }));
    return 'failurePolicy is Ignore: nothing answers for this webhook here';
  }
  return undefined;
}

function controllerWritesStatus(
  object: KubeObject,
  options: TreatOptions,
): boolean {
  if (STATUS_BY_CONTROLLERS.has(object.kind)) {
    return true;
  }
  if (!options.istio) {
    return false;
  }
  const group = groupOf(object);
  if (ISTIO_GROUPS.has(group)) {
    return true;
  }
  // Other controllers' words on a Gateway or route stay; istiod writes its own.
  return (
    group === 'gateway.networking.k8s.io' &&
    (JSON.stringify(object.status).includes('istio.io/') ||
      object.kind === 'Gateway' ||
      /istio/.test(String((object.spec as any)?.controllerName ?? '')))
  );
}
