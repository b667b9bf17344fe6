import { fetchApiRef } from '@backstage/core-plugin-api';
import {
  ApiBlueprint,
  PageBlueprint,
  SubPageBlueprint,
  createFrontendPlugin,
} from '@backstage/frontend-plugin-api';
import {
  EntityCardBlueprint,
  EntityContentBlueprint,
} from '@backstage/plugin-catalog-react/alpha';
import { MeshClient } from '@mesh-for-backstage/plugin-mesh-common';
import DeviceHubIcon from '@material-ui/icons/DeviceHub';
import { meshApiRef } from './api';
import { meshEntityFilter } from './catalog/isMeshAvailable';
import { rootRouteRef } from './routes';

const meshApi = ApiBlueprint.make({
  params: defineParams =>
    defineParams({
      api: meshApiRef,
      deps: { fetchApi: fetchApiRef },
      factory: ({ fetchApi }) =>
        new MeshClient({ baseUrl: 'plugin://mesh', fetch: fetchApi.fetch }),
    }),
});

const meshPage = PageBlueprint.make({
  params: {
    path: '/mesh',
    routeRef: rootRouteRef,
    title: 'Mesh',
    icon: <DeviceHubIcon fontSize="inherit" />,
  },
});

// The page layout of the new frontend system has no main landmark of its own.
const inMain = (page: JSX.Element) => <main>{page}</main>;

const overviewPage = SubPageBlueprint.make({
  name: 'overview',
  params: {
    path: 'overview',
    title: 'Overview',
    loader: () => import('./pages').then(m => inMain(<m.OverviewSubPage />)),
  },
});

const servicesPage = SubPageBlueprint.make({
  name: 'services',
  params: {
    path: 'services',
    title: 'Services',
    loader: () => import('./pages').then(m => inMain(<m.ServicesSubPage />)),
  },
});

const clustersPage = SubPageBlueprint.make({
  name: 'clusters',
  params: {
    path: 'clusters',
    title: 'Clusters',
    loader: () => import('./pages').then(m => inMain(<m.ClustersSubPage />)),
  },
});

const findingsPage = SubPageBlueprint.make({
  name: 'findings',
  params: {
    path: 'findings',
    title: 'Findings',
    loader: () => import('./pages').then(m => inMain(<m.FindingsSubPage />)),
  },
});

const entityMeshContent = EntityContentBlueprint.make({
  params: {
    path: 'mesh',
    title: 'Mesh',
    group: 'operation',
    icon: <DeviceHubIcon fontSize="inherit" />,
    filter: meshEntityFilter,
    loader: () =>
      import('./catalog/EntityMeshContent').then(m => <m.EntityMeshContent />),
  },
});

const entityMeshCard = EntityCardBlueprint.make({
  params: {
    type: 'info',
    filter: meshEntityFilter,
    loader: () =>
      import('./catalog/EntityMeshCard').then(m => <m.EntityMeshCard />),
  },
});

/**
 * Mesh in the new frontend system: the pages under /mesh, and the tab and card of
 * a component.
 *
 * @public
 */
export const meshPlugin = createFrontendPlugin({
  pluginId: 'mesh',
  title: 'Mesh',
  icon: <DeviceHubIcon fontSize="inherit" />,
  info: { packageJson: () => import('../package.json') },
  routes: { root: rootRouteRef },
  extensions: [
    meshApi,
    meshPage,
    overviewPage,
    servicesPage,
    clustersPage,
    findingsPage,
    entityMeshContent,
    entityMeshCard,
  ],
});
