import { TestDatabases } from '@backstage/backend-test-utils';
import {
  Fault,
  FaultProxy,
  startFaultProxy,
  unresolvableServer,
} from '@mesh-for-backstage/fault-proxy';
import {
  Fleet,
  SimulatedCluster,
  startFleet,
} from '@mesh-for-backstage/fleet-simulator';
import {
  clusterAt,
  eventually,
  Harness,
  initDatabase,
} from './__testUtils__/harness';
import { CollectSettings } from './settings';

/*
 * What goes wrong between a collector and a cluster, one test each. What is asked
 * of all of them: attempts are bounded, nothing old is called current, recovery
 * needs no restart, and other clusters do not notice.
 */

jest.setTimeout(180_000);

const databases = TestDatabases.create({ ids: ['SQLITE_3'] });

const service = (name: string, namespace = 'shop') => ({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name, namespace },
  spec: { selector: { app: name }, ports: [{ port: 80 }] },
});

const wait = (milliseconds: number) =>
  new Promise(done => setTimeout(done, milliseconds));

let fleet: Fleet;
let proxies: FaultProxy[] = [];
let harness: Harness;

/** Starts clusters, each behind a proxy of its own, with two services each. */
async function setUp(
  names: string[],
  settings: Partial<CollectSettings> = {},
): Promise<{ proxy: FaultProxy; east: SimulatedCluster }> {
  fleet = await startFleet({ clusters: names, bookmarkIntervalMs: 200 });
  proxies = await Promise.all(
    fleet.clusters.map(cluster =>
      startFaultProxy({ target: { url: cluster.url, caData: cluster.caData } }),
    ),
  );
  for (const cluster of fleet.clusters) {
    cluster.apply(service('cart'));
    cluster.apply(service('checkout'));
  }
  harness = Harness.create({
    knex: await initDatabase(databases, 'SQLITE_3'),
    clusters: fleet.clusters.map((cluster, index) =>
      clusterAt({
        name: cluster.name,
        url: proxies[index].url,
        caData: proxies[index].caData,
        token: () => cluster.token('admin'),
      }),
    ),
    settings,
  });
  return { proxy: proxies[0], east: fleet.clusters[0] };
}

afterEach(async () => {
  await harness?.stop();
  await Promise.all(proxies.map(proxy => proxy.stop()));
  await fleet?.stop();
  proxies = [];
});

/** How many requests for a path come in a span of time. */
async function requestsWithin(
  proxy: FaultProxy,
  milliseconds: number,
  path: RegExp,
): Promise<number> {
  const from = Date.now();
  await wait(milliseconds);
  return proxy.requests.filter(
    request => request.at >= from && path.test(request.path),
  ).length;
}

describe('clusters that cannot be reached', () => {
  it('shows the others, and says why, for each of its own (BP-01)', async () => {
    await setUp(['a', 'b', 'c']);
    const [, b, c] = harness.clusters;
    harness.clusters[1] = clusterAt({
      ...b,
      url: unresolvableServer('b'),
      token: 'none',
    });
    proxies[2].fault({ type: 'neverAnswers' });
    harness.start();
    await harness.untilState('a', 'synced');
    await harness.untilState('b', 'unreachable');
    await harness.untilState(c.name, 'unreachable');
    expect(await harness.names('a', 'Service')).toEqual([
      'shop/cart',
      'shop/checkout',
    ]);
    expect((await harness.cluster('b')).message).toMatch(
      /b\.invalid:6443 does not resolve/,
    );
    expect((await harness.cluster('c')).message).toMatch(
      /^127\.0\.0\.1:\d+ does not (answer|accept a connection) in time/,
    );

    proxies[2].fault();
    await harness.untilState('c', 'synced');
    expect(await harness.names('c', 'Service')).toHaveLength(2);
  });

  it('keeps what it knows of a cluster that goes away, and says since when', async () => {
    const { proxy, east } = await setUp(['east', 'west']);
    harness.start();
    await harness.untilState('east', 'synced');
    const before = await harness.coverage('east', 'Service');

    proxy.fault({ type: 'neverAnswers' });
    east.closeWatches();
    await harness.untilState('east', 'unreachable');
    const during = await harness.coverage('east', 'Service');
    expect(during).toMatchObject({ state: 'unreachable', objects: 2 });
    expect(during.asOf! >= before.asOf!).toBe(true);
    expect(await harness.names('east', 'Service')).toHaveLength(2);
    const { lastContact, since } = await harness.cluster('east');
    await wait(1_000);
    // Time goes on; the last sign of life does not.
    expect(await harness.coverage('east', 'Service')).toEqual(during);
    expect(await harness.cluster('east')).toMatchObject({ lastContact, since });
    expect(await harness.cluster('west')).toMatchObject({ state: 'synced' });

    east.apply(service('basket'));
    proxy.fault();
    await harness.untilState('east', 'synced');
    await eventually(async () =>
      expect(await harness.names('east', 'Service')).toContain('shop/basket'),
    );
  });

  it('names the host when its certificate is for another name, and does not connect (BP-13)', async () => {
    const { proxy } = await setUp(['east']);
    proxy.fault({ type: 'wrongCertificate' });
    harness.start();
    await harness.untilState('east', 'unreachable');
    expect((await harness.cluster('east')).message).toMatch(
      /^TLS error: the certificate of 127\.0\.0\.1:\d+ is for other names/,
    );
    expect(proxy.requests).toEqual([]);
  });
});

