// The tests are registered by whoever asks the contract of an API server.
/* eslint-disable jest/no-export */
import { until } from './ApiClient';
import { Contract } from './apiServerContract';

const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const NAME = 'widgets.contract.example.com';
const GROUP = '/apis/contract.example.com';

const definition = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: NAME },
  spec: {
    group: 'contract.example.com',
    scope: 'Namespaced',
    names: {
      plural: 'widgets',
      singular: 'widget',
      kind: 'Widget',
      shortNames: ['wd'],
    },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        subresources: { status: {} },
        additionalPrinterColumns: [
          { name: 'Size', type: 'integer', jsonPath: '.spec.size' },
        ],
        schema: {
          openAPIV3Schema: {
            type: 'object',
            properties: {
              spec: {
                type: 'object',
                required: ['size'],
                properties: {
                  size: { type: 'integer' },
                  color: {
                    type: 'string',
                    default: 'red',
                    enum: ['red', 'blue'],
                  },
                  parts: {
                    type: 'array',
                    'x-kubernetes-list-type': 'map',
                    'x-kubernetes-list-map-keys': ['name'],
                    items: {
                      type: 'object',
                      required: ['name'],
                      properties: {
                        name: { type: 'string' },
                        count: { type: 'integer' },
                      },
                    },
                  },
                },
              },
              status: {
                type: 'object',
                'x-kubernetes-preserve-unknown-fields': true,
              },
            },
          },
        },
      },
      {
        name: 'v1beta1',
        served: true,
        storage: false,
        schema: {
          openAPIV3Schema: {
            type: 'object',
            'x-kubernetes-preserve-unknown-fields': true,
          },
        },
      },
      {
        name: 'v1alpha1',
        served: false,
        storage: false,
        schema: {
          openAPIV3Schema: {
            type: 'object',
            'x-kubernetes-preserve-unknown-fields': true,
          },
        },
      },
    ],
  },
};

