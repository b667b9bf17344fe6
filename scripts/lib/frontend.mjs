import path from 'node:path';
import { hashOf, onlyWhenChanged } from './hash.mjs';
import { ROOT } from './paths.mjs';
import { Problem } from './problem.mjs';
import { capture, yarn } from './processes.mjs';
import { step } from './progress.mjs';
import { foldersBehind } from './workspaces.mjs';

const APP = path.join(ROOT, 'packages/app');

/** Builds the portal's frontend, unless its sources are those of the last build. */
export async function ensureFrontend() {
  const sources = foldersBehind('app').flatMap(dir => [
    `${dir}/src`,
    `${dir}/public`,
    `${dir}/config.d.ts`,
    `${dir}/package.json`,
  ]);
  // The list of installed plugins is read from app-config while building.
  const hash = hashOf([...sources, 'app-config.yaml', 'yarn.lock']);

  return onlyWhenChanged(path.join(APP, 'dist/.mesh-build'), hash, () =>
    step('Building the frontend', async () => {
      const [command, args] = yarn(['backstage-cli', 'package', 'build']);
      const { code, output } = await capture(command, args, { cwd: APP });
      if (code !== 0) {
        process.stderr.write(output);
        throw new Problem(
          'Building the frontend failed; the reason stands above',
        );
      }
    }),
  );
}
