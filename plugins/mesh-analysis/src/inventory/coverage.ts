import { Fact, Unknown, unknown } from './Fact';
import { Inventory } from './Inventory';
import { KindId } from './kinds';

/** Kinds that every API server has: where one is not served, something is wrong. */
const builtIn =
  /^[^.]+(\.(apps|batch|policy|discovery\.k8s\.io|networking\.k8s\.io|admissionregistration\.k8s\.io|apiextensions\.k8s\.io))?$/;

/**
 * Why nothing can be concluded from the absence of objects of a kind, or undefined
 * where it can. A kind that is stale was read completely once: its last state stands,
 * and the cluster says how old it is. A custom kind that the cluster does not serve
 * has certainly no objects.
 */
export function gapIn(
  inventory: Inventory,
  kind: KindId,
  cluster: string,
): Unknown | undefined {
  const { state, message } = inventory.coverage(kind, cluster);
  switch (state) {
    case 'synced':
    case 'stale':
      return undefined;
    case 'absent-api':
      return builtIn.test(kind)
        ? unknown(state, message ?? `${kind} is not served`)
        : undefined;
    default:
      return unknown(state, message ?? `${kind} could not be read`);
  }
}

/** The value, unless nothing was found and that means nothing. */
export function factUnless<T>(
  gap: Unknown | undefined,
  found: boolean,
  value: () => T,
): Fact<T> {
  return gap && !found ? gap : value();
}
