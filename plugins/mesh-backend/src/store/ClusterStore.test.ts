import { TestDatabases } from '@backstage/backend-test-utils';
import { Knex } from 'knex';
import { databaseIds, initDatabase } from '../collect/__testUtils__/harness';
import { LeaseLostError } from './ClusterLease';
import {
  ClusterRegistration,
  ClusterStore,
  StoredCoverage,
  summariseCluster,
  toKindCoverage,
} from './ClusterStore';
import { ObjectStore } from './ObjectStore';
import { Queue } from './Queue';

jest.setTimeout(120_000);

const databases = TestDatabases.create({ ids: databaseIds() });

const east: ClusterRegistration = {
  name: 'east',
  source: 'kubeconfig',
  server: 'east.example.com:6443',
  title: 'East',
  environment: 'production',
  labels: { region: 'eu' },
  clusterDomain: 'east.local',
  systemNamespaces: ['istio-system'],
};

const row = (
  kind: string,
  more: Partial<StoredCoverage> = {},
): StoredCoverage => ({
  cluster: 'east',
  kind,
  resource: kind.toLowerCase(),
  version: 'v1',
  state: 'synced',
  objects: 3,
  since: '2026-11-30T10:00:00.000Z',
  asOf: '2026-11-30T12:00:00.000Z',
  ...more,
});

describe.each(databases.eachSupportedId())('ClusterStore on %s', id => {
  let database: Knex;
  let queue: Queue;
  let clusters: ClusterStore;

  beforeEach(async () => {
    database = await initDatabase(databases, id);
    queue = Queue.create({ database, instanceId: 'test' });
    clusters = ClusterStore.create({ database, queue });
  });

  const claimed = async () => (await queue.claim(100)).map(one => one.unit);
  /** Units of a cluster that is read for the first time wait until that is done. */
  const haveBeenRead = () => database('clusters').update({ state: 'synced' });

  it('registers a cluster, and says whether that was news', async () => {
    expect(await clusters.register(east)).toBe(true);
    expect(await clusters.register(east)).toBe(false);
    expect(await clusters.register({ ...east, title: 'East 2' })).toBe(true);
    expect(await clusters.list()).toEqual([
      {
        ...east,
        title: 'East 2',
        state: 'connecting',
        since: expect.any(String),
      },
    ]);
  });

  it('keeps the state of a cluster that is registered again, unless there is a problem', async () => {
    await clusters.register(east);
    const lease = (await clusters.acquireLease('east', 'one', 60_000))!;
    await clusters.saveStatus(lease, {
      state: 'synced',
      since: '2026-11-30T10:00:00.000Z',
      kubernetesVersion: 'v1.36.1',
    });
    await clusters.register(east);
    expect(await clusters.get('east')).toMatchObject({ state: 'synced' });

    const problem = { state: 'misconfigured' as const, message: 'no token' };
    await clusters.register({ ...east, problem });
    expect(await clusters.get('east')).toMatchObject(problem);
    await clusters.register(east);
    expect(await clusters.get('east')).toMatchObject({ state: 'connecting' });
  });

  it('gives a cluster to one replica at a time', async () => {
    await clusters.register(east);
    const taken = await Promise.all(
      ['one', 'two', 'three'].map(owner =>
        clusters.acquireLease('east', owner, 60_000),
      ),
    );
    const [lease, ...others] = taken.filter(one => one !== undefined);
    expect(others).toEqual([]);
    expect(await clusters.renewLeases([lease!], 60_000)).toEqual([lease]);
    await clusters.releaseLease(lease!);
    const next = await clusters.acquireLease('east', 'four', 60_000);
    expect(next!.fence).toBe(lease!.fence + 1);
    expect(await clusters.renewLeases([lease!], 60_000)).toEqual([]);
  });

  it('takes over from a replica that is no longer heard of', async () => {
    await clusters.register(east);
    const lease = (await clusters.acquireLease('east', 'one', 300))!;
    expect(await clusters.acquireLease('east', 'two', 60_000)).toBeUndefined();
    await new Promise(done => setTimeout(done, 400));
    const next = (await clusters.acquireLease('east', 'two', 60_000))!;
    expect(next.fence).toBeGreaterThan(lease.fence);
    await expect(
      clusters.saveStatus(lease, { state: 'synced', since: 'x' }),
    ).rejects.toThrow(LeaseLostError);
    await expect(clusters.saveCoverage(lease, [row('Pod')])).rejects.toThrow(
      LeaseLostError,
    );
  });

  it('marks whoever reads coverage when state or message change, not when time does', async () => {
    await clusters.register(east);
    await haveBeenRead();
    const lease = (await clusters.acquireLease('east', 'one', 60_000))!;
    expect(
      await clusters.saveCoverage(lease, [row('Pod'), row('Node')]),
    ).toEqual({ changed: ['Pod', 'Node'] });
    const claims = await queue.claim(10);
    expect(claims.map(claim => claim.unit)).toEqual(['cluster:east']);
    await queue.complete(claims);

    expect(
      await clusters.saveCoverage(lease, [
        row('Pod', { asOf: '2026-11-30T13:00:00.000Z', objects: 4 }),
      ]),
    ).toEqual({ changed: [] });
    expect(await claimed()).toEqual([]);
    const forbidden = row('Pod', {
      state: 'forbidden',
      message: 'No permission to list pods',
      missing: { verb: 'list', group: '', resource: 'pods' },
    });
    expect(await clusters.saveCoverage(lease, [forbidden])).toEqual({
      changed: ['Pod'],
    });
    expect(await claimed()).toEqual(['cluster:east']);
    expect(await clusters.coverage('east')).toEqual([row('Node'), forbidden]);
  });

  it('removes what is no longer read, and marks its readers', async () => {
    await clusters.register(east);
    await haveBeenRead();
    const lease = (await clusters.acquireLease('east', 'one', 60_000))!;
    const objects = ObjectStore.create({ database, queue });
    const record = (kind: string, namespace: string, name: string) => ({
      ...{ kind, namespace, name },
      hash: '1',
      body: JSON.stringify({ metadata: { namespace, name } }),
    });
    await objects.write(lease, {
      upserts: [
        record('ConfigMap', 'istio-system', 'istio'),
        record('ConfigMap', 'old-system', 'istio'),
        record('Pod', 'shop', 'a'),
        record('Gone.example.com', 'shop', 'b'),
      ],
      deletes: [],
    });
    await clusters.saveCoverage(lease, [row('Pod'), row('Gone.example.com')]);
    await database('queue').delete();
    await clusters.keepOnly(lease, [
      { kind: 'ConfigMap', namespaces: ['istio-system'] },
      { kind: 'Pod' },
    ]);
    expect(await clusters.coverage()).toEqual([row('Pod')]);
    expect(await objects.count('east')).toEqual(
      new Map([
        ['ConfigMap', 1],
        ['Pod', 1],
      ]),
    );
    expect(await claimed()).toEqual(['namespace:east/old-system']);
  });

  it('removes a cluster with all that was read from it, and marks what was made of it', async () => {
    await clusters.register(east);
    await clusters.register({ ...east, name: 'west' });
    await haveBeenRead();
    const lease = (await clusters.acquireLease('east', 'one', 60_000))!;
    const objects = ObjectStore.create({ database, queue });
    await objects.write(lease, {
      upserts: [
        { kind: 'Pod', namespace: 'shop', name: 'a', hash: '1', body: '{}' },
        {
          kind: 'Namespace',
          namespace: '',
          name: 'shop',
          hash: '1',
          body: '{}',
        },
      ],
      deletes: [],
    });
    await clusters.saveCoverage(lease, [row('Pod')]);
    await queue.complete(await queue.claim(100));

    await clusters.remove('east');
    expect((await clusters.list()).map(one => one.name)).toEqual(['west']);
    expect(await clusters.coverage()).toEqual([]);
    expect(await objects.count('east')).toEqual(new Map());
    expect((await claimed()).sort()).toEqual([
      'cluster:east',
      'namespace:east/shop',
    ]);
    await expect(
      objects.write(lease, {
        upserts: [
          { kind: 'Pod', namespace: 'shop', name: 'b', hash: '1', body: '{}' },
        ],
        deletes: [],
      }),
    ).rejects.toThrow(LeaseLostError);
  });
});

