import { ReactNode } from 'react';
import { Link } from '@backstage/core-components';
import Typography from '@material-ui/core/Typography';
import { makeStyles } from '@material-ui/core/styles';
import { quietColour } from './tone';

const useStyles = makeStyles(theme => ({
  root: { marginBottom: theme.spacing(2), overflowWrap: 'anywhere' },
  title: { fontSize: '1.6rem', fontWeight: 700, margin: 0, lineHeight: 1.25 },
  under: { color: quietColour(theme) },
}));

/** The name of what a page is about, and the way back to the list of its like. */
export const PageTitle = (props: {
  title: ReactNode;
  under?: ReactNode;
  parent?: { to: string; text: string };
}) => {
  const classes = useStyles();
  return (
    <Typography component="div" variant="body2" className={classes.root}>
      {props.parent && (
        <nav aria-label="Way back">
          <Link to={props.parent.to}>← {props.parent.text}</Link>
        </nav>
      )}
      <h2 className={classes.title}>{props.title}</h2>
      {props.under && <div className={classes.under}>{props.under}</div>}
    </Typography>
  );
};
