import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';

const START = path.resolve(__dirname, '../../scripts/start.mjs');
const READY_MS = 600_000;

/**
 * Starts the portal as a newcomer does, on any free port and with an empty
 * state folder; tests find it by the environment.
 */
export default async function globalSetup(): Promise<() => Promise<void>> {
  if (process.env.MESH_E2E_URL && process.env.MESH_E2E_STATE) {
    // A portal that runs already: quicker while writing tests.
    return async () => {};
  }
  const state = await mkdtemp(path.join(tmpdir(), 'mesh e2e '));
  const portal = spawn(
    process.execPath,
    [START, '--port', '0', '--state', state],
    { stdio: ['ignore', 'pipe', 'pipe'] },
  );
  const ended = new Promise<void>(resolve =>
    portal.once('exit', () => resolve()),
  );

  let output = '';
  const url = await new Promise<string>((resolve, reject) => {
    const timer = setTimeout(
      () => reject(new Error(`The portal did not start in time:\n${output}`)),
      READY_MS,
    );
    const read = (piece: string) => {
      output += piece;
      const found = output.match(/^The portal is at (\S+)$/m);
      if (found) {
        clearTimeout(timer);
        resolve(found[1]);
      }
    };
    portal.stdout.setEncoding('utf8').on('data', read);
    portal.stderr.setEncoding('utf8').on('data', read);
    portal.once('exit', code => {
      clearTimeout(timer);
      reject(new Error(`The portal ended with code ${code}:\n${output}`));
    });
  });

  process.env.MESH_E2E_URL = url;
  process.env.MESH_E2E_STATE = state;

  return async () => {
    portal.kill('SIGTERM');
    await ended;
    await rm(state, { recursive: true, force: true });
  };
}
