import path from 'node:path';
import { startFleet } from './fleet.mjs';
import { ensureInstalled } from './install.mjs';
import { readOptions, readPort } from './options.mjs';
import { defaultStateDir } from './paths.mjs';
import { claimStateDir, configFiles, portalEnv } from './portal.mjs';
import { freePort } from './ports.mjs';
import { run, stopAll, stopOnSignals, yarn } from './processes.mjs';
import { say } from './progress.mjs';

const USAGE = `Usage: yarn dev [--port PORT] [--app-port PORT] [--state FOLDER] [--real]
  --port PORT      the backend (or PORT=...; default 7007)
  --app-port PORT  the frontend, the one to open (default 3000)
  --state FOLDER   databases and logs (or MESH_STATE_DIR=...; default ./state)
  --real           the fleet on real control planes instead of simulated ones`;

const HOST = '127.0.0.1';

/** The fleet as for \`npm start\`; both sides of the portal by the Backstage CLI. */
export async function startDev() {
  const options = readOptions(
    {
      port: { type: 'string', default: process.env.PORT || '7007' },
      'app-port': { type: 'string', default: '3000' },
      state: { type: 'string', default: defaultStateDir() },
      real: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
    USAGE,
  );
  if (options.help) {
    process.stdout.write(`${USAGE}\n`);
    return 0;
  }
  const port = await freePort(readPort(options.port, '--port'), HOST);
  const appPort = await freePort(
    readPort(options['app-port'], '--app-port'),
    HOST,
  );
  const stateDir = path.resolve(options.state);

  stopOnSignals(() => say('- Stopping ...'));
  try {
    claimStateDir(stateDir);
    await ensureInstalled();
    const fleet = await startFleet({
      stateDir,
      real: options.real,
      onEnd: say,
    });
    const [command, args] = yarn([
      'backstage-cli',
      'repo',
      'start',
      ...configFiles(fleet.configFile).flatMap(file => ['--config', file]),
    ]);
    return await run(command, args, {
      env: {
        ...portalEnv({ port, host: HOST, stateDir, fleetDir: fleet.dir }),
        MESH_APP_URL: `http://localhost:${appPort}`,
      },
    });
  } finally {
    await stopAll();
  }
}
