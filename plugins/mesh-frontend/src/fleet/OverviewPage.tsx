import { Content, Link } from '@backstage/core-components';
import { useApi } from '@backstage/core-plugin-api';
import Paper from '@material-ui/core/Paper';
import Typography from '@material-ui/core/Typography';
import { makeStyles } from '@material-ui/core/styles';
import type {
  ClusterSummary,
  FindingPage,
  ServiceFacets,
  Severity,
  StoredFinding,
} from '@mesh-for-backstage/plugin-mesh-common';
import { ReactNode } from 'react';
import { meshApiRef } from '../api';
import { useLive } from '../live/useLive';
import { useMeshPaths } from '../routes';
import {
  Age,
  BarList,
  LiveContent,
  Panel,
  ServiceLinkName,
  SeverityCountsLabel,
  State,
  ToneIcon,
  clusterStateOrder,
  clusterStates,
  dataplanes,
  plural,
  severityTone,
  severityWord,
  total,
  quietColour,
} from '../ui';
import { ClusterCard } from './ClusterCard';
import { NoClusters } from './NoClusters';
import { isMissing, worstFirst } from './order';

const useStyles = makeStyles(theme => ({
  tiles: {
    display: 'grid',
    gridTemplateColumns: 'repeat(auto-fit, minmax(min(100%, 220px), 1fr))',
    gap: theme.spacing(2),
    marginBottom: theme.spacing(2),
  },
  tile: { padding: theme.spacing(1.5, 2) },
  figure: {
    fontSize: '1.6rem',
    lineHeight: 1.2,
    fontVariantNumeric: 'tabular-nums',
    '& a::first-letter, &::first-letter': { textTransform: 'uppercase' },
  },
  tileNote: {
    display: 'flex',
    flexWrap: 'wrap',
    columnGap: theme.spacing(1.5),
  },
  cards: {
    display: 'grid',
    gridTemplateColumns: 'repeat(auto-fill, minmax(min(100%, 215px), 1fr))',
    gap: theme.spacing(2),
  },
  section: { marginBottom: theme.spacing(2) },
  heading: {
    fontSize: '1.1rem',
    fontWeight: 600,
    margin: theme.spacing(0, 0, 1),
  },
  columns: {
    display: 'grid',
    gridTemplateColumns: 'repeat(2, minmax(0, 1fr))',
    [theme.breakpoints.down('sm')]: { gridTemplateColumns: 'minmax(0, 1fr)' },
    gap: theme.spacing(2),
  },
  list: { listStyle: 'none', margin: 0, padding: 0 },
  item: {
    padding: theme.spacing(1, 0),
    borderTop: `1px solid ${theme.palette.divider}`,
    overflowWrap: 'anywhere',
    '&:first-child': { borderTop: 0 },
  },
  quiet: { color: quietColour(theme), fontSize: '0.85rem' },
}));

const shownCards = 12;
const shownFindings = 5;
const shownRules = 10;

/** The fleet in ten seconds: is it well, what is missing, what presses. */
export const OverviewPage = () => {
  const api = useApi(meshApiRef);
  const clusters = useLive('clusters', () => api.listClusters(), [
    'clusters',
    'findings',
  ]);
  return (
    <Content>
      <LiveContent live={clusters} what="the clusters" lines={10}>
        {({ items }) =>
          items.length === 0 ? <NoClusters /> : <Fleet clusters={items} />
        }
      </LiveContent>
    </Content>
  );
};

