import { Config, readDurationFromConfig } from '@backstage/config';
import { durationToMilliseconds } from '@backstage/types';
import { z } from 'zod';

/** How clusters are collected; see `mesh.collect` in config.d.ts. */
export interface CollectSettings {
  /** How often a cluster is asked which kinds it serves. */
  discoveryIntervalMs: number;
  /** Objects in a page of a list. */
  pageSize: number;
  /** Pages that are fetched, parsed and written at a time, by all collectors of this process together. */
  concurrentPages: number;
  /** The same for one cluster, so that a slow one cannot take them all. */
  concurrentPagesPerCluster: number;
  maxPageBytes: number;
  /** After how long without a sign of life a kind is no longer current. */
  staleAfterMs: number;
  /** Span from which the duration of a watch is drawn. */
  watchTimeoutMs: [number, number];
  /** A watch that lasts for less counts as a failure. */
  stableWatchMs: number;
  connectTimeoutMs: number;
  requestTimeoutMs: number;
  /** How long to wait before trying again what is forbidden. */
  forbiddenRetryMs: number;
  backoff: { baseMs: number; capMs: number };
  /** How often the last sign of life is stored. */
  asOfIntervalMs: number;
  /** How long changes are gathered before they are written. */
  writeDelayMs: number;
  systemNamespaces: string[];
  /** Kinds that are off unless switched on, by their key under `mesh.collect`. */
  optIns: ReadonlySet<string>;
}

export const defaultCollectSettings: CollectSettings = {
  discoveryIntervalMs: 60_000,
  pageSize: 500,
  concurrentPages: 6,
  concurrentPagesPerCluster: 2,
  maxPageBytes: 96 * 1024 * 1024,
  staleAfterMs: 150_000,
  watchTimeoutMs: [240_000, 360_000],
  stableWatchMs: 5_000,
  connectTimeoutMs: 10_000,
  requestTimeoutMs: 30_000,
  forbiddenRetryMs: 60_000,
  backoff: { baseMs: 1_000, capMs: 60_000 },
  asOfIntervalMs: 30_000,
  writeDelayMs: 50,
  systemNamespaces: ['istio-system', 'kube-system'],
  optIns: new Set(),
};

const plain = z.looseObject({
  pageSize: z.number().int().min(1).max(5_000).optional(),
  concurrentPages: z.number().int().min(1).max(64).optional(),
  systemNamespaces: z
    .array(z.string().regex(/^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/))
    .optional(),
  remoteSecretMetadata: z.boolean().optional(),
});

const known = new Set([
  'enabled',
  'pageSize',
  'concurrentPages',
  'systemNamespaces',
  'remoteSecretMetadata',
  'discoveryInterval',
  'staleAfter',
  'requestTimeout',
  'forbiddenRetryInterval',
]);

/** Reads `mesh.collect`. Throws an error that names the key and what it should be. */
export function readCollectSettings(config: Config): CollectSettings {
  const collect = config.getOptionalConfig('mesh.collect');
  if (!collect) return defaultCollectSettings;
  const unknownKey = collect.keys().find(key => !known.has(key));
  if (unknownKey !== undefined) {
    throw new Error(
      `mesh.collect.${unknownKey} is not a key; known are ${[...known]
        .sort()
        .join(', ')}`,
    );
  }
  const parsed = plain.safeParse(collect.get());
  if (!parsed.success) {
    const issue = parsed.error.issues[0];
    throw new Error(
      `mesh.collect.${issue.path.join('.')} is wrong: ${issue.message}`,
    );
  }
  const values = parsed.data;
  const duration = (key: string, fallback: number, leastMs: number) => {
    if (!collect.has(key)) return fallback;
    const milliseconds = durationToMilliseconds(
      readDurationFromConfig(collect, { key }),
    );
    if (milliseconds < leastMs) {
      throw new Error(
        `mesh.collect.${key} is ${milliseconds} ms; the least is ${leastMs} ms`,
      );
    }
    return milliseconds;
  };
  const defaults = defaultCollectSettings;
  return {
    ...defaults,
    discoveryIntervalMs: duration(
      'discoveryInterval',
      defaults.discoveryIntervalMs,
      1_000,
    ),
    // Bookmarks come about once a minute: less would take every lull for a loss.
    staleAfterMs: duration('staleAfter', defaults.staleAfterMs, 90_000),
    requestTimeoutMs: duration(
      'requestTimeout',
      defaults.requestTimeoutMs,
      1_000,
    ),
    forbiddenRetryMs: duration(
      'forbiddenRetryInterval',
      defaults.forbiddenRetryMs,
      1_000,
    ),
    pageSize: values.pageSize ?? defaults.pageSize,
    concurrentPages: values.concurrentPages ?? defaults.concurrentPages,
    systemNamespaces: values.systemNamespaces ?? defaults.systemNamespaces,
    optIns: new Set(
      values.remoteSecretMetadata ? ['remoteSecretMetadata'] : [],
    ),
  };
}
