import { createDatabase, databaseIds } from '../__testUtils__/databases';
import { bucketsOf, coverageBucket, parseUnit, viewBucket } from './buckets';
import { Queue } from './Queue';

jest.setTimeout(120_000);

const pod = (name: string, namespace = 'shop', cluster = 'east') => ({
  cluster,
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, namespace },
});

describe.each(databaseIds)('Queue on %s', id => {
  async function setUp() {
    const knex = await createDatabase(id);
    const clock = { now: 1_000_000 };
    const create = (instanceId: string) =>
      Queue.create({ database: knex, instanceId, now: () => clock.now });
    return { knex, clock, create, queue: create('one') };
  }

  const units = (claims: Array<{ unit: string }>) =>
    claims.map(claim => claim.unit).sort();

  it('marks the namespace of an object, known or not, and whoever reads it', async () => {
    const { knex, queue } = await setUp();
    await knex('reads').insert([
      { bucket: 'east|Pod|*', unit: 'cluster:east' },
      { bucket: 'east|Pod|shop', unit: 'namespace:west/shop' },
      { bucket: 'east|Pod|bank', unit: 'namespace:west/bank' },
    ]);
    await knex.transaction(trx => queue.markChanged(trx, bucketsOf(pod('a'))));
    expect(units(await queue.claim(10))).toEqual([
      'cluster:east',
      'namespace:east/shop',
      'namespace:west/shop',
    ]);
  });

  it('marks one namespace for one Namespace object, and readers of the list', async () => {
    const { knex, queue } = await setUp();
    await knex('reads').insert([
      { bucket: 'east|Namespace|*', unit: 'cluster:east' },
    ]);
    await queue.markChanged(
      knex,
      bucketsOf({
        cluster: 'east',
        apiVersion: 'v1',
        kind: 'Namespace',
        metadata: { name: 'shop' },
      }),
    );
    expect(units(await queue.claim(10))).toEqual([
      'cluster:east',
      'namespace:east/shop',
    ]);
  });

  it('marks nobody for an object without namespace that nobody reads', async () => {
    const { knex, queue } = await setUp();
    await queue.markChanged(
      knex,
      bucketsOf({
        cluster: 'east',
        apiVersion: 'v1',
        kind: 'Node',
        metadata: { name: 'n1' },
      }),
    );
    expect(await queue.claim(10)).toEqual([]);
  });

  it('marks all drawn namespaces of a cluster for its coverage and its mesh', async () => {
    const { knex, queue } = await setUp();
    const view = { topic: 'catalog', hash: 'h', body: '{}', as_of: 'then' };
    await knex('views').insert([
      { ...view, cluster: 'east', namespace: 'shop' },
      { ...view, cluster: 'east', namespace: 'bank' },
      { ...view, cluster: 'west', namespace: 'shop' },
      { ...view, topic: 'mesh', cluster: 'east', namespace: '' },
    ]);
    await queue.markChanged(knex, [coverageBucket('east', 'Pod')]);
    const claims = await queue.claim(10);
    expect(units(claims)).toEqual([
      'cluster:east',
      'namespace:east/bank',
      'namespace:east/shop',
    ]);
    await queue.complete(claims);

    await queue.markChanged(knex, [viewBucket('mesh', 'east')]);
    await queue.markChanged(knex, [viewBucket('mesh', 'east')]);
    const again = await queue.claim(10);
    expect(again).toMatchObject([{ version: 2 }, { version: 2 }]);
    expect(units(again)).toEqual([
      'namespace:east/bank',
      'namespace:east/shop',
    ]);
  });

  it('is claimed by one at a time, oldest first', async () => {
    const { knex, clock, create } = await setUp();
    const [one, two] = [create('one'), create('two')];
    await one.markUnits(knex, ['service:shop/a']);
    clock.now += 1;
    await one.markUnits(knex, ['service:shop/b', 'service:shop/c']);
    expect(units(await one.claim(1))).toEqual(['service:shop/a']);
    expect(units(await two.claim(10))).toEqual([
      'service:shop/b',
      'service:shop/c',
    ]);
    expect(await one.claim(10)).toEqual([]);
  });

  it('is free again when the claim of a dead process has run out', async () => {
    const { knex, clock, create } = await setUp();
    await create('one').markUnits(knex, ['service:shop/a']);
    const dead = await create('one').claim(1);
    clock.now += 60_001;
    const taken = await create('two').claim(1);
    expect(units(taken)).toEqual(['service:shop/a']);
    await create('one').complete(dead);
    expect(await create('two').depth()).toMatchObject({ units: 1 });
    await create('two').complete(taken);
    expect(await create('two').depth()).toEqual({ units: 0 });
  });

  it('keeps a unit that was marked again while it was drawn', async () => {
    const { knex, queue } = await setUp();
    await queue.markUnits(knex, ['service:shop/a', 'service:shop/b']);
    const claims = await queue.claim(10);
    await queue.markUnits(knex, ['service:shop/b']);
    expect(await queue.claim(10)).toEqual([]);
    await queue.complete(claims);
    expect(units(await queue.claim(10))).toEqual(['service:shop/b']);
  });

  it('lets a unit that fails wait, longer each time, and less when it was marked', async () => {
    const { knex, clock, queue } = await setUp();
    await queue.markUnits(knex, ['service:shop/a']);
    const delays: number[] = [];
    for (let attempt = 0; attempt < 12; attempt++) {
      const [claim] = await queue.claim(1);
      expect(claim.attempts).toBe(attempt);
      const { retryAt } = await queue.fail(claim);
      delays.push((retryAt - clock.now) / 1000);
      clock.now = retryAt - 1;
      expect(await queue.claim(1)).toEqual([]);
      clock.now = retryAt;
    }
    expect(delays).toEqual([1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300, 300]);

    const [claim] = await queue.claim(1);
    await queue.fail(claim);
    await queue.markUnits(knex, ['service:shop/a']);
    clock.now += 5_000;
    expect(await queue.claim(1)).toHaveLength(1);
  });

  it('loses the mark together with the change that is rolled back', async () => {
    const { knex, queue } = await setUp();
    const woken = jest.fn();
    queue.onMarked(woken);
    await expect(
      knex.transaction(async trx => {
        await queue.markChanged(trx, bucketsOf(pod('a')));
        throw new Error('no');
      }),
    ).rejects.toThrow('no');
    expect(await queue.depth()).toEqual({ units: 0 });
    expect(woken).not.toHaveBeenCalled();

    await knex.transaction(trx => queue.markChanged(trx, bucketsOf(pod('a'))));
    await Promise.resolve();
    expect(woken).toHaveBeenCalled();
  });

  it('leaves a cluster alone that is read for the first time', async () => {
    const { knex, clock, queue, create } = await setUp();
    const since = (milliseconds: number) =>
      new Date(milliseconds).toISOString();
    await knex('clusters').insert(
      ['east', 'west'].map(name => ({
        name,
        source: 'test',
        state: name === 'east' ? 'connecting' : 'synced',
        since: since(clock.now),
      })),
    );
    const marked = [
      'cluster:east',
      'namespace:east/shop',
      'namespace:west/shop',
      'service:shop/cart',
    ];
    await queue.markUnits(knex, marked);
    const claims = await queue.claim(10);
    expect(units(claims)).toEqual(['namespace:west/shop', 'service:shop/cart']);
    await queue.complete(claims);

    await knex('clusters').update({ state: 'synced' });
    clock.now += 600;
    const freed = await queue.claim(10);
    expect(units(freed)).toEqual(['cluster:east', 'namespace:east/shop']);
    await queue.complete(freed);

    // One that is never done does not wait for ever, even if nobody frees it.
    await knex('clusters').update({ state: 'connecting' });
    clock.now += 600;
    await queue.markUnits(knex, ['namespace:east/shop']);
    expect(await queue.claim(10)).toEqual([]);
    clock.now += 60_001;
    expect(units(await create('two').claim(10))).toEqual([
      'namespace:east/shop',
    ]);
  });

  it('takes thousands of marks in one call', async () => {
    const { knex, queue } = await setUp();
    const buckets = Array.from({ length: 5_000 }, (_, index) =>
      bucketsOf(pod('a', `team-${index}`)),
    ).flat();
    await knex.transaction(trx => queue.markChanged(trx, buckets));
    expect(await queue.depth()).toMatchObject({ units: 5_000 });
    const claims = await queue.claim(5_000);
    await queue.complete(claims);
    expect(await queue.depth()).toEqual({ units: 0 });
  });
});

describe('units', () => {
  it.each([
    ['cluster:prod/eu', { type: 'cluster', cluster: 'prod/eu' }],
    [
      'namespace:prod/eu/shop',
      { type: 'namespace', cluster: 'prod/eu', namespace: 'shop' },
    ],
    ['service:shop/cart', { type: 'service', namespace: 'shop', name: 'cart' }],
    ['links:east', { type: 'links', cluster: 'east' }],
    ['gateway:shop', undefined],
    ['other:shop/cart', undefined],
  ])('%s is read', (unit, parsed) => {
    expect(parseUnit(unit)).toEqual(parsed);
  });
});
