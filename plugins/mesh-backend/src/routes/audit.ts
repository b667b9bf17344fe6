import type { AuditorService } from '@backstage/backend-plugin-api';
import type { JsonObject } from '@backstage/types';
import type { Request } from 'express';

/** Runs what a request asks for, and tells the audit log that it was asked for and how it ended. */
export async function audited<T>(
  auditor: AuditorService,
  event: { eventId: string; request: Request; meta: JsonObject },
  run: () => Promise<T>,
): Promise<T> {
  const audit = await auditor.createEvent({
    eventId: event.eventId,
    severityLevel: 'low',
    request: event.request as any,
    meta: event.meta,
  });
  try {
    const result = await run();
    await audit.success();
    return result;
  } catch (error) {
    await audit.fail({ error: error as Error });
    throw error;
  }
}
