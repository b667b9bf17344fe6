import { stringOf } from './fields';
import { FleetObject } from './FleetObject';

/**
 * Which of several objects comes first where an API lets only one of them win.
 *
 * - `gateway-api`, `mcs`: the oldest, then by namespace and name.
 * - `peer-authentication`, `sidecar`: the oldest. Istio leaves a tie open: what holds
 *   depends on the order in which istiod happened to see them (`tied` says so).
 *
 * @public
 */
export type AgePolicy =
  | 'gateway-api'
  | 'mcs'
  | 'peer-authentication'
  | 'sidecar';

function byText(a: string, b: string): number {
  if (a === b) {
    return 0;
  }
  return a < b ? -1 : 1;
}

/** Milliseconds since the epoch; objects without a time (not created yet) come last. */
function ageOf(object: FleetObject): number {
  const time = Date.parse(stringOf(object.metadata.creationTimestamp) ?? '');
  return Number.isNaN(time) ? Number.POSITIVE_INFINITY : time;
}

/** By namespace and name, as lists are ordered. @public */
export function byName(a: FleetObject, b: FleetObject): number {
  return (
    byText(a.metadata.namespace ?? '', b.metadata.namespace ?? '') ||
    byText(a.metadata.name, b.metadata.name)
  );
}

/** Orders objects so that the one which wins comes first. @public */
export function byAge(_policy: AgePolicy) {
  return (a: FleetObject, b: FleetObject): number => {
    const [ageA, ageB] = [ageOf(a), ageOf(b)];
    if (ageA !== ageB) {
      return ageA < ageB ? -1 : 1;
    }
    // Where the API leaves the tie open, the order by name only keeps ours stable.
    return byName(a, b);
  };
}

/** True where the API does not say which of the two wins. @public */
export function tied(
  policy: AgePolicy,
  a: FleetObject,
  b: FleetObject,
): boolean {
  return (
    (policy === 'peer-authentication' || policy === 'sidecar') &&
    ageOf(a) === ageOf(b)
  );
}

/**
 * The API group as it is compared: Gateway API writes the core group as an empty
 * string, and its mesh documents as `core`; both mean the same.
 *
 * @public
 */
export function normaliseGroup(group: unknown, absent = ''): string {
  if (typeof group !== 'string') {
    return absent;
  }
  return group === 'core' ? '' : group;
}
