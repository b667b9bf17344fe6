import {
  mockCredentials,
  mockErrorHandler,
  mockServices,
} from '@backstage/backend-test-utils';
import { Entity } from '@backstage/catalog-model';
import { catalogServiceMock } from '@backstage/plugin-catalog-node/testUtils';
import {
  AuthorizeResult,
  PermissionCondition,
  PermissionCriteria,
} from '@backstage/plugin-permission-common';
import { createConditionTransformer } from '@backstage/plugin-permission-node';
import { RESOURCE_TYPE_MESH_SERVICE } from '@mesh-for-backstage/plugin-mesh-common';
import {
  meshServicePermissionRules,
  meshServiceResourceRef,
} from '@mesh-for-backstage/plugin-mesh-node';
import express from 'express';
import { Knex } from 'knex';
import request from 'supertest';
import { AuthorizedClusters } from '../access/AuthorizedClusters';
import { AuthorizedFindings } from '../access/AuthorizedFindings';
import { AuthorizedServices } from '../access/AuthorizedServices';
import { PermissionRequests } from '../access/permissionRequests';
import { CatalogOwners } from '../owners/CatalogOwners';
import { createRouter } from '../routes/createRouter';
import { FleetClusters } from '../services/FleetClusters';
import { FleetFindings } from '../services/FleetFindings';
import { FleetServices } from '../services/FleetServices';
import { createTestStores, StoredFleet } from './fleet';

type Conditions = PermissionCriteria<
  PermissionCondition<typeof RESOURCE_TYPE_MESH_SERVICE>
>;

/** What a policy decides; a test changes it as it goes. */
export interface Decisions {
  fleet: boolean;
  services: boolean | Conditions;
}

const ruleset = {
  getRuleByName(name: string) {
    const rule = Object.values(meshServicePermissionRules).find(
      one => one.name === name,
    );
    if (!rule) throw new Error(`No rule ${name}`);
    return rule as any;
  },
};

/** The API over HTTP on a real database, with entities and decisions of the test's choosing. */
export async function createTestApi(
  database: Knex,
  options: { entities?: Entity[]; labelKeys?: string[] } = {},
) {
  const catalog = catalogServiceMock({ entities: options.entities ?? [] });
  const decisions: Decisions = { fleet: true, services: true };
  const auditor = mockServices.auditor.mock({
    createEvent: jest.fn(async () => ({
      success: jest.fn(async () => undefined),
      fail: jest.fn(async () => undefined),
    })),
  });
  // The analyser asks the owners, and these need its stores.
  const late: { owners?: CatalogOwners } = {};
  const stores = createTestStores(database, {
    owners: { prepare: () => late.owners!.prepare() },
  });
  const owners = CatalogOwners.create({
    ...stores,
    catalog,
    auth: mockServices.auth(),
    logger: mockServices.logger.mock(),
    labelKeys: options.labelKeys ?? [],
  });
  late.owners = owners;

  const requests = PermissionRequests.create({
    permissions: permissionsOf(decisions),
    toCriteria: createConditionTransformer(ruleset),
  });
  const clusters = FleetClusters.create(stores);
  const app = express();
  app.use(
    createRouter({
      httpAuth: mockServices.httpAuth({
        defaultCredentials: mockCredentials.user(),
      }),
      auditor,
      catalog,
      clusters: AuthorizedClusters.create({ clusters, requests }),
      services: AuthorizedServices.create({
        services: FleetServices.create({
          ...stores,
          entities: owners,
        }),
        requests,
      }),
      findings: AuthorizedFindings.create({
        findings: FleetFindings.create(stores),
        requests,
      }),
    }),
  );
  app.use(mockErrorHandler());
  return {
    ...stores,
    stored: new StoredFleet(stores),
    owners,
    auditor,
    catalog,
    decisions,
    app,
    get: (path: string) => request(app).get(path),
  };
}

function permissionsOf(decisions: Decisions) {
  return mockServices.permissions.mock({
    authorize: async () => [
      {
        result: decisions.fleet ? AuthorizeResult.ALLOW : AuthorizeResult.DENY,
      },
    ],
    authorizeConditional: async () => {
      const { services } = decisions;
      if (typeof services === 'boolean') {
        return [
          { result: services ? AuthorizeResult.ALLOW : AuthorizeResult.DENY },
        ];
      }
      return [
        {
          result: AuthorizeResult.CONDITIONAL,
          pluginId: meshServiceResourceRef.pluginId,
          resourceType: meshServiceResourceRef.resourceType,
          conditions: services,
        },
      ];
    },
  });
}
