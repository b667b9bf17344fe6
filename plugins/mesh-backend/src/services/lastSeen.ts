import type {
  FleetState,
  StoredFinding,
} from '@mesh-for-backstage/plugin-mesh-common';

/**
 * An open finding holds now, unless one of its clusters is not current: then it was
 * last seen when that began. What is stored is only when it last changed.
 */
export function withLastSeen(
  finding: StoredFinding,
  old: FleetState['clusters'],
  now: Date = new Date(),
): StoredFinding {
  if (finding.resolvedAt) return finding;
  const times = old
    .filter(({ name }) => finding.clusters.includes(name))
    .flatMap(({ since }) => since ?? []);
  const lastSeen = [now.toISOString(), ...times].sort()[0];
  return {
    ...finding,
    lastSeen: lastSeen < finding.firstSeen ? finding.firstSeen : lastSeen,
  };
}
