import { makeStyles } from '@material-ui/core/styles';
import type {
  ServiceDetail,
  Workload,
} from '@mesh-for-backstage/plugin-mesh-common';
import {
  ClusterLinkName,
  Column,
  DataTable,
  DataplaneName,
  FactValue,
  ReadyCount,
  State,
  ambientStates,
  isUnknown,
  plural,
  quietColour,
} from '../ui';
import { WaypointLabel } from './Instances';

const useStyles = makeStyles(theme => ({
  quiet: { color: quietColour(theme), fontSize: '0.85rem' },
}));

/** How what runs stands to what is asked for. */
export function revisionState(
  workload: Workload,
): 'same' | 'differs' | 'mixed' | undefined {
  const { requested, actual } = workload;
  if (requested.revision === undefined || isUnknown(requested.revision))
    return undefined;
  const running = actual.map(({ revision }) => revision);
  if (running.length === 0 || running.some(isUnknown)) return undefined;
  const same = running.filter(revision => revision === requested.revision);
  if (same.length === running.length) return 'same';
  return same.length > 0 ? 'mixed' : 'differs';
}

const Requested = (props: { workload: Workload }) => {
  const classes = useStyles();
  const { dataplane, revision, tag, by } = props.workload.requested;
  return (
    <>
      <DataplaneName fact={dataplane} />
      {revision !== undefined && (
        <div>
          {tag && `tag ${tag} → `}
          <FactValue fact={revision} />
        </div>
      )}
      {by && <div className={classes.quiet}>by {by}</div>}
    </>
  );
};

const Actual = (props: { workload: Workload }) => {
  const { workload } = props;
  const { actual } = workload;
  const state = revisionState(workload);
  return (
    <>
      <DataplaneName fact={workload.dataplane} />
      {actual.map(({ revision, version, pods, nativeSidecar }, index) => (
        <div key={index}>
          <FactValue fact={revision} />, proxy <FactValue fact={version} />
          {nativeSidecar && ', native sidecar'} ({plural(pods, 'pod')})
        </div>
      ))}
      {state === 'differs' && (
        <State
          tone="warning"
          label="Not the revision asked for"
          reason="new pods get it: restart the workload"
        />
      )}
      {state === 'mixed' && (
        <State
          tone="warning"
          label="Part of the pods run another revision"
          reason="a roll-out is under way, or it got stuck"
        />
      )}
      {workload.ambient && (
        <div>
          <State
            tone={ambientStates[workload.ambient].tone}
            label={`Ambient: ${ambientStates[
              workload.ambient
            ].label.toLocaleLowerCase('en')}`}
            reason={
              workload.ambient === 'enrolled'
                ? undefined
                : ambientStates[workload.ambient].means
            }
          />
        </div>
      )}
      {workload.waypoint && (
        <div>
          <WaypointLabel waypoint={workload.waypoint} />
        </div>
      )}
    </>
  );
};

const columns: Column<Workload>[] = [
  {
    id: 'workload',
    header: 'Workload',
    cell: ({ kind, name }) => `${kind}/${name}`,
  },
  {
    id: 'cluster',
    header: 'Cluster',
    cell: ({ cluster }) => <ClusterLinkName name={cluster} />,
  },
  {
    id: 'pods',
    header: 'Ready pods',
    hideBelow: 'sm',
    cell: ({ pods }) => <ReadyCount fact={pods} />,
  },
  {
    id: 'requested',
    header: 'Asked for',
    hideBelow: 'sm',
    cell: workload => <Requested workload={workload} />,
  },
  {
    id: 'actual',
    header: 'As it is',
    hideBelow: 'sm',
    cell: workload => <Actual workload={workload} />,
  },
  {
    id: 'account',
    header: 'Service account',
    hideBelow: 'lg',
    cell: ({ serviceAccount }) => serviceAccount ?? 'default',
  },
];

/** What runs behind a service, and how it takes part in the mesh: as asked for, and as it is. */
export const Workloads = (props: { service: ServiceDetail }) => {
  const { workloads, partial } = props.service;
  if (workloads.length === 0) {
    return (
      <>
        No pod stands behind this service
        {partial ? ' in the clusters that are known' : ''}.
      </>
    );
  }
  return (
    <DataTable
      label="Workloads"
      columns={columns}
      rows={workloads}
      rowKey={({ cluster, namespace, kind, name }) =>
        `${cluster}/${namespace}/${kind}/${name}`
      }
    />
  );
};
