import {
  createServiceFactory,
  coreServices,
} from '@backstage/backend-plugin-api';
import {
  mockCredentials,
  mockServices,
  startTestBackend,
  TestBackend,
} from '@backstage/backend-test-utils';
import { Entity } from '@backstage/catalog-model';
import { catalogServiceMock } from '@backstage/plugin-catalog-node/testUtils';
import { AuthorizeResult } from '@backstage/plugin-permission-common';
import {
  Fleet,
  KubeObject,
  startFleet,
} from '@mesh-for-backstage/fleet-simulator';
import { signalsServiceRef } from '@backstage/plugin-signals-node';
import { meshServiceConditions } from '@mesh-for-backstage/plugin-mesh-node';
import { mkdtemp, rm, writeFile } from 'fs/promises';
import { tmpdir } from 'os';
import { join } from 'path';
import request from 'supertest';
import { meshPlugin } from './plugin';
import { Decisions } from './__testUtils__/api';
import { expectContract } from './__testUtils__/contract';
import { application, namespace } from './__testUtils__/fleet';

jest.setTimeout(180_000);

const cart: Entity = {
  apiVersion: 'backstage.io/v1alpha1',
  kind: 'Component',
  metadata: {
    name: 'cart',
    namespace: 'default',
    annotations: { 'mesh.backstage.io/services': 'shop/cart' },
  },
  spec: { type: 'service', lifecycle: 'production', owner: 'checkout' },
};

