import { mockCredentials } from '@backstage/backend-test-utils';
import { Entity } from '@backstage/catalog-model';
import { meshServiceConditions } from '@mesh-for-backstage/plugin-mesh-node';
import { createTestApi } from '../__testUtils__/api';
import { expectContract } from '../__testUtils__/contract';
import { createDatabase, databaseIds } from '../__testUtils__/databases';
import { application, namespace, syncedKinds } from '../__testUtils__/fleet';

jest.setTimeout(120_000);

const component = (
  name: string,
  owner: string,
  annotations: Record<string, string>,
): Entity => ({
  apiVersion: 'backstage.io/v1alpha1',
  kind: 'Component',
  metadata: { name, namespace: 'default', annotations },
  spec: { type: 'service', lifecycle: 'production', owner },
  relations: [{ type: 'ownedBy', targetRef: `group:default/${owner}` }],
});

const entities = [
  component('cart', 'checkout', { 'backstage.io/kubernetes-id': 'cart' }),
  component('ledger', 'money', {
    'mesh.backstage.io/services': 'bank/ledger, bank/absent',
  }),
  component('lost', 'money', {
    'backstage.io/kubernetes-id': 'lost',
    'backstage.io/kubernetes-cluster': 'atlantis',
  }),
  component('plain', 'money', {}),
];

