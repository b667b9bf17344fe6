/**
 * The mesh plugin for apps of the old frontend system.
 *
 * @packageDocumentation
 */
import {
  createApiFactory,
  createComponentExtension,
  createPlugin,
  createRoutableExtension,
  fetchApiRef,
} from '@backstage/core-plugin-api';
import { MeshClient } from '@mesh-for-backstage/plugin-mesh-common';
import { meshApiRef } from './api';
import { rootRouteRef } from './routes';

export { meshApiRef } from './api';
export type { MeshApi } from './api';
export { isMeshAvailable } from './catalog/isMeshAvailable';

/** @public */
export const meshPlugin = createPlugin({
  id: 'mesh',
  routes: { root: rootRouteRef },
  apis: [
    createApiFactory({
      api: meshApiRef,
      deps: { fetchApi: fetchApiRef },
      factory: ({ fetchApi }) =>
        new MeshClient({ baseUrl: 'plugin://mesh', fetch: fetchApi.fetch }),
    }),
  ],
});

/** The pages of /mesh. @public */
export const MeshPage = meshPlugin.provide(
  createRoutableExtension({
    name: 'MeshPage',
    component: () => import('./LegacyMeshPage').then(m => m.LegacyMeshPage),
    mountPoint: rootRouteRef,
  }),
);

/** The tab of a component; show it where `isMeshAvailable`. @public */
export const EntityMeshContent = meshPlugin.provide(
  createComponentExtension({
    name: 'EntityMeshContent',
    component: {
      lazy: () =>
        import('./catalog/EntityMeshContent').then(m => m.EntityMeshContent),
    },
  }),
);

/** The card of a component's overview; show it where `isMeshAvailable`. @public */
export const EntityMeshCard = meshPlugin.provide(
  createComponentExtension({
    name: 'EntityMeshCard',
    component: {
      lazy: () =>
        import('./catalog/EntityMeshCard').then(m => m.EntityMeshCard),
    },
  }),
);
