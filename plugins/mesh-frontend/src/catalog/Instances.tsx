import { makeStyles } from '@material-ui/core/styles';
import type {
  ServiceDetail,
  ServiceInstance,
  ServicePort,
  Waypoint,
} from '@mesh-for-backstage/plugin-mesh-common';
import { ClusterStateLabel } from '../fleet/ClusterState';
import {
  ClusterLinkName,
  Column,
  DataTable,
  DataplaneName,
  ReadyCount,
  State,
  roles,
  waypointStates,
  quietColour,
} from '../ui';

const useStyles = makeStyles(theme => ({
  quiet: { color: quietColour(theme), fontSize: '0.85rem' },
}));

/** `http 80 → 8080 (TCP)` */
export function portText(port: ServicePort): string {
  const { name, port: number, targetPort, protocol, appProtocol } = port;
  const target =
    targetPort !== undefined && targetPort !== number ? ` → ${targetPort}` : '';
  const kind = appProtocol ? `${protocol}, ${appProtocol}` : protocol;
  return `${name ? `${name} ` : ''}${number}${target} (${kind})`;
}

export const WaypointLabel = (props: { waypoint: Waypoint }) => {
  const { namespace, name, state, reason, by } = props.waypoint;
  const { tone, label, means } = waypointStates[state];
  return (
    <State
      tone={tone}
      label={`${namespace}/${name}: ${label.toLocaleLowerCase('en')}`}
      reason={`${reason ?? means}, named by ${by}`}
    />
  );
};

/** The Kubernetes Services behind a service, cluster by cluster. */
export const Instances = (props: { service: ServiceDetail }) => {
  const { service } = props;
  const classes = useStyles();
  const stateOf = new Map(
    service.clusters.map(cluster => [cluster.name, cluster]),
  );
  const hasWaypoints = service.instances.some(({ waypoint }) => waypoint);
  const columns: Array<Column<ServiceInstance> | false> = [
    {
      id: 'cluster',
      header: 'Cluster',
      cell: ({ cluster, name, namespace }) => {
        const state = stateOf.get(cluster);
        return (
          <>
            <ClusterLinkName name={cluster} />
            {state && state.state !== 'synced' && (
              <div>
                <ClusterStateLabel cluster={state} short />
              </div>
            )}
            {(name !== service.name || namespace !== service.namespace) && (
              <div className={classes.quiet}>
                as {namespace}/{name}
              </div>
            )}
          </>
        );
      },
    },
    {
      id: 'role',
      header: 'Role',
      hideBelow: 'sm',
      cell: ({ role, mirrorOf }) => (
        <>
          {roles[role].label}
          {role !== 'backend' && (
            <div className={classes.quiet}>
              {mirrorOf
                ? `of ${mirrorOf.namespace}/${mirrorOf.name} in ${mirrorOf.cluster}`
                : roles[role].means}
            </div>
          )}
        </>
      ),
    },
    { id: 'type', header: 'Type', hideBelow: 'md', cell: ({ type }) => type },
    {
      id: 'endpoints',
      header: 'Ready endpoints',
      cell: ({ endpoints }) => <ReadyCount fact={endpoints} />,
    },
    {
      id: 'dataplane',
      header: 'Mesh mode',
      hideBelow: 'sm',
      cell: ({ dataplane }) => <DataplaneName fact={dataplane} />,
    },
    {
      id: 'ports',
      header: 'Ports',
      hideBelow: 'sm',
      cell: ({ ports }) =>
        ports.length === 0
          ? 'none'
          : ports.map(port => (
              <div key={`${port.port}/${port.protocol}`}>{portText(port)}</div>
            )),
    },
    {
      id: 'workloads',
      header: 'Workloads',
      hideBelow: 'md',
      cell: ({ workloads }) =>
        workloads.length === 0
          ? 'none'
          : workloads.map(workload => <div key={workload}>{workload}</div>),
    },
    hasWaypoints && {
      id: 'waypoint',
      header: 'Waypoint',
      hideBelow: 'md',
      cell: ({ waypoint }) =>
        waypoint ? <WaypointLabel waypoint={waypoint} /> : 'none',
    },
  ];
  return (
    <DataTable
      label="Instances"
      columns={columns.filter(
        (column): column is Column<ServiceInstance> => column !== false,
      )}
      rows={service.instances}
      rowKey={({ cluster, namespace, name }) =>
        `${cluster}/${namespace}/${name}`
      }
    />
  );
};
