import { LoggerService, SchedulerService } from '@backstage/backend-plugin-api';
import { setTimeout as delay } from 'timers/promises';
import { MeshSettings } from '../settings';
import { CatalogOwners } from './CatalogOwners';

/** While the portal starts, the catalog may not answer yet: how long to wait between tries. */
const RETRY_MILLISECONDS = [1_000, 2_000, 4_000, 8_000, 16_000];

/** Reads the catalog at intervals, on every replica that draws services. */
export async function scheduleOwners(options: {
  scheduler: SchedulerService;
  owners: CatalogOwners;
  logger: LoggerService;
  settings: MeshSettings;
}): Promise<void> {
  const { scheduler, owners, logger, settings } = options;
  await scheduler.scheduleTask({
    id: 'mesh-refresh-owners',
    scope: 'local',
    frequency: settings.ownersInterval,
    timeout: { minutes: 10 },
    fn: async signal => {
      for (const wait of [...RETRY_MILLISECONDS, undefined]) {
        if (signal.aborted) return;
        try {
          await owners.refresh();
          return;
        } catch (error) {
          if (wait === undefined) {
            logger.warn(
              'The catalog could not be read; owners and entities of services stay as they are until the next try',
              error as Error,
            );
            return;
          }
          await delay(wait, undefined, { signal }).catch(() => undefined);
        }
      }
    },
  });
}