describe('summariseCluster', () => {
  const cluster = {
    ...east,
    state: 'degraded' as const,
    since: '2026-11-30T10:00:00.000Z',
  };

  it('counts what is known and says why the rest is not', () => {
    const summary = summariseCluster(cluster, [
      row('Service', { objects: 7 }),
      row('Deployment.apps', { objects: 2 }),
      row('StatefulSet.apps', { objects: 1 }),
      row('DaemonSet.apps', { objects: 0 }),
      row('Node', {
        state: 'forbidden',
        message: 'No permission to list nodes',
        missing: { verb: 'list', group: '', resource: 'nodes' },
        asOf: undefined,
        objects: 0,
      }),
    ]);
    expect(summary).toMatchObject({
      counts: {
        services: 7,
        workloads: 3,
        nodes: { unknown: 'forbidden', detail: 'No permission to list nodes' },
        namespaces: { unknown: 'not-reported' },
      },
      coverage: { synced: 4, forbidden: 1, absentApi: 0 },
      partial: true,
      asOf: '2026-11-30T12:00:00.000Z',
      versions: { kubernetes: { unknown: 'not-reported' } },
    });
  });

  it('keeps the last count of a cluster that went away, and never says zero of one that was not read', () => {
    const away = { ...cluster, state: 'unreachable' as const };
    expect(
      summariseCluster(away, [
        row('Service', { state: 'unreachable', objects: 7 }),
        row('Node', { state: 'unreachable', objects: 0, asOf: undefined }),
      ]).counts,
    ).toMatchObject({
      services: 7,
      nodes: { unknown: 'unreachable' },
      namespaces: { unknown: 'unreachable' },
    });
  });

  it('does not call a cluster partial for what it does not serve or what is switched off', () => {
    const summary = summariseCluster(cluster, [
      row('Service'),
      row('Secret', { state: 'forbidden', asOf: undefined }),
      row('Link.multicluster.linkerd.io', { state: 'absent-api' }),
    ]);
    expect(summary.partial).toBe(false);
    expect(summariseCluster(cluster, []).partial).toBe(true);
  });

  it('adds the topics of a kind', () => {
    expect(toKindCoverage(row('Service'))).toMatchObject({
      kind: 'Service',
      topics: expect.arrayContaining(['catalog']),
    });
  });
});
