// The tests are registered by whoever asks the contract of an API server.
/* eslint-disable jest/no-export */
import { ApiClient } from './ApiClient';
import { Contract } from './apiServerContract';

const AGGREGATED =
  'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';

export function discoveryContract(contract: Contract): void {
  describe('discovery', () => {
    it('says its version', async () => {
      const { status, body } = await contract.admin.get('/version');
      expect(status).toBe(200);
      expect(body).toMatchObject({
        major: expect.stringMatching(/^\d+$/),
        minor: expect.stringMatching(/^\d+\+?$/),
        gitVersion: expect.stringMatching(/^v\d+\.\d+\.\d+/),
        platform: expect.stringContaining('/'),
      });
    });

    it.each(['/readyz', '/livez', '/healthz'])(
      'is well at %s, also for those who do not sign in',
      async path => {
        const { url, caData } = contract.target;
        const anonymous = ApiClient.create({ url, caData });
        const answer = await anonymous.get(path);
        anonymous.close();
        expect([answer.status, answer.text]).toEqual([200, 'ok']);
      },
    );

    it('lists the core versions', async () => {
      const { body } = await contract.admin.get('/api');
      expect(body).toMatchObject({ kind: 'APIVersions', versions: ['v1'] });
    });

    it('lists the groups with their preferred versions', async () => {
      const { body } = await contract.admin.get('/apis');
      expect(body).toMatchObject({ kind: 'APIGroupList', apiVersion: 'v1' });
      expect(body.groups).toContainEqual({
        name: 'apps',
        versions: [{ groupVersion: 'apps/v1', version: 'v1' }],
        preferredVersion: { groupVersion: 'apps/v1', version: 'v1' },
      });
      const names = body.groups.map((group: any) => group.name);
      expect(names).toEqual(
        expect.arrayContaining([
          'apps',
          'batch',
          'discovery.k8s.io',
          'networking.k8s.io',
          'policy',
          'rbac.authorization.k8s.io',
          'admissionregistration.k8s.io',
          'coordination.k8s.io',
          'autoscaling',
          'apiextensions.k8s.io',
          'certificates.k8s.io',
        ]),
      );
    });

    it('describes one group', async () => {
      const { body } = await contract.admin.get('/apis/autoscaling');
      expect(body).toMatchObject({
        kind: 'APIGroup',
        apiVersion: 'v1',
        name: 'autoscaling',
        preferredVersion: { groupVersion: 'autoscaling/v2', version: 'v2' },
      });
    });

    it('lists the resources of the core group', async () => {
      const { body } = await contract.admin.get('/api/v1');
      expect(body).toMatchObject({
        kind: 'APIResourceList',
        groupVersion: 'v1',
      });
      expect(body.resources).toContainEqual(
        expect.objectContaining({
          name: 'pods',
          singularName: 'pod',
          namespaced: true,
          kind: 'Pod',
          shortNames: ['po'],
          categories: ['all'],
          verbs: [
            'create',
            'delete',
            'deletecollection',
            'get',
            'list',
            'patch',
            'update',
            'watch',
          ],
        }),
      );
      expect(body.resources).toContainEqual({
        name: 'pods/status',
        singularName: '',
        namespaced: true,
        kind: 'Pod',
        verbs: ['get', 'patch', 'update'],
      });
    });

    it('lists the resources of a group', async () => {
      const { body } = await contract.admin.get('/apis/apps/v1');
      expect(body).toMatchObject({
        kind: 'APIResourceList',
        apiVersion: 'v1',
        groupVersion: 'apps/v1',
      });
      expect(body.resources).toContainEqual(
        expect.objectContaining({ name: 'deployments', kind: 'Deployment' }),
      );
    });

    it('answers in the aggregated form where it is asked for', async () => {
      const core = await contract.admin.get('/api', { Accept: AGGREGATED });
      expect(core.headers['content-type']).toContain(
        'as=APIGroupDiscoveryList',
      );
      const [v1] = core.body.items[0].versions;
      expect(core.body).toMatchObject({
        kind: 'APIGroupDiscoveryList',
        apiVersion: 'apidiscovery.k8s.io/v2',
      });
      expect(v1).toMatchObject({ version: 'v1', freshness: 'Current' });
      expect(v1.resources).toContainEqual(
        expect.objectContaining({
          resource: 'services',
          responseKind: expect.objectContaining({ kind: 'Service' }),
          scope: 'Namespaced',
          singularResource: 'service',
          shortNames: ['svc'],
        }),
      );
      const groups = await contract.admin.get('/apis', { Accept: AGGREGATED });
      const apps = groups.body.items.find(
        (item: any) => item.metadata.name === 'apps',
      );
      expect(
        apps.versions[0].resources.map((entry: any) => entry.resource),
      ).toContain('deployments');
    });

    it('describes schemas and operations', async () => {
      const { body } = await contract.admin.get('/openapi/v3');
      const at = body.paths['apis/apps/v1'].serverRelativeURL;
      const document = (await contract.admin.get(at)).body;
      expect(document.openapi).toMatch(/^3\./);
      expect(
        document.components.schemas['io.k8s.api.apps.v1.Deployment'].properties,
      ).toHaveProperty('spec');
      const operation =
        document.paths[
          '/apis/apps/v1/namespaces/{namespace}/deployments/{name}'
        ].patch;
      expect(operation.parameters.map((p: any) => p.name)).toEqual(
        expect.arrayContaining(['dryRun', 'fieldManager', 'fieldValidation']),
      );
    });

    it.each(['/apis/nobody.example.com', '/apis/nobody.example.com/v1/things'])(
      'has no page at %s',
      async path => {
        const { status, text } = await contract.admin.get(path);
        expect([status, text]).toEqual([404, '404 page not found\n']);
      },
    );

    it('does not find a resource that its group lacks', async () => {
      const { status, body } = await contract.admin.get('/api/v1/things');
      expect(status).toBe(404);
      expect(body).toEqual({
        kind: 'Status',
        apiVersion: 'v1',
        metadata: {},
        status: 'Failure',
        message: 'the server could not find the requested resource',
        reason: 'NotFound',
        details: {},
        code: 404,
      });
    });
  });
}
