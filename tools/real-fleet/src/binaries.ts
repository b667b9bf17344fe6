import { execFile, spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import {
  access,
  constants,
  mkdir,
  open,
  readFile,
  rename,
  rm,
  writeFile,
} from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { fetchBundles } from './bundles';
import { binDir } from './cache';
import {
  KUBEBUILDER_PROGRAMS,
  ldflags,
  moduleDir,
  Need,
  NEEDS,
  ProgramName,
  PROGRAMS,
  stampOf,
} from './programs';

const run = promisify(execFile);

/**
 * Where the programs of a real control plane are, or why there are none.
 *
 * @public
 */
export type RealBinaries =
  | { available: true; dir: string; programs: Record<string, string> }
  | { available: false; reason: string; howToGet: string };

/** @public */
export interface BinariesOptions {
  /** How much of a cluster is wanted. */
  need: Need;
}

/** @public */
export interface EnsureBinariesOptions extends BinariesOptions {
  /** Called with one line whenever there is something to tell. */
  onProgress?: (line: string) => void;
}

const HOW_TO_GET =
  'Install Go (https://go.dev/dl, 1.26 or newer) and run the command again: the programs are then built once, in some 15 minutes on two cores. ' +
  'For the API server alone, KUBEBUILDER_ASSETS may name a folder with kube-apiserver and etcd (setup-envtest fetches one).';

/**
 * Looks for the programs that are wanted. Never builds: `ensureBinaries` does.
 *
 * @public
 */
export async function realBinaries(
  options: BinariesOptions,
): Promise<RealBinaries> {
  const { programs, missing } = await locate(options.need);
  if (missing.length === 0) {
    return { available: true, dir: folderOf(programs), programs };
  }
  const go = await findGo();
  return {
    available: false,
    reason: go.usable
      ? `not built yet: ${missing.join(', ')}`
      : `missing: ${missing.join(', ')}; ${go.reason}`,
    howToGet: go.usable
      ? `Run: yarn workspace @mesh-for-backstage/real-fleet real-fleet build --need ${options.need}`
      : HOW_TO_GET,
  };
}

/**
 * Looks for the programs that are wanted and builds what is missing from the
 * pinned Go modules, once, into the cache.
 *
 * @public
 */
export async function ensureBinaries(
  options: EnsureBinariesOptions,
): Promise<RealBinaries> {
  const say = options.onProgress ?? (() => {});
  let { missing } = await locate(options.need);
  if (missing.length > 0) {
    const go = await findGo();
    if (!go.usable) {
      return realBinaries(options);
    }
    const release = await lock(say);
    try {
      // Another process may have built them while this one waited.
      ({ missing } = await locate(options.need));
      for (const [index, program] of missing.entries()) {
        await build(program, `${index + 1}/${missing.length}`, say);
      }
    } finally {
      await release();
    }
  }
  await fetchBundles(options.need);
  return realBinaries(options);
}

/**
 * Path of one program: from `dir` where it is given, else from
 * `KUBEBUILDER_ASSETS`, else from the cache.
 */
export async function programPath(
  program: ProgramName,
  dir: string | undefined = process.env.MESH_REAL_BIN,
): Promise<string> {
  if (dir && (await isExecutable(join(dir, program)))) {
    return join(dir, program);
  }
  const path = await find(program);
  if (!path) {
    throw new Error(
      `The program ${program} is not there. ${HOW_TO_GET} See docs/real-fleet.md.`,
    );
  }
  return path;
}

async function locate(need: Need) {
  const programs: Record<string, string> = {};
  const missing: ProgramName[] = [];
  for (const program of NEEDS[need]) {
    const path = await find(program);
    if (path) {
      programs[program] = path;
    } else {
      missing.push(program);
    }
  }
  return { programs, missing };
}

async function find(program: ProgramName): Promise<string | undefined> {
  const assets = process.env.KUBEBUILDER_ASSETS;
  if (assets && KUBEBUILDER_PROGRAMS.has(program)) {
    const path = join(assets, program);
    if (await isExecutable(path)) {
      return path;
    }
  }
  const path = join(binDir(), program);
  const stamp = await readFile(stampFile(program), 'utf8').catch(() => '');
  return stamp.trim() === stampOf(program) && (await isExecutable(path))
    ? path
    : undefined;
}

/** The folder that holds all, or the cache where two folders share them. */
function folderOf(programs: Record<string, string>): string {
  const folders = new Set(
    Object.entries(programs).map(([name, path]) =>
      path.slice(0, -name.length - 1),
    ),
  );
  return folders.size === 1 ? [...folders][0] : binDir();
}

function stampFile(program: ProgramName): string {
  return join(binDir(), `.${program}.stamp`);
}

async function isExecutable(path: string): Promise<boolean> {
  return access(path, constants.X_OK).then(
    () => true,
    () => false,
  );
}

interface GoAnswer {
  usable: boolean;
  reason: string;
}

/** Is there a Go that builds the pinned modules, or may fetch the one that does? */
async function findGo(): Promise<GoAnswer> {
  let version: string;
  let toolchain: string;
  try {
    const { stdout } = await run('go', ['env', 'GOVERSION', 'GOTOOLCHAIN'], {
      env: process.env,
    });
    [version, toolchain] = stdout.trim().split('\n');
  } catch {
    return { usable: false, reason: 'there is no Go on this machine' };
  }
  return judgeGo(version, toolchain, wantedGo());
}

/**
 * From 1.21 on, Go fetches the toolchain that a module asks for, unless
 * `GOTOOLCHAIN` forbids it.
 */
export function judgeGo(
  version: string,
  toolchain: string,
  wanted: string,
): GoAnswer {
  const has = version.replace(/^go/, '').replace(/^(\d+\.\d+).*/, '$1');
  if (compareVersions(has, wanted) >= 0) {
    return { usable: true, reason: '' };
  }
  const mayFetch =
    compareVersions(has, '1.21') >= 0 &&
    !/^(local|path|go[\d.]+)$/.test(toolchain);
  return {
    usable: mayFetch,
    reason: mayFetch
      ? ''
      : `Go ${has} is too old: the modules ask for ${wanted} (and GOTOOLCHAIN does not allow to fetch it)`,
  };
}

function compareVersions(a: string, b: string): number {
  const [aMajor, aMinor] = a.split('.').map(Number);
  const [bMajor, bMinor] = b.split('.').map(Number);
  return aMajor - bMajor || aMinor - bMinor;
}

function wantedGo(): string {
  const text = readFileSync(join(moduleDir('kubernetes'), 'go.mod'), 'utf8');
  return text.match(/^go (\d+\.\d+)/m)?.[1] ?? '1.26';
}

/** Builds beside the final place and moves it there, so that nobody starts half a file. */
async function build(
  program: ProgramName,
  step: string,
  say: (line: string) => void,
): Promise<void> {
  const { module, package: goPackage } = PROGRAMS[program];
  const target = join(binDir(), program);
  const partial = join(binDir(), `.${program}.${process.pid}.partial`);
  const began = Date.now();
  const seconds = () => Math.round((Date.now() - began) / 1000);
  say(`building ${program} (${step})`);
  const ticker = setInterval(
    () => say(`building ${program} (${step}), ${seconds()} s`),
    15_000,
  );
  try {
    await runGo([
      'build',
      '-C',
      moduleDir(module),
      '-trimpath',
      '-ldflags',
      ldflags(module),
      '-o',
      partial,
      goPackage,
    ]);
    await rename(partial, target);
    await writeFile(stampFile(program), `${stampOf(program)}\n`);
  } catch (error) {
    await rm(partial, { force: true });
    throw new Error(`Building ${program} failed: ${(error as Error).message}`);
  } finally {
    clearInterval(ticker);
  }
  say(`built ${program} (${step}), ${seconds()} s`);
}

function runGo(args: string[]): Promise<void> {
  return new Promise((fulfil, reject) => {
    const child = spawn('go', args, {
      env: process.env,
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    let tail = '';
    child.stderr.on('data', chunk => {
      tail = (tail + chunk).slice(-4_000);
    });
    child.on('error', reject);
    child.on('exit', code =>
      code === 0
        ? fulfil()
        : reject(new Error(tail.trim() || `go ended with code ${code}`)),
    );
  });
}

/** One build at a time on a machine: two at once would do everything twice. */
async function lock(say: (line: string) => void): Promise<() => Promise<void>> {
  await mkdir(binDir(), { recursive: true });
  const path = join(binDir(), '.building');
  let told = false;
  for (;;) {
    try {
      const file = await open(path, 'wx');
      await file.writeFile(String(process.pid));
      await file.close();
      return () => rm(path, { force: true });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') {
        throw error;
      }
    }
    const holder = Number(await readFile(path, 'utf8').catch(() => ''));
    if (holder && !isAlive(holder)) {
      await rm(path, { force: true });
      continue;
    }
    if (!told && existsSync(path)) {
      say(`another process (${holder}) is building; waiting for it`);
      told = true;
    }
    await sleep(1_000);
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
