import { TestDatabases } from '@backstage/backend-test-utils';
import { Fleet, startFleet } from '@mesh-for-backstage/fleet-simulator';
import {
  clusterAt,
  databaseIds,
  eventually,
  Harness,
  initDatabase,
} from './__testUtils__/harness';

jest.setTimeout(120_000);

const databases = TestDatabases.create({ ids: databaseIds() });

const service = (name: string, namespace = 'shop', more: object = {}) => ({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name, namespace, ...more },
  spec: { selector: { app: name }, ports: [{ port: 80 }] },
});

describe.each(databases.eachSupportedId())('Collector on %s', id => {
  let fleet: Fleet;
  let harness: Harness;

  async function setUp(
    names: string[],
    settings: Parameters<typeof Harness.create>[0]['settings'] = {},
    token = 'admin',
  ) {
    fleet = await startFleet({ clusters: names, bookmarkIntervalMs: 200 });
    harness = Harness.create({
      knex: await initDatabase(databases, id),
      clusters: fleet.clusters.map(cluster =>
        clusterAt({
          name: cluster.name,
          url: cluster.url,
          caData: cluster.caData,
          token: () => cluster.token(token),
        }),
      ),
      settings,
    });
  }

  afterEach(async () => {
    await harness?.stop();
    await fleet?.stop();
  });

  it('reads everything in pages, and then follows what changes', async () => {
    await setUp(['east'], { pageSize: 3 });
    const east = fleet.cluster('east');
    for (let i = 0; i < 10; i++) east.apply(service(`cart-${i}`));
    harness.start();
    await harness.untilState('east', 'synced');

    expect(await harness.names('east', 'Service')).toHaveLength(10);
    // Objects are counted a moment after they are written.
    await eventually(async () =>
      expect(await harness.coverage('east', 'Service')).toMatchObject({
        state: 'synced',
        resource: 'services',
        version: 'v1',
        objects: 10,
        asOf: expect.any(String),
      }),
    );
    expect(await harness.cluster('east')).toMatchObject({
      kubernetesVersion: expect.stringMatching(/^v1\./),
      lastContact: expect.any(String),
    });

    east.apply(service('checkout'));
    east.remove({
      apiVersion: 'v1',
      kind: 'Service',
      namespace: 'shop',
      name: 'cart-0',
    });
    await eventually(async () => {
      const names = await harness.names('east', 'Service');
      expect(names).toContain('shop/checkout');
      expect(names).not.toContain('shop/cart-0');
    });
    await eventually(async () =>
      expect(await harness.coverage('east', 'Service')).toMatchObject({
        objects: 10,
      }),
    );
  });
});
