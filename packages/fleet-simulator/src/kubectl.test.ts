import { execFile, spawn, spawnSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { until } from './contract/ApiClient';
import { Fleet, startFleet } from './Fleet';

const run = promisify(execFile);
const hasKubectl =
  spawnSync('kubectl', ['version', '--client'], { timeout: 60_000 }).status ===
  0;
if (!hasKubectl) {
  process.stderr.write(
    'kubectl is not on the PATH: the tests that drive it are left out\n',
  );
}

(hasKubectl ? describe : describe.skip)('kubectl', () => {
  let fleet: Fleet;
  let dir: string;

  beforeAll(async () => {
    dir = await mkdtemp(join(tmpdir(), 'fleet-'));
    fleet = await startFleet({ clusters: ['east', 'west'] });
    await writeFile(join(dir, 'admin'), fleet.kubeconfig());
    await writeFile(
      join(dir, 'reader'),
      fleet.kubeconfig({ token: 'reader', clusters: ['east'] }),
    );
    await writeFile(
      join(dir, 'shop.yaml'),
      `apiVersion: v1
kind: Namespace
metadata: { name: shop }
---
apiVersion: v1
kind: List
items:
  - apiVersion: v1
    kind: Service
    metadata: { name: web, namespace: shop, labels: { app: web } }
    spec: { selector: { app: web }, ports: [{ name: http, port: 80 }] }
  - apiVersion: apps/v1
    kind: Deployment
    metadata: { name: web, namespace: shop }
    spec:
      selector: { matchLabels: { app: web } }
      template:
        metadata: { labels: { app: web } }
        spec: { containers: [{ name: web, image: 'web:1' }] }
`,
    );
  }, 60_000);

  afterAll(async () => {
    await fleet?.stop();
    await rm(dir, { recursive: true, force: true });
  });

  function args(given: string[], user = 'admin'): string[] {
    return [
      '--kubeconfig',
      join(dir, user),
      '--cache-dir',
      join(dir, 'cache'),
      ...given,
    ];
  }

  async function kubectl(...given: string[]): Promise<string> {
    const { stdout } = await run('kubectl', args(given), { timeout: 60_000 });
    return stdout;
  }

  it('applies, gets and describes', async () => {
    const applied = await kubectl('apply', '-f', join(dir, 'shop.yaml'));
    expect(applied).toContain('deployment.apps/web created');
    expect(await kubectl('apply', '-f', join(dir, 'shop.yaml'))).toContain(
      'service/web unchanged',
    );
    const table = await kubectl('get', 'services', '-A');
    expect(table).toMatch(/NAMESPACE +NAME +TYPE/);
    expect(table).toMatch(/shop +web +ClusterIP +10\.\S+ +<none> +80\/TCP/);
    const yaml = await kubectl('get', 'svc', 'web', '-n', 'shop', '-o', 'yaml');
    expect(yaml).toContain('kind: Service');
    expect(
      await kubectl('describe', 'deployment', 'web', '-n', 'shop'),
    ).toContain('Image:         web:1');
    expect(
      await kubectl('get', 'svc', '-A', '-l', 'app in (web)', '-o', 'name'),
    ).toBe('service/web\n');
  }, 120_000);

  it('applies on the server, dry', async () => {
    const out = await kubectl(
      'apply',
      '--server-side',
      '--dry-run=server',
      '--field-manager=other',
      '-f',
      join(dir, 'shop.yaml'),
    );
    expect(out).toContain('service/web serverside-applied (server dry run)');
  }, 120_000);

  it('patches and labels', async () => {
    await kubectl(
      'patch',
      'deployment',
      'web',
      '-n',
      'shop',
      '-p',
      '{"spec":{"template":{"spec":{"containers":[{"name":"web","image":"web:2"}]}}}}',
    );
    await kubectl('label', 'service', 'web', '-n', 'shop', 'tier=front');
    expect(
      fleet.cluster('east').get({
        apiVersion: 'apps/v1',
        kind: 'Deployment',
        namespace: 'shop',
        name: 'web',
      })?.spec.template.spec.containers[0].image,
    ).toBe('web:2');
  }, 120_000);

  it('watches', async () => {
    const watching = spawn(
      'kubectl',
      args(['get', 'configmaps', '-n', 'shop', '-w', '-o', 'name']),
    );
    let out = '';
    watching.stdout.on('data', chunk => {
      out += chunk;
    });
    await until(
      () => fleet.cluster('east').watches > 0,
      () => 'the watch of kubectl',
    );
    await kubectl('create', 'configmap', 'seen', '-n', 'shop');
    await until(
      () => out.includes('configmap/seen'),
      () => 'the event',
    );
    expect(out).toContain('configmap/seen');
    const gone = new Promise(resolve => watching.once('close', resolve));
    watching.kill();
    await gone;
  }, 120_000);

  it('asks what it may do', async () => {
    expect(await kubectl('auth', 'can-i', 'delete', 'pods')).toBe('yes\n');
    await expect(
      run('kubectl', args(['auth', 'can-i', 'list', 'secrets'], 'reader')),
    ).rejects.toMatchObject({ stdout: 'no\n' });
    await expect(
      run('kubectl', args(['get', 'secrets', '-A'], 'reader')),
    ).rejects.toMatchObject({
      stderr: expect.stringContaining(
        'secrets is forbidden: User "reader" cannot list resource "secrets"',
      ),
    });
  }, 120_000);

  it('lists resources, also those that a definition adds', async () => {
    fleet.cluster('east').apply({
      apiVersion: 'networking.istio.io/v1',
      kind: 'VirtualService',
      metadata: { name: 'web', namespace: 'shop' },
      spec: { hosts: ['web'] },
    });
    expect(await kubectl('api-resources', '--cached=false')).toMatch(
      /virtualservices +networking\.istio\.io\/v1 +true +VirtualService/,
    );
    expect(await kubectl('get', 'virtualservices', '-A', '-o', 'name')).toBe(
      'virtualservice.networking.istio.io/web\n',
    );
  }, 120_000);

  it('deletes', async () => {
    await kubectl('delete', 'namespace', 'shop');
    expect(await kubectl('get', 'services', '-A', '-o', 'name')).toBe('');
  }, 120_000);
});
