import {
  coreServices,
  createBackendPlugin,
  LoggerService,
} from '@backstage/backend-plugin-api';
import { catalogServiceRef } from '@backstage/plugin-catalog-node';
import { createConditionTransformer } from '@backstage/plugin-permission-node';
import { signalsServiceRef } from '@backstage/plugin-signals-node';
import {
  meshFleetReadPermission,
  meshServiceReadPermission,
} from '@mesh-for-backstage/plugin-mesh-common';
import {
  MeshClusterSource,
  meshClusterSourcesExtensionPoint,
  meshServicePermissionRules,
  meshServiceResourceRef,
} from '@mesh-for-backstage/plugin-mesh-node';
import { randomUUID } from 'crypto';
import { AuthorizedClusters } from './access/AuthorizedClusters';
import { AuthorizedFindings } from './access/AuthorizedFindings';
import { AuthorizedServices } from './access/AuthorizedServices';
import { PermissionRequests } from './access/permissionRequests';
import { Analyser } from './analyse/Analyser';
import { Signals } from './analyse/Signals';
import { createClusterSources } from './clusters';
import { Collectors, readCollectSettings } from './collect';
import { CatalogOwners } from './owners/CatalogOwners';
import { scheduleOwners } from './owners/scheduleOwners';
import { createRouter } from './routes/createRouter';
import { FleetClusters } from './services/FleetClusters';
import { FleetFindings } from './services/FleetFindings';
import { FleetServices } from './services/FleetServices';
import { readMeshSettings } from './settings';
import { createStores } from './store/createStores';
import { openDatabase } from './store/openDatabase';
import { scheduleForgetting } from './store/scheduleForgetting';

/**
 * Watches all clusters, stores and judges what they hold, and serves it.
 *
 * @public
 */
export const meshPlugin = createBackendPlugin({
  pluginId: 'mesh',
  register(env) {
    const moduleSources: MeshClusterSource[] = [];
    env.registerExtensionPoint(meshClusterSourcesExtensionPoint, {
      addClusterSource: source => moduleSources.push(source),
    });

    env.registerInit({
      deps: {
        auditor: coreServices.auditor,
        auth: coreServices.auth,
        catalog: catalogServiceRef,
        config: coreServices.rootConfig,
        database: coreServices.database,
        httpAuth: coreServices.httpAuth,
        httpRouter: coreServices.httpRouter,
        lifecycle: coreServices.lifecycle,
        logger: coreServices.logger,
        permissions: coreServices.permissions,
        permissionsRegistry: coreServices.permissionsRegistry,
        scheduler: coreServices.scheduler,
        signals: signalsServiceRef,
      },
      async init(deps) {
        const { config, lifecycle, logger } = deps;
        const settings = readMeshSettings(config);
        const database = await openDatabase(deps.database);
        const instanceId = randomUUID();
        const stores = createStores({ database, instanceId });
        const signals = Signals.create({ signals: deps.signals, logger });
        const owners = CatalogOwners.create({
          ...stores,
          catalog: deps.catalog,
          auth: deps.auth,
          logger,
          labelKeys: settings.ownerLabels,
        });

        deps.permissionsRegistry.addPermissions([meshFleetReadPermission]);
        deps.permissionsRegistry.addResourceType({
          resourceRef: meshServiceResourceRef,
          permissions: [meshServiceReadPermission],
          rules: Object.values(meshServicePermissionRules),
          getResources: ids => stores.services.resources(ids),
        });
        const requests = PermissionRequests.create({
          permissions: deps.permissions,
          toCriteria: createConditionTransformer(
            deps.permissionsRegistry.getPermissionRuleset(
              meshServiceResourceRef,
            ),
          ),
        });
        const clusters = FleetClusters.create(stores);
        deps.httpRouter.use(
          createRouter({
            httpAuth: deps.httpAuth,
            auditor: deps.auditor,
            catalog: deps.catalog,
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

        if (settings.analyses) {
          const analyser = Analyser.create({
            ...stores,
            logger,
            owners,
            ownerLabels: settings.ownerLabels,
            onChange: topics => signals.tell(topics),
          });
          await scheduleOwners({ ...deps, owners, settings });
          await scheduleForgetting({ ...deps, ...stores, settings });
          lifecycle.addStartupHook(() => analyser.start());
          lifecycle.addShutdownHook(() => analyser.stop());
        }
        const collectors = settings.collects
          ? whereConfigured(logger, () => {
              const collectSettings = readCollectSettings(config);
              return Collectors.create({
                sources: createClusterSources({
                  ...deps,
                  sources: moduleSources,
                  systemNamespaces: collectSettings.systemNamespaces,
                }),
                clusterStore: stores.clusters,
                objectStore: stores.objects,
                settings: collectSettings,
                logger,
                instanceId,
                onChanged: () => signals.tell(['clusters']),
              });
            })
          : undefined;
        if (collectors) {
          lifecycle.addStartupHook(() => collectors.start());
          lifecycle.addShutdownHook(() => collectors.stop());
        }
        lifecycle.addShutdownHook(() => signals.stop());
      },
    });
  },
});

/**
 * A mistake in the configuration of clusters stops collecting, and says where it is;
 * what was collected before is served all the same.
 */
function whereConfigured(
  logger: LoggerService,
  create: () => Collectors,
): Collectors | undefined {
  try {
    return create();
  } catch (error) {
    logger.error(
      `No cluster is watched until the configuration is put right: ${
        (error as Error).message
      }`,
    );
    return undefined;
  }
}
