import { ReactNode } from 'react';
import { makeStyles, useTheme } from '@material-ui/core/styles';
import CheckCircleOutlineIcon from '@material-ui/icons/CheckCircleOutline';
import ErrorOutlineIcon from '@material-ui/icons/ErrorOutline';
import HelpOutlineIcon from '@material-ui/icons/HelpOutline';
import InfoOutlinedIcon from '@material-ui/icons/InfoOutlined';
import ReportProblemOutlinedIcon from '@material-ui/icons/ReportProblemOutlined';
import { Tone, quietColour, toneColour } from './tone';

const icons = {
  good: CheckCircleOutlineIcon,
  info: InfoOutlinedIcon,
  warning: ReportProblemOutlinedIcon,
  bad: ErrorOutlineIcon,
  unknown: HelpOutlineIcon,
};

/** The icon of a tone; decorative, since a word always stands beside it. */
export const ToneIcon = (props: {
  tone: Tone;
  fontSize?: 'inherit' | 'small';
}) => {
  const theme = useTheme();
  const Icon = icons[props.tone];
  return (
    <Icon
      aria-hidden
      fontSize={props.fontSize ?? 'inherit'}
      style={{ color: toneColour(theme, props.tone), flexShrink: 0 }}
    />
  );
};

const useStyles = makeStyles(theme => ({
  root: {
    display: 'inline-flex',
    alignItems: 'flex-start',
    gap: theme.spacing(0.5),
    '& svg': { fontSize: '1.2em', marginTop: '0.12em' },
  },
  word: { fontWeight: 500 },
  reason: { color: quietColour(theme), fontWeight: 400 },
}));

/** A state: icon, word, and where there is one the reason. Never colour alone. */
export const State = (props: {
  tone: Tone;
  label: ReactNode;
  reason?: ReactNode;
}) => {
  const classes = useStyles();
  return (
    <span className={classes.root}>
      <ToneIcon tone={props.tone} />
      <span>
        <span className={classes.word}>{props.label}</span>
        {props.reason && (
          <span className={classes.reason}> – {props.reason}</span>
        )}
      </span>
    </span>
  );
};
