import type { ClusterSummary } from '@mesh-for-backstage/plugin-mesh-common';

type Coverage = ClusterSummary['coverage'];

/** Kinds that could be read: an API that is not installed has nothing to read. */
export const readable = (coverage: Coverage): number =>
  coverage.synced + coverage.forbidden + coverage.unreachable + coverage.stale;

/** `28 of 31 kinds`, and what is wrong with the others. */
export function coverageText(coverage: Coverage): string {
  const all = readable(coverage);
  if (all === 0) return 'nothing read yet';
  const rest = [
    coverage.forbidden > 0 && `${coverage.forbidden} forbidden`,
    coverage.stale > 0 && `${coverage.stale} stale`,
    coverage.unreachable > 0 && `${coverage.unreachable} unreachable`,
  ].filter(Boolean);
  return `${coverage.synced} of ${all} kinds${
    rest.length > 0 ? ` – ${rest.join(', ')}` : ''
  }`;
}

/**
 * The rule that a ClusterRole lacks, as YAML to copy. All rights of one API group
 * stand in one rule; watching takes all three verbs.
 */
export function missingRules(
  kinds: Array<{ missing?: { verb: string; group: string; resource: string } }>,
): string | undefined {
  const groups = new Map<string, Set<string>>();
  for (const { missing } of kinds) {
    if (!missing) continue;
    const resources = groups.get(missing.group) ?? new Set();
    // The contract gives the plural; a resource with its group behind it is cut back to it.
    const [plural] = missing.group
      ? missing.resource.split(`.${missing.group}`)
      : [missing.resource];
    resources.add(plural);
    groups.set(missing.group, resources);
  }
  if (groups.size === 0) return undefined;
  return [...groups]
    .sort(([a], [b]) => a.localeCompare(b))
    .map(([group, resources]) =>
      [
        `- apiGroups: ["${group}"]`,
        `  resources: [${[...resources]
          .sort()
          .map(resource => `"${resource}"`)
          .join(', ')}]`,
        `  verbs: ["get", "list", "watch"]`,
      ].join('\n'),
    )
    .join('\n');
}
