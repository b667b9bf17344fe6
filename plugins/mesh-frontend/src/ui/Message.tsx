import { ReactNode } from 'react';
import Typography from '@material-ui/core/Typography';
import { makeStyles, useTheme } from '@material-ui/core/styles';
import { ToneIcon } from './State';
import { Tone, toneColour, underlined } from './tone';

const useStyles = makeStyles(theme => ({
  root: {
    display: 'flex',
    alignItems: 'flex-start',
    gap: theme.spacing(1),
    padding: theme.spacing(1, 1.5),
    marginBottom: theme.spacing(2),
    background: theme.palette.background.paper,
    color: theme.palette.text.primary,
    borderRadius: theme.shape.borderRadius,
    borderLeft: '4px solid',
    boxShadow: theme.shadows[1],
    overflowWrap: 'anywhere',
    '& svg': { fontSize: '1.4em' },
  },
  body: { flex: 1, minWidth: 0, '& a': underlined },
}));

/** A line above the content that says something about all of it. */
export const Message = (props: {
  tone: Tone;
  children: ReactNode;
  action?: ReactNode;
  /** Set where the line appears by itself, so that a screen reader says it. */
  live?: boolean;
}) => {
  const classes = useStyles();
  const theme = useTheme();
  return (
    <div
      className={classes.root}
      style={{ borderLeftColor: toneColour(theme, props.tone) }}
      role={props.live ? 'status' : undefined}
    >
      <ToneIcon tone={props.tone} />
      <Typography component="div" variant="body2" className={classes.body}>
        {props.children}
      </Typography>
      {props.action}
    </div>
  );
};