export function customResourceContract(contract: Contract): void {
  describe('custom resources', () => {
    const widget = (name: string, spec: object, more: object = {}) => ({
      apiVersion: 'contract.example.com/v1',
      kind: 'Widget',
      metadata: { name },
      spec,
      ...more,
    });
    const widgets = () => contract.path('widgets');

    beforeAll(async () => {
      await contract.admin.delete(`${DEFINITIONS}/${NAME}`);
      await until(
        async () =>
          (await contract.admin.get(`${DEFINITIONS}/${NAME}`)).status === 404,
        () => 'an earlier definition to go',
      );
      await contract.admin.post(DEFINITIONS, definition);
      await until(
        async () =>
          (await contract.admin.get(`${widgets()}?limit=1`)).status === 200,
        () => 'the kind to be served',
      );
    }, 120_000);

    afterAll(async () => {
      await contract.admin.delete(`${DEFINITIONS}/${NAME}`);
    }, 60_000);

    it('says that a definition is established', async () => {
      const conditionsOf = async () =>
        (await contract.admin.get(`${DEFINITIONS}/${NAME}`)).body.status
          .conditions ?? [];
      await until(
        async () =>
          (
            await conditionsOf()
          ).some((c: any) => c.type === 'Established' && c.status === 'True'),
        () => 'the condition Established',
      );
      expect(await conditionsOf()).toContainEqual(
        expect.objectContaining({ type: 'NamesAccepted', status: 'True' }),
      );
    });

    it('appears in discovery, versions in their order', async () => {
      await until(
        async () => (await contract.admin.get(GROUP)).status === 200,
        () => 'the group',
      );
      const { body } = await contract.admin.get(GROUP);
      expect(body.versions.map((v: any) => v.version)).toEqual([
        'v1',
        'v1beta1',
      ]);
      expect(body.preferredVersion.version).toBe('v1');
      await until(
        async () => (await contract.admin.get(`${GROUP}/v1`)).status === 200,
        () => 'the version',
      );
      const { resources } = (await contract.admin.get(`${GROUP}/v1`)).body;
      expect(resources.map((r: any) => r.name)).toEqual([
        'widgets',
        'widgets/status',
      ]);
      expect(resources[0]).toMatchObject({
        singularName: 'widget',
        namespaced: true,
        kind: 'Widget',
        shortNames: ['wd'],
      });
    });

    it('creates with defaults, without unknown fields and without status', async () => {
      const { status, body } = await contract.admin.post(
        widgets(),
        widget('a', { size: 1, odd: true }, { status: { x: 1 } }),
      );
      expect(status).toBe(201);
      expect(body.spec).toEqual({ size: 1, color: 'red' });
      expect(body).not.toHaveProperty('status');
      expect(body.metadata.generation).toBe(1);
    });

    it('lists items with their kind', async () => {
      const { body } = await contract.admin.get(widgets());
      expect(body).toMatchObject({
        kind: 'WidgetList',
        apiVersion: 'contract.example.com/v1',
        items: [{ kind: 'Widget', apiVersion: 'contract.example.com/v1' }],
      });
    });

    it('serves the same object in each version', async () => {
      const { body } = await contract.admin.get(
        `${GROUP}/v1beta1/namespaces/${contract.namespace}/widgets/a`,
      );
      expect(body).toMatchObject({
        apiVersion: 'contract.example.com/v1beta1',
        spec: { size: 1 },
      });
      const unserved = await contract.admin.get(
        `${GROUP}/v1alpha1/namespaces/${contract.namespace}/widgets/a`,
      );
      expect(unserved.status).toBe(404);
    });

    it('checks the schema', async () => {
      const { status, body } = await contract.admin.post(
        widgets(),
        widget('b', { color: 'red' }),
      );
      expect([status, body.message]).toEqual([
        422,
        'Widget.contract.example.com "b" is invalid: spec.size: Required value',
      ]);
      const odd = await contract.admin.post(
        widgets(),
        widget('b', { size: 1, color: 'green' }),
      );
      expect(odd.body.message).toBe(
        'Widget.contract.example.com "b" is invalid: spec.color: Unsupported value: "green": supported values: "red", "blue"',
      );
      const type = await contract.admin.post(
        widgets(),
        widget('b', { size: 'x' }),
      );
      expect(type.body.message).toBe(
        'Widget.contract.example.com "b" is invalid: spec.size: Invalid value: "string": spec.size in body must be of type integer: "string"',
      );
    });

    it('refuses unknown fields where it is asked to', async () => {
      const { status, body } = await contract.admin.post(
        `${widgets()}?fieldValidation=Strict`,
        widget('b', { size: 1, odd: true }),
      );
      expect([status, body.message]).toEqual([
        400,
        'Widget in version "v1" cannot be handled as a Widget: strict decoding error: unknown field "spec.odd"',
      ]);
    });

    it('takes the status through its own path, and counts generations', async () => {
      const at = contract.path('widgets', 'a');
      const main = await contract.admin.patch(at, 'merge-patch+json', {
        spec: { size: 2 },
        status: { y: 1 },
      });
      expect(main.body).not.toHaveProperty('status');
      expect(main.body.metadata.generation).toBe(2);
      const status = await contract.admin.patch(
        `${at}/status`,
        'merge-patch+json',
        { spec: { size: 9 }, status: { y: 1 } },
      );
      expect(status.body).toMatchObject({
        spec: { size: 2 },
        status: { y: 1 },
        metadata: { generation: 2 },
      });
      expect(
        status.body.metadata.managedFields.map((e: any) => e.subresource),
      ).toEqual([undefined, 'status']);
    });

    it('wants the version that was read for a replacement', async () => {
      const { status, body } = await contract.admin.put(
        contract.path('widgets', 'a'),
        widget('a', { size: 3 }),
      );
      expect([status, body.message]).toEqual([
        422,
        'widgets.contract.example.com "a" is invalid: metadata.resourceVersion: Invalid value: 0: must be specified for an update',
      ]);
    });

    it('has no strategic merge', async () => {
      const { status } = await contract.admin.patch(
        contract.path('widgets', 'a'),
        'strategic-merge-patch+json',
        { spec: { size: 4 } },
      );
      expect(status).toBe(415);
    });

    it('applies keyed lists as the schema says', async () => {
      const apply = (manager: string, parts: object[]) =>
        contract.admin.patch(
          `${contract.path('widgets', 'c')}?fieldManager=${manager}`,
          'apply-patch+yaml',
          widget('c', { size: 1, parts }),
        );
      await apply('one', [{ name: 'bolt', count: 1 }]);
      const { body } = await apply('two', [{ name: 'nut', count: 2 }]);
      expect(body.spec.parts.map((part: any) => part.name)).toEqual([
        'bolt',
        'nut',
      ]);
      const conflict = await apply('two', [
        { name: 'bolt', count: 5 },
        { name: 'nut', count: 2 },
      ]);
      expect(conflict.body.message).toBe(
        'Apply failed with 1 conflict: conflict with "one": .spec.parts[name="bolt"].count',
      );
    });

    it('prints the columns of the definition', async () => {
      const { body } = await contract.admin.get(widgets(), {
        Accept: 'application/json;as=Table;g=meta.k8s.io;v=v1',
      });
      expect(body.columnDefinitions.map((c: any) => c.name)).toEqual([
        'Name',
        'Size',
      ]);
      expect(body.rows[0].cells).toEqual(['a', 2]);
    });

    it('watches', async () => {
      const { body } = await contract.admin.get(`${widgets()}?limit=1`);
      const watch = await contract.admin.watch(
        `${widgets()}?watch=1&resourceVersion=${body.metadata.resourceVersion}`,
      );
      await contract.admin.post(widgets(), widget('watched', { size: 1 }));
      const [event] = await watch.take(1);
      watch.close();
      expect(event).toMatchObject({
        type: 'ADDED',
        object: { kind: 'Widget', metadata: { name: 'watched' } },
      });
    });

    it('goes with its definition', async () => {
      await contract.admin.delete(`${DEFINITIONS}/${NAME}`);
      await until(
        async () => (await contract.admin.get(widgets())).status === 404,
        () => 'the kind to go',
        60_000,
      );
      await until(
        async () => (await contract.admin.get(GROUP)).status === 404,
        () => 'the group to go',
        60_000,
      );
      const { body } = await contract.admin.get('/apis');
      expect(body.groups.map((group: any) => group.name)).not.toContain(
        'contract.example.com',
      );
    }, 130_000);
  });
}
