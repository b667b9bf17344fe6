import { ReactNode } from 'react';
import { makeStyles } from '@material-ui/core/styles';
import { quietColour } from './tone';

const useStyles = makeStyles(theme => ({
  list: {
    display: 'grid',
    gridTemplateColumns: 'repeat(auto-fill, minmax(min(100%, 190px), 1fr))',
    gap: theme.spacing(1.5, 3),
    margin: 0,
  },
  term: { color: quietColour(theme), fontSize: '0.8rem' },
  detail: { margin: 0, overflowWrap: 'anywhere' },
}));

/** Terms and what they are, side by side where there is room. */
export const Facts = (props: {
  facts: Array<{ term: string; value: ReactNode } | false | undefined>;
}) => {
  const classes = useStyles();
  return (
    <dl className={classes.list}>
      {props.facts.map(
        fact =>
          fact && (
            <div key={fact.term}>
              <dt className={classes.term}>{fact.term}</dt>
              <dd className={classes.detail}>{fact.value}</dd>
            </div>
          ),
      )}
    </dl>
  );
};
