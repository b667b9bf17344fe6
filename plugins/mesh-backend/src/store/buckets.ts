import {
  FleetObject,
  kindIdOf,
  KindId,
} from '@mesh-for-backstage/mesh-analysis';

/**
 * A bucket is the grain at which reads are recorded and changes are told:
 *
 * - `<cluster>|<kind id>|<namespace>`: the objects of a kind in one namespace.
 * - `<cluster>|<kind id>|<name>`: one object of a kind that has no namespace, so
 *   that a label of one Namespace does not concern the readers of all others.
 * - `<cluster>|<kind id>|*`: all objects of a kind in a cluster.
 * - `<cluster>|<kind id>|?`: how well the kind is known there (coverage).
 * - `view|<topic>|<cluster>|<namespace>`: a view that other units read.
 *
 * Neither cluster names, kinds nor namespaces contain `|`, `*` or `?`.
 */
export type Bucket = string;

/** What is analysed as a whole; see docs/architecture.md, "Three units". */
export type Unit = string;

/** The buckets that are touched when an object appears, changes or goes. */
export function bucketsOf(
  object: Pick<FleetObject, 'cluster' | 'apiVersion' | 'kind' | 'metadata'>,
): Bucket[] {
  return bucketsOfKey({
    cluster: object.cluster,
    kind: kindIdOf(object),
    namespace: object.metadata.namespace ?? '',
    name: object.metadata.name,
  });
}

/** The same, from the key under which an object is stored. */
export function bucketsOfKey(key: {
  cluster: string;
  kind: KindId;
  namespace: string;
  name: string;
}): Bucket[] {
  const kind = `${key.cluster}|${key.kind}|`;
  return [`${kind}${key.namespace || key.name}`, `${kind}*`];
}

/** The bucket of all objects of a kind in a cluster. */
export function wholeClusterBucket(cluster: string, kind: KindId): Bucket {
  return `${cluster}|${kind}|*`;
}

/** The bucket of how well a kind is known in a cluster. */
export function coverageBucket(cluster: string, kind: KindId): Bucket {
  return `${cluster}|${kind}|?`;
}

/** The bucket of a stored view. */
export function viewBucket(
  topic: string,
  cluster: string,
  namespace = '',
): Bucket {
  return `view|${topic}|${cluster}|${namespace}`;
}

export function clusterUnit(cluster: string): Unit {
  return `cluster:${cluster}`;
}

export function namespaceUnit(cluster: string, namespace: string): Unit {
  return `namespace:${cluster}/${namespace}`;
}

export function serviceUnit(namespace: string, name: string): Unit {
  return `service:${namespace}/${name}`;
}

/** All services of a cluster, because its links to others have changed. */
export function linksUnit(cluster: string): Unit {
  return `links:${cluster}`;
}

/** What is wrong between clusters. There is one of it. */
export const FLEET_UNIT: Unit = 'fleet:';

/** The parts of a unit's key. */
export type ParsedUnit =
  | { type: 'cluster'; cluster: string }
  | { type: 'links'; cluster: string }
  | { type: 'fleet' }
  | { type: 'namespace'; cluster: string; namespace: string }
  | { type: 'service'; namespace: string; name: string };

/** Undefined for a key that this version does not know. */
export function parseUnit(unit: Unit): ParsedUnit | undefined {
  const colon = unit.indexOf(':');
  const type = unit.slice(0, colon);
  const rest = unit.slice(colon + 1);
  // Cluster names are anything that a configuration holds, and may contain a
  // slash; the names of namespaces and Services may not.
  const slash = rest.lastIndexOf('/');
  if (unit === FLEET_UNIT) return { type: 'fleet' };
  if (type === 'cluster' || type === 'links') return { type, cluster: rest };
  if (slash < 0) return undefined;
  const [before, after] = [rest.slice(0, slash), rest.slice(slash + 1)];
  if (type === 'namespace') return { type, cluster: before, namespace: after };
  if (type === 'service') return { type, namespace: before, name: after };
  return undefined;
}
