import { SchedulerService } from '@backstage/backend-plugin-api';
import { MeshSettings } from '../settings';
import { FindingStore } from './FindingStore';

/** Once a day, on one replica: findings that were resolved long ago are forgotten. */
export async function scheduleForgetting(options: {
  scheduler: SchedulerService;
  findings: FindingStore;
  settings: MeshSettings;
}): Promise<void> {
  const { scheduler, findings, settings } = options;
  await scheduler.scheduleTask({
    id: 'mesh-forget-resolved-findings',
    frequency: { hours: 24 },
    timeout: { minutes: 10 },
    initialDelay: { minutes: 5 },
    fn: async () => {
      const before = new Date(
        Date.now() - settings.keepResolvedDays * 24 * 3_600_000,
      );
      await findings.forgetResolved(before.toISOString());
    },
  });
}
