import { execFile, spawn } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { Processes } from './processes';

const run = promisify(execFile);

jest.setTimeout(120_000);

describe('Processes', () => {
  let dir: string;

  beforeEach(async () => {
    dir = await mkdtemp(join(tmpdir(), 'mesh-processes-'));
  });

  afterEach(async () => {
    await rm(dir, { recursive: true, force: true });
  });

  it('puts the last lines of a component that ended into the error', async () => {
    const processes = Processes.create({ dir });
    const component = await processes.start({
      name: 'broken',
      command: 'sh',
      args: ['-c', 'echo "no such flag: --mode"; exit 2'],
    });
    await expect(component.ready(async () => false)).rejects.toThrow(
      /broken ended before it was ready[^]*no such flag: --mode/,
    );
    await processes.stopAll();
  });

  it('says so where the program is not there', async () => {
    const processes = Processes.create({ dir });
    const component = await processes.start({
      name: 'absent',
      command: join(dir, 'nothing-here'),
      args: [],
    });
    await expect(component.ready(async () => false)).rejects.toThrow(
      /absent ended before it was ready/,
    );
    await processes.stopAll();
  });

  it('ends a component with its children', async () => {
    const processes = Processes.create({ dir });
    const component = await processes.start({
      name: 'parent',
      command: 'sh',
      args: ['-c', 'sleep 300 & echo "child $!"; wait'],
    });
    await component.ready(async () => (await component.tail()) !== '');
    const child = Number((await component.tail()).split(' ')[1]);
    expect(await isRunning(child)).toBe(true);
    await processes.stopAll();
    await until(async () => !(await isRunning(child)));
  });

  it('ends components when their parent is killed', async () => {
    // A process of its own that starts a component by the same code and is then killed.
    const script = `
      const { Processes } = require(${JSON.stringify(
        require.resolve('./processes'),
      )});
      Processes.create({ dir: ${JSON.stringify(dir)} })
        .start({ name: 'orphan', command: 'sleep', args: ['300'] })
        .then(() => setInterval(() => {}, 1000));`;
    const parent = spawn(
      process.execPath,
      [
        '--require',
        require.resolve('@backstage/cli/config/nodeTransform.cjs'),
        '-e',
        script,
      ],
      { stdio: 'ignore' },
    );
    const pids = join(dir, 'pids');
    await until(async () => (await readFile(pids, 'utf8')).includes('sleep'));
    const pid = Number((await readFile(pids, 'utf8')).split(' ')[0]);
    expect(await isRunning(pid)).toBe(true);

    parent.kill('SIGKILL');
    await until(async () => !(await isRunning(pid)));
  });
});

/** A process that ended and was not yet collected by its parent counts as gone. */
async function isRunning(pid: number): Promise<boolean> {
  const state = await run('ps', ['-o', 'stat=', '-p', String(pid)]).then(
    ({ stdout }) => stdout.trim(),
    () => '',
  );
  return state !== '' && !state.startsWith('Z');
}

async function until(check: () => Promise<boolean>): Promise<void> {
  const end = Date.now() + 60_000;
  while (!(await check().catch(() => false))) {
    if (Date.now() > end) {
      throw new Error('It did not happen within a minute');
    }
    await sleep(200);
  }
}
