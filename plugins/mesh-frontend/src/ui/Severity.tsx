import { makeStyles } from '@material-ui/core/styles';
import type {
  Severity,
  SeverityCounts,
} from '@mesh-for-backstage/plugin-mesh-common';
import { plural } from './Counts';
import { State, ToneIcon } from './State';
import { Tone, quietColour } from './tone';

export const severityTone: Record<Severity, Tone> = {
  error: 'bad',
  warning: 'warning',
  info: 'info',
};

export const severityWord: Record<Severity, string> = {
  error: 'Error',
  warning: 'Warning',
  info: 'Info',
};

export const SeverityLabel = (props: { severity: Severity }) => (
  <State
    tone={severityTone[props.severity]}
    label={severityWord[props.severity]}
  />
);

const useStyles = makeStyles(theme => ({
  counts: {
    display: 'inline-flex',
    flexWrap: 'wrap',
    columnGap: theme.spacing(1.5),
  },
  count: {
    display: 'inline-flex',
    alignItems: 'center',
    gap: theme.spacing(0.5),
    whiteSpace: 'nowrap',
  },
  none: { color: quietColour(theme) },
}));

const words: Record<Severity, [string, string]> = {
  error: ['error', 'errors'],
  warning: ['warning', 'warnings'],
  info: ['note', 'notes'],
};

/** `2 errors  1 warning`, or `none found`. */
export const SeverityCountsLabel = (props: {
  counts: SeverityCounts;
  partial?: boolean;
}) => {
  const classes = useStyles();
  const present = (['error', 'warning', 'info'] as const).filter(
    severity => props.counts[severity] > 0,
  );
  if (present.length === 0) {
    return (
      <span className={classes.none}>
        {props.partial ? 'none known' : 'none'}
      </span>
    );
  }
  return (
    <span className={classes.counts}>
      {present.map(severity => (
        <span key={severity} className={classes.count}>
          <ToneIcon tone={severityTone[severity]} />
          {plural(props.counts[severity], ...words[severity])}
        </span>
      ))}
    </span>
  );
};
