import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stopDetached } from './detached';
import { Processes } from './processes';

jest.setTimeout(60_000);

describe('a fleet that outlived who started it', () => {
  let state: string;

  beforeEach(async () => {
    state = await mkdtemp(join(tmpdir(), 'mesh-detached-'));
  });

  afterEach(async () => {
    await rm(state, { recursive: true, force: true });
  });

  it('is ended by its state folder, which is removed', async () => {
    const dir = join(state, 'east');
    await mkdir(dir);
    const processes = Processes.create({ dir, detach: true });
    const component = await processes.start({
      name: 'sleeper',
      command: 'sleep',
      args: ['300'],
    });
    await component.ready(async () => true);
    expect(await stopDetached(state)).toBe(1);
    expect(existsSync(state)).toBe(false);
  });

  it('spares a process that got the same id later', async () => {
    const dir = join(state, 'east');
    await mkdir(dir);
    await writeFile(join(dir, 'pids'), `${process.pid} /cache/bin/etcd\n`);
    expect(await stopDetached(state)).toBe(0);
    expect(existsSync(state)).toBe(false);
  });

  it('leaves a folder alone that no fleet made', async () => {
    await mkdir(join(state, 'photos'));
    expect(await stopDetached(state)).toBe(0);
    expect(existsSync(join(state, 'photos'))).toBe(true);
    expect(await stopDetached(join(state, 'nowhere'))).toBe(0);
  });
});
