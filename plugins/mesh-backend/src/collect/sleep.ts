import { setTimeout as wait } from 'node:timers/promises';

/** Waits, and returns early without an error when the signal is aborted. */
export async function sleep(
  milliseconds: number,
  signal: AbortSignal,
): Promise<void> {
  if (signal.aborted) return;
  await wait(milliseconds, undefined, { signal }).catch(() => undefined);
}
