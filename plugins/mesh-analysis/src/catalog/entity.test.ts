import { analyse } from '../testing/fleet';
import { running, service } from '../testing/objects';
import { workloadsBehind } from './analyseFleet';
import { matchEntity, ownerOf } from './entity';

const id = 'backstage.io/kubernetes-id';
const selector = 'backstage.io/kubernetes-label-selector';
const space = 'backstage.io/kubernetes-namespace';
const cluster = 'backstage.io/kubernetes-cluster';
const services = 'mesh.backstage.io/services';

const view = analyse({
  east: [
    service('web', { labels: { [id]: 'web', tier: 'front' } }),
    service('api'),
    ...running('api', { labels: { app: 'api', [id]: 'api' } }),
    service('web', { namespace: 'other', labels: { [id]: 'web' } }),
  ],
  west: [service('web', { labels: { [id]: 'web' } }), service('plain')],
});
const candidates = view.namespaces.flatMap(one =>
  one.services.map(instance => ({
    instance,
    workloads: workloadsBehind(instance, one),
  })),
);

function match(annotations: Record<string, string>) {
  const { matched, messages } = matchEntity(annotations, candidates, {
    clusters: ['east', 'west', 'north'],
  });
  return {
    matched: matched.map(
      ({ instance }) =>
        `${instance.cluster}/${instance.namespace}/${instance.name}`,
    ),
    messages: messages.map(({ level, annotation }) => `${level} ${annotation}`),
    texts: messages.map(one => one.text),
  };
}

const allWeb = ['east/other/web', 'east/shop/web', 'west/shop/web'];

describe('matchEntity', () => {
  it.each<[string, Record<string, string>, string[], string[]]>([
    ['the id on Services', { [id]: 'web' }, allWeb, []],
    ['the id on pods', { [id]: 'api' }, ['east/shop/api'], []],
    ['an id that nothing has', { [id]: 'gone' }, [], [`warning ${id}`]],
    [
      'in a namespace',
      { [id]: 'web', [space]: 'shop' },
      ['east/shop/web', 'west/shop/web'],
      [],
    ],
    [
      'in a namespace without it',
      { [id]: 'web', [space]: 'gone' },
      [],
      [`warning ${id}`],
    ],
    ['in a cluster', { [id]: 'web', [cluster]: 'west' }, ['west/shop/web'], []],
    [
      'in a cluster without it',
      { [id]: 'web', [cluster]: 'north' },
      [],
      [`warning ${id}`],
    ],
    // A name that is misspelt selects nothing, never everything (BP-05).
    [
      'in a cluster that there is not',
      { [id]: 'web', [cluster]: 'weest' },
      [],
      [`error ${cluster}`],
    ],
    [
      'in a cluster with an empty name',
      { [id]: 'web', [cluster]: '' },
      [],
      [`error ${cluster}`],
    ],
    ['a selector', { [selector]: 'tier in (front)' }, ['east/shop/web'], []],
    [
      'a selector goes before the id',
      { [selector]: 'tier=front', [id]: 'api' },
      ['east/shop/web'],
      [],
    ],
    [
      'a selector that cannot be read',
      { [selector]: 'tier in', [id]: 'api' },
      [],
      [`error ${selector}`],
    ],
    [
      'a selector that takes nothing',
      { [selector]: 'tier=back' },
      [],
      [`warning ${selector}`],
    ],
    [
      'names',
      { [services]: 'shop/plain, shop/api' },
      ['east/shop/api', 'west/shop/plain'],
      [],
    ],
    [
      'names and an id',
      { [services]: 'shop/plain', [id]: 'api' },
      ['east/shop/api', 'west/shop/plain'],
      [],
    ],
    [
      'a name that there is not',
      { [services]: 'shop/gone,shop/plain' },
      ['west/shop/plain'],
      [`warning ${services}`],
    ],
    [
      'a name of a wrong form',
      { [services]: 'plain' },
      [],
      [`error ${services}`],
    ],
    ['no names', { [services]: ' , ' }, [], [`warning ${services}`]],
    [
      'names in a cluster',
      { [services]: 'shop/web', [cluster]: 'west' },
      ['west/shop/web'],
      [],
    ],
    ['a namespace alone', { [space]: 'shop' }, [], [`warning ${space}`]],
    ['nothing', {}, [], []],
  ])('%s', (_, annotations, matched, messages) => {
    const found = match(annotations);
    expect(found.matched).toEqual(matched);
    expect(found.messages).toEqual(messages);
  });

  it('says what is known instead of the cluster that is not', () => {
    expect(match({ [id]: 'web', [cluster]: 'weest' }).texts[0]).toBe(
      'The annotation names the cluster "weest", and there is none of that name. Known are east, west, north.',
    );
  });
});

describe('ownerOf', () => {
  const service1 = (labels: Record<string, string>) => ({
    namespace: 'shop',
    name: 'web',
    entities: [],
    instances: [{ ...candidates[0].instance, labels }],
    namespaceLabels: {},
    labelKeys: ['team', 'owner'],
  });

  it.each([
    [
      'the entity goes first',
      {
        ...service1({ team: 'red' }),
        entities: [
          { ref: 'component:default/x' },
          { ref: 'component:default/web', owner: 'group:default/blue' },
        ],
      },
      { owner: 'group:default/blue', by: 'component:default/web' },
    ],
    [
      'then the Service',
      {
        ...service1({ team: 'Red' }),
        namespaceLabels: { east: { team: 'green' } },
      },
      { owner: 'group:default/red', by: 'service label team' },
    ],
    [
      'the keys have an order',
      service1({ owner: 'b', team: 'a' }),
      { owner: 'group:default/a', by: 'service label team' },
    ],
    [
      'then the namespace',
      { ...service1({}), namespaceLabels: { east: { owner: 'green' } } },
      { owner: 'group:default/green', by: 'namespace label owner' },
    ],
    [
      'a full reference',
      service1({ team: 'user:default/Ann' }),
      { owner: 'user:default/ann', by: 'service label team' },
    ],
  ])('%s', (_, input, expected) => {
    expect(ownerOf(input)).toEqual(expected);
  });

  it('Unowned', () => {
    expect(ownerOf(service1({ other: 'x' }))).toEqual({
      finding: expect.objectContaining({
        rule: 'Unowned',
        severity: 'info',
        name: 'web',
      }),
    });
  });
});
