import { ReactNode } from 'react';
import { Link } from '@backstage/core-components';
import { makeStyles } from '@material-ui/core/styles';
import type { StoredFinding } from '@mesh-for-backstage/plugin-mesh-common';
import {
  Age,
  EvidenceList,
  Fix,
  ServiceLinkName,
  actors,
  quietColour,
} from '../ui';

const useStyles = makeStyles(theme => ({
  root: { maxWidth: 900 },
  term: {
    fontSize: '0.85rem',
    fontWeight: 600,
    color: quietColour(theme),
    margin: theme.spacing(1.5, 0, 0.25),
  },
  detail: { margin: 0, overflowWrap: 'anywhere' },
}));

/** All of a finding: what is wrong, what it was read from, what to do, who, and since when. */
export const FindingDetails = (props: {
  finding: StoredFinding;
  /** Left out where the page is about that service already. */
  withService?: boolean;
}) => {
  const { finding, withService } = props;
  const classes = useStyles();
  const facts: Array<[string, ReactNode] | false> = [
    ['What is wrong', finding.message],
    finding.fix !== undefined && ['What to do', <Fix fix={finding.fix} />],
    ['Who acts', actors[finding.actor]],
    ['Read from', <EvidenceList evidence={finding.evidence} />],
    withService === true &&
      finding.service !== undefined && [
        'Service',
        <ServiceLinkName
          service={finding.service}
          text={`${finding.service.namespace}/${finding.service.name}`}
        />,
      ],
    [
      'Seen',
      <>
        <Age at={finding.firstSeen} prefix="first" />,{' '}
        <Age at={finding.lastSeen} prefix="last" />
        {finding.resolvedAt && (
          <>
            , <Age at={finding.resolvedAt} prefix="resolved" />
          </>
        )}
      </>,
    ],
    [
      'Rule',
      <>
        {finding.rule}
        {finding.equivalents &&
          finding.equivalents.length > 0 &&
          ` (also known as ${finding.equivalents.join(', ')})`}
        {finding.docs && (
          <>
            {' '}
            · <Link to={finding.docs}>Read more</Link>
          </>
        )}
      </>,
    ],
  ];
  return (
    <dl className={classes.root} style={{ marginTop: 0, marginBottom: 0 }}>
      {facts.map(
        fact =>
          fact && (
            <div key={fact[0]}>
              <dt className={classes.term}>{fact[0]}</dt>
              <dd className={classes.detail}>{fact[1]}</dd>
            </div>
          ),
      )}
    </dl>
  );
};