describe('watches that say nothing, or too little', () => {
  it('takes silence for staleness, and reads anew (BP-09)', async () => {
    const { proxy, east } = await setUp(['east'], { staleAfterMs: 1_500 });
    harness.start();
    await harness.untilState('east', 'synced');
    await wait(500);

    proxy.fault({ type: 'silentWatch' });
    const asOf = Date.now();
    east.apply(service('basket'));
    const seen = new Set<string>();
    await eventually(async () => {
      const row = await harness.coverage('east', 'Service');
      seen.add(row.state);
      // It is not called fresh while nothing comes.
      expect(
        row.state !== 'stale' || Date.parse(row.asOf!) < asOf + 1_000,
      ).toBe(true);
      expect([...seen]).toContain('stale');
    });
    await eventually(async () =>
      expect(await harness.names('east', 'Service')).toContain('shop/basket'),
    );

    proxy.fault();
    east.closeWatches();
    await harness.untilState('east', 'synced');
  });

  it('does not run in circles when watches end at once', async () => {
    const { proxy } = await setUp(['east'], {
      backoff: { baseMs: 200, capMs: 2_000 },
    });
    proxy.fault({ type: 'watchEndsAtOnce' });
    harness.start();
    await eventually(async () =>
      expect(await harness.names('east', 'Service')).toHaveLength(2),
    );
    await wait(2_000);
    const count = await requestsWithin(
      proxy,
      3_000,
      /\/services\?.*watch=true/,
    );
    expect(count).toBeLessThanOrEqual(12);

    proxy.fault();
    await harness.untilState('east', 'synced');
  });

  it.each<Fault>([
    { type: 'expired', as: 'status', times: 20 },
    { type: 'expired', as: 'event', times: 20 },
  ])(
    'lists anew when its version is too old, told by $as (BP-17)',
    async fault => {
      const { proxy, east } = await setUp(['east']);
      harness.start();
      await harness.untilState('east', 'synced');
      proxy.fault(fault);
      east.closeWatches();
      // Only when the fault has struck is the change one that no watch has told.
      await eventually(() =>
        expect(
          proxy.requests.filter(request => request.fault === 'expired').length,
        ).toBeGreaterThan(0),
      );
      east.apply(service('basket'));
      await eventually(async () =>
        expect(await harness.names('east', 'Service')).toContain('shop/basket'),
      );
      proxy.fault();
      await harness.untilState('east', 'synced');
      // Not a word of it to people: it is how watches work.
      expect((await harness.cluster('east')).message).toBeUndefined();
      await eventually(async () =>
        expect(
          await requestsWithin(proxy, 1_500, /\/services\?(?!.*watch=true)/),
        ).toBe(0),
      );
    },
  );

  it('does not run in circles when every version is too old', async () => {
    const { proxy } = await setUp(['east'], {
      backoff: { baseMs: 200, capMs: 2_000 },
    });
    proxy.fault({ type: 'expired', as: 'status' });
    harness.start();
    await eventually(async () =>
      expect(await harness.names('east', 'Service')).toHaveLength(2),
    );
    await wait(2_000);
    expect(
      await requestsWithin(proxy, 3_000, /\/services\?/),
    ).toBeLessThanOrEqual(24);
    proxy.fault();
    await harness.untilState('east', 'synced');
  });
});

