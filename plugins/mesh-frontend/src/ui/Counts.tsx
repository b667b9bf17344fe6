import { makeStyles } from '@material-ui/core/styles';
import { quietColour } from './tone';
import type { Unknown as UnknownValue } from '@mesh-for-backstage/plugin-mesh-common';
import { FactValue } from './Unknown';

const useStyles = makeStyles(theme => ({
  partial: {
    color: quietColour(theme),
    fontStyle: 'italic',
    fontWeight: 400,
  },
  number: { fontVariantNumeric: 'tabular-nums' },
}));

/** Marks a figure that does not cover everything. */
export const PartialMark = () => {
  const classes = useStyles();
  return <span className={classes.partial}> (partial)</span>;
};

/** `3 of 5 ready`; says when it does not cover everything, or is not known. */
export const ReadyCount = (props: {
  fact: { ready: number; total: number } | UnknownValue;
  word?: string;
  partial?: boolean;
}) => {
  const classes = useStyles();
  return (
    <FactValue fact={props.fact}>
      {({ ready, total }) => (
        <span className={classes.number}>
          {total === 0 ? 'none' : `${ready} of ${total}`}
          {props.word && total > 0 ? ` ${props.word}` : ''}
          {props.partial && <PartialMark />}
        </span>
      )}
    </FactValue>
  );
};

export const plural = (count: number, one: string, many = `${one}s`): string =>
  `${count.toLocaleString('en')} ${count === 1 ? one : many}`;

/** `42 services`, or `at least 42 services` where clusters are missing. */
export const total = (
  count: number,
  partial: boolean,
  one: string,
  many?: string,
): string => `${partial ? 'at least ' : ''}${plural(count, one, many)}`;
