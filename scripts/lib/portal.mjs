import fs from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { untilCatalogFilled } from './catalog.mjs';
import { startFleet } from './fleet.mjs';
import { checkRoom, checkWritable, makeFolder } from './folders.mjs';
import { NODE_TRANSFORM, ROOT } from './paths.mjs';
import { Problem } from './problem.mjs';
import { onUnexpectedEnd, startServer } from './processes.mjs';
import { step } from './progress.mjs';

const BACKEND_READY_MS = 180_000;
/** Databases and logs of the demonstration take a tenth of it. */
const STATE_GB = 0.2;

/** What the portal's processes are told by the environment; app-config.yaml reads it. */
export function portalEnv({ port, host, stateDir, fleetDir }) {
  return {
    NODE_ENV: 'development',
    PORT: String(port),
    MESH_APP_URL: `http://localhost:${port}`,
    MESH_LISTEN_HOST: host,
    MESH_STATE_DIR: stateDir,
    MESH_FLEET_DIR: fleetDir,
  };
}

/** One portal a state folder: two would write to the same databases. */
export function claimStateDir(stateDir) {
  const orElse = 'name another with --state FOLDER or MESH_STATE_DIR=FOLDER';
  checkWritable(stateDir, { what: 'the state folder', orElse });
  checkRoom(stateDir, STATE_GB, { what: 'the portal', orElse });
  makeFolder(path.join(stateDir, 'database'));
  const file = path.join(stateDir, 'portal.pid');
  const holder = fs.existsSync(file) ? Number(fs.readFileSync(file)) : 0;
  if (holder && holder !== process.pid && isAlive(holder)) {
    throw new Problem(
      `A portal already runs on ${stateDir} (process ${holder}); stop it first, or ${orElse}`,
    );
  }
  fs.writeFileSync(file, `${process.pid}\n`);
  process.once('exit', () => fs.rmSync(file, { force: true }));
}

function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM';
  }
}

/** Ours, the fleet's, and what a developer keeps for this machine alone. */
export function configFiles(fleetConfig) {
  const local = path.join(ROOT, 'app-config.local.yaml');
  return [
    path.join(ROOT, 'app-config.yaml'),
    fleetConfig,
    ...(fs.existsSync(local) ? [local] : []),
  ];
}

/** The last line of a log that says what went wrong. */
function lastError(log) {
  const lines = fs
    .readFileSync(log, 'utf8')
    // eslint-disable-next-line no-control-regex
    .replace(/\u001b\[\d+m/g, '')
    .split('\n')
    .filter(line => line.trim() && !/^\s+at |^Node\.js v/.test(line));
  return (
    lines.findLast(line => /error/i.test(line)) ??
    lines.at(-1) ??
    'it printed nothing'
  ).trim();
}

async function waitUntilReady(child, url, log) {
  const deadline = Date.now() + BACKEND_READY_MS;
  while (Date.now() < deadline) {
    if (child.exitCode !== null || child.signalCode !== null) {
      throw new Problem(
        `The backend stopped while starting: ${lastError(
          log,
        )} (the whole log: ${log})`,
      );
    }
    const answer = await fetch(`${url}/.backstage/health/v1/readiness`).catch(
      () => undefined,
    );
    if (answer?.ok) {
      return;
    }
    await sleep(200);
  }
  throw new Problem(
    `The backend is not ready after ${
      BACKEND_READY_MS / 1000
    } s; its log is ${log}`,
  );
}

/**
 * Starts the fleet and the portal's backend, which serves the frontend too.
 * `onEnd` is told when one of them ends by itself.
 */
export async function startPortal({ port, host, stateDir, real, onEnd }) {
  const fleet = await startFleet({ stateDir, real, onEnd });

  const log = path.join(stateDir, 'backend.log');
  const url = `http://localhost:${port}`;
  await step('Starting the portal', async () => {
    const backend = startServer(
      [
        '--require',
        NODE_TRANSFORM,
        'packages/backend/src/index.ts',
        ...configFiles(fleet.configFile).flatMap(file => ['--config', file]),
      ],
      {
        env: portalEnv({ port, host, stateDir, fleetDir: fleet.dir }),
        cwd: ROOT,
        log,
      },
    );
    const own = `http://${host}:${port}`;
    await waitUntilReady(backend, own, log);
    onUnexpectedEnd(backend, () =>
      onEnd(`The backend ended: ${lastError(log)} (the whole log: ${log})`),
    );
    await untilCatalogFilled(own, fleet.dir);
  });
  return { url, letGo: () => fleet.letGo(url) };
}
