import { createHash } from 'node:crypto';
import { chmod, writeFile } from 'node:fs/promises';
import { createServer, Server } from 'node:http';
import { AddressInfo, connect, Socket } from 'node:net';
import { createMockDirectory } from '@backstage/backend-test-utils';
import { FaultProxy, startFaultProxy } from '@mesh-for-backstage/fault-proxy';
import { Fleet, startFleet } from '@mesh-for-backstage/fleet-simulator';
import { stringify } from 'yaml';
import { ApiServer } from '../collect/ApiServer';
import { createKubeconfigSource } from './kubeconfigSource';

/* How the credentials of a kubeconfig reach its server, and no other. */

jest.setTimeout(120_000);

const directory = createMockDirectory();
const hashOf = (token: string) =>
  createHash('sha256').update(`Bearer ${token}`).digest('hex');

let fleet: Fleet;
let proxies: FaultProxy[] = [];
let tunnels: Server[] = [];
let apis: ApiServer[] = [];

beforeEach(async () => {
  fleet = await startFleet({ clusters: ['a', 'b'] });
});

afterEach(async () => {
  await Promise.all(apis.map(api => api.close()));
  await Promise.all(proxies.map(proxy => proxy.stop()));
  await Promise.all(
    tunnels.map(
      tunnel =>
        new Promise(done => {
          tunnel.close(done);
          tunnel.closeAllConnections();
        }),
    ),
  );
  await fleet.stop();
  apis = [];
  proxies = [];
  tunnels = [];
});

async function startProxy(name: string, certificateFor?: string[]) {
  const { url, caData } = fleet.cluster(name);
  const proxy = await startFaultProxy({
    target: { url, caData },
    certificateFor,
  });
  proxies.push(proxy);
  return proxy;
}

async function connectTo(kubeconfig: object): Promise<ApiServer[]> {
  const file = directory.resolve('kubeconfig');
  await writeFile(file, stringify(kubeconfig));
  const clusters = await createKubeconfigSource({ path: file }).listClusters();
  apis = clusters.map(cluster =>
    ApiServer.create({
      createKubeConfig: cluster.createKubeConfig!,
      connectTimeoutMs: 5_000,
      requestTimeoutMs: 10_000,
    }),
  );
  return apis;
}

const list = (api: ApiServer) =>
  api.get('/api/v1/namespaces?limit=5', {
    signal: new AbortController().signal,
  });

/** Opens a watch, and ends it once it has said something. */
async function watch(api: ApiServer): Promise<string> {
  const controller = new AbortController();
  const events = api.watch('/api/v1/namespaces?watch=true', {
    signal: controller.signal,
    onConnected: () => {},
  });
  const first = await events.next();
  await events.return(undefined);
  controller.abort();
  return first.value.type;
}

it('sends what a sign-in command or a file says to its own server only, though the users have one name (BP-11)', async () => {
  const [a, b] = [await startProxy('a'), await startProxy('b')];
  const command = directory.resolve('get-token');
  await writeFile(
    command,
    `#!/bin/sh
printf '{"apiVersion":"client.authentication.k8s.io/v1","kind":"ExecCredential","status":{"token":"%s"}}' "$1"
`,
  );
  await chmod(command, 0o755);
  const exec = (token: string) => ({
    exec: {
      apiVersion: 'client.authentication.k8s.io/v1',
      command,
      args: [token],
      interactiveMode: 'Never',
    },
  });
  const of = (proxy: FaultProxy) => ({
    server: proxy.url,
    'certificate-authority-data': proxy.caData,
  });
  // Two files, one user name: as teams write them.
  const tokens = ['a', 'b'].map(name => fleet.cluster(name).token('admin'));
  const connected: ApiServer[] = [];
  for (const [index, proxy] of [a, b].entries()) {
    const [api] = await connectTo({
      clusters: [{ name: 'cluster', cluster: of(proxy) }],
      users: [{ name: 'ci', user: exec(tokens[index]) }],
      contexts: [{ name: 'only', context: { cluster: 'cluster', user: 'ci' } }],
    });
    // The file is read anew when a connection is made: make it now.
    await list(api);
    connected.push(api);
  }
  // And two contexts of one file that share the user, with different servers.
  await writeFile(directory.resolve('token-a'), `${tokens[0]}\n`);
  const shared = await connectTo({
    clusters: [
      { name: 'a', cluster: of(a) },
      { name: 'b', cluster: of(b) },
    ],
    users: [
      { name: 'ci', user: { tokenFile: 'token-a' } },
      { name: 'ci-b', user: exec(tokens[1]) },
    ],
    contexts: [
      { name: 'a', context: { cluster: 'a', user: 'ci' } },
      { name: 'b', context: { cluster: 'b', user: 'ci-b' } },
    ],
  });
  apis = [...connected, ...shared];
  await Promise.all(
    [connected[0], connected[1], shared[0], shared[1]].flatMap(api => [
      list(api),
      watch(api),
    ]),
  );
  const seen = (proxy: FaultProxy) => [
    ...new Set(proxy.requests.map(request => request.authorization)),
  ];
  expect(seen(a)).toEqual([hashOf(tokens[0])]);
  expect(seen(b)).toEqual([hashOf(tokens[1])]);
});

