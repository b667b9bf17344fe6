import { gapIn } from '../inventory/coverage';
import { labelsOf, mapOf, mapsOf, stringOf, textOf } from '../inventory/fields';
import { FleetObject } from '../inventory/FleetObject';
import { Inventory } from '../inventory/Inventory';
import { selects } from '../inventory/selectors';
import { Waypoint } from './types';

const label = 'istio.io/use-waypoint';
const gatewayKind = 'Gateway.gateway.networking.k8s.io';

/** Which waypoint an object's own labels or its namespace's name. */
export function namedWaypoint(
  labels: Readonly<Record<string, string>>,
  by: string,
  namespace: { name: string; labels: Readonly<Record<string, string>> },
): { namespace: string; name: string; by: string } | undefined {
  // The object's label wins even where its waypoint does not exist: there is no way
  // back to the namespace's.
  const [from, source] =
    textOf(labels[label]) === undefined
      ? [namespace.labels, `Namespace/${namespace.name}`]
      : [labels, by];
  const name = textOf(from[label]);
  return name === undefined || name === 'none'
    ? undefined
    : {
        namespace: textOf(from[`${label}-namespace`]) ?? namespace.name,
        name,
        by: source,
      };
}

/** Whether the waypoint that is named serves the object. */
export function resolveWaypoint(
  inventory: Inventory,
  {
    cluster,
    namespace,
    labels,
    by,
    serves,
    reported,
  }: {
    cluster: string;
    namespace: { name: string; labels: Readonly<Record<string, string>> };
    labels: Readonly<Record<string, string>>;
    by: string;
    serves: 'service' | 'workload';
    /** The object, where it has a status that istiod writes. */
    reported?: FleetObject;
  },
): Waypoint | undefined {
  const named = namedWaypoint(labels, by, namespace);
  if (!named) {
    return undefined;
  }
  const gateway = inventory.get(gatewayKind, {
    cluster,
    namespace: named.namespace,
    name: named.name,
  });
  if (!gateway) {
    const gap = gapIn(inventory, gatewayKind, cluster);
    return gap
      ? { ...named, state: 'unknown', reason: gap.detail ?? gap.unknown }
      : {
          ...named,
          state: 'missing',
          reason: `there is no Gateway ${named.namespace}/${named.name}`,
        };
  }
  return {
    ...named,
    ...(computed(gateway, named, namespace, serves) ??
      reportedState(reported) ??
      unreported(readiness(gateway), reported)),
  };
}

type State = Pick<Waypoint, 'state' | 'reason'>;

/** What follows from the specs alone. */
function computed(
  gateway: FleetObject,
  named: { namespace: string; name: string },
  namespace: { name: string; labels: Readonly<Record<string, string>> },
  serves: 'service' | 'workload',
): State | undefined {
  if (
    named.namespace !== namespace.name &&
    !mapsOf(gateway.spec?.listeners).some(listener =>
      admits(listener, named.namespace, namespace),
    )
  ) {
    return {
      state: 'denied',
      reason: `allowedRoutes of Gateway ${named.namespace}/${named.name} does not admit namespace ${namespace.name}`,
    };
  }
  const type = textOf(labelsOf(gateway)['istio.io/waypoint-for']) ?? 'service';
  return type === 'all' || type === serves
    ? undefined
    : {
        state: 'unsupported',
        reason: `Gateway ${named.namespace}/${named.name} is a waypoint for ${type}`,
      };
}

function admits(
  listener: Record<string, any>,
  own: string,
  namespace: { name: string; labels: Readonly<Record<string, string>> },
): boolean {
  const namespaces = mapOf(mapOf(listener.allowedRoutes).namespaces);
  switch (namespaces.from) {
    case 'All':
      return true;
    case 'Selector':
      return selects(
        namespaces.selector,
        {
          'kubernetes.io/metadata.name': namespace.name,
          ...namespace.labels,
        },
        'nothing',
      );
    default:
      return own === namespace.name;
  }
}

/** What istiod wrote at the object. */
function reportedState(object: FleetObject | undefined): State | undefined {
  const condition = mapsOf(object?.status?.conditions).find(
    one => one.type === 'istio.io/WaypointBound',
  );
  if (!condition) {
    return undefined;
  }
  if (condition.status === 'True') {
    return { state: 'bound' };
  }
  const reason = stringOf(condition.reason) ?? 'WaypointBound is False';
  switch (reason) {
    case 'WaypointIsNotReady':
      return { state: 'not-ready', reason };
    case 'AttachmentDenied':
    case 'CrossNamespaceWaypointForbidden':
      return { state: 'denied', reason };
    case 'UnsupportedTrafficType':
      return { state: 'unsupported', reason };
    default:
      return { state: 'unknown', reason };
  }
}

/**
 * Of a ready waypoint it is only known that an object uses it where istiod says so at
 * the object, or where it never would: at pods it writes nothing.
 */
function unreported(ready: State, object: FleetObject | undefined): State {
  return object === undefined || ready.state !== 'bound'
    ? ready
    : {
        state: 'unknown',
        reason:
          'the waypoint is ready, and istiod has not said that it is used: writing status is off, or it does not reconcile',
      };
}

function readiness(gateway: FleetObject): State {
  const programmed = mapsOf(gateway.status?.conditions).find(
    one => one.type === 'Programmed',
  );
  if (!programmed || programmed.status === 'Unknown') {
    return {
      state: 'unknown',
      reason: 'nothing reports whether the waypoint is programmed',
    };
  }
  return programmed.status === 'True'
    ? { state: 'bound' }
    : {
        state: 'not-ready',
        reason: stringOf(programmed.message) ?? 'Programmed is False',
      };
}
