import { Content } from '@backstage/core-components';
import { useApi } from '@backstage/core-plugin-api';
import { useParams } from 'react-router-dom';
import { meshApiRef } from '../api';
import { useLive } from '../live/useLive';
import { useMeshPaths } from '../routes';
import { LiveContent, PageTitle } from '../ui';
import { ServiceView } from './ServiceView';

/** One service of the fleet, at an address of its own. */
export const ServicePage = () => {
  const { scope = '', namespace = '', name = '' } = useParams();
  return (
    <Service
      key={`${scope}/${namespace}/${name}`}
      scope={scope}
      namespace={namespace}
      name={name}
    />
  );
};

function Service(props: { scope: string; namespace: string; name: string }) {
  const { scope, namespace, name } = props;
  const api = useApi(meshApiRef);
  const paths = useMeshPaths();
  const live = useLive(
    `service ${scope}/${namespace}/${name}`,
    () => api.getService(scope, namespace, name),
    ['services', 'findings'],
  );
  return (
    <Content>
      <PageTitle
        title={`${namespace}/${name}`}
        under={`in ${scope}`}
        parent={paths && { to: paths.services(), text: 'Services' }}
      />
      <LiveContent
        live={live}
        what={`the service ${namespace}/${name}`}
        lines={12}
      >
        {service => <ServiceView service={service} />}
      </LiveContent>
    </Content>
  );
}