it('goes through the proxy and asks for the server name, for lists and watches alike (BP-13)', async () => {
  const proxy = await startProxy('a', ['api.a.example.com']);
  const asked: string[] = [];
  const tunnel = createServer();
  tunnel.on('connect', (request, client: Socket, head) => {
    asked.push(request.url!);
    const upstream = connect(
      Number(new URL(proxy.url).port),
      '127.0.0.1',
      () => {
        client.write('HTTP/1.1 200 Connection established\r\n\r\n');
        upstream.write(head);
        upstream.pipe(client).pipe(upstream);
      },
    );
    upstream.on('error', () => client.destroy());
    client.on('error', () => upstream.destroy());
  });
  await new Promise<void>(done => tunnel.listen(0, '127.0.0.1', done));
  tunnels.push(tunnel);

  const kubeconfig = (cluster: object) => ({
    clusters: [
      {
        name: 'a',
        cluster: {
          // An address that leads nowhere without the proxy.
          server: 'https://192.0.2.1:6443',
          'certificate-authority-data': proxy.caData,
          'proxy-url': `http://127.0.0.1:${
            (tunnel.address() as AddressInfo).port
          }`,
          ...cluster,
        },
      },
    ],
    users: [{ name: 'u', user: { token: fleet.cluster('a').token('admin') } }],
    contexts: [{ name: 'a', context: { cluster: 'a', user: 'u' } }],
  });
  const [api] = await connectTo(
    kubeconfig({ 'tls-server-name': 'api.a.example.com' }),
  );
  expect((await list(api))?.body.kind).toBe('NamespaceList');
  expect(await watch(api)).toBe('ADDED');
  expect(asked.length).toBeGreaterThanOrEqual(1);
  expect(new Set(asked)).toEqual(new Set(['192.0.2.1:6443']));

  await api.close();
  const [wrong] = await connectTo(kubeconfig({}));
  await expect(list(wrong)).rejects.toThrow(
    /^TLS error: the certificate of 192\.0\.2\.1:6443 is for other names \(DNS:api\.a\.example\.com\)/,
  );
});

it('trusts an unknown authority only where the configuration says so', async () => {
  const proxy = await startProxy('a');
  const kubeconfig = (cluster: object) => ({
    clusters: [{ name: 'a', cluster: { server: proxy.url, ...cluster } }],
    users: [{ name: 'u', user: { token: fleet.cluster('a').token('admin') } }],
    contexts: [{ name: 'a', context: { cluster: 'a', user: 'u' } }],
  });
  const [strict] = await connectTo(kubeconfig({}));
  await expect(list(strict)).rejects.toThrow(
    /^TLS error: the certificate of 127\.0\.0\.1:\d+ is not signed by the configured authority/,
  );
  await strict.close();
  const [lax] = await connectTo(
    kubeconfig({ 'insecure-skip-tls-verify': true }),
  );
  expect((await list(lax))?.body.kind).toBe('NamespaceList');
});

it('says why sign-in fails, without what the command printed', async () => {
  const command = directory.resolve('broken');
  await writeFile(command, '#!/bin/sh\necho "token: hunter2" >&2\nexit 3\n');
  await chmod(command, 0o755);
  const kubeconfig = (user: object) => ({
    clusters: [{ name: 'a', cluster: { server: 'https://192.0.2.1' } }],
    users: [{ name: 'u', user }],
    contexts: [{ name: 'a', context: { cluster: 'a', user: 'u' } }],
  });
  const [failing] = await connectTo(
    kubeconfig({ exec: { command, args: [] } }),
  );
  const error = await list(failing).catch(one => one);
  expect(error.message).toMatch(/^Sign-in failed/);
  expect(`${error.message}${error.stack}`).not.toContain('hunter2');

  const [missing] = await connectTo(
    kubeconfig({ exec: { command: directory.resolve('gone'), args: [] } }),
  );
  await expect(list(missing)).rejects.toThrow(
    /^Sign-in failed: the command .*gone is not there \(ENOENT\)/,
  );
  const [noFile] = await connectTo(kubeconfig({ tokenFile: 'gone' }));
  await expect(list(noFile)).rejects.toThrow(
    /^Sign-in failed: .*gone cannot be read \(ENOENT\)/,
  );
});
