import { makeStyles } from '@material-ui/core/styles';
import { quietColour } from './tone';
import type { Evidence } from '@mesh-for-backstage/plugin-mesh-common';

const useStyles = makeStyles(theme => ({
  list: { margin: 0, paddingLeft: theme.spacing(2.5) },
  item: { overflowWrap: 'anywhere' },
  code: { fontFamily: 'Menlo, Consolas, monospace', fontSize: '0.9em' },
  cluster: { color: quietColour(theme) },
}));

/** The objects and fields that a verdict was read from. */
export const EvidenceList = (props: { evidence: Evidence[] }) => {
  const classes = useStyles();
  if (props.evidence.length === 0) return <>No object is named.</>;
  return (
    <ul className={classes.list}>
      {props.evidence.map((one, index) => (
        <li key={index} className={classes.item}>
          <span className={classes.code}>
            {one.kind} {one.namespace ? `${one.namespace}/` : ''}
            {one.name}
          </span>{' '}
          <span className={classes.cluster}>in {one.cluster}</span>
          {one.field && (
            <>
              : <span className={classes.code}>{one.field}</span>
            </>
          )}
          {one.value !== undefined && (
            <>
              {' '}
              = <span className={classes.code}>{one.value}</span>
            </>
          )}
        </li>
      ))}
    </ul>
  );
};
