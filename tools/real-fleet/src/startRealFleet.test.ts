import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startRealFleet } from './startRealFleet';

describe('a wrong call', () => {
  const pair = join(__dirname, '__fixtures__', 'pair');

  it('names a folder that is not there', async () => {
    await expect(
      startRealFleet({ dir: join(pair, 'nowhere') }),
    ).rejects.toThrow(/There is no folder .*nowhere/);
  });

  it('names a folder without clusters', async () => {
    const dir = await mkdtemp(join(tmpdir(), 'mesh-empty-'));
    await expect(startRealFleet({ dir })).rejects.toThrow(
      /has no sub-folders of manifests, one a cluster/,
    );
    await rm(dir, { recursive: true });
  });

  it('names a cluster that the folder does not have, and those that it has', async () => {
    await expect(
      startRealFleet({ dir: pair, clusters: ['east', 'south'] }),
    ).rejects.toThrow(/has no folder south, only east, west/);
  });

  it('names a state folder that holds something, which stays', async () => {
    const stateDir = await mkdtemp(join(tmpdir(), 'mesh-state-'));
    await writeFile(join(stateDir, 'mine'), 'text');
    await expect(startRealFleet({ dir: pair, stateDir })).rejects.toThrow(
      /is not empty.*real-fleet down/,
    );
    expect(await readdir(stateDir)).toEqual(['mine']);
    await rm(stateDir, { recursive: true });
  });
});
