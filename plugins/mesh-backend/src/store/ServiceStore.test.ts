import { meshServicePermissionRules } from '@mesh-for-backstage/plugin-mesh-node';
import fc from 'fast-check';
import { createDatabase, databaseIds } from '../__testUtils__/databases';
import { ServiceCriteria } from './criteria';
import { KeysetPosition } from './keyset';
import {
  ServiceBody,
  serviceId,
  ServiceRecord,
  serviceSorts,
  ServiceStore,
} from './ServiceStore';
import { namesOfRanks } from './severity';
import { hashOf } from './ViewStore';

jest.setTimeout(180_000);

const anyService = fc.record({
  scope: fc.constantFrom('retail', 'east', 'prod/eu'),
  namespace: fc.constantFrom('bank', 'shop', 'shop-2'),
  name: fc.constantFrom<string>('a', 'b', 'cart', 'cart-2', 'z'),
  owner: fc.option(fc.constantFrom('group:default/a', 'group:default/b'), {
    nil: undefined,
  }),
  clusters: fc.uniqueArray(fc.constantFrom('east', 'west', 'north'), {
    minLength: 1,
  }),
  ready: fc.option(fc.nat(3), { nil: undefined }),
  worst: fc.constantFrom(...namesOfRanks),
});

const anyFleet = fc.uniqueArray(anyService, {
  maxLength: 25,
  selector: serviceId,
});

type Service = typeof anyService extends fc.Arbitrary<infer T> ? T : never;

function toRecord(service: Service): ServiceRecord {
  const { scope, namespace, name, owner, clusters, ready, worst } = service;
  const endpoints =
    ready === undefined
      ? { unknown: 'forbidden' as const }
      : { ready, total: 3 };
  const common = {
    scope,
    namespace,
    name,
    ...(owner && { owner }),
    entities: [],
    dataplane: 'none' as const,
    endpoints,
    partial: false,
  };
  const body: ServiceBody = {
    ...common,
    instances: clusters.map(cluster => ({ cluster } as any)),
    workloads: [],
    links: [],
    homonyms: [],
    findingIds: [],
  };
  const row: ServiceRecord['row'] = {
    ...common,
    clusters,
    findings: { error: 0, warning: 0, info: 0 },
    ...(worst !== 'none' && { worst }),
  };
  return { row, body, hash: hashOf(JSON.stringify([row, body])) };
}

const anyCriteria: fc.Arbitrary<ServiceCriteria> = fc.letrec(tie => ({
  criteria: fc.oneof(
    { maxDepth: 3 },
    fc.constant(meshServicePermissionRules.hasOwner.toQuery(undefined)),
    fc.constant(
      meshServicePermissionRules.isOwner.toQuery({
        claims: ['GROUP:default/a'],
      }),
    ),
    fc.constant(
      meshServicePermissionRules.inCluster.toQuery({ clusters: ['west'] }),
    ),
    fc.constant(
      meshServicePermissionRules.inNamespace.toQuery({
        namespaces: ['shop', 'bank'],
      }),
    ),
    fc.record({ not: tie('criteria') }),
    fc.record({
      allOf: fc.array(tie('criteria'), { minLength: 1, maxLength: 3 }),
    }),
    fc.record({
      anyOf: fc.array(tie('criteria'), { minLength: 1, maxLength: 3 }),
    }),
  ),
})).criteria as fc.Arbitrary<ServiceCriteria>;

/** What the rules themselves say of one service. */
function meets(service: Service, criteria: any): boolean {
  if ('not' in criteria) return !meets(service, criteria.not);
  if ('allOf' in criteria) {
    return criteria.allOf.every((one: any) => meets(service, one));
  }
  if ('anyOf' in criteria) {
    return criteria.anyOf.some((one: any) => meets(service, one));
  }
  const rules = meshServicePermissionRules;
  switch (criteria.key) {
    case 'owner':
      return rules.isOwner.apply(service, { claims: criteria.values });
    case 'cluster':
      return rules.inCluster.apply(service, { clusters: criteria.values });
    case 'namespace':
      return rules.inNamespace.apply(service, { namespaces: criteria.values });
    default:
      return rules.hasOwner.apply(service, undefined);
  }
}

describe.each(databaseIds)('ServiceStore on %s', id => {
  it('lists every service once, page by page, in any order', async () => {
    const database = await createDatabase(id);
    const store = ServiceStore.create({ database });
    await fc.assert(
      fc.asyncProperty(
        anyFleet,
        fc.constantFrom(...serviceSorts),
        fc.constantFrom('asc' as const, 'desc' as const),
        fc.integer({ min: 1, max: 7 }),
        async (fleet, sort, order, limit) => {
          await database('services').delete();
          await database('service_details').delete();
          await store.replace(database, [], fleet.map(toRecord), 'now');
          const seen: string[] = [];
          let after: KeysetPosition | undefined;
          do {
            const page = await store.list({
              filter: {},
              sort,
              order,
              limit,
              ...(after && { after }),
            });
            expect(page.rows.length).toBeLessThanOrEqual(limit);
            seen.push(...page.rows.map(serviceId));
            after = page.next;
          } while (after);
          expect(seen.slice().sort()).toEqual(fleet.map(serviceId).sort());
          expect(await store.count({ filter: {} })).toBe(fleet.length);
        },
      ),
      { numRuns: 40 },
    );
  });

  it('neither repeats nor misses others when services come and go between pages', async () => {
    const database = await createDatabase(id);
    const store = ServiceStore.create({ database });
    const service = (name: string): Service => ({
      scope: 'east',
      namespace: 'shop',
      name,
      owner: undefined,
      clusters: ['east'],
      ready: 1,
      worst: 'none',
    });
    const write = (...names: string[]) =>
      store.replace(
        database,
        [],
        names.map(name => toRecord(service(name))),
        'now',
      );
    await write('b', 'd', 'f', 'h');
    const options = {
      filter: {},
      sort: 'name',
      order: 'asc',
      limit: 2,
    } as const;
    const first = await store.list(options);
    expect(first.rows.map(({ name }) => name)).toEqual(['b', 'd']);
    await write('a', 'c', 'e');
    await store.replace(
      database,
      [{ namespace: 'shop', name: 'd' }],
      [],
      'now',
    );
    const second = await store.list({ ...options, after: first.next });
    expect(second.rows.map(({ name }) => name)).toEqual(['e', 'f']);
    const third = await store.list({ ...options, after: second.next });
    expect(third.rows.map(({ name }) => name)).toEqual(['h']);
    expect(third).not.toHaveProperty('next');
  });

  it('takes the services that rules take one by one, under any criteria', async () => {
    const database = await createDatabase(id);
    const store = ServiceStore.create({ database });
    await fc.assert(
      fc.asyncProperty(anyFleet, anyCriteria, async (fleet, criteria) => {
        for (const table of [
          'services',
          'service_details',
          'service_clusters',
        ]) {
          await database(table).delete();
        }
        await store.replace(database, [], fleet.map(toRecord), 'now');
        const { rows } = await store.list({
          filter: {},
          sort: 'name',
          order: 'asc',
          limit: 100,
          criteria,
        });
        const expected = fleet.filter(service => meets(service, criteria));
        expect(rows.map(serviceId).sort()).toEqual(
          expected.map(serviceId).sort(),
        );
        const facets = await store.facets(criteria);
        const total = facets.severities.reduce(
          (sum, { count }) => sum + count,
          0,
        );
        expect(total).toBe(expected.length);
      }),
      { numRuns: 60 },
    );
  });
});