describe('kinds that are not there, or not to be read', () => {
  it('tells an absent API from an empty one, and sees it appear (BP-03)', async () => {
    const { proxy, east } = await setUp(['east']);
    proxy.fault({ type: 'notFound', group: 'gateway.networking.k8s.io' });
    harness.start();
    await harness.untilState('east', 'synced');
    const kind = 'HTTPRoute.gateway.networking.k8s.io';
    expect(await harness.coverage('east', kind)).toMatchObject({
      state: 'absent-api',
      message:
        'The cluster does not serve httproutes.gateway.networking.k8s.io',
    });

    proxy.fault();
    east.apply({
      apiVersion: 'gateway.networking.k8s.io/v1',
      kind: 'HTTPRoute',
      metadata: { name: 'cart', namespace: 'shop' },
      spec: { parentRefs: [{ name: 'public' }] },
    });
    await eventually(async () => {
      expect(await harness.coverage('east', kind)).toMatchObject({
        state: 'synced',
        version: 'v1',
        objects: 1,
      });
    });
    expect(await harness.names('east', kind)).toEqual(['shop/cart']);
  });

  it('reads the version that is served (BP-03)', async () => {
    const { east } = await setUp(['east']);
    east.apply({
      apiVersion: 'gateway.networking.k8s.io/v1beta1',
      kind: 'ReferenceGrant',
      metadata: { name: 'shop', namespace: 'shop' },
      spec: { from: [], to: [] },
    });
    harness.start();
    await harness.untilState('east', 'synced');
    expect(
      await harness.coverage(
        'east',
        'ReferenceGrant.gateway.networking.k8s.io',
      ),
    ).toMatchObject({ state: 'synced', version: 'v1beta1', objects: 1 });
  });

  it('comes through 404 and 403 to where it may read (BP-07)', async () => {
    const { proxy } = await setUp(['east']);
    const match = { path: /\/api\/v1\/services\?/ };
    proxy.fault({ type: 'notFound', match });
    harness.start();
    await eventually(async () =>
      expect(await harness.coverage('east', 'Service')).toMatchObject({
        state: 'absent-api',
      }),
    );
    proxy.fault({ type: 'forbidden', match });
    await eventually(async () =>
      expect(await harness.coverage('east', 'Service')).toMatchObject({
        state: 'forbidden',
      }),
    );
    proxy.fault();
    await harness.untilState('east', 'synced');
    expect(await harness.names('east', 'Service')).toHaveLength(2);
  });

  it('names the missing permission, and reads the rest (BP-15)', async () => {
    const { proxy } = await setUp(['east'], { forbiddenRetryMs: 1_000 });
    proxy.fault({ type: 'forbidden', resources: ['nodes', 'configmaps'] });
    harness.start();
    await harness.untilState('east', 'degraded');
    expect(await harness.coverage('east', 'Node')).toMatchObject({
      state: 'forbidden',
      message: 'No permission to list nodes',
      missing: { verb: 'list', group: '', resource: 'nodes' },
    });
    expect(await harness.coverage('east', 'ConfigMap')).toMatchObject({
      state: 'forbidden',
      missing: { resource: 'configmaps', namespace: expect.any(String) },
    });
    expect((await harness.cluster('east')).message).toMatch(
      /No permission to list nodes/,
    );
    expect(await harness.names('east', 'Service')).toHaveLength(2);
    expect(await requestsWithin(proxy, 3_000, /\/nodes/)).toBeLessThanOrEqual(
      5,
    );

    proxy.fault();
    await harness.untilState('east', 'synced');
  });

  it('says which verb is missing where lists are allowed and watches are not', async () => {
    const { proxy } = await setUp(['east']);
    proxy.fault({ type: 'forbidden', verbs: ['watch'], resources: ['nodes'] });
    harness.start();
    await harness.untilState('east', 'degraded');
    expect(await harness.coverage('east', 'Node')).toMatchObject({
      state: 'forbidden',
      missing: { verb: 'watch', group: '', resource: 'nodes' },
    });
  });

  it('notices permissions that are withdrawn, and keeps what it has read', async () => {
    const { proxy, east } = await setUp(['east']);
    harness.start();
    await harness.untilState('east', 'synced');
    proxy.fault({ type: 'forbidden', resources: ['services'] });
    east.closeWatches();
    await harness.untilState('east', 'degraded');
    expect(await harness.coverage('east', 'Service')).toMatchObject({
      state: 'forbidden',
      objects: 2,
    });
  });

  it('reads nothing of what is switched off', async () => {
    const { proxy } = await setUp(['east']);
    harness.start();
    await harness.untilState('east', 'synced');
    expect(await harness.coverage('east', 'Secret')).toMatchObject({
      state: 'forbidden',
      message: expect.stringContaining('mesh.collect.remoteSecretMetadata'),
    });
    expect(
      proxy.requests.filter(request => /secrets/.test(request.path)),
    ).toEqual([]);
  });
});

