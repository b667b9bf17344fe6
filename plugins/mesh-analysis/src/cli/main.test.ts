import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

// Only tests need a cluster to read; the package itself depends on nothing of ours.
// eslint-disable-next-line @backstage/no-mixed-plugin-imports
import { Fleet, startFleet } from '@mesh-for-backstage/fleet-simulator';

const tool = resolve(__dirname, '../../bin/mesh-analyze');
// A slow machine takes seconds to start Node.js and compile the source.
jest.setTimeout(120_000);

interface Run {
  code: number | null;
  stdout: string;
  stderr: string;
}

/** Runs the tool as a user does, in a process of its own. */
function run(
  args: string[],
  options: { closeAfter?: number } = {},
): Promise<Run> {
  return new Promise((done, failed) => {
    const child = spawn(process.execPath, [tool, ...args], {
      env: { ...process.env, NODE_OPTIONS: '', KUBECONFIG: '' },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let stdout = '';
    let stderr = '';
    child.stdout.on('data', chunk => {
      stdout += chunk;
      if (
        options.closeAfter !== undefined &&
        stdout.length > options.closeAfter
      ) {
        child.stdout.destroy();
      }
    });
    child.stderr.on('data', chunk => {
      stderr += chunk;
    });
    child.on('error', failed);
    child.on('close', code => done({ code, stdout, stderr }));
  });
}

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'mesh-analyze-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function write(path: string, text: string): string {
  const file = join(folder, path);
  mkdirSync(resolve(file, '..'), { recursive: true });
  writeFileSync(file, text);
  return file;
}

const service = (name: string, port: string) =>
  `apiVersion: v1\nkind: Service\nmetadata: { name: ${name}, namespace: shop }\nspec: { ports: [${port}] }\n`;

describe('manifests', () => {
  it('names kinds that are not looked at, and goes on', async () => {
    const odd = write(
      'odd/all.yaml',
      `${service(
        'web',
        '{ port: 80 }',
      )}---\napiVersion: example.com/v1\nkind: Widget\nmetadata: { name: a }\n`,
    );
    const { code, stdout, stderr } = await run(['--cluster', `odd=${odd}`]);
    expect(code).toBe(0);
    expect(stdout).toContain('web');
    expect(stderr).toBe(
      'cluster odd: kinds that are not looked at: Widget.example.com\n',
    );
  });

  let east: string;
  let west: string;
  beforeAll(() => {
    write(
      'east/deep/web.yaml',
      `${service('web', '{ name: http, port: 80 }')}---\n${service(
        'same',
        '{ port: 80 }',
      )}`,
    );
    write('east/broken.yaml', 'a: [b\n---\nkind: Service\n');
    write('east/notes.txt', 'not a manifest');
    east = join(folder, 'east');
    west = write(
      'west.yaml',
      `${service('web', '{ name: web, port: 80 }')}---\n${service(
        'same',
        '{ port: 80 }',
      )}`,
    );
  });
  const both = () => ['--cluster', `east=${east}`, '--cluster', `west=${west}`];

  it('prints the contract as JSON, problems beside it, and ends with 1 on an error', async () => {
    const { code, stdout, stderr } = await run([
      ...both(),
      '-o',
      'json',
      '--now',
      '2026-11-30T12:00:00Z',
    ]);
    const report = JSON.parse(stdout);
    expect(code).toBe(1);
    expect(report.now).toBe('2026-11-30T12:00:00Z');
    expect(
      report.clusters.map((one: any) => [
        one.name,
        one.coverage.Service,
        one.coverage.Pod,
      ]),
    ).toEqual([
      ['east', 'synced', 'unreachable'],
      ['west', 'synced', 'unreachable'],
    ]);
    expect(report.clusters[0].versions.kubernetes).toMatchObject({
      unknown: 'not-reported',
    });
    const [web] = report.services.filter((one: any) => one.name === 'web');
    expect(web).toMatchObject({
      namespace: 'shop',
      group: 'east',
      ready: { unknown: 'unreachable' },
      clusters: [
        {
          cluster: 'east',
          ports: [{ name: 'http', port: 80 }],
          ready: { unknown: 'unreachable' },
          workloads: [],
        },
        { cluster: 'west', ports: [{ name: 'web', port: 80 }] },
      ],
      links: [
        { from: 'east', to: 'west', mechanism: 'istio', state: 'unknown' },
        { from: 'west', to: 'east', mechanism: 'istio', state: 'unknown' },
      ],
    });
    expect(report.findings).toEqual([
      expect.objectContaining({
        rule: 'PortNameMismatch',
        severity: 'error',
        clusters: ['east', 'west'],
        namespace: 'shop',
        name: 'web',
        equivalents: ['IST0170'],
      }),
    ]);
    expect(stderr.split('\n').filter(Boolean)).toEqual([
      expect.stringMatching(/broken\.yaml:\d+ \(document 1\): /),
      expect.stringMatching(
        /broken\.yaml:3 \(document 2\): apiVersion is missing/,
      ),
    ]);
    expect(report.problems).toHaveLength(2);
  });

  it('prints tables, and ends as --fail-on says', async () => {
    const { code, stdout } = await run([...both(), '--fail-on', 'none']);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^Services \(2\)$/m);
    expect(stdout).toMatch(
      /^error +PortNameMismatch +east,west +Service shop\/web/m,
    );
    const calm = await run(['--cluster', `east=${east}`, '--fail-on', 'info']);
    expect(calm.code).toBe(0);
  });

  it('is quiet when nobody reads any more', async () => {
    const services = Array.from({ length: 4000 }, (_, index) =>
      service(`web-${index}`, '{ port: 80 }'),
    );
    const large = write('large.yaml', services.join('---\n'));
    const { stderr } = await run(['--cluster', `east=${large}`, '-o', 'json'], {
      closeAfter: 100,
    });
    expect(stderr).toBe('');
  });
});

