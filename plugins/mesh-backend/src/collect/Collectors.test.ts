import { TestDatabases } from '@backstage/backend-test-utils';
import { Fleet, startFleet } from '@mesh-for-backstage/fleet-simulator';
import { MeshClusterSource } from '@mesh-for-backstage/plugin-mesh-node';
import { Knex } from 'knex';
import { ObjectChanges, ObjectStore } from '../store/ObjectStore';
import { ClusterLease } from '../store/ClusterLease';
import {
  clusterAt,
  databaseIds,
  eventually,
  Harness,
  initDatabase,
} from './__testUtils__/harness';

jest.setTimeout(180_000);

const databases = TestDatabases.create({ ids: databaseIds() });

const service = (name: string) => ({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name, namespace: 'shop' },
  spec: { ports: [{ port: 80 }] },
});

describe.each(databases.eachSupportedId())('Collectors on %s', id => {
  let fleet: Fleet;
  let harness: Harness;
  let knex: Knex;

  async function setUp(names: string[]) {
    fleet = await startFleet({ clusters: names, bookmarkIntervalMs: 200 });
    for (const cluster of fleet.clusters) cluster.apply(service('cart'));
    knex = await initDatabase(databases, id);
    harness = Harness.create({
      knex,
      clusters: fleet.clusters.map(cluster =>
        clusterAt({
          name: cluster.name,
          url: cluster.url,
          caData: cluster.caData,
          token: cluster.token('admin'),
        }),
      ),
    });
  }

  afterEach(async () => {
    await harness?.stop();
    await fleet?.stop();
  });

  it('serves the last state after a restart, at once and with its age, then refreshes it', async () => {
    await setUp(['east']);
    const first = harness.start();
    await harness.untilState('east', 'synced');
    await first.stop();
    const before = await harness.coverage('east', 'Service');
    const east = fleet.cluster('east');
    east.apply(service('basket'));
    east.remove({
      apiVersion: 'v1',
      kind: 'Service',
      namespace: 'shop',
      name: 'cart',
    });
    await east.stop();

    harness.start({ instanceId: 'two' });
    expect(await harness.names('east', 'Service')).toEqual(['shop/cart']);
    await harness.untilState('east', 'unreachable');
    expect(await harness.coverage('east', 'Service')).toMatchObject({
      state: 'unreachable',
      asOf: before.asOf,
      objects: 1,
    });
    expect(await harness.names('east', 'Service')).toEqual(['shop/cart']);

    await east.start();
    await harness.untilState('east', 'synced');
    await eventually(async () =>
      expect(await harness.names('east', 'Service')).toEqual(['shop/basket']),
    );
  });

  it('is taken over when a replica dies, and nothing is written twice', async () => {
    await setUp(['east', 'west']);
    const leases = { durationMs: 2_000, renewEveryMs: 200 };
    const writes: Array<{ lease: ClusterLease; written: number }> = [];
    const recording = (store: ObjectStore) =>
      ({
        count: (cluster: string) => store.count(cluster),
        removeUnseen: (...args: Parameters<ObjectStore['removeUnseen']>) =>
          store.removeUnseen(...args),
        write: async (lease: ClusterLease, changes: ObjectChanges) => {
          const result = await store.write(lease, changes);
          writes.push({ lease, written: result.written });
          return result;
        },
      } as unknown as ObjectStore);

    harness.start({
      instanceId: 'one',
      leases,
      objectStore: recording(harness.objectStore),
    });
    await harness.untilState('east', 'synced');
    await harness.untilState('west', 'synced');
    harness.start({
      instanceId: 'two',
      leases,
      objectStore: recording(harness.objectStore),
    });
    await new Promise(done => setTimeout(done, 1_000));
    expect(await harness.cluster('east')).toMatchObject({ collectedBy: 'one' });

    // Replica one dies: nothing of it renews the lease any more.
    await knex('clusters').update({ lease_owner: 'dead', lease_until: 0 });
    await eventually(async () => {
      for (const name of ['east', 'west']) {
        expect(['one', 'two']).toContain(
          (await harness.cluster(name)).collectedBy,
        );
      }
    }, 30_000);
    fleet.cluster('east').apply(service('basket'));
    await eventually(async () =>
      expect(await harness.names('east', 'Service')).toContain('shop/basket'),
    );
    const fences = new Map(
      (await knex('clusters').select('name', 'fence')).map(row => [
        row.name,
        Number(row.fence),
      ]),
    );
    // The change was written once, under the newest fence.
    const late = writes.filter(
      one =>
        one.written > 0 &&
        one.lease.fence === fences.get('east')! &&
        one.lease.cluster === 'east',
    );
    expect(late.reduce((sum, one) => sum + one.written, 0)).toBe(1);
  });

  it('collects every cluster once, however many replicas there are', async () => {
    await setUp(['a', 'b', 'c']);
    for (const instanceId of ['one', 'two', 'three']) {
      harness.start({ instanceId });
    }
    for (const name of ['a', 'b', 'c']) {
      await harness.untilState(name, 'synced');
    }
    for (const { requests } of fleet.clusters) {
      const lists = requests.filter(request =>
        /\/api\/v1\/services\?limit/.test(request.path),
      );
      expect(lists).toHaveLength(1);
    }
  });

  it('follows clusters that come, change and go', async () => {
    await setUp(['east', 'west']);
    const [east, west] = harness.clusters;
    harness.clusters.pop();
    harness.start();
    await harness.untilState('east', 'synced');

    harness.clusters.push(west);
    await harness.untilState('west', 'synced');

    // Another address of the same cluster: collected anew.
    const requestsBefore = fleet.cluster('west').requests.length;
    harness.clusters[1] = { ...west, fingerprint: 'changed' };
    await eventually(() =>
      expect(
        fleet
          .cluster('west')
          .requests.slice(requestsBefore)
          .some(request => /services\?limit/.test(request.path)),
      ).toBe(true),
    );

    harness.clusters.splice(0, harness.clusters.length, west);
    await eventually(async () =>
      expect((await harness.clusterStore.list()).map(one => one.name)).toEqual([
        'west',
      ]),
    );
    expect(await harness.objectStore.count(east.name)).toEqual(new Map());
    await eventually(() => expect(fleet.cluster('east').watches).toBe(0));
  });

  it('does not take a source that fails for one without clusters', async () => {
    await setUp(['east']);
    let fails = false;
    const source: MeshClusterSource = {
      id: 'test',
      async listClusters() {
        if (fails) throw new Error('the inventory is down');
        return harness.clusters;
      },
    };
    const first = harness.start({ source });
    await harness.untilState('east', 'synced');
    fails = true;
    await new Promise(done => setTimeout(done, 500));
    expect(await harness.cluster('east')).toMatchObject({ state: 'synced' });
    await first.stop();

    // Not even where it fails from the start.
    harness.start({ source, instanceId: 'two' });
    await new Promise(done => setTimeout(done, 500));
    expect(await harness.names('east', 'Service')).toEqual(['shop/cart']);
  });

  it('keeps its leases, and stops, while a source never answers', async () => {
    await setUp(['east']);
    let answers = true;
    const source: MeshClusterSource = {
      id: 'test',
      listClusters: () =>
        answers ? Promise.resolve(harness.clusters) : new Promise(() => {}),
    };
    const leases = { durationMs: 2_000, renewEveryMs: 100 };
    const collectors = harness.start({ source, leases });
    await harness.untilState('east', 'synced');
    answers = false;
    await new Promise(done => setTimeout(done, 4_000));
    const taken = await harness.clusterStore.acquireLease('east', 'other', 1);
    expect(taken).toBeUndefined();
    await collectors.stop();
    expect(await harness.cluster('east')).not.toHaveProperty('collectedBy');
  });

  it('does not wait for credentials that never come when it is told to stop', async () => {
    await setUp(['east', 'west']);
    harness.clusters[1] = {
      ...harness.clusters[1],
      createKubeConfig: () => new Promise(() => {}),
    };
    const collectors = harness.start();
    await harness.untilState('east', 'synced');
    await harness.untilState('west', 'unreachable');
    expect((await harness.cluster('west')).message).toMatch(/^Sign-in failed/);
    await collectors.stop();
  });

  it('begins although the database does not answer at first', async () => {
    await setUp(['east']);
    let failures = 3;
    const { objectStore } = harness;
    const flaky = {
      count: async (cluster: string) => {
        if (failures-- > 0) throw new Error('Connection terminated');
        return objectStore.count(cluster);
      },
      removeUnseen: (...args: Parameters<ObjectStore['removeUnseen']>) =>
        objectStore.removeUnseen(...args),
      write: (...args: Parameters<ObjectStore['write']>) =>
        objectStore.write(...args),
    } as unknown as ObjectStore;
    harness.start({ objectStore: flaky });
    await harness.untilState('east', 'synced');
    expect(await harness.names('east', 'Service')).toEqual(['shop/cart']);
  });

  it('does not wait for a write that the database never ends', async () => {
    await setUp(['east']);
    const { objectStore } = harness;
    let writes = 0;
    const stuck = {
      count: (cluster: string) => objectStore.count(cluster),
      removeUnseen: (...args: Parameters<ObjectStore['removeUnseen']>) =>
        objectStore.removeUnseen(...args),
      write: () => {
        writes++;
        return new Promise(() => {});
      },
    } as unknown as ObjectStore;
    const collectors = harness.start({ objectStore: stuck });
    await eventually(() => expect(writes).toBe(1));
    await collectors.stop();
  });

  it('lists a cluster with a problem, and leaves it alone', async () => {
    await setUp(['east', 'west']);
    harness.clusters[1] = {
      ...harness.clusters[1],
      problem: { state: 'needs-user', message: 'authProvider is oidc' },
    };
    harness.start();
    await harness.untilState('east', 'synced');
    expect(await harness.cluster('west')).toMatchObject({
      state: 'needs-user',
      message: 'authProvider is oidc',
    });
    expect(fleet.cluster('west').requests).toEqual([]);
  });
});