function Fleet(props: { clusters: ClusterSummary[] }) {
  const { clusters } = props;
  const classes = useStyles();
  const paths = useMeshPaths();
  const api = useApi(meshApiRef);
  const facets = useLive('facets', () => api.getServiceFacets(), ['services']);
  const pressing = useLive(
    'pressing',
    () =>
      api.listFindings({
        sort: 'severity',
        order: 'desc',
        limit: shownFindings,
      }),
    ['findings'],
  );
  const opened = useLive(
    'opened',
    () =>
      api.listFindings({
        sort: 'firstSeen',
        order: 'desc',
        limit: shownFindings,
      }),
    ['findings'],
  );
  const resolved = useLive(
    'resolved',
    () =>
      api.listFindings({
        state: 'resolved',
        sort: 'lastSeen',
        order: 'desc',
        limit: shownFindings,
      }),
    ['findings'],
  );
  const partial = clusters.some(isMissing);
  const ordered = worstFirst(clusters);
  return (
    <>
      <div className={classes.tiles}>
        <ClustersTile clusters={clusters} />
        <LiveContent live={facets} what="the services" lines={3}>
          {value => <ServicesTile facets={value} partial={partial} />}
        </LiveContent>
        <LiveContent live={pressing} what="the findings" lines={3}>
          {value => <FindingsTile page={value} />}
        </LiveContent>
      </div>
      <section className={classes.section} aria-labelledby="mesh-clusters">
        <Typography
          component="h2"
          className={classes.heading}
          id="mesh-clusters"
        >
          Clusters at a glance
        </Typography>
        <div className={classes.cards}>
          {ordered.slice(0, shownCards).map(cluster => (
            <ClusterCard key={cluster.name} cluster={cluster} />
          ))}
        </div>
        {ordered.length > shownCards && paths && (
          <p>
            The {shownCards} that need attention first are shown.{' '}
            <Link to={paths.clusters()}>
              All {plural(ordered.length, 'cluster')}
            </Link>
          </p>
        )}
      </section>
      <div className={classes.columns}>
        <Panel title="Most pressing">
          <LiveContent live={pressing} what="the findings" lines={4}>
            {({ items }) => (
              <ShortFindings
                findings={items}
                none="Nothing is wrong that we know of."
                when={({ firstSeen }) => (
                  <Age at={firstSeen} prefix="for" suffix="" />
                )}
              />
            )}
          </LiveContent>
        </Panel>
        <Panel title="What changed recently">
          <LiveContent live={opened} what="what appeared" lines={4}>
            {({ items }) => (
              <ShortFindings
                findings={recent(items, resolved.value?.items ?? [])}
                none="Nothing has changed."
                when={({ firstSeen, resolvedAt }) =>
                  resolvedAt ? (
                    <Age at={resolvedAt} prefix="resolved" />
                  ) : (
                    <Age at={firstSeen} prefix="appeared" />
                  )
                }
              />
            )}
          </LiveContent>
        </Panel>
        <Panel title="Findings by rule">
          <LiveContent live={pressing} what="the findings" lines={4}>
            {({ rules }) =>
              rules.length === 0 ? (
                <>No rule has found anything.</>
              ) : (
                <>
                  <BarList
                    items={bySeverity(rules)
                      .slice(0, shownRules)
                      .map(({ rule, title, severity, count }) => ({
                        key: rule,
                        label: (
                          <>
                            <ToneIcon tone={severityTone[severity]} /> {title} (
                            {severityWord[severity].toLocaleLowerCase('en')})
                          </>
                        ),
                        count,
                        to: paths?.findings({ rule }),
                        tone: severityTone[severity],
                      }))}
                  />
                  {rules.length > shownRules && (
                    <>and {plural(rules.length - shownRules, 'more rule')}</>
                  )}
                </>
              )
            }
          </LiveContent>
        </Panel>
        <Panel title="Services by mesh mode">
          <LiveContent live={facets} what="the services" lines={4}>
            {value =>
              value.dataplanes.length === 0 ? (
                <>No service is known yet.</>
              ) : (
                <BarList
                  items={value.dataplanes.map(({ value: mode, count }) => ({
                    key: mode,
                    label: dataplanes[mode as keyof typeof dataplanes] ?? mode,
                    count,
                    to: paths?.services({ dataplane: mode }),
                    tone: mode === 'unknown' ? 'unknown' : undefined,
                  }))}
                />
              )
            }
          </LiveContent>
        </Panel>
      </div>
    </>
  );
}

const Tile = (props: { figure: ReactNode; children: ReactNode }) => {
  const classes = useStyles();
  return (
    <Paper className={classes.tile}>
      <Typography component="div" className={classes.figure}>
        {props.figure}
      </Typography>
      <Typography component="div" variant="body2" className={classes.tileNote}>
        {props.children}
      </Typography>
    </Paper>
  );
};

