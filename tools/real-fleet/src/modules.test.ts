import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { moduleFolder } from './modules';

describe('folders of Go modules', () => {
  const before = { ...process.env };
  let dir: string;

  beforeEach(async () => {
    dir = await mkdtemp(join(tmpdir(), 'mesh-modules-'));
    // Without Go: what is in the cache is enough, and what is not is said.
    process.env = { ...before, MESH_CACHE: dir, PATH: dir };
  });

  afterEach(async () => {
    process.env = before;
    await rm(dir, { recursive: true, force: true });
  });

  it('come from the cache where they are there', async () => {
    const folder = join(dir, 'modules', 'example.org/api@v1.2.3', 'crd');
    await mkdir(folder, { recursive: true });
    expect(await moduleFolder('example.org/api', 'v1.2.3', 'crd')).toBe(folder);
  });

  it('are named where they cannot be fetched', async () => {
    await expect(
      moduleFolder('example.org/api', 'v1.2.4', 'crd'),
    ).rejects.toThrow(/Fetching example.org\/api@v1.2.4 failed/);
  });

  it.each(['1.6.3', 'latest', 'v1', '../../etc', 'v1.2.3/..'])(
    'take no version %s',
    async version => {
      await expect(
        moduleFolder('example.org/api', version, 'crd'),
      ).rejects.toThrow(/is not a version of example.org\/api/);
    },
  );
});
