import { Fragment } from 'react';
import { ClusterLinkName } from '../ui';

/** More names than this are folded up. */
const mostNames = 6;
/** As many exceptions are named, where nearly all are meant. */
const mostExceptions = 3;

const List = (props: { names: readonly string[] }) => (
  <>
    {props.names.map((name, index) => (
      <Fragment key={name}>
        {index > 0 && ', '}
        <ClusterLinkName name={name} />
      </Fragment>
    ))}
  </>
);

/**
 * Some of a service's clusters: by their names where they are few; where they are many,
 * as all of them, all with exceptions, or a number that unfolds.
 */
export const ClusterSetName = (props: {
  names: readonly string[];
  /** What `all` means. */
  of?: readonly string[];
  all?: string;
}) => {
  const { names, of = [], all = `all ${of.length} clusters` } = props;
  if (names.length <= mostNames) return <List names={names} />;
  const named = new Set(names);
  const exceptions = of.filter(name => !named.has(name));
  if (of.length > 0 && exceptions.length === 0) return <>{all}</>;
  if (exceptions.length > 0 && exceptions.length <= mostExceptions) {
    return (
      <>
        {all} but <List names={exceptions} />
      </>
    );
  }
  return (
    <details>
      <summary>{names.length} clusters</summary>
      <List names={names} />
    </details>
  );
};
