import { ReactNode } from 'react';
import { Link } from '@backstage/core-components';
import { makeStyles, useTheme } from '@material-ui/core/styles';
import { Tone, toneColour } from './tone';

const useStyles = makeStyles(theme => ({
  list: { listStyle: 'none', margin: 0, padding: 0 },
  item: { padding: theme.spacing(0.5, 0) },
  line: {
    display: 'flex',
    justifyContent: 'space-between',
    gap: theme.spacing(2),
    overflowWrap: 'anywhere',
    '& svg': { verticalAlign: '-0.15em' },
  },
  count: { fontVariantNumeric: 'tabular-nums', whiteSpace: 'nowrap' },
  track: {
    height: 6,
    borderRadius: 3,
    background: theme.palette.action.hover,
    marginTop: theme.spacing(0.25),
  },
  bar: { height: '100%', borderRadius: 3, minWidth: 3 },
}));

/** Amounts to compare: a name, a number and a bar. The number says it; the bar only shows it. */
export const BarList = (props: {
  items: Array<{
    key: string;
    label: ReactNode;
    count: number;
    to?: string;
    tone?: Tone;
  }>;
}) => {
  const classes = useStyles();
  const theme = useTheme();
  const most = Math.max(1, ...props.items.map(({ count }) => count));
  return (
    <ul className={classes.list}>
      {props.items.map(({ key, label, count, to, tone }) => (
        <li key={key} className={classes.item}>
          <div className={classes.line}>
            {to ? <Link to={to}>{label}</Link> : <span>{label}</span>}
            <span className={classes.count}>{count}</span>
          </div>
          <div className={classes.track} aria-hidden>
            <div
              className={classes.bar}
              style={{
                width: `${(100 * count) / most}%`,
                background: tone
                  ? toneColour(theme, tone)
                  : theme.palette.primary.main,
              }}
            />
          </div>
        </li>
      ))}
    </ul>
  );
};
