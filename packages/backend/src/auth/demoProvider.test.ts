import { mockServices, startTestBackend } from '@backstage/backend-test-utils';
import authPlugin from '@backstage/plugin-auth-backend';
import { catalogServiceMock } from '@backstage/plugin-catalog-node/testUtils';
import request from 'supertest';
import demoProvider from '.';

const anna = {
  apiVersion: 'backstage.io/v1alpha1',
  kind: 'User',
  metadata: { name: 'anna', namespace: 'default' },
  spec: { memberOf: ['checkout'] },
  relations: [{ type: 'memberOf', targetRef: 'group:default/checkout' }],
};

const startPortal = (environment: string) =>
  startTestBackend({
    features: [
      authPlugin,
      demoProvider,
      catalogServiceMock.factory({ entities: [anna] }),
      mockServices.rootConfig.factory({
        data: {
          app: { baseUrl: 'http://localhost' },
          backend: { baseUrl: 'http://localhost' },
          auth: {
            environment,
            providers: {
              demo: {
                development: {
                  users: [
                    { entityRef: 'user:default/anna', displayName: 'Anna L.' },
                    { entityRef: 'user:default/gone' },
                  ],
                },
              },
            },
          },
        },
      }),
    ],
  });

const signIn = (server: Parameters<typeof request>[0], user?: string) => {
  const asked = request(server).get('/api/auth/demo/refresh');
  return user === undefined ? asked : asked.set('x-mesh-demo-user', user);
};

describe('the provider of demo users', () => {
  let server: Awaited<ReturnType<typeof startTestBackend>>['server'];
  let stop: () => Promise<void>;

  beforeAll(async () => {
    const backend = await startPortal('development');
    server = backend.server;
    stop = () => backend.stop();
  }, 120_000);
  afterAll(() => stop());

  it('signs a listed user in, with the groups of the catalog', async () => {
    const { status, body } = await signIn(server, 'user:default/anna');

    expect(status).toBe(200);
    expect(body.profile.displayName).toBe('Anna L.');
    expect(body.backstageIdentity.identity).toMatchObject({
      userEntityRef: 'user:default/anna',
      ownershipEntityRefs: ['user:default/anna', 'group:default/checkout'],
    });
  });

  it.each([
    ['nobody', undefined, 400, 'x-mesh-demo-user is missing'],
    ['a user that is not listed', 'user:default/root', 401, 'Not a demo user'],
    ['a user that the catalog lacks', 'user:default/gone', 404, 'not found'],
  ])('refuses %s', async (_, user, status, message) => {
    const answer = await signIn(server, user);

    expect(answer.status).toBe(status);
    expect(answer.body.error.message).toContain(message);
  });
});

describe('the provider of demo users, elsewhere', () => {
  it.each([
    ['in another environment', 'production', 'test'],
    ['where NODE_ENV is production', 'development', 'production'],
  ])(
    'is not there %s',
    async (_, environment, nodeEnv) => {
      const before = process.env.NODE_ENV;
      process.env = { ...process.env, NODE_ENV: nodeEnv };
      const backend = await startPortal(environment);
      try {
        const { status } = await signIn(backend.server, 'user:default/anna');
        expect(status).toBe(404);
      } finally {
        await backend.stop();
        process.env = { ...process.env, NODE_ENV: before };
      }
    },
    120_000,
  );
});
