import type {
  ClusterSummary,
  FleetState,
} from '@mesh-for-backstage/plugin-mesh-common';
import { clusterStateOrder, isUnknown } from '../ui';

/** Worst first, then by name. */
export const worstFirst = <T extends Pick<ClusterSummary, 'name' | 'state'>>(
  clusters: T[],
): T[] =>
  [...clusters].sort(
    (a, b) =>
      clusterStateOrder.indexOf(a.state) - clusterStateOrder.indexOf(b.state) ||
      a.name.localeCompare(b.name),
  );

/** The clusters whose data is missing or old, in the shape that the banner takes. */
export function fleetState(
  clusters: Array<
    Pick<ClusterSummary, 'name' | 'state' | 'since' | 'message'> & {
      partial?: boolean;
    }
  >,
): FleetState {
  const missing = worstFirst(clusters).filter(
    ({ state, partial }) => partial || state !== 'synced',
  );
  return {
    partial: missing.length > 0,
    clusters: missing.map(({ name, state, since, message }) => ({
      name,
      state,
      since,
      message,
    })),
  };
}

/** Whether services of a cluster may be missing or old: one that lacks a permission on nodes only has them all. */
export const isMissing = ({ state, counts }: ClusterSummary): boolean =>
  isUnknown(counts.services) || (state !== 'synced' && state !== 'degraded');