describe('a wrong call', () => {
  it.each<[string, () => string[], RegExp]>([
    ['no cluster', () => [], /which clusters\?/],
    ['no source', () => ['--cluster', 'east'], /expected NAME=FOLDER/],
    ['no name', () => ['--cluster', '=x'], /expected NAME=FOLDER/],
    [
      'no such folder',
      () => ['--cluster', 'east=/does/not/exist'],
      /no file or folder "\/does\/not\/exist"/,
    ],
    [
      'twice the same',
      () => ['--cluster', `a=${folder}`, '--cluster', `a=${folder}`],
      /a is given twice/,
    ],
    ['an unknown option', () => ['--colour'], /unknown option '--colour'/],
    [
      'an unknown topic',
      () => ['--topic', 'weather', '--cluster', `a=${folder}`],
      /Allowed choices are catalog/,
    ],
    [
      'an unknown format',
      () => ['-o', 'xml', '--cluster', `a=${folder}`],
      /Allowed choices are json, table/,
    ],
    [
      'an unknown severity',
      () => ['--fail-on', 'fatal', '--cluster', `a=${folder}`],
      /Allowed choices are error/,
    ],
    [
      'no time',
      () => ['--now', 'yesterday', '--cluster', `a=${folder}`],
      /no RFC 3339 time/,
    ],
    [
      'a domain of nobody',
      () => ['--cluster-domain', 'b=x', '--cluster', `a=${folder}`],
      /no --cluster has that name/,
    ],
    [
      'a domain without a name',
      () => ['--cluster-domain', 'x', '--cluster', `a=${folder}`],
      /expected NAME=DOMAIN/,
    ],
    [
      'no such kubeconfig',
      () => ['--cluster', 'a=kubeconfig:x@/does/not/exist.yaml'],
      /no kubeconfig file/,
    ],
    [
      'no such context',
      () => [
        '--cluster',
        `a=kubeconfig:gone@${write(
          'kubeconfig.yaml',
          'apiVersion: v1\nkind: Config\ncontexts: [{name: there, context: {cluster: c, user: u}}]\nclusters: [{name: c, cluster: {server: https://127.0.0.1:1}}]\nusers: [{name: u, user: {}}]\n',
        )}`,
      ],
      /no context "gone"; it has there/,
    ],
  ])('%s: exit code 2 and one clear line', async (_, args, message) => {
    const { code, stdout, stderr } = await run(args());
    expect(stdout).toBe('');
    expect(stderr).toMatch(message);
    expect(stderr.trim().split('\n')).toHaveLength(1);
    expect(code).toBe(2);
  });

  it('help is no wrong call', async () => {
    const { code, stdout } = await run(['--help']);
    expect(code).toBe(0);
    expect(stdout).toContain('--cluster <name=source>');
  });
});

