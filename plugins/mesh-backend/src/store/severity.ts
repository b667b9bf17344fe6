import type {
  Severity,
  SeverityCounts,
} from '@mesh-for-backstage/plugin-mesh-common';

export type SeverityOrNone = Severity | 'none';

/** As the database compares them: the worst is the largest. */
export const namesOfRanks: readonly SeverityOrNone[] = [
  'none',
  'info',
  'warning',
  'error',
];

export function rankOf(severity: SeverityOrNone): number {
  return namesOfRanks.indexOf(severity);
}

export function countSeverities(
  findings: Iterable<{ severity: Severity }>,
): SeverityCounts {
  const counts = { error: 0, warning: 0, info: 0 };
  for (const { severity } of findings) counts[severity] += 1;
  return counts;
}

/** The worst severity that is counted at least once. */
export function worstOf(counts: SeverityCounts): Severity | undefined {
  return (['error', 'warning', 'info'] as const).find(
    severity => counts[severity] > 0,
  );
}
