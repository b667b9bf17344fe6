import { createDatabase, databaseIds } from '../__testUtils__/databases';
import {
  application,
  createTestStores,
  namespace,
  StoredFleet,
  syncedKinds,
} from '../__testUtils__/fleet';

jest.setTimeout(120_000);

describe.each(databaseIds)('Analyser on %s', id => {
  async function setUp() {
    const database = await createDatabase(id);
    const clock = { now: new Date('2026-11-30T10:00:00.000Z') };
    const stores = createTestStores(database, { now: () => clock.now });
    return { ...stores, clock, fleet: new StoredFleet(stores) };
  }

  const all = { filter: {}, sort: 'name', order: 'asc', limit: 100 } as const;

  it('draws services from objects, and draws them anew when one changes', async () => {
    const { fleet, analyser, services, database } = await setUp();
    await fleet.addCluster('east');
    await fleet.cover('east', syncedKinds);
    await fleet.apply(
      namespace('east', 'shop'),
      ...application('east', 'shop', 'cart'),
    );
    await analyser.drain();
    expect((await services.list(all)).rows).toEqual([
      expect.objectContaining({
        scope: 'east',
        namespace: 'shop',
        name: 'cart',
        clusters: ['east'],
        endpoints: { ready: 1, total: 1 },
        partial: false,
      }),
    ]);
    // What is wrong between clusters is looked at a little later.
    expect(await database('queue').pluck('unit')).toEqual(['fleet:']);

    await fleet.apply(...application('east', 'shop', 'cart', { ready: false }));
    await analyser.drain();
    const { body } = (await services.get('east/shop/cart'))!;
    expect(body.endpoints).toEqual({ ready: 0, total: 1 });
    expect(body.workloads).toHaveLength(1);
    expect(body.instances[0]).not.toHaveProperty('reach');
  });

  it('removes services and namespaces that are gone', async () => {
    const { fleet, analyser, services, database } = await setUp();
    await fleet.addCluster('east');
    await fleet.cover('east', syncedKinds);
    const cart = application('east', 'shop', 'cart');
    await fleet.apply(namespace('east', 'shop'), ...cart);
    await analyser.drain();
    expect(await services.count({ filter: {} })).toBe(1);

    await fleet.delete(cart[0]);
    await analyser.drain();
    expect(await services.count({ filter: {} })).toBe(0);
    expect(await database('views').where({ topic: 'catalog' })).toHaveLength(1);

    await fleet.delete(namespace('east', 'shop'), ...cart.slice(1));
    await analyser.drain();
    expect(await database('views').where({ topic: 'catalog' })).toEqual([]);
    expect(await database('views').where({ topic: 'presence' })).toEqual([]);
    for (const table of [
      'service_details',
      'service_clusters',
      'service_instances',
    ]) {
      expect(await database(table)).toEqual([]);
    }
  });

  it('writes nothing when what comes of a change is the same', async () => {
    const { fleet, analyser, database } = await setUp();
    await fleet.addCluster('east');
    await fleet.cover('east', syncedKinds);
    await fleet.apply(
      namespace('east', 'shop'),
      ...application('east', 'shop', 'cart'),
    );
    await analyser.drain();
    const rows = async () => [
      await database('services').orderBy('id'),
      await database('views').orderBy(['topic', 'cluster', 'namespace']),
      await database('reads').orderBy(['unit', 'bucket']),
    ];
    const before = await rows();
    await fleet.apply(...application('east', 'shop', 'cart'));
    await analyser.drain();
    expect(await rows()).toEqual(before);
  });

  it('keeps the last state of a cluster that has stopped answering', async () => {
    const { fleet, analyser, services, database } = await setUp();
    await fleet.addCluster('east');
    await fleet.cover('east', syncedKinds);
    await fleet.apply(
      namespace('east', 'shop'),
      ...application('east', 'shop', 'cart'),
    );
    await analyser.drain();
    await database('clusters').update({ state: 'unreachable' });
    await fleet.cover(
      'east',
      Object.fromEntries(
        Object.keys(syncedKinds).map(kind => [kind, 'unreachable']),
      ),
    );
    await analyser.drain();
    expect((await services.list(all)).rows).toEqual([
      expect.objectContaining({
        name: 'cart',
        endpoints: { ready: 1, total: 1 },
      }),
    ]);
  });

  it('does not take what may not be read for nothing', async () => {
    const { fleet, analyser, services } = await setUp();
    await fleet.addCluster('east');
    await fleet.cover('east', {
      ...syncedKinds,
      'EndpointSlice.discovery.k8s.io': 'forbidden',
    });
    const [service, deployment] = application('east', 'shop', 'cart');
    await fleet.apply(namespace('east', 'shop'), service, deployment);
    await analyser.drain();
    expect((await services.list(all)).rows).toEqual([
      expect.objectContaining({
        endpoints: expect.objectContaining({ unknown: 'forbidden' }),
        partial: true,
      }),
    ]);
  });

  it('resolves findings, and opens them again with the time of the first', async () => {
    const { fleet, analyser, findings, clock } = await setUp();
    await fleet.addCluster('east');
    await fleet.cover('east', syncedKinds);
    const broken = namespace('east', 'shop', { 'istio.io/rev': 'gone' });
    const whole = namespace('east', 'shop');
    const list = async (state: 'open' | 'resolved') =>
      (
        await findings.list({
          filter: { state, rules: ['RevisionNotInstalled'] },
          sort: 'rule',
          order: 'asc',
          limit: 10,
          visibility: { ofServices: true, ofFleet: true },
        })
      ).findings;
    await fleet.apply(broken, ...application('east', 'shop', 'cart'));
    await analyser.drain();
    const [first] = await list('open');
    expect(first).toMatchObject({ firstSeen: '2026-11-30T10:00:00.000Z' });

    clock.now = new Date('2026-11-30T11:00:00.000Z');
    await fleet.apply(whole);
    await analyser.drain();
    expect(await list('open')).toEqual([]);
    expect(await list('resolved')).toEqual([
      expect.objectContaining({
        id: first.id,
        resolvedAt: '2026-11-30T11:00:00.000Z',
      }),
    ]);

    clock.now = new Date('2026-11-30T12:00:00.000Z');
    await fleet.apply(broken);
    await analyser.drain();
    expect(await list('resolved')).toEqual([]);
    const [again] = await list('open');
    expect(again).toMatchObject({ id: first.id, firstSeen: first.firstSeen });
    expect(again).not.toHaveProperty('resolvedAt');
  });

  it('keeps homonyms apart while it is not known what their clusters are part of', async () => {
    const { fleet, analyser, services } = await setUp();
    for (const cluster of ['east', 'west']) {
      await fleet.addCluster(cluster, 'connecting');
      await fleet.cover(cluster, { Namespace: 'synced', Service: 'synced' });
      await fleet.apply(
        namespace(cluster, 'shop'),
        ...application(cluster, 'shop', 'cart'),
      );
    }
    const scopes = async () => {
      await analyser.drain();
      return (await services.list(all)).rows.map(({ scope }) => scope);
    };
    expect(await scopes()).toEqual(['east', 'west']);
    // Not even where a kind is asked for and never comes.
    for (const cluster of ['east', 'west']) {
      await fleet.cover(cluster, {
        'MutatingWebhookConfiguration.admissionregistration.k8s.io':
          'unreachable',
      });
    }
    expect(await scopes()).toEqual(['east', 'west']);
    for (const cluster of ['east', 'west']) {
      await fleet.cover(cluster, syncedKinds);
    }
    expect(await scopes()).toEqual(['east', 'west']);
  });

  it('says so when a unit cannot be drawn, and goes on with the others', async () => {
    const { fleet, analyser, services, findings, clock, database } =
      await setUp();
    await fleet.addCluster('east');
    await fleet.cover('east', syncedKinds);
    await fleet.apply(
      namespace('east', 'shop'),
      ...application('east', 'shop', 'cart'),
      namespace('east', 'bank'),
      ...application('east', 'bank', 'ledger'),
    );
    await database('objects')
      .where({ namespace: 'bank', kind: 'Service' })
      .update({ body: '{"not json' });
    await analyser.drain();
    expect((await services.list(all)).rows.map(({ name }) => name)).toEqual([
      'cart',
    ]);
    const open = async () =>
      (
        await findings.list({
          // The finding is about the Namespace itself, which has none.
          filter: { rules: ['AnalysisFailed'], namespaces: ['bank'] },
          sort: 'rule',
          order: 'asc',
          limit: 10,
          visibility: { ofServices: true, ofFleet: true },
        })
      ).findings;
    expect(await open()).toEqual([
      expect.objectContaining({
        kind: 'Namespace',
        name: 'bank',
        clusters: ['east'],
        title: 'Analysis failed',
      }),
    ]);

    await fleet.apply(...application('east', 'bank', 'ledger'));
    clock.now = new Date(clock.now.getTime() + 10_000);
    await analyser.drain();
    expect(await open()).toEqual([]);
    expect((await services.list(all)).rows.map(({ name }) => name)).toEqual([
      'cart',
      'ledger',
    ]);
  });
});
