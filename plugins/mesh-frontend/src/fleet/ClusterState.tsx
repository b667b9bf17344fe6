import type { ClusterSummary } from '@mesh-for-backstage/plugin-mesh-common';
import { Age, State, clusterStates } from '../ui';

/** The state of a cluster, since when, and in a sentence why. */
export const ClusterStateLabel = (props: {
  cluster: Pick<ClusterSummary, 'state' | 'since' | 'message'>;
  short?: boolean;
}) => {
  const { cluster, short } = props;
  const said = clusterStates[cluster.state];
  const since = cluster.state !== 'synced' && cluster.since && (
    <Age at={cluster.since} prefix="for" suffix="" />
  );
  return (
    <State
      tone={said.tone}
      label={
        <>
          {said.label}
          {since && <> {since}</>}
        </>
      }
      reason={short ? undefined : cluster.message ?? said.means}
    />
  );
};

/** When the cluster was last heard of, and how old the oldest of its data is. */
export const ClusterAge = (props: { cluster: ClusterSummary }) => {
  const { asOf, lastContact } = props.cluster;
  if (asOf) return <Age at={asOf} prefix="updated" />;
  if (lastContact) return <Age at={lastContact} prefix="last heard of" />;
  return <>never heard of</>;
};