function ClustersTile(props: { clusters: ClusterSummary[] }) {
  const paths = useMeshPaths();
  const text = plural(props.clusters.length, 'cluster');
  return (
    <Tile figure={paths ? <Link to={paths.clusters()}>{text}</Link> : text}>
      {clusterStateOrder.map(state => {
        const count = props.clusters.filter(
          cluster => cluster.state === state,
        ).length;
        if (count === 0) return null;
        const { tone, label } = clusterStates[state];
        return (
          <State
            key={state}
            tone={tone}
            label={`${count} ${label.toLocaleLowerCase('en')}`}
          />
        );
      })}
    </Tile>
  );
}

function ServicesTile(props: { facets: ServiceFacets; partial: boolean }) {
  const { facets, partial } = props;
  const paths = useMeshPaths();
  // Each service has one mesh mode, so that their counts add up to all services.
  const count = facets.dataplanes.reduce((sum, one) => sum + one.count, 0);
  const text = total(count, partial, 'service');
  const unowned = facets.owners.find(({ value }) => value === 'none')?.count;
  return (
    <Tile figure={paths ? <Link to={paths.services()}>{text}</Link> : text}>
      <span>in {plural(facets.namespaces.length, 'namespace')}</span>
      {unowned !== undefined && unowned > 0 && (
        <State tone="info" label={`${unowned} without an owner`} />
      )}
    </Tile>
  );
}

function FindingsTile(props: { page: FindingPage }) {
  const { totalItems, fleet, rules } = props.page;
  const paths = useMeshPaths();
  const text = total(totalItems, fleet.partial, 'finding');
  const counts = { error: 0, warning: 0, info: 0 };
  for (const { severity, count } of rules) counts[severity] += count;
  return (
    <Tile figure={paths ? <Link to={paths.findings()}>{text}</Link> : text}>
      {totalItems === 0 ? (
        <State
          tone={fleet.partial ? 'unknown' : 'good'}
          label={fleet.partial ? 'none known' : 'nothing to mend'}
        />
      ) : (
        <SeverityCountsLabel counts={counts} />
      )}
    </Tile>
  );
}

const severityOrder: Severity[] = ['error', 'warning', 'info'];

function bySeverity(rules: FindingPage['rules']) {
  return [...rules].sort(
    (a, b) =>
      severityOrder.indexOf(a.severity) - severityOrder.indexOf(b.severity) ||
      b.count - a.count,
  );
}

/** What appeared and what was resolved, newest first. */
export function recent(
  opened: StoredFinding[],
  resolved: StoredFinding[],
): StoredFinding[] {
  const time = ({ resolvedAt, firstSeen }: StoredFinding) =>
    Date.parse(resolvedAt ?? firstSeen);
  return [...opened, ...resolved]
    .sort((a, b) => time(b) - time(a))
    .slice(0, shownFindings);
}

function ShortFindings(props: {
  findings: StoredFinding[];
  none: string;
  when: (finding: StoredFinding) => ReactNode;
}) {
  const classes = useStyles();
  const { findings, none, when } = props;
  if (findings.length === 0) return <>{none}</>;
  return (
    <ul className={classes.list}>
      {findings.map(finding => (
        <li key={finding.id} className={classes.item}>
          <State
            tone={finding.resolvedAt ? 'good' : severityTone[finding.severity]}
            label={
              <>
                {finding.resolvedAt
                  ? 'Resolved'
                  : severityWord[finding.severity]}
                : {finding.title}
              </>
            }
          />
          <div>
            {finding.service ? (
              <ServiceLinkName
                service={finding.service}
                text={`${finding.service.namespace}/${finding.service.name}`}
              />
            ) : (
              <>
                {finding.kind} {finding.namespace && `${finding.namespace}/`}
                {finding.name}
              </>
            )}
          </div>
          <div className={classes.quiet}>
            {finding.clusters.join(', ')} · {when(finding)}
          </div>
        </li>
      ))}
    </ul>
  );
}
