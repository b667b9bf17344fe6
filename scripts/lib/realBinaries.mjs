import { NODE_TRANSFORM } from './paths.mjs';
import { Problem } from './problem.mjs';
import { capture } from './processes.mjs';
import { say } from './progress.mjs';

/** Lower than what a person or the other checks wait for. */
const LOW_PRIORITY = 10;

const PROGRAM = `
const { ensureBinaries } = require('./tools/real-fleet/src');
const onProgress = line => console.error(line);
async function ensure() {
  const mesh = await ensureBinaries({ need: 'mesh', onProgress });
  if (mesh.available) return mesh;
  // KUBEBUILDER_ASSETS holds an API server, and the tests that need no more run.
  const api = await ensureBinaries({ need: 'api', onProgress });
  return { ...mesh, dir: api.dir };
}
ensure()
  .then(answer => console.log('ANSWER ' + JSON.stringify(answer)))
  .catch(error => { console.error(error.message); process.exit(1); });
`;

/**
 * The programs of real control planes: found, or built where Go is. Without
 * them the tests that need them are left out, which is said at the end, or is
 * a failure where MESH_REAL_REQUIRED=1 asks for them.
 */
export async function ensureRealBinaries() {
  const { code, output } = await capture(
    process.execPath,
    ['--require', NODE_TRANSFORM, '-e', PROGRAM],
    {
      priority: LOW_PRIORITY,
      onOutput: piece =>
        piece
          .split('\n')
          .filter(line => line && !line.startsWith('ANSWER '))
          .forEach(line => say(`  real control planes: ${line}`)),
    },
  );
  const answer = output.match(/^ANSWER (.*)$/m)?.[1];
  if (code !== 0 || !answer) {
    throw new Problem(
      `The real control planes could not be built: ${output
        .trim()
        .split('\n')
        .at(-1)}`,
    );
  }
  const { available, dir, reason, howToGet } = JSON.parse(answer);
  if (available) {
    return { dir };
  }
  const what = dir
    ? 'the tests on whole real clusters; those on a real API server ran'
    : 'the tests on real control planes';
  const leftOut = `Left out: ${what} (${reason}). ${howToGet}`;
  if (process.env.MESH_REAL_REQUIRED === '1') {
    throw new Problem(
      `MESH_REAL_REQUIRED=1, and there are no real control planes: ${reason}. ${howToGet}`,
    );
  }
  return { dir, leftOut };
}
