import { useEntity } from '@backstage/plugin-catalog-react';
import Tab from '@material-ui/core/Tab';
import Tabs from '@material-ui/core/Tabs';
import Typography from '@material-ui/core/Typography';
import type {
  EntityServices,
  ServiceDetail,
} from '@mesh-for-backstage/plugin-mesh-common';
import { useId } from 'react';
import { useSearchParams } from 'react-router-dom';
import { LiveContent, Message, ServiceLinkName, Tone } from '../ui';
import { AnnotationLesson } from './AnnotationLesson';
import { ServiceView } from './ServiceView';
import { isMeshAvailable } from './isMeshAvailable';
import { neediestFirst } from './neediestFirst';
import { useEntityServices } from './useEntityServices';

const tones: Record<EntityServices['messages'][number]['level'], Tone> = {
  error: 'bad',
  warning: 'warning',
  info: 'info',
};

/** The tab **Mesh** of a component: its services in all clusters. @public */
export const EntityMeshContent = () => {
  const { entity } = useEntity();
  const live = useEntityServices(entity);
  return (
    <LiveContent live={live} what="the services of this entity" lines={12}>
      {({ items, messages }) => (
        <>
          {messages.map(({ level, annotation, text }, index) => (
            <Message key={index} tone={tones[level]}>
              {annotation && (
                <>
                  <code>{annotation}</code>:{' '}
                </>
              )}
              {text}
            </Message>
          ))}
          {items.length > 0 ? (
            <Services services={neediestFirst(items)} />
          ) : (
            <AnnotationLesson
              entity={entity}
              title={
                isMeshAvailable(entity)
                  ? 'No service matches the annotations of this component'
                  : 'This component does not say which services are its own'
              }
            />
          )}
        </>
      )}
    </LiveContent>
  );
};

const keyOf = ({ scope, namespace, name }: ServiceDetail) =>
  `${scope}/${namespace}/${name}`;

/** One service, or several as tabs; which one is chosen stands in the address. */
function Services(props: { services: ServiceDetail[] }) {
  const { services } = props;
  const id = useId();
  const [parameters, setParameters] = useSearchParams();
  const wanted = parameters.get('service');
  const chosen = services.find(one => keyOf(one) === wanted) ?? services[0];
  const panelId = `${id}-panel`;
  const choose = (key: string) => {
    const next = new URLSearchParams(parameters);
    next.set('service', key);
    setParameters(next, { replace: true });
  };
  // The same name in two scopes must be told apart.
  const label = (service: ServiceDetail) =>
    services.filter(
      ({ namespace, name }) =>
        namespace === service.namespace && name === service.name,
    ).length > 1
      ? keyOf(service)
      : `${service.namespace}/${service.name}`;
  return (
    <>
      {services.length > 1 ? (
        <>
          <Tabs
            value={keyOf(chosen)}
            onChange={(_, key) => choose(key)}
            variant="scrollable"
            indicatorColor="primary"
            aria-label="Services of this component"
          >
            {services.map(service => (
              <Tab
                key={keyOf(service)}
                value={keyOf(service)}
                id={`${id}-${keyOf(service)}`}
                aria-controls={service === chosen ? panelId : undefined}
                label={label(service)}
                style={{ textTransform: 'none', maxWidth: 'none' }}
              />
            ))}
          </Tabs>
          <div
            role="tabpanel"
            id={panelId}
            aria-labelledby={`${id}-${keyOf(chosen)}`}
            style={{ paddingTop: 16 }}
          >
            <ServiceView key={keyOf(chosen)} service={chosen} />
          </div>
        </>
      ) : (
        <>
          <Typography gutterBottom>
            Service{' '}
            <ServiceLinkName
              service={chosen}
              text={`${chosen.namespace}/${chosen.name}`}
            />{' '}
            in {chosen.scope}
          </Typography>
          <ServiceView service={chosen} />
        </>
      )}
    </>
  );
}
