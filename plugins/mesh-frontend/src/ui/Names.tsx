import { Link } from '@backstage/core-components';
import { EntityRefLink } from '@backstage/plugin-catalog-react';
import { makeStyles } from '@material-ui/core/styles';
import { quietColour } from './tone';
import type {
  Dataplane,
  Unknown as UnknownValue,
} from '@mesh-for-backstage/plugin-mesh-common';
import { useMeshPaths } from '../routes';
import { FactValue } from './Unknown';
import { dataplanes } from './vocabulary';

const useStyles = makeStyles(theme => ({
  quiet: { color: quietColour(theme) },
}));

/** Whom something belongs to, by entity ref. */
export const Owner = (props: { owner?: string }) => {
  const classes = useStyles();
  return props.owner ? (
    <EntityRefLink entityRef={props.owner} defaultKind="group" hideIcon />
  ) : (
    <span className={classes.quiet}>no owner</span>
  );
};

export const ServiceLinkName = (props: {
  service: { scope: string; namespace: string; name: string };
  text?: string;
}) => {
  const { service, text = service.name } = props;
  const paths = useMeshPaths();
  return paths ? <Link to={paths.service(service)}>{text}</Link> : <>{text}</>;
};

export const ClusterLinkName = (props: { name: string; text?: string }) => {
  const { name, text = name } = props;
  const paths = useMeshPaths();
  return paths ? <Link to={paths.cluster(name)}>{text}</Link> : <>{text}</>;
};

/** How something takes part in a mesh. */
export const DataplaneName = (props: { fact: Dataplane | UnknownValue }) => (
  <FactValue fact={props.fact}>{value => dataplanes[value]}</FactValue>
);
