import { Entity } from '@backstage/catalog-model';
import { createTestApi } from '../__testUtils__/api';
import { createDatabase, databaseIds } from '../__testUtils__/databases';
import { application, namespace, syncedKinds } from '../__testUtils__/fleet';

jest.setTimeout(120_000);

const component = (
  name: string,
  annotations: Record<string, string>,
  spec: object = {},
): Entity => ({
  apiVersion: 'backstage.io/v1alpha1',
  kind: 'Component',
  metadata: { name, namespace: 'default', annotations },
  spec: { owner: 'Checkout', ...spec },
});

describe.each(databaseIds)('CatalogOwners on %s', id => {
  async function setUp(entities: Entity[], labelKeys: string[] = []) {
    const api = await createTestApi(await createDatabase(id), {
      entities,
      labelKeys,
    });
    await api.stored.addCluster('east');
    await api.stored.cover('east', syncedKinds);
    await api.stored.apply(
      namespace('east', 'shop', { team: 'Storefront' }),
      ...application('east', 'shop', 'cart', {
        labels: { app: 'cart', tier: 'web' },
      }),
    );
    await api.analyser.drain();
    return {
      ...api,
      cart: async () => (await api.services.get('east/shop/cart'))!.body,
    };
  }

  it.each([
    ['by name', { 'mesh.backstage.io/services': ' shop/cart ' }, true],
    [
      'by selector',
      { 'backstage.io/kubernetes-label-selector': 'tier in (web, api)' },
      true,
    ],
    [
      'by selector in its namespace',
      {
        'backstage.io/kubernetes-label-selector': 'tier=web',
        'backstage.io/kubernetes-namespace': 'shop',
      },
      true,
    ],
    [
      'not by selector in another namespace',
      {
        'backstage.io/kubernetes-label-selector': 'tier=web',
        'backstage.io/kubernetes-namespace': 'bank',
      },
      false,
    ],
    [
      'not by an id that nothing has',
      { 'backstage.io/kubernetes-id': 'x' },
      false,
    ],
    [
      'not in another cluster',
      {
        'mesh.backstage.io/services': 'shop/cart',
        'backstage.io/kubernetes-cluster': 'west',
      },
      false,
    ],
  ])('assigns %s', async (_, annotations, assigned) => {
    const { owners, analyser, cart } = await setUp([
      component('cart', annotations),
    ]);
    expect(await cart()).toMatchObject({ entities: [] });
    await owners.refresh();
    await analyser.drain();
    expect(await cart()).toMatchObject(
      assigned
        ? {
            entities: ['component:default/cart'],
            owner: 'group:default/checkout',
            ownerBy: 'component:default/cart',
          }
        : { entities: [] },
    );
  });

  it('follows entities that change and go', async () => {
    const { owners, analyser, cart, catalog, queue } = await setUp([
      component('cart', { 'mesh.backstage.io/services': 'shop/cart' }),
      component('other', { 'mesh.backstage.io/services': 'shop/none' }),
    ]);
    await owners.refresh();
    await analyser.drain();
    const before = await queue.depth();
    await owners.refresh();
    expect(await queue.depth()).toEqual(before);

    const entities = (catalog as any).queryEntities;
    const answer = (items: Entity[]) =>
      jest.spyOn(catalog, 'queryEntities').mockResolvedValueOnce({
        items,
        totalItems: items.length,
        pageInfo: {},
      });
    answer([
      component(
        'cart',
        { 'mesh.backstage.io/services': 'shop/cart' },
        { owner: 'user:default/anna' },
      ),
      component('other', { 'mesh.backstage.io/services': 'shop/none' }),
    ]);
    await owners.refresh();
    await analyser.drain();
    expect(await cart()).toMatchObject({ owner: 'user:default/anna' });

    answer([component('other', { 'mesh.backstage.io/services': 'shop/none' })]);
    await owners.refresh();
    await analyser.drain();
    expect(await cart()).toMatchObject({ entities: [] });
    expect(await cart()).not.toHaveProperty('owner');
    expect(entities).toBeDefined();
  });

  it('keeps what it knows while the catalog does not answer', async () => {
    const { owners, analyser, cart, catalog } = await setUp([
      component('cart', { 'mesh.backstage.io/services': 'shop/cart' }),
    ]);
    await owners.refresh();
    await analyser.drain();
    jest
      .spyOn(catalog, 'queryEntities')
      .mockRejectedValueOnce(new Error('not now'));
    await expect(owners.refresh()).rejects.toThrow('not now');
    await analyser.drain();
    expect(await cart()).toMatchObject({ owner: 'group:default/checkout' });
  });

  it('takes a label for an owner where no entity names one', async () => {
    const { cart, findings } = await setUp([], ['missing', 'team']);
    expect(await cart()).toMatchObject({
      owner: 'group:default/storefront',
      ownerBy: 'namespace label team',
      entities: [],
    });
    expect(
      await findings.getOpen((await cart()).findingIds),
    ).not.toContainEqual(expect.objectContaining({ rule: 'Unowned' }));
  });
});
