import { connect as connectHttp2 } from 'node:http2';
import { request } from 'node:https';
import { ApiClient, until } from './contract/ApiClient';
import { Fleet, startFleet } from './Fleet';
import { SimulatedCluster } from './SimulatedCluster';

const MAPS = '/api/v1/namespaces/default/configmaps';

function configMap(name: string, data: Record<string, string> = {}) {
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data };
}

describe('SimulatedCluster', () => {
  let fleet: Fleet;
  let cluster: SimulatedCluster;
  let client: ApiClient;

  beforeEach(async () => {
    fleet = await startFleet({ clusters: ['east'], bookmarkIntervalMs: 100 });
    cluster = fleet.cluster('east');
    client = connect(cluster.token('admin'));
  });

  afterEach(async () => {
    client.close();
    await fleet.stop();
  });

  function connect(token: string): ApiClient {
    const { url, caData } = cluster;
    return ApiClient.create({ url, caData, token });
  }

  function watchFrom(version: string, query = '') {
    return client.watch(`${MAPS}?watch=1&resourceVersion=${version}${query}`);
  }

  it('applies, gets, lists and removes', async () => {
    const watch = await watchFrom(cluster.resourceVersion);
    const made = cluster.apply(configMap('a', { x: '1' }));
    expect(made.metadata).toMatchObject({
      namespace: 'default',
      uid: expect.any(String),
    });
    const changed = cluster.apply(configMap('a', { x: '2' }));
    expect(changed.metadata.uid).toBe(made.metadata.uid);
    const reference = { apiVersion: 'v1', kind: 'ConfigMap', name: 'a' };
    expect(cluster.get(reference)?.data).toEqual({ x: '2' });
    expect(cluster.list('v1', 'ConfigMap', 'default')).toHaveLength(1);
    cluster.remove(reference);
    expect(cluster.get(reference)).toBeUndefined();
    expect(() => cluster.remove(reference)).toThrow('configmaps "a" not found');
    const events = await watch.take(3);
    expect(events.map(({ type }) => type)).toEqual([
      'ADDED',
      'MODIFIED',
      'DELETED',
    ]);
  });

  it('speaks HTTP/2 with those who do, many requests over one connection', async () => {
    const session = connectHttp2(cluster.url, { ca: fleet.caPem });
    const cut = new Promise(resolve => session.once('close', resolve));
    session.on('error', () => {});
    const ask = (path: string) =>
      session.request({
        ':path': path,
        authorization: `Bearer ${cluster.token('reader')}`,
      });
    const watch = ask(
      `${MAPS}?watch=1&resourceVersion=${cluster.resourceVersion}`,
    );
    watch.setEncoding('utf8').on('error', () => {});
    let events = '';
    watch.on('data', text => {
      events += text;
    });
    await until(
      () => cluster.watches === 1,
      () => 'the watch',
    );
    cluster.apply(configMap('a'));
    let list = '';
    for await (const text of ask(MAPS).setEncoding('utf8')) list += text;
    expect(JSON.parse(list).items).toHaveLength(1);
    await until(
      () => events.endsWith('\n'),
      () => 'an event',
    );
    expect(JSON.parse(events)).toMatchObject({ type: 'ADDED' });
    await cluster.stop();
    await cut;
    expect(cluster.watches).toBe(0);
  });

  it('stores the status with the rest', () => {
    cluster.apply({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'p' },
      spec: { containers: [] },
      status: { phase: 'Running' },
    });
    expect(cluster.list('v1', 'Pod')[0].status.phase).toBe('Running');
  });

  it('forgets its history', async () => {
    const { resourceVersion } = cluster;
    cluster.apply(configMap('a'));
    cluster.compact();
    const late = await watchFrom(resourceVersion);
    const [event] = await late.take(1);
    expect(event).toMatchObject({ type: 'ERROR', object: { code: 410 } });
    await late.ended();
    const fresh = await watchFrom(cluster.resourceVersion);
    cluster.apply(configMap('b'));
    expect((await fresh.take(1))[0].type).toBe('ADDED');
  });

  it('forgets by itself what lies far back', async () => {
    await fleet.stop();
    fleet = await startFleet({ clusters: ['east'], historySize: 10 });
    cluster = fleet.cluster('east');
    client = connect(cluster.token('admin'));
    const { resourceVersion } = cluster;
    for (let i = 0; i < 50; i++) cluster.apply(configMap('a', { i: `${i}` }));
    const late = await watchFrom(resourceVersion);
    expect((await late.take(1))[0]).toMatchObject({ object: { code: 410 } });
    const recent = Number(cluster.resourceVersion) - 5;
    const watch = await watchFrom(String(recent));
    expect(await watch.take(5)).toHaveLength(5);
  });

  it('ends watches, plainly and with an error', async () => {
    const plain = await watchFrom(cluster.resourceVersion);
    await until(
      () => cluster.watches === 1,
      () => 'the watch',
    );
    cluster.closeWatches();
    await plain.ended();
    expect(plain.events).toEqual([]);
    const version = cluster.resourceVersion;
    const failing = await watchFrom(version);
    await until(
      () => cluster.watches === 1,
      () => 'the watch',
    );
    cluster.expireWatches();
    await failing.ended();
    expect(failing.events).toMatchObject([
      { type: 'ERROR', object: { code: 410, reason: 'Expired' } },
    ]);
    const again = await watchFrom(version);
    expect((await again.take(1))[0].type).toBe('ERROR');
  });

  it('sends bookmarks to those who want them', async () => {
    const watch = await watchFrom(
      cluster.resourceVersion,
      '&allowWatchBookmarks=true',
    );
    cluster.apply({
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: 'other' },
    });
    const version = cluster.resourceVersion;
    const bookmark = await watch.find(
      ({ type, object }) =>
        type === 'BOOKMARK' && object.metadata.resourceVersion === version,
    );
    expect(bookmark.object.kind).toBe('ConfigMap');
  });

  it('changes what a user may do, at once', async () => {
    const reader = connect(cluster.token('reader'));
    expect((await reader.get('/api/v1/pods')).status).toBe(200);
    cluster.setPermissions('reader', [
      { verbs: ['list'], apiGroups: [''], resources: ['services'] },
    ]);
    expect((await reader.get('/api/v1/pods')).status).toBe(403);
    expect((await reader.get('/api/v1/services')).status).toBe(200);
    reader.close();
    cluster.setPermissions('auditor', 'all');
    const auditor = connect(cluster.token('auditor'));
    expect((await auditor.get('/api/v1/secrets')).status).toBe(200);
    auditor.close();
    expect(() => cluster.token('nobody')).toThrow('no token "nobody"');
  });

  it('rotates tokens, with a grace or without', async () => {
    const old = cluster.token('admin');
    const fresh = cluster.rotateToken('admin');
    expect(fresh).not.toBe(old);
    expect((await client.get('/api')).status).toBe(401);
    const renewed = connect(fresh);
    expect((await renewed.get('/api')).status).toBe(200);
    cluster.rotateToken('admin', { graceMs: 60_000 });
    expect((await renewed.get('/api')).status).toBe(200);
    cluster.rotateToken('admin', { graceMs: 1 });
    renewed.close();
  });

  it('says the version that it is told to', async () => {
    cluster.setVersion('v1.34.2');
    expect((await client.get('/version')).body).toMatchObject({
      major: '1',
      minor: '34',
      gitVersion: 'v1.34.2',
    });
  });

  it('remembers what was asked, without tokens', async () => {
    await client.get('/api/v1/pods?limit=1');
    await client.get('/api/v1/things');
    expect(cluster.requests).toEqual([
      {
        method: 'GET',
        path: '/api/v1/pods?limit=1',
        status: 200,
        user: 'admin',
      },
      { method: 'GET', path: '/api/v1/things', status: 404, user: 'admin' },
    ]);
  });

  it('goes away and comes back at the same address with what it held', async () => {
    cluster.apply(configMap('kept'));
    const { url } = cluster;
    const watch = await watchFrom(cluster.resourceVersion);
    await cluster.stop();
    await watch.ended();
    await expect(client.get('/version')).rejects.toThrow(/ECONNREFUSED/);
    await cluster.start();
    expect(cluster.url).toBe(url);
    expect((await client.get(`${MAPS}/kept`)).status).toBe(200);
  });

  it('serves kinds as definitions come and go', async () => {
    const path = '/apis/shop.example.com/v1/promos';
    expect((await client.get(path)).status).toBe(404);
    cluster.apply({
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: { name: 'promos.shop.example.com' },
      spec: {
        group: 'shop.example.com',
        scope: 'Cluster',
        names: { kind: 'Promo', plural: 'promos' },
        versions: [{ name: 'v1', served: true, storage: true }],
      },
    });
    cluster.apply({
      apiVersion: 'shop.example.com/v1',
      kind: 'Promo',
      metadata: { name: 'spring' },
    });
    expect((await client.get(path)).body.items).toHaveLength(1);
    const watch = await client.watch(
      `${path}?watch=1&resourceVersion=${cluster.resourceVersion}`,
    );
    cluster.remove({
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      name: 'promos.shop.example.com',
    });
    expect((await watch.take(1))[0].type).toBe('DELETED');
    expect((await client.get(path)).status).toBe(404);
  });

  it('empties a namespace that is removed', () => {
    cluster.apply({
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name: 'web', namespace: 'shop' },
      spec: {},
    });
    cluster.remove({ apiVersion: 'v1', kind: 'Namespace', name: 'shop' });
    expect(cluster.list('v1', 'Service', 'shop')).toEqual([]);
  });

  it('cuts off a watcher that does not read, and no other', async () => {
    const good = await watchFrom(cluster.resourceVersion);
    const stuck = await new Promise<import('node:http').IncomingMessage>(
      (resolve, reject) => {
        request(
          `${cluster.url}${MAPS}?watch=1&resourceVersion=${cluster.resourceVersion}`,
          {
            ca: fleet.caPem,
            headers: { Authorization: `Bearer ${cluster.token('admin')}` },
          },
          resolve,
        )
          .on('error', reject)
          .end();
      },
    );
    stuck.pause();
    stuck.on('error', () => {});
    await until(
      () => cluster.watches === 2,
      () => 'both watches',
    );
    const text = 'x'.repeat(500_000);
    let changes = 0;
    while (cluster.watches === 2 && changes < 400) {
      cluster.apply(configMap('big', { text, n: String(changes++) }));
      await new Promise(resolve => setTimeout(resolve, 5));
    }
    expect(cluster.watches).toBe(1);
    await good.take(changes);
    stuck.destroy();
  }, 120_000);
});
