import { ReactNode, useId } from 'react';
import Paper from '@material-ui/core/Paper';
import Typography from '@material-ui/core/Typography';
import { makeStyles } from '@material-ui/core/styles';
import { quietColour, underlined } from './tone';

const useStyles = makeStyles(theme => ({
  root: { padding: theme.spacing(2), minWidth: 0, height: '100%' },
  head: {
    display: 'flex',
    flexWrap: 'wrap',
    alignItems: 'baseline',
    justifyContent: 'space-between',
    gap: theme.spacing(0.5, 2),
    marginBottom: theme.spacing(1),
  },
  body: { '& a': underlined },
  title: {
    fontSize: '1.1rem',
    fontWeight: 600,
    margin: 0,
    '&::first-letter': { textTransform: 'uppercase' },
  },
  note: { color: quietColour(theme), margin: 0 },
}));

/** A titled part of a page. */
export const Panel = (props: {
  title: ReactNode;
  note?: ReactNode;
  action?: ReactNode;
  children: ReactNode;
  level?: 2 | 3;
}) => {
  const classes = useStyles();
  const id = useId();
  const heading = `h${props.level ?? 2}` as 'h2' | 'h3';
  return (
    <Paper component="section" aria-labelledby={id} className={classes.root}>
      <div className={classes.head}>
        <Typography component={heading} id={id} className={classes.title}>
          {props.title}
        </Typography>
        {props.action}
        {props.note && (
          <Typography
            variant="body2"
            className={classes.note}
            style={{ flexBasis: '100%' }}
          >
            {props.note}
          </Typography>
        )}
      </div>
      <Typography component="div" variant="body2" className={classes.body}>
        {props.children}
      </Typography>
    </Paper>
  );
};
