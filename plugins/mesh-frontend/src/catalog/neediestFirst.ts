import type {
  ServiceDetail,
  SeverityCounts,
} from '@mesh-for-backstage/plugin-mesh-common';

/** How many findings that hold now there are of each severity. */
export const countSeverities = (
  findings: ServiceDetail['findings'],
): SeverityCounts => {
  const counts = { error: 0, warning: 0, info: 0 };
  for (const { severity, resolvedAt } of findings) {
    if (!resolvedAt) counts[severity] += 1;
  }
  return counts;
};

/** What has most to mend comes first, then what runs in most clusters. */
export const neediestFirst = (services: ServiceDetail[]): ServiceDetail[] =>
  [...services].sort((a, b) => {
    const mine = countSeverities(a.findings);
    const theirs = countSeverities(b.findings);
    return (
      theirs.error - mine.error ||
      theirs.warning - mine.warning ||
      b.instances.length - a.instances.length ||
      `${a.namespace}/${a.name}`.localeCompare(`${b.namespace}/${b.name}`)
    );
  });
