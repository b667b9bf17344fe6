import type {
  AuditorService,
  HttpAuthService,
} from '@backstage/backend-plugin-api';
import type { CatalogService } from '@backstage/plugin-catalog-node';
import express from 'express';
import Router from 'express-promise-router';
import { AuthorizedClusters } from '../access/AuthorizedClusters';
import { AuthorizedFindings } from '../access/AuthorizedFindings';
import { AuthorizedServices } from '../access/AuthorizedServices';
import { addClusterRoutes } from './clusters';
import { addEntityRoutes } from './entities';
import { addFindingRoutes } from './findings';
import { addOpenApiRoute } from './openapi';
import { addServiceRoutes } from './services';

export interface RouterOptions {
  httpAuth: HttpAuthService;
  auditor: AuditorService;
  catalog: Pick<CatalogService, 'getEntityByRef'>;
  clusters: AuthorizedClusters;
  services: AuthorizedServices;
  findings: AuthorizedFindings;
}

/** Everything under `/api/mesh`. */
export function createRouter(options: RouterOptions): express.Router {
  const router = Router();
  addOpenApiRoute(router, options);
  addClusterRoutes(router, options);
  addServiceRoutes(router, options);
  addEntityRoutes(router, options);
  addFindingRoutes(router, options);
  return router;
}
