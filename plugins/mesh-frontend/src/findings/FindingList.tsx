import type { StoredFinding } from '@mesh-for-backstage/plugin-mesh-common';
import { useExpansion } from '../live/useExpansion';
import { Age, Column, DataTable, SeverityLabel, State } from '../ui';
import { FindingDetails } from './FindingDetails';

const object = (finding: StoredFinding) =>
  `${finding.kind} ${finding.namespace ? `${finding.namespace}/` : ''}${
    finding.name
  }`;

const columns: Column<StoredFinding>[] = [
  {
    id: 'title',
    header: 'Finding',
    cell: finding => finding.title,
  },
  {
    id: 'severity',
    header: 'Severity',
    cell: ({ severity, resolvedAt }) =>
      resolvedAt ? (
        <State tone="good" label="Resolved" />
      ) : (
        <SeverityLabel severity={severity} />
      ),
  },
  { id: 'object', header: 'Object', hideBelow: 'sm', cell: object },
  {
    id: 'clusters',
    header: 'Clusters',
    hideBelow: 'sm',
    cell: ({ clusters }) => clusters.join(', '),
  },
  {
    id: 'firstSeen',
    header: 'First seen',
    hideBelow: 'md',
    cell: ({ firstSeen }) => <Age at={firstSeen} />,
  },
];

/** Findings about one thing; each opens in place. */
export const FindingList = (props: {
  findings: StoredFinding[];
  none: string;
}) => {
  const { findings, none } = props;
  const expansion = useExpansion();
  if (findings.length === 0) return <>{none}</>;
  return (
    <DataTable
      label="Findings"
      columns={columns}
      rows={findings}
      rowKey={({ id }) => id}
      expansion={{
        ...expansion,
        label: finding => `${finding.title}, ${object(finding)}`,
        details: finding => <FindingDetails finding={finding} />,
      }}
    />
  );
};
