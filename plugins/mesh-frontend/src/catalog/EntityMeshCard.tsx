import { InfoCard } from '@backstage/core-components';
import { useEntity } from '@backstage/plugin-catalog-react';
import Typography from '@material-ui/core/Typography';
import { makeStyles } from '@material-ui/core/styles';
import {
  DataplaneName,
  LiveContent,
  ReadyCount,
  ServiceLinkName,
  SeverityCountsLabel,
  plural,
} from '../ui';
import { countSeverities, neediestFirst } from './neediestFirst';
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

/** The card of a component's overview: its services in a few lines. @public */
export const EntityMeshCard = () => {
  const classes = useStyles();
  const { entity } = useEntity();
  const live = useEntityServices(entity);
  return (
    <InfoCard title="Mesh">
      <LiveContent live={live} what="the services of this entity" lines={3}>
        {({ items, messages }) => (
          <Typography component="div" variant="body2">
            {items.length === 0 && (
              <>No service matches the annotations of this component.</>
            )}
            <ul className={classes.list}>
              {neediestFirst(items)
                .slice(0, shown)
                .map(service => (
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
          </Typography>
        )}
      </LiveContent>
    </InfoCard>
  );
};
