import { Config, readDurationFromConfig } from '@backstage/config';
import { durationToMilliseconds, HumanDuration } from '@backstage/types';

/** What of `mesh` in app-config concerns neither sources of clusters nor how they are collected. */
export interface MeshSettings {
  /** Whether this replica watches clusters. */
  collects: boolean;
  /** Whether this replica draws what has changed. */
  analyses: boolean;
  /** Keys of labels that name the owner of a service, in order. */
  ownerLabels: string[];
  ownersInterval: HumanDuration;
  keepResolvedDays: number;
}

/** Throws an error that names the key and what it should be. */
export function readMeshSettings(config: Config): MeshSettings {
  return {
    collects: config.getOptionalBoolean('mesh.collect.enabled') ?? true,
    analyses: config.getOptionalBoolean('mesh.analyse.enabled') ?? true,
    ownerLabels: config.getOptionalStringArray('mesh.ownership.labels') ?? [],
    ownersInterval: readInterval(config, 'mesh.owners.refreshInterval'),
    keepResolvedDays: readDays(config, 'mesh.findings.keepResolvedDays'),
  };
}

function readInterval(config: Config, key: string): HumanDuration {
  if (!config.has(key)) return { seconds: 60 };
  const duration = readDurationFromConfig(config, { key });
  if (durationToMilliseconds(duration) < 5_000) {
    throw new Error(`${key} is too short: the least is 5 seconds`);
  }
  return duration;
}

function readDays(config: Config, key: string): number {
  const days = config.getOptionalNumber(key) ?? 90;
  if (!(days >= 1 && days <= 3_650)) {
    throw new Error(`${key} is ${days}; it takes a number from 1 to 3650`);
  }
  return days;
}