describe('servers in trouble', () => {
  it('waits for as long as it is told to (429)', async () => {
    const { proxy } = await setUp(['east']);
    const match = { path: /\/services\?/ };
    proxy.fault({ type: 'tooManyRequests', retryAfterSeconds: 2, match });
    harness.start();
    await eventually(() =>
      expect(
        proxy.requests.filter(request => match.path.test(request.path)).length,
      ).toBeGreaterThan(0),
    );
    expect(await requestsWithin(proxy, 4_500, match.path)).toBeLessThanOrEqual(
      3,
    );
    proxy.fault();
    await harness.untilState('east', 'synced');
  });

  it.each<Fault>([
    { type: 'serverError' },
    { type: 'serverError', code: 503 },
    { type: 'malformedJson' },
    { type: 'dropConnection', when: 'before' },
    { type: 'dropConnection', when: 'during' },
    { type: 'truncatedList' },
  ])('tries again, not too often, and recovers: $type', async fault => {
    const { proxy } = await setUp(['east', 'west'], {
      backoff: { baseMs: 200, capMs: 2_000 },
    });
    const match = { path: /\/services\?/ };
    proxy.fault({ ...fault, match });
    harness.start();
    await harness.untilState('west', 'synced');
    await eventually(async () =>
      expect((await harness.coverage('east', 'Service')).state).not.toBe(
        'synced',
      ),
    );
    await wait(1_000);
    expect(await requestsWithin(proxy, 3_000, match.path)).toBeLessThanOrEqual(
      12,
    );
    expect(await harness.coverage('east', 'Namespace')).toMatchObject({
      state: 'synced',
    });
    proxy.fault();
    await harness.untilState('east', 'synced');
    expect(await harness.names('east', 'Service')).toHaveLength(2);
  });

  it('does not take a broken page for the end of the list', async () => {
    const { proxy } = await setUp(['east']);
    harness.start();
    await harness.untilState('east', 'synced');
    proxy.fault({ type: 'truncatedList' }, { type: 'watchEndsAtOnce' });
    await wait(2_000);
    expect(await harness.names('east', 'Service')).toHaveLength(2);
  });

  it('keeps going behind a slow line', async () => {
    const { proxy } = await setUp(['east']);
    proxy.fault({ type: 'latency', ms: 300 });
    harness.start();
    await harness.untilState('east', 'synced');
    expect(await harness.names('east', 'Service')).toHaveLength(2);
  });
});

describe('credentials', () => {
  it('reads them again when they are refused', async () => {
    const { proxy, east } = await setUp(['east']);
    harness.start();
    await harness.untilState('east', 'synced');
    east.rotateToken('admin');
    east.closeWatches();
    east.apply(service('basket'));
    await eventually(async () =>
      expect(await harness.names('east', 'Service')).toContain('shop/basket'),
    );
    await harness.untilState('east', 'synced');
    expect(proxy.requests.some(request => request.status === 401)).toBe(true);
  });

  it('backs off when there are no better ones', async () => {
    const { proxy } = await setUp(['east'], {
      backoff: { baseMs: 200, capMs: 1_000 },
    });
    proxy.fault({ type: 'unauthorized' });
    harness.start();
    await harness.untilState('east', 'unreachable');
    const { message } = await harness.cluster('east');
    expect(message).toMatch(/refuses the credentials \(401\)/);
    await wait(1_000);
    expect(await requestsWithin(proxy, 3_000, /./)).toBeLessThanOrEqual(15);
    proxy.fault();
    await harness.untilState('east', 'synced');
  });

  it('never shows a token, whatever goes wrong', async () => {
    const { proxy, east } = await setUp(['east']);
    const token = east.token('admin');
    for (const fault of [
      { type: 'unauthorized' },
      { type: 'serverError' },
      { type: 'malformedJson' },
    ] as Fault[]) {
      proxy.fault(fault);
      const collectors = harness.start();
      await wait(1_000);
      await collectors.stop();
    }
    const stored = JSON.stringify([
      await harness.clusterStore.list(),
      await harness.clusterStore.coverage(),
    ]);
    expect(stored).not.toContain(token);
  });
});
