import { makeStyles } from '@material-ui/core/styles';
import { OnlyRead } from './OnlyRead';

const useStyles = makeStyles(theme => ({
  bar: {
    height: 20,
    margin: theme.spacing(1.5, 0),
    borderRadius: theme.shape.borderRadius,
    background: theme.palette.action.hover,
    animation: '$breathe 1.6s ease-in-out infinite',
    '@media (prefers-reduced-motion: reduce)': { animation: 'none' },
  },
  '@keyframes breathe': { '50%': { opacity: 0.4 } },
}));

/** Holds the place of content until it is there. */
export const Loading = (props: { what: string; lines?: number }) => {
  const classes = useStyles();
  return (
    <div role="status" data-testid="loading">
      <OnlyRead>Loading {props.what}</OnlyRead>
      {Array.from({ length: props.lines ?? 6 }, (_, index) => (
        <div
          key={index}
          aria-hidden
          className={classes.bar}
          style={{ width: `${92 - ((index * 17) % 40)}%` }}
        />
      ))}
    </div>
  );
};
