import { Link } from '@backstage/core-components';
import type { FleetState } from '@mesh-for-backstage/plugin-mesh-common';
import { useMeshPaths } from '../routes';
import { Age } from './Age';
import { Message } from './Message';
import { plural } from './Counts';
import { clusterStates } from './vocabulary';

type Missing = FleetState['clusters'][number];

const ClusterName = (props: { name: string }) => {
  const paths = useMeshPaths();
  return paths ? (
    <Link to={paths.cluster(props.name)}>{props.name}</Link>
  ) : (
    <>{props.name}</>
  );
};

const shown = 3;

/** Says which clusters are missing or old in what is shown, and since when. */
export const PartialBanner = (props: { fleet: FleetState }) => {
  const { partial, clusters } = props.fleet;
  if (!partial) return null;
  return (
    <Message tone="warning" live>
      <strong>Partial.</strong>{' '}
      {clusters.length === 0
        ? 'Some data is missing; figures are lower bounds.'
        : `${plural(
            clusters.length,
            'cluster is',
            'clusters are',
          )} missing or old in what you see; figures are lower bounds.`}
      {clusters.slice(0, shown).map((cluster: Missing) => (
        <div key={cluster.name}>
          <ClusterName name={cluster.name} />:{' '}
          {clusterStates[cluster.state].label.toLocaleLowerCase('en')}
          {cluster.since && (
            <>
              {' '}
              <Age at={cluster.since} prefix="for" suffix="" />
            </>
          )}
          {cluster.message && ` – ${cluster.message}`}
        </div>
      ))}
      {clusters.length > shown && (
        <div>and {clusters.length - shown} more.</div>
      )}
    </Message>
  );
};
