import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import {
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rename,
  rm,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { cacheDir } from './cache';

const run = promisify(execFile);

const inProgress = new Map<string, Promise<string>>();

/**
 * A folder of a Go module, such as the CRDs of the Gateway API. Fetched by the
 * ordinary client once and copied into our cache, so that later starts need
 * neither Go nor a network.
 */
export async function moduleFolder(
  goModule: string,
  version: string,
  subPath: string,
): Promise<string> {
  if (!/^v\d+\.\d+\.\d+(-[\w.-]+)?$/.test(version)) {
    throw new Error(
      `${version} is not a version of ${goModule}; write it like v1.6.3`,
    );
  }
  const target = join(cacheDir(), 'modules', `${goModule}@${version}`, subPath);
  if (existsSync(target)) {
    return target;
  }
  // Clusters start side by side and ask for the same.
  const running =
    inProgress.get(target) ?? fetchFolder(goModule, version, subPath, target);
  inProgress.set(target, running);
  return running.finally(() => inProgress.delete(target));
}

async function fetchFolder(
  goModule: string,
  version: string,
  subPath: string,
  target: string,
): Promise<string> {
  const source = join(await download(goModule, version), subPath);
  const partial = `${target}.${process.pid}.partial`;
  await copyFolder(source, partial);
  await rename(partial, target).catch(async error => {
    // Another process was faster; its copy is as good.
    await rm(partial, { recursive: true, force: true });
    if (!existsSync(target)) {
      throw error;
    }
  });
  return target;
}

/** Go keeps its modules read-only; the copy can be removed like any other file. */
async function copyFolder(source: string, target: string): Promise<void> {
  await mkdir(target, { recursive: true });
  for (const entry of await readdir(source, { withFileTypes: true })) {
    const [from, to] = [join(source, entry.name), join(target, entry.name)];
    if (entry.isDirectory()) {
      await copyFolder(from, to);
    } else {
      await writeFile(to, await readFile(from));
    }
  }
}

async function download(goModule: string, version: string): Promise<string> {
  // Outside any module, so that no go.mod of somebody else has a say.
  const cwd = await mkdtemp(join(tmpdir(), 'mesh-go-'));
  try {
    const { stdout } = await run(
      'go',
      ['mod', 'download', '-json', `${goModule}@${version}`],
      { cwd, maxBuffer: 1024 * 1024, env: { ...process.env, GOFLAGS: '' } },
    );
    return JSON.parse(stdout).Dir;
  } catch (error) {
    const { stdout, stderr, message } = error as {
      stdout?: string;
      stderr?: string;
      message: string;
    };
    throw new Error(
      `Fetching ${goModule}@${version} failed: ${
        reasonOf(stdout) ?? stderr?.trim() ?? message
      }`,
    );
  } finally {
    await rm(cwd, { recursive: true, force: true });
  }
}

function reasonOf(stdout: string | undefined): string | undefined {
  try {
    return JSON.parse(stdout ?? '').Error;
  } catch {
    return undefined;
  }
}
