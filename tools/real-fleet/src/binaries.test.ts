import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ensureBinaries, judgeGo, realBinaries } from './binaries';
import { ldflags, NEEDS, ProgramName, PROGRAMS, stampOf } from './programs';

jest.setTimeout(60_000);

describe('programs', () => {
  it('are pinned, each by a stamp of its own', () => {
    const names = Object.keys(PROGRAMS) as ProgramName[];
    const stamps = names.map(stampOf);
    expect(new Set(stamps).size).toBe(names.length);
    stamps.forEach(stamp => expect(stamp).toMatch(/^[0-9a-f]{32}$/));
    expect(NEEDS.mesh).toEqual(expect.arrayContaining(NEEDS.cluster));
    expect(NEEDS.cluster).toEqual(expect.arrayContaining(NEEDS.api));
  });

  it('say which version they are', () => {
    expect(ldflags('kubernetes')).toMatch(
      /gitVersion=v1\.\d+\.\d+ .*gitMajor=1 .*gitMinor=\d+$/,
    );
    expect(ldflags('istio')).toMatch(/version\.buildVersion=1\.\d+\.\d+/);
    expect(ldflags('etcd')).toBe('-s -w');
  });
});

describe('the Go of a machine', () => {
  it.each([
    ['go1.26.8', 'local', ''],
    ['go1.27rc1', 'auto', ''],
    ['go1.24.1', 'auto', ''],
    ['go1.24.1', 'go1.25.0+auto', ''],
    ['go1.24.1', 'local', 'Go 1.24 is too old: the modules ask for 1.26'],
    ['go1.24.1', 'path', 'Go 1.24 is too old: the modules ask for 1.26'],
    ['go1.24.1', 'go1.24.1', 'Go 1.24 is too old: the modules ask for 1.26'],
    ['go1.20.5', '', 'Go 1.20 is too old: the modules ask for 1.26'],
  ])('%s with GOTOOLCHAIN=%s: "%s"', (version, toolchain, reason) => {
    const answer = judgeGo(version, toolchain, '1.26');
    expect(answer.usable).toBe(reason === '');
    expect(answer.reason.startsWith(reason)).toBe(true);
  });
});

describe('binaries', () => {
  const before = { ...process.env };
  let dir: string;

  beforeEach(async () => {
    dir = await mkdtemp(join(tmpdir(), 'mesh-binaries-'));
    process.env = { ...before, MESH_CACHE: dir };
    delete process.env.KUBEBUILDER_ASSETS;
  });

  afterEach(async () => {
    process.env = before;
    await rm(dir, { recursive: true, force: true });
  });

  async function install(folder: string, program: ProgramName) {
    await mkdir(folder, { recursive: true });
    await writeFile(join(folder, program), '#!/bin/sh\n');
    await chmod(join(folder, program), 0o755);
  }

  it('are not there on a machine without Go, and it says how to get them', async () => {
    process.env.PATH = dir;
    const answer = {
      available: false,
      reason: expect.stringMatching(/etcd, kube-apiserver; there is no Go/),
      howToGet: expect.stringMatching(/Install Go .* KUBEBUILDER_ASSETS/),
    };
    expect(await realBinaries({ need: 'api' })).toEqual(answer);
    expect(await ensureBinaries({ need: 'api' })).toEqual(answer);
  });

  it('come from KUBEBUILDER_ASSETS', async () => {
    process.env.PATH = dir;
    const assets = join(dir, 'assets');
    process.env.KUBEBUILDER_ASSETS = assets;
    await install(assets, 'etcd');
    await install(assets, 'kube-apiserver');
    expect(await realBinaries({ need: 'api' })).toEqual({
      available: true,
      dir: assets,
      programs: {
        etcd: join(assets, 'etcd'),
        'kube-apiserver': join(assets, 'kube-apiserver'),
      },
    });
    expect(await realBinaries({ need: 'cluster' })).toMatchObject({
      available: false,
      reason: expect.stringMatching(/^missing: kube-controller-manager/),
    });
  });

  it('of the cache count only with the stamp of what is pinned now', async () => {
    const bin = join(dir, 'bin');
    for (const program of NEEDS.api) {
      await install(bin, program);
      await writeFile(join(bin, `.${program}.stamp`), `${stampOf(program)}\n`);
    }
    expect(await realBinaries({ need: 'api' })).toMatchObject({
      available: true,
      dir: bin,
    });
    await writeFile(join(bin, '.etcd.stamp'), 'of another version\n');
    expect(await realBinaries({ need: 'api' })).toMatchObject({
      available: false,
      reason: expect.stringContaining('etcd'),
    });
  });
});
