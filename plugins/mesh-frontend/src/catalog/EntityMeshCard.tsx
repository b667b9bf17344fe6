import { InfoCard } from '@backstage/core-components';
import { useEntity } from '@backstage/plugin-catalog-react';
import { makeStyles } from '@material-ui/core/styles';
import type {
  ServiceDetail,
  SeverityCounts,
} from '@mesh-for-backstage/plugin-mesh-common';
import {
  DataplaneName,
  LiveContent,
  ReadyCount,
  ServiceLinkName,
  SeverityCountsLabel,
  plural,
} from '../ui';
import { useEntityServices } from './useEntityServices';

const useStyles = makeStyles(theme => ({
  list: { listStyle: 'none', margin: 0, padding: 0 },
  item: {
    padding: theme.spacing(1, 0),
    borderTop: `1px solid ${theme.palette.divider}`,
    overflowWrap: 'anywhere',
    '&:first-child': { borderTop: 0, paddingTop: 0 },
  },
}));

const shown = 5;

export const countSeverities = (
  findings: ServiceDetail['findings'],
): SeverityCounts => {
  const counts = { error: 0, warning: 0, info: 0 };
  for (const { severity, resolvedAt } of findings) {
    if (!resolvedAt) counts[severity] += 1;
  }
  return counts;
};

/** The card of a component's overview: its services in a few lines. @public */
export const EntityMeshCard = () => {
  const classes = useStyles();
  const { entity } = useEntity();
  const live = useEntityServices(entity);
  return (
    <InfoCard title="Mesh">
      <LiveContent live={live} what="the services of this entity" lines={3}>
        {({ items, messages }) => (
          <>
            {items.length === 0 && (
              <>No service matches the annotations of this component.</>
            )}
            <ul className={classes.list}>
              {items.slice(0, shown).map(service => (
                <li
                  key={`${service.scope}/${service.namespace}/${service.name}`}
                  className={classes.item}
                >
                  <div>
                    <ServiceLinkName
                      service={service}
                      text={`${service.namespace}/${service.name}`}
                    />{' '}
                    in{' '}
                    {plural(
                      new Set(service.instances.map(({ cluster }) => cluster))
                        .size,
                      'cluster',
                    )}
                  </div>
                  <div>
                    <ReadyCount
                      fact={service.endpoints}
                      word="endpoints ready"
                      partial={service.partial}
                    />
                    , mesh mode: <DataplaneName fact={service.dataplane} />
                  </div>
                  <div>
                    Findings:{' '}
                    <SeverityCountsLabel
                      counts={countSeverities(service.findings)}
                      partial={service.partial}
                    />
                  </div>
                </li>
              ))}
            </ul>
            {items.length > shown && (
              <>and {items.length - shown} more on the tab Mesh.</>
            )}
            {messages.map(({ text }, index) => (
              <div key={index}>{text}</div>
            ))}
          </>
        )}
      </LiveContent>
    </InfoCard>
  );
};
