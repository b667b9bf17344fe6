import { createBackend } from '@backstage/backend-defaults';
import {
  coreServices,
  createServiceFactory,
  LoggerService,
  RootLoggerService,
} from '@backstage/backend-plugin-api';
import { InMemoryCatalogClient } from '@backstage/catalog-client/testUtils';
import type { Entity } from '@backstage/catalog-model';
import { ConfigReader } from '@backstage/config';
import { catalogServiceRef } from '@backstage/plugin-catalog-node';
import type { JsonObject } from '@backstage/types';
import { answerCalls } from './Child';

export interface PortalOptions {
  config: JsonObject;
  entities: Entity[];
  /** Runs the Kubernetes plugin's backend beside ours. */
  kubernetes: boolean;
}

/**
 * Backstage's own logger compiles the configuration schemas of all packages at start,
 * to know what it must not print. That leaves some 200 MB in the process, which would
 * hide what is measured here.
 */
const logger: LoggerService = {
  error: (message, meta) =>
    process.stderr.write(`portal: ${message} ${describe(meta)}\n`),
  warn: () => {},
  info: () => {},
  debug: () => {},
  child: () => logger,
};

function describe(meta: Error | JsonObject | undefined): string {
  return meta instanceof Error ? String(meta.stack) : '';
}

answerCalls({
  async start({ config, entities, kubernetes }: PortalOptions) {
    const backend = createBackend();
    backend.add(
      createServiceFactory({
        service: coreServices.rootConfig,
        deps: {},
        factory: () => new ConfigReader(config),
      }),
    );
    backend.add(
      createServiceFactory({
        service: coreServices.rootLogger,
        deps: {},
        factory: () => logger as RootLoggerService,
      }),
    );
    backend.add(
      createServiceFactory({
        service: catalogServiceRef,
        deps: {},
        factory: () => new InMemoryCatalogClient({ entities }),
      }),
    );
    // What is measured is the plugin as a portal runs it.
    // eslint-disable-next-line @backstage/no-mixed-plugin-imports
    backend.add(import('@mesh-for-backstage/plugin-mesh-backend'));
    if (kubernetes) {
      backend.add(import('@backstage/plugin-kubernetes-backend'));
    }
    await backend.start();
  },
});
