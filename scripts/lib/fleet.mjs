import fs from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { NODE_TRANSFORM, ROOT } from './paths.mjs';
import { Problem } from './problem.mjs';
import { startServer } from './processes.mjs';
import { step } from './progress.mjs';

const FLEET_READY_MS = 60_000;
const SIMULATOR = 'packages/fleet-simulator/src/cli.ts';

/** Starts the API servers of the demo fleet, as a process of their own. */
export async function startFleet({ stateDir, onEnd }) {
  const dir = path.join(ROOT, 'fleets/demo');
  const kubeconfig = path.join(stateDir, 'kubeconfig.yaml');
  const log = path.join(stateDir, 'fleet.log');
  fs.rmSync(kubeconfig, { force: true });

  if (!fs.existsSync(path.join(ROOT, SIMULATOR))) {
    return { dir, kubeconfig, afterPortal: async () => {} };
  }
  await step('Starting the demo fleet', async () => {
    const fleet = startServer(
      [
        '--require',
        NODE_TRANSFORM,
        SIMULATOR,
        '--dir',
        dir,
        '--kubeconfig',
        kubeconfig,
      ],
      { log },
    );
    const deadline = Date.now() + FLEET_READY_MS;
    while (!fs.existsSync(kubeconfig)) {
      if (fleet.exitCode !== null || Date.now() > deadline) {
        throw new Problem(`The demo fleet did not start; its log is ${log}`);
      }
      await sleep(100);
    }
    fleet.once('exit', () => onEnd(`The demo fleet ended; its log is ${log}`));
  });
  return { dir, kubeconfig, afterPortal: async () => {} };
}
