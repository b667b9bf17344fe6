import { ReactNode } from 'react';
import Typography from '@material-ui/core/Typography';
import { makeStyles } from '@material-ui/core/styles';
import { underlined } from './tone';

const useStyles = makeStyles(theme => ({
  root: {
    padding: theme.spacing(4, 2),
    maxWidth: 720,
    margin: '0 auto',
    overflowWrap: 'anywhere',
  },
  title: { fontSize: '1.2rem', fontWeight: 600, margin: 0 },
  body: { marginTop: theme.spacing(1), '& a': underlined },
}));

/** Nothing to show: says why, and teaches what would be here and how to get it. */
export const EmptyState = (props: {
  title: string;
  children: ReactNode;
  level?: 2 | 3;
}) => {
  const classes = useStyles();
  return (
    <div className={classes.root}>
      <Typography
        component={`h${props.level ?? 2}` as 'h2'}
        className={classes.title}
      >
        {props.title}
      </Typography>
      <Typography component="div" variant="body2" className={classes.body}>
        {props.children}
      </Typography>
    </div>
  );
};
