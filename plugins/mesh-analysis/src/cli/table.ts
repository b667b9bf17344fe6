import { Fact, isUnknown } from '../inventory/Fact';
import { Report } from './report';

function text(fact: Fact<string | number | boolean>): string {
  return isUnknown(fact) ? `? (${fact.unknown})` : String(fact);
}

function readiness(ready: Fact<number>, total: Fact<number>): string {
  return isUnknown(ready) || isUnknown(total)
    ? text(ready)
    : `${ready}/${total}`;
}

function columns(title: string, head: string[], rows: string[][]): string {
  if (rows.length === 0) {
    return `${title}: none\n`;
  }
  const widths = head.map((cell, index) =>
    Math.max(cell.length, ...rows.map(row => row[index].length)),
  );
  const line = (row: string[]) =>
    row
      .map((cell, index) => cell.padEnd(widths[index]))
      .join('  ')
      .trimEnd();
  return `${title} (${rows.length})\n${[head, ...rows].map(line).join('\n')}\n`;
}

/** The report for a person. */
export function asTable(report: Report): string {
  const parts = [
    columns(
      'Clusters',
      ['NAME', 'MESH', 'CLUSTER ID', 'NETWORK', 'ISTIO', 'NOT READ'],
      report.clusters.map(({ name, mesh, versions, coverage }) => [
        name,
        text(mesh.meshId),
        text(mesh.clusterId),
        text(mesh.network) || '-',
        versions.istio
          .map(({ revision, version }) => `${revision}=${text(version)}`)
          .join(' ') || '-',
        String(
          Object.values(coverage).filter(
            state => state !== 'synced' && state !== 'absent-api',
          ).length,
        ),
      ]),
    ),
    columns(
      'Services',
      ['NAMESPACE', 'NAME', 'GROUP', 'CLUSTERS', 'READY', 'MESH', 'LINKS'],
      report.services.map(service => [
        service.namespace,
        service.name,
        service.group,
        [...new Set(service.clusters.map(one => one.cluster))].join(','),
        `${readiness(service.ready, service.total)}${
          service.partial ? ' (partial)' : ''
        }`,
        text(service.dataplane),
        [
          ...new Set(
            service.links.map(
              ({ from, to, state }) =>
                `${from}>${to}${state === 'active' ? '' : ` ${state}`}`,
            ),
          ),
        ].join(', ') || '-',
      ]),
    ),
    columns(
      'Workloads',
      ['CLUSTER', 'NAMESPACE', 'WORKLOAD', 'MESH', 'WANTED', 'RUNS', 'BY'],
      report.workloads.map(({ requested, actual, ...workload }) => [
        workload.cluster,
        workload.namespace,
        `${workload.kind}/${workload.name}`,
        text(workload.dataplane),
        [
          text(requested.dataplane),
          requested.revision === undefined ? '' : text(requested.revision),
        ]
          .join(' ')
          .trim(),
        actual ? `${text(actual.revision)} ${text(actual.version)}` : '-',
        requested.by ?? '-',
      ]),
    ),
    columns(
      'Findings',
      ['SEVERITY', 'RULE', 'CLUSTERS', 'OBJECT', 'MESSAGE'],
      report.findings.map(finding => [
        finding.severity,
        finding.rule,
        finding.clusters.join(','),
        `${finding.kind.split('.')[0]} ${
          finding.namespace ? `${finding.namespace}/` : ''
        }${finding.name}`,
        finding.message,
      ]),
    ),
  ];
  return parts.join('\n');
}
