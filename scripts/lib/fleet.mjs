import fs from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { readAsGuest } from './guest.mjs';
import { NODE_TRANSFORM, ROOT } from './paths.mjs';
import { Problem } from './problem.mjs';
import { onUnexpectedEnd, startServer } from './processes.mjs';
import { say, step } from './progress.mjs';

/** Real control planes may have to be built first. */
const READY_MS = { simulated: 120_000, real: 3_600_000 };
/** How long the portal may take to read a cluster that then goes away. */
const FIRST_SYNC_MS = 120_000;

const withoutPrefix = log =>
  fs
    .readFileSync(log, 'utf8')
    .trim()
    .split('\n')
    .at(-1)
    .replace(/^error: /, '');

/** What fleet.yaml adds to the portal's configuration, as a file for it to load. */
function writeConfig(dir, stateDir) {
  const { parse, stringify } = createRequire(
    path.join(ROOT, 'e2e/package.json'),
  )('yaml');
  const { config = {} } = parse(
    fs.readFileSync(path.join(dir, 'fleet.yaml'), 'utf8'),
  );
  const file = path.join(stateDir, 'app-config.fleet.yaml');
  fs.writeFileSync(file, stringify(config));
  return file;
}

/** Starts the API servers of the demo fleet, as a process of their own. */
export async function startFleet({ stateDir, real, onEnd }) {
  const dir = path.join(ROOT, 'fleets/demo');
  const log = path.join(stateDir, 'fleet.log');
  const ready = path.join(stateDir, 'fleet.json');
  fs.rmSync(ready, { force: true });

  await step(
    `Starting the demo fleet${real ? ' on real control planes' : ''}`,
    async () => {
      const fleet = startServer(
        [
          '--require',
          NODE_TRANSFORM,
          'scripts/demoFleet.ts',
          ...['--dir', dir, '--state', stateDir],
          ...(real ? ['--real'] : []),
        ],
        { log },
      );
      const deadline = Date.now() + (real ? READY_MS.real : READY_MS.simulated);
      let told = 0;
      while (!fs.existsSync(ready)) {
        if (fleet.exitCode !== null || fleet.signalCode !== null) {
          throw new Problem(
            `The demo fleet did not start: ${withoutPrefix(
              log,
            )} (the whole log: ${log})`,
          );
        }
        if (Date.now() > deadline) {
          throw new Problem(`The demo fleet is not ready; its log is ${log}`);
        }
        await sleep(100);
        if (real) {
          const lines = fs.readFileSync(log, 'utf8').split('\n');
          lines.slice(told, -1).forEach(line => say(`  ${line}`));
          told = Math.max(told, lines.length - 1);
        }
      }
      onUnexpectedEnd(fleet, () =>
        onEnd(`The demo fleet ended; its log is ${log}`),
      );
    },
  );

  const { url, secret, away } = JSON.parse(fs.readFileSync(ready, 'utf8'));
  return {
    dir,
    configFile: writeConfig(dir, stateDir),
    /** Lets the clusters go away that the fleet's story says so of. */
    letGo: async portal => {
      for (const cluster of away) {
        await untilRead(portal, cluster);
        await fetch(`${url}/clusters/${cluster}/stop`, {
          method: 'POST',
          headers: { authorization: `Bearer ${secret}` },
        });
      }
    },
  };
}

/** Asks the portal, as a guest, until it has the cluster's present state. */
async function untilRead(portal, cluster) {
  const deadline = Date.now() + FIRST_SYNC_MS;
  while (Date.now() < deadline) {
    const seen = await readAsGuest(
      portal,
      `/api/mesh/v1/clusters/${cluster}`,
    ).catch(() => undefined);
    if (seen?.state === 'synced' || seen?.state === 'degraded') {
      return;
    }
    await sleep(300);
  }
  say(
    `  ${cluster} was not read in ${
      FIRST_SYNC_MS / 1000
    } s; it goes away all the same`,
  );
}
