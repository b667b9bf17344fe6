import {
  annotationsOf,
  controllerOf,
  labelsOf,
  mapOf,
  mapsOf,
  parseJson,
  stringOf,
  textOf,
  versionOfImage,
} from '../inventory/fields';
import { FleetObject } from '../inventory/FleetObject';
import { Inventory } from '../inventory/Inventory';
import { PodTemplate } from './injection';
import { Dataplane } from './types';

/** The container of a name, wherever it stands; `native` is a sidecar that Kubernetes itself starts first. */
function containerOf(
  spec: Record<string, any>,
  name: string,
): { container: Record<string, any>; native: boolean } | undefined {
  const ordinary = mapsOf(spec.containers).find(one => one.name === name);
  if (ordinary) {
    return { container: ordinary, native: false };
  }
  const initial = mapsOf(spec.initContainers).find(one => one.name === name);
  return initial
    ? { container: initial, native: initial.restartPolicy === 'Always' }
    : undefined;
}

export function templateOf(metadata: unknown, spec: unknown): PodTemplate {
  const object = { metadata: mapOf(metadata) } as FleetObject;
  const [container, ...others] = mapsOf(mapOf(spec).containers);
  const isAlone = container?.name === 'istio-proxy' && others.length === 0;
  return {
    labels: labelsOf(object),
    annotations: annotationsOf(object),
    hostNetwork: mapOf(spec).hostNetwork === true,
    ...(isAlone && { proxyAlone: textOf(container.image) ?? '' }),
  };
}

/** True for a proxy that stands alone: ingress, egress, east-west gateway or waypoint. */
export function isGateway(template: PodTemplate): boolean {
  const { labels, annotations, proxyAlone } = template;
  const templates =
    labels['inject.istio.io/templates'] ??
    annotations['inject.istio.io/templates'];
  return (
    labels['gateway.networking.k8s.io/gateway-name'] !== undefined ||
    (templates ?? '').split(',').some(item => item.trim() === 'gateway') ||
    (proxyAlone !== undefined && !isNodeProxy(template))
  );
}

/** True for ztunnel, which carries the traffic of ambient pods and is no member of the mesh itself. */
function isNodeProxy({ labels, proxyAlone }: PodTemplate): boolean {
  return (
    proxyAlone !== undefined &&
    (labels.app === 'ztunnel' ||
      labels['app.kubernetes.io/name'] === 'ztunnel' ||
      /(^|\/)ztunnel[^/]*$/.test(proxyAlone))
  );
}

/** How one pod takes part in a mesh, as its containers and annotations show. */
export function dataplaneOf(pod: FleetObject): {
  dataplane: Exclude<Dataplane, 'mixed'>;
  proxy?: { container: Record<string, any>; native: boolean };
} {
  const spec = mapOf(pod.spec);
  const template = templateOf(pod.metadata, spec);
  const proxy = containerOf(spec, 'istio-proxy');
  if (isGateway(template)) {
    return { dataplane: 'gateway', ...(proxy && { proxy }) };
  }
  if (isNodeProxy(template)) {
    return { dataplane: 'none', ...(proxy && { proxy }) };
  }
  if (proxy) {
    return { dataplane: 'sidecar', proxy };
  }
  const linkerd = containerOf(spec, 'linkerd-proxy');
  if (linkerd) {
    return { dataplane: 'linkerd', proxy: linkerd };
  }
  if (template.annotations['ambient.istio.io/redirection'] === 'enabled') {
    return { dataplane: 'ambient' };
  }
  if (template.annotations['kmesh.net/redirection'] === 'enabled') {
    return { dataplane: 'kmesh' };
  }
  return { dataplane: 'none' };
}

/** Revision and version that a pod's proxy runs; undefined where nothing says so. */
export function proxyOf(
  pod: FleetObject,
  container: Record<string, any>,
): { revision?: string; version?: string } {
  const annotations = annotationsOf(pod);
  const status = mapOf(parseJson(annotations['sidecar.istio.io/status']));
  return {
    // The label is what was asked for and may be a tag; it comes last.
    revision:
      textOf(status.revision) ??
      textOf(annotations['istio.io/rev']) ??
      textOf(labelsOf(pod)['istio.io/rev']),
    version:
      versionOfImage(container.image) ??
      versionOfImage(
        mapsOf(pod.status?.containerStatuses).find(
          one => one.name === container.name,
        )?.image,
      ) ??
      textOf(annotations['linkerd.io/proxy-version']),
  };
}

export function isReady(pod: FleetObject): boolean {
  return mapsOf(pod.status?.conditions).some(
    condition => condition.type === 'Ready' && condition.status === 'True',
  );
}

/** Pods that have ended do not count. */
export function isAlive(pod: FleetObject): boolean {
  const phase = stringOf(pod.status?.phase);
  return phase !== 'Succeeded' && phase !== 'Failed';
}

/** The workload that a pod belongs to: through its ReplicaSet to the Deployment, through its Job to the CronJob. */
export function workloadOf(
  inventory: Inventory,
  pod: FleetObject,
): { kind: string; name: string } {
  const owner = controllerOf(pod);
  if (!owner) {
    return { kind: 'Pod', name: pod.metadata.name };
  }
  const { cluster } = pod;
  const { namespace } = pod.metadata;
  if (owner.kind === 'ReplicaSet') {
    const set = inventory.get('ReplicaSet.apps', {
      cluster,
      namespace,
      name: owner.name,
    });
    if (set) {
      return controllerOf(set) ?? { kind: 'ReplicaSet', name: owner.name };
    }
    // Where ReplicaSets cannot be read, the label that a Deployment gives to its
    // pods and to the ReplicaSet's name still shows where they come from.
    const hash = textOf(labelsOf(pod)['pod-template-hash']);
    return hash && owner.name.endsWith(`-${hash}`)
      ? { kind: 'Deployment', name: owner.name.slice(0, -hash.length - 1) }
      : { kind: 'ReplicaSet', name: owner.name };
  }
  if (owner.kind === 'Job') {
    const job = inventory.get('Job.batch', {
      cluster,
      namespace,
      name: owner.name,
    });
    return (job && controllerOf(job)) ?? { kind: 'Job', name: owner.name };
  }
  return owner;
}