describe('the mesh plugin', () => {
  let fleet: Fleet;
  let directory: string;
  const backends: TestBackend[] = [];

  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'mesh-plugin-'));
    fleet = await startFleet({ clusters: ['east', 'west'] });
    for (const name of ['east', 'west']) {
      apply(
        name,
        namespace(name, 'shop'),
        ...application(name, 'shop', 'cart'),
      );
    }
    apply('west', ...application('west', 'shop', 'orders'));
  });

  afterEach(async () => {
    await Promise.all(backends.splice(0).map(backend => backend.stop()));
    await fleet.stop();
    await rm(directory, { recursive: true, force: true });
  });

  function apply(cluster: string, ...objects: object[]): void {
    for (const object of objects) {
      const { cluster: _cluster, ...manifest } = object as Record<
        string,
        unknown
      >;
      fleet.cluster(cluster).apply(manifest as unknown as KubeObject);
    }
  }

  async function start(options: { mesh?: object; decisions?: Decisions } = {}) {
    const path = join(directory, 'kubeconfig.yaml');
    await writeFile(path, fleet.kubeconfig({ token: 'reader' }));
    const published: string[] = [];
    const backend = await startTestBackend({
      features: [
        meshPlugin,
        catalogServiceMock.factory({ entities: [cart] }),
        mockServices.rootConfig.factory({
          data: {
            backend: {
              database: {
                client: 'better-sqlite3',
                connection: { directory },
              },
            },
            mesh: {
              clusterSources: { kubeconfig: { path } },
              ...options.mesh,
            },
          },
        }),
        mockServices.database.factory(),
        ...(options.decisions ? [permissionsOf(options.decisions)] : []),
        createServiceFactory({
          service: signalsServiceRef,
          deps: {},
          factory: () => ({
            async publish({ channel, message }) {
              published.push(`${channel}:${(message as any).topic}`);
            },
          }),
        }),
      ],
    });
    backends.push(backend);
    const get = (url: string) => request(backend.server).get(`/api/mesh${url}`);
    return { backend, get, published };
  }

  /** Asks until the answer is as wished, for a machine that may be slow. */
  async function until<T>(
    ask: () => Promise<T>,
    wished: (answer: T) => boolean,
  ): Promise<T> {
    const end = Date.now() + 60_000;
    for (;;) {
      const answer = await ask();
      if (wished(answer)) return answer;
      if (Date.now() > end) {
        throw new Error(`Still not as wished: ${JSON.stringify(answer)}`);
      }
      await new Promise(resolve => setTimeout(resolve, 100));
    }
  }

  it('shows what clusters hold, and what changes in them', async () => {
    const { get, published } = await start();
    const services = async () => (await get('/v1/services')).body;
    const synced = async () =>
      (await get('/v1/clusters')).body.items.map(
        ({ state }: { state: string }) => state,
      );
    await until(services, ({ items }) => items.length === 3);
    await until(synced, states => states.join() === 'synced,synced');
    const detail = await until(
      () => get('/v1/services/west/shop/cart'),
      ({ body }) => body.owner !== undefined,
    );
    expectContract('/v1/services/{scope}/{namespace}/{name}', detail);
    expect(detail.body).toMatchObject({
      owner: 'group:default/checkout',
      instances: [{ cluster: 'west', role: 'backend' }],
      endpoints: { ready: 1, total: 1 },
    });
    const entity = await get('/v1/entities/component/default/cart/services');
    expect(entity.body.items).toHaveLength(2);

    apply('east', ...application('east', 'shop', 'payment'));
    await until(services, ({ items }) =>
      items.some(({ name }: { name: string }) => name === 'payment'),
    );
    fleet.cluster('east').remove({
      apiVersion: 'v1',
      kind: 'Service',
      namespace: 'shop',
      name: 'cart',
    });
    await until(services, ({ items }) => items.length === 3);
    // Signals are gathered for a second.
    await until(
      async () => new Set(published),
      topics => topics.has('mesh:services') && topics.has('mesh:clusters'),
    );

    for (const path of ['/v1/clusters', '/v1/services', '/v1/findings']) {
      expectContract(path, await get(path));
    }
  });

  it('keeps and marks what is known of a cluster that stops answering', async () => {
    const { get } = await start();
    await until(
      async () => (await get('/v1/services')).body,
      ({ items, fleet: state }) => items.length === 3 && !state.partial,
    );
    await fleet.cluster('west').stop();
    const west = await until(
      async () => (await get('/v1/clusters/west')).body,
      ({ state }) => state === 'unreachable',
    );
    expect(west.since).toEqual(expect.any(String));
    const page = await get('/v1/services');
    expectContract('/v1/services', page);
    expect(page.body.totalItems).toBe(3);
    expect(page.body.fleet).toMatchObject({
      partial: true,
      clusters: [{ name: 'west', state: 'unreachable' }],
    });
    expect(
      page.body.items.map(
        ({ clusters, partial }: { clusters: string[]; partial: boolean }) =>
          `${clusters.join()} ${partial}`,
      ),
    ).toEqual(['east false', 'west true', 'west true']);
    expect((await get('/v1/services/west/shop/cart')).body.endpoints).toEqual({
      ready: 1,
      total: 1,
    });

    apply('east', ...application('east', 'shop', 'payment'));
    await until(
      async () => (await get('/v1/services')).body.totalItems,
      total => total === 4,
    );
  });

  it('shows the last state at once after a restart', async () => {
    const first = await start();
    await until(
      async () => (await first.get('/v1/services')).body,
      ({ items }) => items.length === 3,
    );
    await first.backend.stop();
    backends.length = 0;
    await fleet.cluster('west').stop();

    const second = await start();
    const { body } = await second.get('/v1/services');
    expect(body.totalItems).toBe(3);
  });

  it('serves without watching, where that is another replica’s work', async () => {
    const { get } = await start({
      mesh: { collect: { enabled: false }, analyse: { enabled: false } },
    });
    expect((await get('/v1/clusters')).body).toEqual({ items: [] });
    expect(fleet.cluster('east').requests).toEqual([]);
  });

  it('starts although the configuration of clusters is wrong', async () => {
    const { get } = await start({
      mesh: { clusterSources: { kubeconfig: { route: 'nowhere' } } },
    });
    expect((await get('/v1/clusters')).status).toBe(200);
  });

  it('asks the permission framework, with conditions', async () => {
    const decisions: Decisions = {
      fleet: false,
      services: meshServiceConditions.isOwner({
        claims: ['group:default/checkout'],
      }),
    };
    const { backend, get } = await start({ decisions });
    const { items } = await until(
      async () => (await get('/v1/services')).body,
      body => body.items.length === 2,
    );
    expect(items.map(({ name }: { name: string }) => name)).toEqual([
      'cart',
      'cart',
    ]);
    expect((await get('/v1/clusters')).status).toBe(403);

    // The permission backend asks the plugin about single services.
    const { body: metadata } = await get(
      '/.well-known/backstage/permissions/metadata',
    );
    expect(
      metadata.permissions.map(({ name }: { name: string }) => name).sort(),
    ).toEqual(['mesh.fleet.read', 'mesh.service.read']);
    expect(
      metadata.rules.map(({ name }: { name: string }) => name).sort(),
    ).toEqual(['HAS_OWNER', 'IN_CLUSTER', 'IN_NAMESPACE', 'IS_OWNER']);
    const ask = (resourceRef: string | string[], conditions: object) =>
      request(backend.server)
        .post('/api/mesh/.well-known/backstage/permissions/apply-conditions')
        .send({
          items: [
            {
              id: 'one',
              resourceRef,
              resourceType: 'mesh-service',
              conditions,
            },
          ],
        });
    const { services } = decisions;
    const anonymous = await ask('east/shop/cart', services as object).set(
      'authorization',
      mockCredentials.none.header(),
    );
    expect(anonymous.status).toBe(401);
    const byPermissionBackend = async (
      resourceRef: string | string[],
      conditions: object,
    ) =>
      (
        await ask(resourceRef, conditions).set(
          'authorization',
          mockCredentials.service.header({
            onBehalfOf: await mockServices.auth().getOwnServiceCredentials(),
            targetPluginId: 'mesh',
          }),
        )
      ).body.items;
    expect(
      await byPermissionBackend(
        ['east/shop/cart', 'west/shop/orders', 'east/shop/none'],
        services as object,
      ),
    ).toEqual([{ id: 'one', result: ['ALLOW', 'DENY', 'DENY'] }]);
    expect(
      await byPermissionBackend(
        ['east/shop/cart', 'west/shop/orders'],
        meshServiceConditions.inCluster({ clusters: ['west'] }),
      ),
    ).toEqual([{ id: 'one', result: ['DENY', 'ALLOW'] }]);
  });
});

function permissionsOf(decisions: Decisions) {
  return createServiceFactory({
    service: coreServices.permissions,
    deps: {},
    factory: () => ({
      authorize: async () => [
        {
          result: decisions.fleet
            ? AuthorizeResult.ALLOW
            : AuthorizeResult.DENY,
        },
      ],
      authorizeConditional: async () => [
        typeof decisions.services === 'boolean'
          ? {
              result: decisions.services
                ? AuthorizeResult.ALLOW
                : AuthorizeResult.DENY,
            }
          : {
              result: AuthorizeResult.CONDITIONAL,
              pluginId: 'mesh',
              resourceType: 'mesh-service',
              conditions: decisions.services,
            },
      ],
    }),
  } as any);
}
