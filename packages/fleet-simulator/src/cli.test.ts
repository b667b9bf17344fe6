import { execFile, spawn } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse } from 'yaml';
import { ApiClient, until } from './contract/ApiClient';

const ROOT = join(__dirname, '../../..');
const COMMAND = [
  '--require',
  '@backstage/cli/config/nodeTransform.cjs',
  join(__dirname, 'cli.ts'),
];

function refused(...args: string[]): Promise<{ code: number; text: string }> {
  return new Promise(resolve => {
    execFile(
      process.execPath,
      [...COMMAND, ...args],
      { cwd: ROOT },
      (error, stdout, stderr) =>
        resolve({ code: Number(error?.code ?? 0), text: stdout + stderr }),
    );
  });
}

describe('yarn fleet', () => {
  let dir: string;

  beforeAll(async () => {
    dir = await mkdtemp(join(tmpdir(), 'fleet-'));
  });
  afterAll(() => rm(dir, { recursive: true, force: true }));

  it('serves a folder until it is told to stop', async () => {
    const kubeconfig = join(dir, 'kubeconfig.yaml');
    const child = spawn(
      process.execPath,
      [
        ...COMMAND,
        '--dir',
        'fleets/test/two-clusters',
        '--kubeconfig',
        kubeconfig,
      ],
      { cwd: ROOT },
    );
    const ended = new Promise<number | null>(resolve =>
      child.once('close', resolve),
    );
    let out = '';
    child.stdout.on('data', chunk => {
      out += chunk;
    });
    await until(
      () => out.includes('kubeconfig: '),
      () => `the kubeconfig; got ${out}`,
      90_000,
    );
    expect(out).toMatch(/^east +https:\/\/127\.0\.0\.1:\d+ +\d+ objects$/m);
    expect(out).toMatch(/^west +https:/m);
    const config = parse(await readFile(kubeconfig, 'utf8'));
    const client = ApiClient.create({
      url: config.clusters[0].cluster.server,
      caData: config.clusters[0].cluster['certificate-authority-data'],
      token: config.users[0].user.token,
    });
    const answer = await client.get('/api/v1/namespaces/shop/services/web');
    client.close();
    expect(answer.status).toBe(200);
    child.kill('SIGTERM');
    expect(await ended).toBe(0);
  }, 120_000);

  it.each<[string[], RegExp]>([
    [[], /^fleet: nothing to serve: name a folder with --dir/],
    [
      ['--dir', 'fleets/nowhere'],
      /^fleet: --dir fleets\/nowhere: there is no such folder\n$/,
    ],
    [
      ['--dir', 'fleets/test/two-clusters/west'],
      /^fleet: --dir .*: it has no sub-folders/,
    ],
    [
      ['--size', '3'],
      /^fleet: .*expected clusters x services, such as 3x20\n$/,
    ],
    [['--port', 'x', '--size', '1x1'], /^fleet: .*not a whole number\n$/],
    [['--odd'], /^fleet: unknown option '--odd'/],
  ])(
    'refuses %j in one line',
    async (args, message) => {
      const { code, text } = await refused(...args);
      expect(text).toMatch(message);
      expect(code).toBe(2);
    },
    120_000,
  );
});
