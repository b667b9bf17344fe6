import { createApp } from '@backstage/frontend-defaults';
import { Content } from '@backstage/core-components';
import {
  ApiBlueprint,
  PageBlueprint,
  createFrontendModule,
} from '@backstage/frontend-plugin-api';
import {
  CatalogApi,
  EntityProvider,
  catalogApiRef,
  entityRouteRef,
} from '@backstage/plugin-catalog-react';
import { ReactRouterV6PageRouter } from '@backstage/frontend-adapter-react-router-v6';
import ReactDOM from 'react-dom/client';
import '@backstage/cli/asset-types';
// This page is an app of its own.
// eslint-disable-next-line @backstage/no-ui-css-imports-in-non-frontend
import '@backstage/ui/css/styles.css';
import meshPlugin from '../src';
import { meshApiRef } from '../src/api';
import { EntityMeshCard } from '../src/catalog/EntityMeshCard';
import { EntityMeshContent } from '../src/catalog/EntityMeshContent';
import { devMeshApi } from './scenarios';

// The pages with mock data, for looking at them without a backend. Which data is
// chosen by `localStorage.scenario`; see scenarios.ts.

const entity = {
  apiVersion: 'backstage.io/v1alpha1',
  kind: 'Component',
  metadata: {
    name: 'cart',
    annotations: { 'backstage.io/kubernetes-id': 'cart' },
  },
  spec: { type: 'service', owner: 'checkout', lifecycle: 'production' },
};

const bareEntity = { ...entity, metadata: { name: 'cart' } };

const module_ = createFrontendModule({
  pluginId: 'mesh',
  extensions: [
    ApiBlueprint.make({
      params: defineParams =>
        defineParams({ api: meshApiRef, deps: {}, factory: devMeshApi }),
    }),
  ],
});

const devPages = createFrontendModule({
  pluginId: 'app',
  extensions: [
    ApiBlueprint.make({
      name: 'catalog',
      params: defineParams =>
        defineParams({
          api: catalogApiRef,
          deps: {},
          factory: () =>
            ({
              getEntitiesByRefs: async (request: { entityRefs: string[] }) => ({
                items: request.entityRefs.map(() => undefined),
              }),
              getEntityByRef: async () => undefined,
            } as unknown as CatalogApi),
        }),
    }),
    PageBlueprint.make({
      name: 'entity',
      params: {
        path: '/catalog/:namespace/:kind/:name',
        routeRef: entityRouteRef,
        title: 'Component cart',
        loader: async () => (
          <ReactRouterV6PageRouter>
            <EntityProvider
              entity={
                localStorage.getItem('scenario') === 'none'
                  ? bareEntity
                  : entity
              }
            >
              <Content>
                <div style={{ maxWidth: 420 }}>
                  <EntityMeshCard />
                </div>
              </Content>
              <EntityMeshContent />
            </EntityProvider>
          </ReactRouterV6PageRouter>
        ),
      },
    }),
  ],
});

ReactDOM.createRoot(document.getElementById('root')!).render(
  createApp({ features: [meshPlugin, module_, devPages] }).createRoot(),
);
