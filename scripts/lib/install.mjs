import fs from 'node:fs';
import path from 'node:path';
import { hashOf, onlyWhenChanged } from './hash.mjs';
import { explainInstallFailure, npmSettings, yarnEnvFromNpm } from './npm.mjs';
import { ROOT } from './paths.mjs';
import { Problem } from './problem.mjs';
import { capture, yarn } from './processes.mjs';
import { step } from './progress.mjs';
import { workspaces } from './workspaces.mjs';

/** Packages, the cache they come from, and the build. */
const NEEDED_GB = 4;
const GB = 1024 ** 3;
const STAMP = path.join(ROOT, 'node_modules/.mesh-install');

function checkRoom() {
  const { bavail, bsize } = fs.statfsSync(ROOT);
  const free = (bavail * bsize) / GB;
  if (free < NEEDED_GB) {
    throw new Problem(
      `Too little disk space: installing needs about ${NEEDED_GB} GB in ${ROOT}, and ${free.toFixed(
        1,
      )} GB are free`,
    );
  }
}

/** Says early and plainly that a folder cannot be written to. */
export function checkWritable(folder) {
  const probe = path.join(folder, `.write-test-${process.pid}`);
  try {
    fs.mkdirSync(folder, { recursive: true });
    fs.writeFileSync(probe, '');
    fs.rmSync(probe);
  } catch (error) {
    throw new Problem(
      `Cannot write to ${folder} (${error.code}); make it writable for this user`,
    );
  }
}

/** Installs what yarn.lock names, unless that is what lies there. */
export async function ensureInstalled() {
  const hash = hashOf(
    [
      'yarn.lock',
      '.yarnrc.yml',
      'package.json',
      ...workspaces().map(({ dir }) => `${dir}/package.json`),
    ],
    `${process.platform} ${process.arch} ${
      process.versions.node.split('.')[0]
    }`,
  );
  if (!fs.existsSync(path.join(ROOT, 'node_modules/.yarn-state.yml'))) {
    fs.rmSync(STAMP, { force: true });
  }
  return onlyWhenChanged(STAMP, hash, async () => {
    checkWritable(ROOT);
    checkRoom();
    await step(
      'Installing packages (a few minutes the first time)',
      installPackages,
    );
  });
}

async function installPackages() {
  const env = yarnEnvFromNpm(npmSettings());
  const registry =
    env.YARN_NPM_REGISTRY_SERVER ?? process.env.YARN_NPM_REGISTRY_SERVER;
  const [command, args] = yarn(['install', '--immutable']);
  const { code, output } = await capture(command, args, { env });
  if (code === 0) {
    return;
  }
  if (/YN0028/.test(output)) {
    throw new Problem(
      'yarn.lock does not fit the package.json files; run `yarn install` and commit yarn.lock',
    );
  }
  const known = explainInstallFailure(output, 'packages', registry);
  if (known) {
    throw known;
  }
  process.stderr.write(output);
  throw new Problem('Installing packages failed; the reason stands above');
}
