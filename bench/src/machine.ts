import { readFileSync } from 'node:fs';
import {
  availableParallelism,
  cpus,
  loadavg,
  platform,
  totalmem,
} from 'node:os';
import { join } from 'node:path';

/** Where and with what the figures were taken. Without these they say nothing. */
export function describeMachine() {
  return {
    platform: platform(),
    cpu: cpus()[0]?.model ?? 'unknown',
    cores: availableParallelism(),
    memoryGiB: Number((totalmem() / 1024 ** 3).toFixed(1)),
    /** Other work on the machine shows here. */
    loadAverageAtStart: loadavg()[0],
    node: process.version,
  };
}

export function describeVersions() {
  return Object.fromEntries(
    [
      '@backstage/backend-defaults',
      '@backstage/plugin-kubernetes-backend',
      '@kubernetes/client-node',
      '@mesh-for-backstage/plugin-mesh-backend',
      'better-sqlite3',
    ].map(name => [name, versionOf(name)]),
  );
}

function versionOf(name: string): string {
  for (const path of require.resolve.paths(name) ?? []) {
    try {
      const manifest = join(path, name, 'package.json');
      return JSON.parse(readFileSync(manifest, 'utf8')).version;
    } catch {
      // Not in this folder; the next one up may have it.
    }
  }
  return 'unknown';
}
