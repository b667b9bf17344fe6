import { ReactNode } from 'react';
import { makeStyles } from '@material-ui/core/styles';
import { quietColour } from './tone';
import type { Unknown as UnknownValue } from '@mesh-for-backstage/plugin-mesh-common';

const reasons: Record<UnknownValue['unknown'], string> = {
  forbidden: 'no permission to read it',
  'absent-api': 'the API is not installed',
  unreachable: 'the cluster does not answer',
  stale: 'the data is too old',
  'not-reported': 'nothing reports it',
};

export const isUnknown = (value: unknown): value is UnknownValue =>
  typeof value === 'object' && value !== null && 'unknown' in value;

/** Why a value is not known, in words. */
export const unknownReason = (value: UnknownValue): string =>
  value.detail ?? reasons[value.unknown];

const useStyles = makeStyles(theme => ({
  root: { color: quietColour(theme), fontStyle: 'italic' },
}));

/** Stands where a value is not known: grey, and says why. */
export const Unknown = (props: { value: UnknownValue }) => {
  const classes = useStyles();
  return (
    <span className={classes.root}>unknown: {unknownReason(props.value)}</span>
  );
};

/** A fact: the value as `children` draws it, or why it is not known. */
export function FactValue<T>(props: {
  fact: T | UnknownValue;
  children?: (value: T) => ReactNode;
}) {
  const { fact, children } = props;
  if (isUnknown(fact)) return <Unknown value={fact} />;
  return <>{children ? children(fact) : String(fact)}</>;
}
