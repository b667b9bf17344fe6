import type { ClusterSummary } from '@mesh-for-backstage/plugin-mesh-common';
import Paper from '@material-ui/core/Paper';
import Typography from '@material-ui/core/Typography';
import { makeStyles, useTheme } from '@material-ui/core/styles';
import {
  ClusterLinkName,
  SeverityCountsLabel,
  clusterStates,
  isUnknown,
  unknownReason,
  toneColour,
  quietColour,
} from '../ui';
import { ClusterAge, ClusterStateLabel } from './ClusterState';
import { Versions } from './Versions';
import { coverageText } from './coverage';
import { secondName } from './secondName';

const useStyles = makeStyles(theme => ({
  card: {
    padding: theme.spacing(1.5, 2),
    borderTop: '4px solid',
    height: '100%',
    overflowWrap: 'anywhere',
  },
  name: { fontSize: '1.05rem', fontWeight: 600 },
  quiet: { color: quietColour(theme) },
  counts: {
    display: 'flex',
    gap: theme.spacing(2.5),
    margin: theme.spacing(1, 0),
    flexWrap: 'wrap',
  },
  number: { fontSize: '1.25rem', fontVariantNumeric: 'tabular-nums' },
}));

/** A figure at a glance: a question mark where it is not known, with the reason for those who ask. */
const CardCount = (props: { fact: ClusterSummary['counts']['services'] }) => {
  const { fact } = props;
  return isUnknown(fact) ? (
    <abbr title={`unknown: ${unknownReason(fact)}`}>?</abbr>
  ) : (
    <>{fact.toLocaleString('en')}</>
  );
};

const counted = ['services', 'workloads', 'nodes'] as const;

/** One cluster at a glance. */
export const ClusterCard = (props: { cluster: ClusterSummary }) => {
  const { cluster } = props;
  const classes = useStyles();
  const theme = useTheme();
  const { tone } = clusterStates[cluster.state];
  return (
    <Paper
      component="article"
      aria-label={`Cluster ${cluster.name}`}
      className={classes.card}
      style={{ borderTopColor: toneColour(theme, tone) }}
    >
      <Typography component="h3" className={classes.name}>
        <ClusterLinkName name={cluster.name} text={cluster.title} />
      </Typography>
      <Typography variant="body2" className={classes.quiet}>
        {secondName(cluster)}
      </Typography>
      <Typography variant="body2" component="div">
        <ClusterStateLabel cluster={cluster} short />
        <div className={classes.quiet}>
          <ClusterAge cluster={cluster} />
        </div>
        {cluster.message && <div>{cluster.message}</div>}
        <div className={classes.counts}>
          {counted.map(name => (
            <div key={name}>
              <div className={classes.number}>
                <CardCount fact={cluster.counts[name]} />
              </div>
              <div className={classes.quiet}>{name}</div>
            </div>
          ))}
        </div>
        <Versions versions={cluster.versions} />
        <div>Coverage: {coverageText(cluster.coverage)}</div>
        {cluster.findings && (
          <div>
            Findings:{' '}
            <SeverityCountsLabel
              counts={cluster.findings}
              partial={cluster.partial}
            />
          </div>
        )}
      </Typography>
    </Paper>
  );
};
