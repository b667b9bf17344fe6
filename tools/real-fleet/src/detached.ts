import { execFile } from 'node:child_process';
import { readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { killGroup } from './processes';

const run = promisify(execFile);

/** Ends a fleet that outlived the process which started it, and removes its state. */
export async function stopDetached(stateDir: string): Promise<number> {
  let ended = 0;
  const entries = await readdir(stateDir, { withFileTypes: true }).catch(
    () => [],
  );
  for (const entry of entries.filter(e => e.isDirectory())) {
    const pids = join(stateDir, entry.name, 'pids');
    const lines = (await readFile(pids, 'utf8').catch(() => '')).split('\n');
    for (const line of lines.filter(Boolean).reverse()) {
      const [pid, ...command] = line.split(' ');
      if (await runs(Number(pid), command.join(' '))) {
        killGroup(Number(pid));
        ended += 1;
      }
    }
  }
  // Only what a fleet made: a folder named by mistake stays as it is.
  if (ended > 0 || (await isState(stateDir))) {
    await rm(stateDir, { recursive: true, force: true, maxRetries: 5 });
  }
  return ended;
}

/** Whether the id still belongs to the same program; ids are given out again. */
async function runs(pid: number, command: string): Promise<boolean> {
  const { stdout } = await run('ps', ['-o', 'args=', '-p', String(pid)]).catch(
    () => ({ stdout: '' }),
  );
  return stdout.trim().startsWith(command);
}

async function isState(stateDir: string): Promise<boolean> {
  const entries = await readdir(stateDir).catch(() => []);
  const marked = await Promise.all(
    entries.map(name =>
      readFile(join(stateDir, name, 'pids')).then(
        () => true,
        () => false,
      ),
    ),
  );
  return marked.length > 0 && marked.every(Boolean);
}
