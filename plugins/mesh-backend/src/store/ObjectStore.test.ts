import { TestDatabases } from '@backstage/backend-test-utils';
import { databaseIds, initDatabase } from '../collect/__testUtils__/harness';
import { ClusterLease, LeaseLostError } from './ClusterLease';
import { ClusterStore } from './ClusterStore';
import { ObjectRecord, ObjectStore } from './ObjectStore';

jest.setTimeout(120_000);

const databases = TestDatabases.create({ ids: databaseIds() });

const record = (
  name: string,
  hash = '1',
  namespace = 'shop',
  kind = 'Service',
): ObjectRecord => ({
  kind,
  namespace,
  name,
  hash,
  body: JSON.stringify({
    apiVersion: 'v1',
    kind,
    metadata: { name, namespace },
    spec: { hash },
  }),
});

describe.each(databases.eachSupportedId())('ObjectStore on %s', id => {
  let marked: string[][];
  let objects: ObjectStore;
  let clusters: ClusterStore;
  let lease: ClusterLease;

  beforeEach(async () => {
    const database = await initDatabase(databases, id);
    marked = [];
    const queue = {
      markChanged: async (_trx: unknown, buckets: readonly string[]) => {
        if (buckets.length > 0) marked.push([...buckets].sort());
      },
    };
    objects = ObjectStore.create({ database, queue });
    clusters = ClusterStore.create({ database, queue });
    await clusters.register({
      name: 'east',
      source: 'test',
      labels: {},
      systemNamespaces: [],
    });
    lease = (await clusters.acquireLease('east', 'one', 60_000))!;
  });

  const write = (
    upserts: ObjectRecord[],
    deletes: Array<Pick<ObjectRecord, 'kind' | 'namespace' | 'name'>> = [],
  ) => objects.write(lease, { upserts, deletes });

  it('writes what is new or differs, and marks that and nothing else', async () => {
    expect(
      await write([record('cart'), record('pay'), record('site', '1', 'web')]),
    ).toEqual({ written: 3, deleted: 0 });
    expect(marked).toEqual([
      ['east|Service|*', 'east|Service|shop', 'east|Service|web'],
    ]);
    marked = [];

    expect(await write([record('cart'), record('pay')])).toEqual({
      written: 0,
      deleted: 0,
    });
    expect(marked).toEqual([]);

    expect(
      await write([record('cart', '2'), record('site', '1', 'web')]),
    ).toEqual({ written: 1, deleted: 0 });
    expect(marked).toEqual([['east|Service|*', 'east|Service|shop']]);
    expect(
      await objects.get({
        cluster: 'east',
        kind: 'Service',
        namespace: 'shop',
        name: 'cart',
      }),
    ).toMatchObject({ cluster: 'east', spec: { hash: '2' } });
  });

  it('deletes, and marks only what was there', async () => {
    await write([record('cart'), record('pay')]);
    marked = [];
    expect(
      await write(
        [],
        [record('cart'), record('never-was'), record('gone', '1', 'web')],
      ),
    ).toEqual({ written: 0, deleted: 1 });
    expect(marked).toEqual([['east|Service|*', 'east|Service|shop']]);
  });

  it('ends a list by removing what was not in it, in its scope only', async () => {
    await write([
      record('cart'),
      record('pay'),
      record('site', '1', 'web'),
      record('cart', '1', 'shop', 'Pod'),
    ]);
    marked = [];
    expect(
      await objects.removeUnseen(
        lease,
        { kind: 'Service', namespace: 'shop' },
        new Set(['shop/cart']),
      ),
    ).toBe(1);
    expect(marked).toEqual([['east|Service|*', 'east|Service|shop']]);
    expect(
      await objects.removeUnseen(
        lease,
        { kind: 'Service' },
        new Set(['shop/cart', 'web/site']),
      ),
    ).toBe(0);
    expect(await objects.count('east')).toEqual(
      new Map([
        ['Service', 2],
        ['Pod', 1],
      ]),
    );
    expect(await objects.namespaces('east')).toEqual(['shop', 'web']);
  });

  it('writes more than one statement can hold, and reads it in order', async () => {
    const many = Array.from({ length: 1_200 }, (_, index) =>
      record(`s-${String(index).padStart(4, '0')}`),
    ).reverse();
    expect(await write(many)).toEqual({ written: 1_200, deleted: 0 });
    const names = (
      await objects.list({ cluster: 'east', kind: 'Service' })
    ).map(object => object.metadata.name);
    expect(names).toEqual([...names].sort());
    expect(names).toHaveLength(1_200);
    expect(await write([], many)).toEqual({ written: 0, deleted: 1_200 });
  });

  it('reads a namespace by kind', async () => {
    await write([
      record('b'),
      record('a'),
      record('p', '1', 'shop', 'Pod'),
      record('x', '1', 'web'),
    ]);
    const held = await objects.listNamespace({
      cluster: 'east',
      namespace: 'shop',
    });
    expect(
      [...held].map(([kind, all]) => [kind, all.map(o => o.metadata.name)]),
    ).toEqual(
      expect.arrayContaining([
        ['Service', ['a', 'b']],
        ['Pod', ['p']],
      ]),
    );
  });

  it('keeps what a name may hold', async () => {
    const odd = record(`it's "odd" ?? \\ 雲`, 'h', `sh'op`);
    await write([odd]);
    expect(await objects.get({ cluster: 'east', ...odd })).toMatchObject({
      metadata: { name: odd.name },
    });
    expect(await write([], [odd])).toMatchObject({ deleted: 1 });
  });

  it('refuses what comes under a lease that another replica has taken', async () => {
    await write([record('cart')]);
    await clusters.releaseLease(lease);
    const next = (await clusters.acquireLease('east', 'two', 60_000))!;
    expect(next.fence).toBeGreaterThan(lease.fence);
    marked = [];
    await expect(write([record('cart', '9')])).rejects.toThrow(LeaseLostError);
    await expect(
      objects.removeUnseen(lease, { kind: 'Service' }, new Set()),
    ).rejects.toThrow(LeaseLostError);
    expect(marked).toEqual([]);
    lease = next;
    expect(await write([record('cart')])).toMatchObject({ written: 0 });
  });
});
