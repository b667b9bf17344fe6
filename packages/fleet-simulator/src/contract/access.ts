// The tests are registered by whoever asks the contract of an API server.
/* eslint-disable jest/no-export */
import { ApiClient, until } from './ApiClient';
import { Contract } from './apiServerContract';

export function accessContract(contract: Contract): void {
  describe('access', () => {
    const review = (attributes: object) =>
      contract.reader.post(
        '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews',
        {
          apiVersion: 'authorization.k8s.io/v1',
          kind: 'SelfSubjectAccessReview',
          spec: attributes,
        },
      );

    beforeAll(async () => {
      await contract.target.grantReader([
        {
          verbs: ['get', 'list', 'watch'],
          apiGroups: [''],
          resources: ['services'],
        },
        {
          verbs: ['get', 'list'],
          apiGroups: [''],
          resources: ['configmaps'],
          namespaces: [contract.namespace],
        },
        {
          verbs: ['get'],
          apiGroups: ['apps'],
          resources: ['deployments'],
          resourceNames: ['one'],
        },
      ]);
      // Authorisers read what was granted a moment later.
      await until(
        async () =>
          (await contract.reader.get('/api/v1/services')).status === 200 &&
          (await contract.reader.get(contract.path('configmaps'))).status ===
            200,
        () => 'the grants to hold',
      );
    }, 60_000);

    it('does not know a token that nobody has', async () => {
      const { url, caData } = contract.target;
      const stranger = ApiClient.create({ url, caData, token: 'nobody' });
      const { status, body } = await stranger.get('/api/v1/services');
      stranger.close();
      expect(status).toBe(401);
      expect(body).toEqual({
        kind: 'Status',
        apiVersion: 'v1',
        metadata: {},
        status: 'Failure',
        message: 'Unauthorized',
        reason: 'Unauthorized',
        code: 401,
      });
    });

    it('lets those who do not sign in see next to nothing', async () => {
      const { url, caData } = contract.target;
      const anonymous = ApiClient.create({ url, caData });
      const api = await anonymous.get('/api');
      const version = await anonymous.get('/version');
      anonymous.close();
      expect([api.status, api.body.message]).toEqual([
        403,
        'forbidden: User "system:anonymous" cannot get path "/api"',
      ]);
      expect(version.status).toBe(200);
    });

    it('lets everybody who signs in discover', async () => {
      for (const path of [
        '/api',
        '/apis',
        '/api/v1',
        '/apis/apps/v1',
        '/openapi/v3',
      ]) {
        const { status } = await contract.reader.get(path);
        expect([path, status]).toEqual([path, 200]);
      }
    });

    it.each<[string, string, string]>([
      [
        'GET',
        '/api/v1/pods',
        'pods is forbidden: User "USER" cannot list resource "pods" in API group "" at the cluster scope',
      ],
      [
        'GET',
        '/api/v1/pods?watch=1',
        'pods is forbidden: User "USER" cannot watch resource "pods" in API group "" at the cluster scope',
      ],
      [
        'GET',
        '/api/v1/namespaces/x/pods/y',
        'pods "y" is forbidden: User "USER" cannot get resource "pods" in API group "" in the namespace "x"',
      ],
      [
        'GET',
        '/apis/apps/v1/namespaces/x/deployments',
        'deployments.apps is forbidden: User "USER" cannot list resource "deployments" in API group "apps" in the namespace "x"',
      ],
      [
        'DELETE',
        '/api/v1/namespaces/x/services/y',
        'services "y" is forbidden: User "USER" cannot delete resource "services" in API group "" in the namespace "x"',
      ],
      [
        'GET',
        '/api/v1/nodes/n/status',
        'nodes "n" is forbidden: User "USER" cannot get resource "nodes/status" in API group "" at the cluster scope',
      ],
      [
        'GET',
        '/api/v1/configmaps',
        'configmaps is forbidden: User "USER" cannot list resource "configmaps" in API group "" at the cluster scope',
      ],
      ['GET', '/metrics', 'forbidden: User "USER" cannot get path "/metrics"'],
    ])('forbids %s %s', async (method, path, message) => {
      const { status, body } = await contract.reader.send(method, path);
      expect(body.message).toBe(
        message.replace('USER', contract.target.readerUser),
      );
      expect([status, body.reason, body.code]).toEqual([403, 'Forbidden', 403]);
    });

    it('says in the details what was forbidden', async () => {
      const { body } = await contract.reader.get(
        '/apis/apps/v1/namespaces/x/deployments/y',
      );
      expect(body.details).toEqual({
        name: 'y',
        group: 'apps',
        kind: 'deployments',
      });
    });

    it('keeps to namespaces and names', async () => {
      const status = async (path: string) =>
        (await contract.reader.get(path)).status;
      expect(await status(contract.path('configmaps'))).toBe(200);
      expect(await status('/api/v1/namespaces/default/configmaps')).toBe(403);
      expect(await status(contract.path('deployments', 'one'))).toBe(404);
      expect(await status(contract.path('deployments', 'two'))).toBe(403);
    });

    it.each<[object, boolean]>([
      [{ resourceAttributes: { verb: 'list', resource: 'services' } }, true],
      [{ resourceAttributes: { verb: 'list', resource: 'pods' } }, false],
      [{ resourceAttributes: { verb: 'delete', resource: 'services' } }, false],
      [
        {
          resourceAttributes: {
            verb: 'list',
            resource: 'services',
            group: 'apps',
          },
        },
        false,
      ],
      [{ nonResourceAttributes: { verb: 'get', path: '/api' } }, true],
      [{ nonResourceAttributes: { verb: 'get', path: '/metrics' } }, false],
    ])('reviews %j as %s', async (attributes, isAllowed) => {
      const { status, body } = await review(attributes);
      expect(status).toBe(201);
      expect(body).toMatchObject({
        kind: 'SelfSubjectAccessReview',
        apiVersion: 'authorization.k8s.io/v1',
        spec: attributes,
        status: { allowed: isAllowed },
      });
    });

    it('lists the rules that hold in a namespace', async () => {
      const { status, body } = await contract.reader.post(
        '/apis/authorization.k8s.io/v1/selfsubjectrulesreviews',
        {
          apiVersion: 'authorization.k8s.io/v1',
          kind: 'SelfSubjectRulesReview',
          spec: { namespace: contract.namespace },
        },
      );
      expect(status).toBe(201);
      expect(body.status.incomplete).toBe(false);
      expect(body.status.resourceRules).toEqual(
        expect.arrayContaining([
          expect.objectContaining({ resources: ['services'] }),
          expect.objectContaining({ resources: ['configmaps'] }),
        ]),
      );
    });

    it('says who one is', async () => {
      const { status, body } = await contract.reader.post(
        '/apis/authentication.k8s.io/v1/selfsubjectreviews',
        {
          apiVersion: 'authentication.k8s.io/v1',
          kind: 'SelfSubjectReview',
        },
      );
      expect(status).toBe(201);
      expect(body.status.userInfo).toMatchObject({
        username: contract.target.readerUser,
        groups: expect.arrayContaining(['system:authenticated']),
      });
    });
  });
}
