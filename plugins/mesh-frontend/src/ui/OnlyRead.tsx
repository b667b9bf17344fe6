import { ReactNode } from 'react';
import { makeStyles } from '@material-ui/core/styles';

const useStyles = makeStyles({
  root: {
    position: 'absolute',
    width: 1,
    height: 1,
    overflow: 'hidden',
    clipPath: 'inset(50%)',
    whiteSpace: 'nowrap',
  },
});

/** Text for screen readers only. */
export const OnlyRead = (props: { children: ReactNode }) => {
  const classes = useStyles();
  return <span className={classes.root}>{props.children}</span>;
};
