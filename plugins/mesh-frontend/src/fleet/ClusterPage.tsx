import { Content, Link } from '@backstage/core-components';
import { useApi } from '@backstage/core-plugin-api';
import Button from '@material-ui/core/Button';
import Typography from '@material-ui/core/Typography';
import { makeStyles } from '@material-ui/core/styles';
import type {
  ClusterDetail,
  KindCoverage,
} from '@mesh-for-backstage/plugin-mesh-common';
import { useState } from 'react';
import { useParams } from 'react-router-dom';
import { meshApiRef } from '../api';
import { FindingList } from '../findings/FindingList';
import { useLive } from '../live/useLive';
import { useMeshPaths } from '../routes';
import {
  Age,
  Column,
  CopyableCode,
  DataTable,
  FactValue,
  Facts,
  LiveContent,
  Message,
  PageTitle,
  Panel,
  State,
  clusterStates,
  kindStates,
  plural,
} from '../ui';
import { ClusterAge, ClusterStateLabel } from './ClusterState';
import { Versions } from './Versions';
import { coverageText, missingRules } from './coverage';
import { secondName } from './secondName';

const useStyles = makeStyles(theme => ({
  section: { marginTop: theme.spacing(2) },
}));

/** One cluster: what is known of it, and what could not be read and why. */
export const ClusterPage = () => {
  const { name = '' } = useParams();
  return <Cluster key={name} name={name} />;
};

function Cluster(props: { name: string }) {
  const { name } = props;
  const classes = useStyles();
  const paths = useMeshPaths();
  const api = useApi(meshApiRef);
  const live = useLive(`cluster ${name}`, () => api.getCluster(name), [
    'clusters',
  ]);
  const findings = useLive(
    `findings ${name}`,
    () =>
      api.listFindings({
        cluster: [name],
        sort: 'severity',
        order: 'desc',
        limit: 20,
      }),
    ['findings'],
  );
  return (
    <Content>
      <LiveContent live={live} what={`the cluster ${name}`} lines={10}>
        {cluster => (
          <>
            <Header cluster={cluster} />
            <div className={classes.section}>
              <Coverage cluster={cluster} />
            </div>
            <div className={classes.section}>
              <Panel
                title="Findings"
                action={
                  paths && (
                    <Link to={paths.findings({ cluster: name })}>
                      All findings
                    </Link>
                  )
                }
              >
                <LiveContent live={findings} what="the findings" lines={3}>
                  {({ items }) => (
                    <FindingList
                      findings={items}
                      none="Nothing is wrong in this cluster that we know of."
                    />
                  )}
                </LiveContent>
              </Panel>
            </div>
          </>
        )}
      </LiveContent>
    </Content>
  );
}

function Header(props: { cluster: ClusterDetail }) {
  const { cluster } = props;
  const paths = useMeshPaths();
  const { mesh, counts } = cluster;
  const { tone, label, means } = clusterStates[cluster.state];
  return (
    <>
      <PageTitle
        title={cluster.title ?? cluster.name}
        under={secondName(cluster)}
        parent={paths && { to: paths.clusters(), text: 'Clusters' }}
      />
      {cluster.state !== 'synced' && (
        <Message tone={tone} live>
          <strong>{label}</strong>
          {cluster.since && (
            <>
              {' '}
              <Age at={cluster.since} prefix="for" suffix="" />
            </>
          )}
          : {cluster.message ?? means}
        </Message>
      )}
      <Panel title="What is known">
        <Facts
          facts={[
            {
              term: 'State',
              value: <ClusterStateLabel cluster={cluster} short />,
            },
            { term: 'Data', value: <ClusterAge cluster={cluster} /> },
            cluster.lastContact !== undefined && {
              term: 'Last answer',
              value: <Age at={cluster.lastContact} />,
            },
            cluster.environment !== undefined && {
              term: 'Environment',
              value: cluster.environment,
            },
            {
              term: 'Versions',
              value: <Versions versions={cluster.versions} />,
            },
            {
              term: 'Services',
              value: paths ? (
                <Link to={paths.services({ cluster: cluster.name })}>
                  <FactValue fact={counts.services} />
                </Link>
              ) : (
                <FactValue fact={counts.services} />
              ),
            },
            { term: 'Workloads', value: <FactValue fact={counts.workloads} /> },
            { term: 'Nodes', value: <FactValue fact={counts.nodes} /> },
            {
              term: 'Namespaces',
              value: <FactValue fact={counts.namespaces} />,
            },
            mesh && { term: 'Mesh', value: <FactValue fact={mesh.meshId} /> },
            mesh && {
              term: 'Cluster id in the mesh',
              value: <FactValue fact={mesh.clusterId} />,
            },
            mesh && {
              term: 'Network',
              value: <FactValue fact={mesh.network} />,
            },
            mesh && {
              term: 'Trust domain',
              value: <FactValue fact={mesh.trustDomain} />,
            },
            mesh &&
              mesh.tags.length > 0 && {
                term: 'Revision tags',
                value: mesh.tags
                  .map(({ tag, revision }) => `${tag} → ${revision}`)
                  .join(', '),
              },
            cluster.server !== undefined && {
              term: 'API server',
              value: cluster.server,
            },
            { term: 'Named by', value: cluster.source },
          ]}
        />
      </Panel>
    </>
  );
}

