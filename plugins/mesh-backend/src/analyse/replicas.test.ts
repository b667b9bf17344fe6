import { createDatabase, databaseIds } from '../__testUtils__/databases';
import {
  application,
  createTestStores,
  namespace,
  StoredFleet,
  syncedKinds,
} from '../__testUtils__/fleet';
import { eventually } from '../collect/__testUtils__/harness';

jest.setTimeout(180_000);

const all = { filter: {}, sort: 'name', order: 'asc', limit: 100 } as const;
const everything = { ofServices: true, ofFleet: true };

describe.each(databaseIds)('Analysers on %s', id => {
  it('draw together what one of them would draw alone', async () => {
    const database = await createDatabase(id);
    const replicas = ['one', 'two', 'three'].map(instanceId =>
      createTestStores(database, { instanceId }),
    );
    const [{ services, findings, queue }] = replicas;
    const fleet = new StoredFleet(replicas[0]);
    const names = ['a', 'b', 'c', 'd', 'e', 'f'];
    const apply = async (ready: boolean) => {
      for (const cluster of ['east', 'west']) {
        for (const name of names) {
          await fleet.apply(
            namespace(cluster, name),
            ...application(cluster, name, 'web', { ready }),
            ...application(cluster, name, 'api', { ready }),
          );
        }
      }
    };
    for (const cluster of ['east', 'west']) {
      await fleet.addCluster(cluster);
      await fleet.cover(cluster, syncedKinds);
    }
    replicas.forEach(({ analyser }) => analyser.start());
    try {
      for (const ready of [true, false, true, false]) await apply(ready);
      await eventually(
        async () => expect((await queue.depth()).units).toBe(0),
        90_000,
      );
    } finally {
      await Promise.all(replicas.map(({ analyser }) => analyser.stop()));
    }
    const { rows } = await services.list(all);
    expect(rows).toHaveLength(2 * names.length * 2);
    for (const { endpoints } of rows) {
      expect(endpoints).toEqual({ ready: 0, total: 1 });
    }
    const failed = await findings.count({
      filter: { rules: ['AnalysisFailed'], state: 'all' },
      visibility: everything,
    });
    expect(failed).toBe(0);
  });

  it('do not write what another has drawn from newer data', async () => {
    const database = await createDatabase(id);
    const clock = { now: new Date('2026-11-30T10:00:00.000Z') };
    let reached!: () => void;
    const isHeld = new Promise<void>(done => (reached = done));
    let letGo!: () => void;
    const gate = new Promise<void>(done => (letGo = done));
    const slow = createTestStores(database, {
      instanceId: 'slow',
      now: () => clock.now,
      owners: {
        prepare: async () => {
          reached();
          await gate;
          return () => ({ entities: [] });
        },
      },
    });
    const quick = createTestStores(database, {
      instanceId: 'quick',
      now: () => clock.now,
    });
    const fleet = new StoredFleet(quick);
    await fleet.addCluster('east');
    await fleet.cover('east', syncedKinds);
    await fleet.apply(
      namespace('east', 'shop'),
      ...application('east', 'shop', 'cart'),
    );
    const drawing = slow.analyser.drain();
    await isHeld;
    // A pause of the process, say: its claims run out, and are another's.
    clock.now = new Date('2026-11-30T10:02:00.000Z');
    await fleet.apply(...application('east', 'shop', 'cart', { ready: false }));
    await quick.analyser.drain();
    letGo();
    await drawing;
    const { rows } = await quick.services.list(all);
    expect(rows).toEqual([
      expect.objectContaining({ endpoints: { ready: 0, total: 1 } }),
    ]);
    expect((await quick.queue.depth()).units).toBe(0);
  });

  it('show a finding with no service when its service is gone', async () => {
    const database = await createDatabase(id);
    const { analyser, findings, ...stores } = createTestStores(database);
    const fleet = new StoredFleet({ ...stores });
    await fleet.addCluster('east');
    await fleet.cover('east', syncedKinds);
    const cart = application('east', 'shop', 'cart', {
      podLabels: { 'sidecar.istio.io/inject': 'perhaps' },
    });
    await fleet.apply(namespace('east', 'shop'), ...cart);
    await analyser.drain();
    const shown = async () =>
      (
        await findings.list({
          filter: {},
          sort: 'rule',
          order: 'asc',
          limit: 50,
          visibility: everything,
        })
      ).findings;
    const before = (await shown()).find(({ kind }) => kind !== 'Service')!;
    expect(before.service).toEqual({
      scope: 'east',
      namespace: 'shop',
      name: 'cart',
    });
    await fleet.delete(cart[0]);
    await analyser.drain();
    const same = (await shown()).find(({ id: one }) => one === before.id);
    expect(same).toBeDefined();
    expect(same).not.toHaveProperty('service');
  });

  if (id.startsWith('POSTGRES')) {
    it('come through connections that break, without blaming the clusters', async () => {
      const database = await createDatabase(id);
      const replica = createTestStores(database);
      const fleet = new StoredFleet(replica);
      const retrying = async (change: () => Promise<void>) =>
        eventually(change, 30_000);
      await fleet.addCluster('east');
      await fleet.cover('east', syncedKinds);
      replica.analyser.start();
      try {
        for (let round = 0; round < 6; round++) {
          await retrying(() =>
            fleet.apply(
              namespace('east', `shop${round}`),
              ...application('east', `shop${round}`, 'cart'),
            ),
          );
          await new Promise(done => setTimeout(done, 60 * round));
          await retrying(async () => {
            await database.raw(
              `select pg_terminate_backend(pid) from pg_stat_activity
               where datname = current_database() and pid <> pg_backend_pid()`,
            );
          });
        }
        await eventually(async () => {
          const { rows } = await replica.services.list(all);
          expect(rows).toHaveLength(6);
        }, 60_000);
      } finally {
        await replica.analyser.stop();
      }
      expect(
        await replica.findings.count({
          filter: { rules: ['AnalysisFailed'], state: 'all' },
          visibility: everything,
        }),
      ).toBe(0);
    });
  }
});