describe.each(databaseIds)('the API on %s', id => {
  async function setUp() {
    const api = await createTestApi(await createDatabase(id), {
      entities,
      labelKeys: ['team'],
    });
    const { stored } = api;
    for (const cluster of ['east', 'west']) {
      await stored.addCluster(cluster);
      await stored.cover(cluster, syncedKinds);
      await stored.apply(
        namespace(cluster, 'shop', { 'istio.io/rev': 'gone' }),
        ...application(cluster, 'shop', 'cart', {
          labels: { 'backstage.io/kubernetes-id': 'cart' },
          podLabels: { 'sidecar.istio.io/inject': 'perhaps' },
        }),
      );
    }
    await stored.apply(
      namespace('west', 'bank', { team: 'Money' }),
      ...application('west', 'bank', 'ledger'),
      namespace('west', 'spare'),
      ...application('west', 'spare', 'orphan'),
    );
    await api.owners.refresh();
    await api.analyser.drain();
    return api;
  }

  let shared: ReturnType<typeof setUp> | undefined;
  /** For tests that change nothing: a database takes its time on PostgreSQL. */
  const setUpOnce = () => (shared ??= setUp());

  const names = (body: { items: Array<{ scope: string; name: string }> }) =>
    body.items.map(({ scope, name }) => `${scope}/${name}`);

  it('answers as the contract says', async () => {
    const { get, database } = await setUp();
    await database('clusters').insert({
      name: 'north',
      source: 'test',
      state: 'unreachable',
      since: '2026-11-30T09:00:00.000Z',
      message: 'connection refused',
    });
    const paths: Array<[string, string]> = [
      ['/v1/clusters', '/v1/clusters'],
      ['/v1/clusters/east', '/v1/clusters/{name}'],
      ['/v1/clusters/north', '/v1/clusters/{name}'],
      ['/v1/services', '/v1/services'],
      ['/v1/services?severity=none&owner=none&limit=1', '/v1/services'],
      ['/v1/services/facets', '/v1/services/facets'],
      [
        '/v1/services/west/bank/ledger',
        '/v1/services/{scope}/{namespace}/{name}',
      ],
      [
        '/v1/entities/component/default/cart/services',
        '/v1/entities/{kind}/{namespace}/{name}/services',
      ],
      ['/v1/findings?state=all', '/v1/findings'],
    ];
    for (const [url, path] of paths) {
      const answer = await get(url);
      expect([url, answer.status]).toEqual([url, 200]);
      expectContract(path, answer);
    }
    const { body } = await get('/openapi.json');
    expect(body.info.title).toBe('Mesh for Backstage');
  });

  it('keeps homonyms apart, and tells owners and entities', async () => {
    const { get } = await setUp();
    const { body } = await get('/v1/services');
    expect(names(body).sort()).toEqual([
      'east/cart',
      'west/cart',
      'west/ledger',
      'west/orphan',
    ]);
    expect(body.totalItems).toBe(4);
    const detail = (await get('/v1/services/west/bank/ledger')).body;
    expect(detail).toMatchObject({
      owner: 'group:default/money',
      ownerBy: 'component:default/ledger',
      entities: ['component:default/ledger'],
      partial: false,
      clusters: [{ name: 'west', state: 'synced' }],
    });
    const orphan = (await get('/v1/services/west/spare/orphan')).body;
    expect(orphan).not.toHaveProperty('owner');
    expect(
      orphan.findings.map((finding: { rule: string }) => finding.rule),
    ).toContain('Unowned');
  });

  it('finds the services of an entity, and says what its annotations do not find', async () => {
    const { get } = await setUp();
    const of = async (name: string) =>
      (await get(`/v1/entities/component/default/${name}/services`)).body;
    expect(names(await of('cart'))).toEqual(['east/cart', 'west/cart']);
    const ledger = await of('ledger');
    expect(names(ledger)).toEqual(['west/ledger']);
    expect(ledger.messages).toEqual([
      expect.objectContaining({
        level: 'warning',
        annotation: 'mesh.backstage.io/services',
        text: expect.stringContaining('bank/absent'),
      }),
    ]);
    expect(await of('lost')).toEqual({
      items: [],
      messages: [
        expect.objectContaining({
          level: 'error',
          annotation: 'backstage.io/kubernetes-cluster',
          text: expect.stringContaining('atlantis'),
        }),
      ],
    });
    expect(await of('plain')).toEqual({
      items: [],
      messages: [expect.objectContaining({ level: 'info' })],
    });
    const missing = await get('/v1/entities/component/default/none/services');
    expect(missing.status).toBe(404);
    expectContract('/v1/entities/{kind}/{namespace}/{name}/services', missing);
  });

  it('shows the services of an entity that the last refresh has not seen', async () => {
    const { get, database } = await setUp();
    await database('entities')
      .where({ ref: 'component:default/cart' })
      .delete();
    await database('service_entities').delete();
    const { body } = await get('/v1/entities/component/default/cart/services');
    expect(names(body)).toEqual(['east/cart', 'west/cart']);
  });

  it.each([
    ['search=LEDG', ['west/ledger']],
    ['search=%25', []],
    ['search=bank/l', ['west/ledger']],
    ['cluster=east', ['east/cart']],
    ['cluster=east&cluster=west&namespace=bank', ['west/ledger']],
    ['owner=group:default/CHECKOUT', ['east/cart', 'west/cart']],
    ['owner=none', ['west/orphan']],
    ['owner=none&owner=group:default/money', ['west/ledger', 'west/orphan']],
    [
      'dataplane=none',
      ['east/cart', 'west/cart', 'west/ledger', 'west/orphan'],
    ],
    ['dataplane=ambient', []],
    ['severity=none', ['west/ledger']],
    ['cluster=nowhere', []],
    ['search=', ['east/cart', 'west/cart', 'west/ledger', 'west/orphan']],
  ])('filters services by %s', async (query, expected) => {
    const { get } = await setUpOnce();
    const { status, body } = await get(`/v1/services?${query}`);
    expect(status).toBe(200);
    expect(names(body).sort()).toEqual(expected);
    expect(body.totalItems).toBe(expected.length);
  });

  it.each([
    ['services?severity=fatal', /"severity".*error, warning, info, none/],
    ['services?sort=colour', /"sort".*name, namespace, owner/],
    ['services?order=up', /"order".*asc, desc/],
    ['services?limit=0', /"limit".*at least 1/],
    ['services?limit=201', /"limit".*at most 200/],
    ['services?limit=many', /"limit".*whole number/],
    ['services?limit=1&limit=2', /"limit".*once/],
    ['services?dataplane=magic', /"dataplane".*sidecar, ambient/],
    ['services?owner=checkout', /"owner".*entity ref such as group:default/],
    ['services?colour=red', /"colour".*known are search, order/],
    ['services?cluster[a]=b', /"cluster\[a\]"/],
    ['services?__proto__=b', /"__proto__"/],
    ['services?format=xml', /"format".*json, csv/],
    ['services?cursor=nonsense', /"cursor".*leave it out/],
    [`services?search=${'x'.repeat(201)}`, /"search".*at most 200/],
    ['services/facets?search=x', /"search"/],
    ['clusters?search=x', /"search"/],
    ['findings?state=shut', /"state".*open, resolved, all/],
    ['findings?sort=name', /"sort".*severity, firstSeen/],
  ])('refuses %s', async (query, message) => {
    const { get } = await setUpOnce();
    const answer = await get(`/v1/${query}`);
    expect(answer.status).toBe(400);
    expect(answer.body.error.message).toMatch(message);
  });

  const hostile: Array<[string, number]> = [
    ['clusters/%00', 404],
    ['clusters/..%2F..%2Fetc', 404],
    [`clusters/${'x'.repeat(5_000)}`, 404],
    ['services/a%00/b/c', 404],
    ['services/%2E%2E/%2E%2E/c', 404],
    ['services/west%2Fbank/ledger/x', 404],
    ['services/%F0%9F%92%A9/%E2%80%AE/%EF%BF%BF', 404],
    ['services/%/b/c', 400],
    ['entities/component/default/a%2Fb/services', 404],
    ['entities/component/default/a%3Ab/services', 404],
    ['entities/component/default/%00/services', 404],
    ['services?search=%00', 400],
    ['services?cluster=a%00', 400],
    ['findings?rule=%00', 400],
    ['services?search=%FF%FE', 200],
    ['services?search=%5C%5C%27%22', 200],
    ['services?search=%3F%3F', 200],
    ['services?search=%ED%A0%80', 200],
    [`services?${'cluster=x&'.repeat(201)}`, 400],
    [`services?${'namespace=x&'.repeat(200)}`, 200],
    ['services?%00=1', 400],
  ];
  it.each(
    hostile.map(([path, status]) => [path.slice(0, 50), status, path] as const),
  )('answers %s with %s, on any database', async (_, status, path) => {
    const { get } = await setUpOnce();
    const answer = await get(`/v1/${path}`);
    expect(answer.status).toBe(status);
    expect(answer.body.error?.message ?? '').not.toMatch(
      /select|SQL|invalid byte/i,
    );
  });

  it.each([
    ['severity', [2 ** 31, 'a', 'b']],
    ['severity', [-(2 ** 40), 'a', 'b']],
    ['severity', [1.5, 'a', 'b']],
    ['name', ['a\u0000', 'b']],
    ['name', ['a', 'b', 'c']],
    ['name', [1, 'b']],
    ['name', null],
  ])('refuses a forged cursor of a list by %s: %j', async (sort, position) => {
    const { get } = await setUpOnce();
    const first = await get(`/v1/services?limit=1&sort=${sort}`);
    const { nextCursor } = first.body;
    const forged = Buffer.from(
      JSON.stringify({
        ...JSON.parse(Buffer.from(nextCursor, 'base64url').toString()),
        p: position,
      }),
    ).toString('base64url');
    const answer = await get(
      `/v1/services?limit=1&sort=${sort}&cursor=${forged}`,
    );
    expect(answer.status).toBe(400);
    expect(answer.body.error.message).toContain('"cursor"');
  });

  it('refuses the cursor of another list', async () => {
    const { get } = await setUpOnce();
    const first = await get('/v1/services?limit=1');
    const { nextCursor } = first.body;
    expect(nextCursor).toEqual(expect.any(String));
    const other = await get(
      `/v1/services?limit=1&sort=owner&cursor=${nextCursor}`,
    );
    expect(other.status).toBe(400);
    expectContract('/v1/services', other);
    expect(other.body.error.message).toMatch(/sorted otherwise/);
    const filtered = await get(
      `/v1/services?limit=1&cluster=east&cursor=${nextCursor}`,
    );
    expect(filtered.body.error.message).toMatch(/another filter/);
    const forged = Buffer.from(
      JSON.stringify({
        ...JSON.parse(Buffer.from(nextCursor, 'base64url').toString()),
        p: [{ a: 1 }, 'b'],
      }),
    ).toString('base64url');
    expect((await get(`/v1/services?limit=1&cursor=${forged}`)).status).toBe(
      400,
    );
  });

  it.each([
    ['/v1/clusters/none', '/v1/clusters/{name}'],
    ['/v1/services/a/b/c', '/v1/services/{scope}/{namespace}/{name}'],
  ])('has no %s', async (url, path) => {
    const { get } = await setUpOnce();
    const answer = await get(url);
    expect(answer.status).toBe(404);
    expectContract(path, answer);
  });

  it('demands credentials, on every path', async () => {
    const { get } = await setUpOnce();
    for (const url of [
      '/v1/clusters',
      '/v1/clusters/east',
      '/v1/services',
      '/v1/services/facets',
      '/v1/services/west/bank/ledger',
      '/v1/entities/component/default/cart/services',
      '/v1/findings',
      '/openapi.json',
    ]) {
      const answer = await get(url).set(
        'authorization',
        mockCredentials.none.header(),
      );
      expect([url, answer.status]).toEqual([url, 401]);
    }
  });

  it('shows services only to those who may see them', async () => {
    const { get, decisions, auditor } = await setUp();
    decisions.services = false;
    for (const url of [
      '/v1/services',
      '/v1/services?format=csv',
      '/v1/services/facets',
      '/v1/services/west/bank/ledger',
      '/v1/entities/component/default/cart/services',
    ]) {
      const answer = await get(url);
      expect([url, answer.status]).toEqual([url, 403]);
      expect(answer.body.error.message).toContain('mesh.service.read');
    }
    const event = (auditor.createEvent as jest.Mock).mock.results.at(-1)!;
    expect((await event.value).fail).toHaveBeenCalled();
    // What belongs to no service is still to be seen.
    const findings = await get('/v1/findings');
    expect(findings.status).toBe(200);
    expect(
      findings.body.items.filter((item: object) => 'service' in item),
    ).toEqual([]);

    decisions.fleet = false;
    expect((await get('/v1/findings')).status).toBe(403);
    const clusters = await get('/v1/clusters');
    expect(clusters.status).toBe(403);
    expectContract('/v1/clusters', clusters);
    expect((await get('/v1/clusters/east')).status).toBe(403);
  });

  it('shows those services that the conditions of a decision take', async () => {
    const { get, decisions, database } = await setUp();
    decisions.fleet = false;
    const visible = async () => {
      const list = (await get('/v1/services')).body;
      const facets = (await get('/v1/services/facets')).body;
      const csv = (await get('/v1/services?format=csv')).text;
      const total = facets.namespaces.reduce(
        (sum: number, one: { count: number }) => sum + one.count,
        0,
      );
      expect(list.totalItems).toBe(list.items.length);
      expect(total).toBe(list.items.length);
      expect(csv.trim().split('\r\n')).toHaveLength(list.items.length + 1);
      return names(list).sort();
    };
    decisions.services = meshServiceConditions.isOwner({
      claims: ['user:default/Someone', 'group:default/Money'],
    });
    expect(await visible()).toEqual(['west/ledger']);
    expect((await get('/v1/services/west/bank/ledger')).status).toBe(200);
    expect((await get('/v1/services/west/shop/cart')).status).toBe(404);
    const hidden = (await get('/v1/entities/component/default/cart/services'))
      .body;
    expect(hidden.items).toEqual([]);
    expect(hidden.messages[0].text).toContain('mesh.service.read');

    decisions.services = meshServiceConditions.inCluster({
      clusters: ['east'],
    });
    expect(await visible()).toEqual(['east/cart']);
    decisions.services = meshServiceConditions.hasOwner();
    expect(await visible()).toEqual(['east/cart', 'west/cart', 'west/ledger']);
    decisions.services = { not: meshServiceConditions.hasOwner() };
    expect(await visible()).toEqual(['west/orphan']);
    decisions.services = {
      not: meshServiceConditions.isOwner({ claims: ['group:default/money'] }),
    };
    expect(await visible()).toEqual(['east/cart', 'west/cart', 'west/orphan']);
    decisions.services = {
      allOf: [
        meshServiceConditions.inCluster({ clusters: ['west'] }),
        {
          anyOf: [
            meshServiceConditions.inNamespace({ namespaces: ['shop'] }),
            meshServiceConditions.isOwner({ claims: ['group:default/money'] }),
          ],
        },
      ],
    };
    expect(await visible()).toEqual(['west/cart', 'west/ledger']);

    const findings = (await get('/v1/findings')).body;
    expect(findings.items.length).toBeGreaterThan(0);
    expect(findings.totalItems).toBe(findings.items.length);
    for (const { service } of findings.items) {
      expect(['west/shop/cart', 'west/bank/ledger']).toContain(
        `${service.scope}/${service.namespace}/${service.name}`,
      );
    }
    expect(
      findings.rules.reduce(
        (sum: number, rule: { count: number }) => sum + rule.count,
        0,
      ),
    ).toBe(findings.totalItems);

    // Of clusters no more is said than services need.
    await database('clusters').where({ name: 'west' }).update({
      server: 'west.internal:6443',
      message: 'west.internal:6443 refuses connections',
      state: 'unreachable',
    });
    await database('clusters').where({ name: 'east' }).update({
      state: 'unreachable',
    });
    const page = await get('/v1/services?namespace=bank');
    expectContract('/v1/services', page);
    expect(page.body.fleet.clusters).toEqual([
      expect.objectContaining({ name: 'west', state: 'unreachable' }),
    ]);
    expect(JSON.stringify(page.body)).not.toContain('west.internal');
    expect(JSON.stringify((await get('/v1/findings')).body)).not.toContain(
      'west.internal',
    );
    expect(page.body.items[0].partial).toBe(true);
    await new Promise(resolve => setTimeout(resolve, 1_100));
    const detail = await get('/v1/services/west/bank/ledger');
    expectContract('/v1/services/{scope}/{namespace}/{name}', detail);
    expect(detail.body.partial).toBe(true);
    expect(JSON.stringify(detail.body)).not.toContain('west.internal');
    expect(detail.body.clusters[0]).not.toHaveProperty('versions');
    expect(detail.body.clusters[0]).not.toHaveProperty('mesh');
    decisions.fleet = true;
    expect(
      JSON.stringify((await get('/v1/services/west/bank/ledger')).body),
    ).toContain('west.internal');
  });

  it('names no homonym that the reader may not see', async () => {
    const { get, decisions } = await setUpOnce();
    const homonyms = async () =>
      (await get('/v1/services/east/shop/cart')).body.homonyms;
    expect(await homonyms()).toEqual(['west']);
    decisions.services = meshServiceConditions.inCluster({
      clusters: ['east'],
    });
    try {
      expect(await homonyms()).toEqual([]);
    } finally {
      decisions.services = true;
    }
  });

  it('shows a finding with the service that is asked for, not with another that may be hidden', async () => {
    const { get, stored, analyser } = await setUp();
    const [service] = application('west', 'shop', 'cart');
    await stored.apply({
      ...service,
      metadata: { ...service.metadata, name: 'basket' },
    });
    await analyser.drain();
    for (const name of ['basket', 'cart']) {
      const { body } = await get(`/v1/services/west/shop/${name}`);
      expect(body.findings.length).toBeGreaterThan(0);
      for (const finding of body.findings) {
        expect(finding.service.name).toBe(name);
        expect(finding.owner).toBe(body.owner);
      }
    }
  });

  it('keeps findings about a Service from readers of the fleet until it is known whose they are', async () => {
    const { get, decisions, database } = await setUp();
    await database('findings').where({ kind: 'Service' }).update({
      service_id: null,
      owner: null,
    });
    const kinds = async () =>
      new Set(
        (await get('/v1/findings')).body.items.map(
          ({ kind }: { kind: string }) => kind,
        ),
      );
    expect((await kinds()).has('Service')).toBe(true);
    decisions.services = meshServiceConditions.inNamespace({
      namespaces: ['nowhere'],
    });
    expect((await kinds()).has('Service')).toBe(false);
    decisions.services = false;
    expect((await kinds()).has('Service')).toBe(false);
  });

  it('finds for an entity the service in the cluster that it names, and no homonym', async () => {
    const { get, stored, analyser, catalog, owners } = await setUp();
    await stored.apply(
      ...application('east', 'bank', 'ledger'),
      namespace('east', 'bank'),
    );
    (catalog as any).getEntityByRef = async () =>
      component('mixed', 'money', {
        'mesh.backstage.io/services': 'bank/ledger, shop/cart',
        'backstage.io/kubernetes-cluster': 'west',
      });
    await analyser.drain();
    await owners.refresh();
    const { body } = await get('/v1/entities/component/default/mixed/services');
    expect(names(body)).toEqual(['west/ledger', 'west/cart']);
  });

  it('shows no more services of an entity than fit on a page, and says so', async () => {
    const { get, catalog, stored, analyser } = await setUp();
    const labels = { app: 'many' };
    for (let n = 0; n < 103; n++) {
      const [service] = application('east', 'shop', `web-${n}`, { labels });
      await stored.apply(service);
    }
    await analyser.drain();
    (catalog as any).getEntityByRef = async () =>
      component('wide', 'money', {
        'backstage.io/kubernetes-label-selector': 'app=many',
      });
    const { body } = await get('/v1/entities/component/default/wide/services');
    expect(body.items).toHaveLength(100);
    expect(body.messages).toEqual([
      expect.objectContaining({
        level: 'warning',
        text: expect.stringContaining('name 103 services; the first 100'),
      }),
    ]);
  });

  it('writes CSV that no spreadsheet runs', async () => {
    const { get, database } = await setUp();
    const row = await database('service_details')
      .where({ id: 'west/bank/ledger' })
      .first();
    await database('service_details')
      .where({ id: 'west/bank/ledger' })
      .update({
        row: JSON.stringify({
          ...JSON.parse(row.row),
          owner: '=HYPERLINK("http://evil","a,b")',
          dataplane: { unknown: 'forbidden' },
        }),
      });
    const answer = await get('/v1/services?format=csv&namespace=bank');
    expect(answer.status).toBe(200);
    expect(answer.headers['content-type']).toBe('text/csv; charset=utf-8');
    expect(answer.headers['content-disposition']).toContain('services.csv');
    const [header, line] = answer.text.split('\r\n');
    expect(header).toContain('scope,namespace,name,owner');
    expect(line).toContain(
      `west,bank,ledger,"'=HYPERLINK(""http://evil"",""a,b"")"`,
    );
    expect(line).toContain('unknown: forbidden');

    const findings = await get('/v1/findings?format=csv');
    expect(findings.text.split('\r\n')[0]).toContain('severity,rule,title');
    expect(findings.text).toContain('Unowned');
  });

  it('tells the audit log what was asked for', async () => {
    const { get, auditor } = await setUp();
    await get('/v1/services');
    await get('/v1/clusters/none');
    const events = (auditor.createEvent as jest.Mock).mock;
    expect(events.calls.map(([event]) => [event.eventId, event.meta])).toEqual([
      ['service-fetch', { queryType: 'list' }],
      ['cluster-fetch', { queryType: 'by-name', name: 'none' }],
    ]);
    const [first, second] = await Promise.all(
      events.results.map(result => result.value),
    );
    expect(first.success).toHaveBeenCalled();
    expect(second.fail).toHaveBeenCalled();
  });
});