const columns: Column<KindCoverage>[] = [
  { id: 'kind', header: 'Kind', cell: ({ kind }) => kind },
  {
    id: 'state',
    header: 'State',
    cell: kind => {
      const { tone, label, means } = kindStates[kind.state];
      return (
        <>
          <State tone={tone} label={label} reason={kind.message ?? means} />
          {kind.missing && (
            <div>
              needs{' '}
              <code>
                {kind.missing.verb} on {kind.missing.resource}
              </code>
              {kind.missing.namespace && ` in ${kind.missing.namespace}`}
            </div>
          )}
        </>
      );
    },
  },
  {
    id: 'objects',
    header: 'Objects',
    align: 'right',
    cell: ({ objects, asOf, state }) => {
      if (state === 'absent-api') return '–';
      // Zero only where somebody has counted.
      return objects === undefined || asOf === undefined
        ? 'unknown'
        : objects.toLocaleString('en');
    },
  },
  {
    id: 'asOf',
    header: 'Last sign of life',
    hideBelow: 'sm',
    cell: ({ asOf, since, state }) => (
      <>
        {asOf ? <Age at={asOf} /> : 'never'}
        {since && state !== 'synced' && (
          <div>
            <Age
              at={since}
              prefix={`${kindStates[state].label.toLocaleLowerCase('en')} for`}
              suffix=""
            />
          </div>
        )}
      </>
    ),
  },
  {
    id: 'topics',
    header: 'Needed for',
    hideBelow: 'md',
    cell: ({ topics }) => topics.join(', '),
  },
];

const kindOrder: KindCoverage['state'][] = [
  'forbidden',
  'unreachable',
  'stale',
  'synced',
  'absent-api',
];

function Coverage(props: { cluster: ClusterDetail }) {
  const { cluster } = props;
  const { absentApi } = cluster.coverage;
  const [showsAbsent, setShowsAbsent] = useState(false);
  const kinds = [...cluster.kinds].sort(
    (a, b) =>
      kindOrder.indexOf(a.state) - kindOrder.indexOf(b.state) ||
      a.kind.localeCompare(b.kind),
  );
  const rules = missingRules(kinds);
  return (
    <Panel
      title="Coverage by kind"
      note={`${coverageText(cluster.coverage)}${
        absentApi > 0
          ? `; ${plural(absentApi, 'kind is', 'kinds are')} not installed here`
          : ''
      }. What cannot be read is unknown, not zero.`}
    >
      {rules && (
        <>
          <Typography component="h3" variant="subtitle1">
            The permission that is missing
          </Typography>
          <Typography variant="body2">
            Add this to the rules of the ClusterRole that the portal's account
            has in <strong>{cluster.name}</strong>. The rest follows by itself
            within minutes.
          </Typography>
          <CopyableCode code={rules} label="the ClusterRole rules" />
        </>
      )}
      <DataTable
        label={`Coverage of ${cluster.name} by kind`}
        columns={columns}
        rows={kinds.filter(
          ({ state }) => showsAbsent || state !== 'absent-api',
        )}
        rowKey={({ kind }) => kind}
      />
      {absentApi > 0 && (
        <Button
          aria-expanded={showsAbsent}
          onClick={() => setShowsAbsent(!showsAbsent)}
        >
          {showsAbsent ? 'Hide' : 'Show'}{' '}
          {plural(absentApi, 'kind that is', 'kinds that are')} not installed
        </Button>
      )}
    </Panel>
  );
}
