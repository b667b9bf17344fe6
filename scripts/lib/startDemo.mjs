import path from 'node:path';
import { ensureFrontend } from './frontend.mjs';
import { ensureInstalled } from './install.mjs';
import { readOptions, readPort } from './options.mjs';
import { defaultStateDir } from './paths.mjs';
import { claimStateDir, startPortal } from './portal.mjs';
import { freePort } from './ports.mjs';
import { stopAll, stopOnSignals } from './processes.mjs';
import { say } from './progress.mjs';

const USAGE = `Usage: npm start -- [--port PORT] [--host ADDRESS] [--state FOLDER] [--real]
  --port PORT      where the portal listens (or PORT=...; default 7007, 0 for any free one)
  --host ADDRESS   the address to listen on (default 127.0.0.1: this machine alone)
  --state FOLDER   databases and logs (or MESH_STATE_DIR=...; default ./state)
  --real           the fleet on real control planes instead of simulated ones`;

/** Brings up what is missing, starts all, and stays until it is stopped. */
export async function startDemo() {
  const options = readOptions(
    {
      port: { type: 'string' },
      host: { type: 'string', default: '127.0.0.1' },
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
  const { host, real } = options;
  const wanted =
    options.port === undefined
      ? readPort(process.env.PORT || '7007', 'PORT')
      : readPort(options.port, '--port');
  const port = await freePort(wanted, host);

  const stateDir = path.resolve(options.state);

  stopOnSignals(() => say('- Stopping ...'));
  try {
    claimStateDir(stateDir);
    await ensureInstalled();
    await ensureFrontend();

    let onEnd;
    const ended = new Promise(resolve => {
      onEnd = resolve;
    });
    const { url, letGo } = await startPortal({
      port,
      host,
      stateDir,
      real,
      onEnd,
    });

    process.stdout.write(`The portal is at ${url}\n`);
    process.stdout.write(
      'Look at: Mesh in the sidebar for the fleet, then the tab Mesh of any component in the catalog. Ctrl-C stops everything.\n',
    );

    const story = letGo();
    say(await Promise.race([ended, story.then(() => ended)]));
    return 1;
  } finally {
    await stopAll();
  }
}
