import fs from 'node:fs';
import path from 'node:path';
import { checkRoom, checkWritable } from './folders.mjs';
import { hashOf, onlyWhenChanged } from './hash.mjs';
import { explainInstallFailure, npmSettings, yarnEnvFromNpm } from './npm.mjs';
import { ROOT } from './paths.mjs';
import { Problem } from './problem.mjs';
import { capture, yarn } from './processes.mjs';
import { step } from './progress.mjs';
import { workspaces } from './workspaces.mjs';

/** Packages, the cache they come from, and the build. */
const NEEDED_GB = 4;
const STAMP = path.join(ROOT, 'node_modules/.mesh-install');

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
    checkWritable(ROOT, {
      what: 'the checkout',
      orElse: 'make it writable for this user',
    });
    checkRoom(ROOT, NEEDED_GB, {
      what: 'installing packages',
      orElse: 'make room and run it again',
    });
    await step(
      'Installing packages (a few minutes the first time)',
      installPackages,
    );
  });
}

async function installPackages() {
  const env = yarnEnvFromNpm(npmSettings());
  const registry =
    env.YARN_NPM_REGISTRY_SERVER ??
    process.env.YARN_NPM_REGISTRY_SERVER ??
    "of Yarn's settings";
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