describe('live clusters', () => {
  let fleet: Fleet;
  let kubeconfig: string;
  beforeAll(async () => {
    write(
      'fleet/prod/shop.yaml',
      [
        'apiVersion: v1\nkind: Namespace\nmetadata: { name: shop }\n',
        'apiVersion: v1\nkind: Namespace\nmetadata: { name: istio-system }\n',
        `apiVersion: v1\nkind: Secret\nmetadata: { name: istio-remote-secret-west, namespace: istio-system, labels: { istio/multiCluster: "true" } }\ndata: { west: ${Buffer.from(
          'do not read me',
        ).toString('base64')} }\n`,
        ...Array.from({ length: 1200 }, (_, index) =>
          service(`web-${index}`, '{ name: http, port: 80 }'),
        ),
      ].join('---\n'),
    );
    fleet = await startFleet({ dir: join(folder, 'fleet') });
    fleet.cluster('prod').setPermissions('reader', [
      {
        verbs: ['get', 'list', 'watch'],
        apiGroups: ['*'],
        resources: ['*'],
        exceptResources: ['nodes'],
      },
    ]);
    kubeconfig = write('live.yaml', fleet.kubeconfig({ token: 'reader' }));
  });
  afterAll(() => fleet?.stop());

  it('are read page by page; what is forbidden or absent is said', async () => {
    const { code, stdout, stderr } = await run([
      '--cluster',
      `prod=kubeconfig:prod@${kubeconfig}`,
      '-o',
      'json',
      '--remote-secrets',
    ]);
    expect(stderr).toBe('');
    expect(code).toBe(0);
    const report = JSON.parse(stdout);
    expect(report.services).toHaveLength(1200);
    expect(report.clusters[0].coverage).toMatchObject({
      Service: 'synced',
      Pod: 'synced',
      Node: 'forbidden',
      Secret: 'synced',
      'VirtualService.networking.istio.io': 'absent-api',
    });
    expect(typeof report.clusters[0].versions.kubernetes).toBe('string');
    // Known to have no endpoints, unlike with manifests.
    expect(report.services[0].ready).toBe(0);
  });

  it('give away nothing of a Secret but its metadata, and that only where it is asked for', async () => {
    const requests = () =>
      fleet
        .cluster('prod')
        .requests.filter(one => JSON.stringify(one).includes('/secrets'));
    const before = requests().length;
    const { stdout } = await run([
      '--cluster',
      `prod=kubeconfig:prod@${kubeconfig}`,
      '-o',
      'json',
    ]);
    expect(JSON.parse(stdout).clusters[0].coverage.Secret).toBe('forbidden');
    expect(requests().length).toBe(before);
  });

  it('that do not answer cost the others nothing', async () => {
    const port = await freePort();
    const dead = write(
      'dead.yaml',
      `apiVersion: v1\nkind: Config\ncontexts: [{name: dead, context: {cluster: c, user: u}}]\nclusters: [{name: c, cluster: {server: "https://127.0.0.1:${port}"}}]\nusers: [{name: u, user: {token: secret-token}}]\n`,
    );
    const { code, stdout, stderr } = await run([
      '--cluster',
      `prod=kubeconfig:prod@${kubeconfig}`,
      '--cluster',
      `dead=kubeconfig:dead@${dead}`,
      '-o',
      'json',
    ]);
    // Silence is no success.
    expect(code).toBe(1);
    expect(stderr).toMatch(/^cluster dead is unreachable: .*ECONNREFUSED/);
    expect(stderr + stdout).not.toContain('secret-token');
    const report = JSON.parse(stdout);
    expect(report.findings.map((one: any) => one.rule)).toEqual([
      'ClusterUnreachable',
    ]);
    expect(report.services).toHaveLength(1200);
    expect(report.services[0].partial).toBe(true);
    expect(report.clusters[1].coverage.Service).toBe('unreachable');
  });
});

/** A port on which nobody listens. */
function freePort(): Promise<number> {
  return new Promise(done => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address() as { port: number };
      server.close(() => done(port));
    });
  });
}
