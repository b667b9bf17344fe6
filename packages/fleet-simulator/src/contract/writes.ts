// The tests are registered by whoever asks the contract of an API server.
/* eslint-disable jest/no-export */
import { Contract } from './apiServerContract';

export function writeContract(contract: Contract): void {
  describe('create', () => {
    const maps = () => contract.path('configmaps');

    it('creates, and fills in what is the server to fill in', async () => {
      const { status, body } = await contract.admin.post(
        maps(),
        contract.configMap('made', { a: '1' }),
      );
      expect(status).toBe(201);
      expect(body).toMatchObject({
        kind: 'ConfigMap',
        apiVersion: 'v1',
        metadata: { name: 'made', namespace: contract.namespace },
        data: { a: '1' },
      });
      expect(body.metadata.managedFields).toEqual([
        {
          manager: 'contract',
          operation: 'Update',
          apiVersion: 'v1',
          time: expect.any(String),
          fieldsType: 'FieldsV1',
          fieldsV1: { 'f:data': { '.': {}, 'f:a': {} } },
        },
      ]);
    });

    it('does not create twice', async () => {
      const { status, body } = await contract.admin.post(
        maps(),
        contract.configMap('made'),
      );
      expect(status).toBe(409);
      expect(body).toMatchObject({
        reason: 'AlreadyExists',
        message: 'configmaps "made" already exists',
        details: { name: 'made', kind: 'configmaps' },
      });
    });

    it('makes up a name', async () => {
      const { body } = await contract.admin.post(maps(), {
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: { generateName: 'made-up-' },
      });
      expect(body.metadata.name).toMatch(/^made-up-[a-z0-9]{5}$/);
      expect(body.metadata.generateName).toBe('made-up-');
    });

    it('changes nothing in a dry run', async () => {
      const { status, body } = await contract.admin.post(
        `${maps()}?dryRun=All`,
        contract.configMap('dry'),
      );
      expect(status).toBe(201);
      expect(body.metadata.uid).toEqual(expect.any(String));
      const found = await contract.admin.get(
        contract.path('configmaps', 'dry'),
      );
      expect(found.status).toBe(404);
    });

    it.each<[string, object, number, string, string]>([
      [
        'without a name',
        { metadata: {} },
        422,
        'Invalid',
        'ConfigMap "" is invalid: metadata.name: Required value: name or generateName is required',
      ],
      [
        'with a name that is none',
        { metadata: { name: 'B_' } },
        422,
        'Invalid',
        `ConfigMap "B_" is invalid: metadata.name: Invalid value: "B_": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')`,
      ],
      [
        'of another namespace',
        { metadata: { name: 'x', namespace: 'other' } },
        400,
        'BadRequest',
        'the namespace of the provided object does not match the namespace sent on the request',
      ],
      [
        'with a label that is none',
        { metadata: { name: 'x', labels: { a: 'b c' } } },
        422,
        'Invalid',
        `ConfigMap "x" is invalid: metadata.labels: Invalid value: "b c": a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')`,
      ],
    ])(
      'refuses an object %s',
      async (_what, object, status, reason, message) => {
        const answer = await contract.admin.post(maps(), {
          apiVersion: 'v1',
          kind: 'ConfigMap',
          ...object,
        });
        expect(answer.body.message).toBe(message);
        expect([answer.status, answer.body.reason]).toEqual([status, reason]);
      },
    );

    it('refuses a field of another type, and names it', async () => {
      const { status, body } = await contract.admin.post(
        contract.path('services'),
        {
          apiVersion: 'v1',
          kind: 'Service',
          metadata: { name: 'x' },
          spec: { ports: 'http' },
        },
      );
      expect([status, body.reason]).toEqual([400, 'BadRequest']);
      expect(body.message).toMatch(
        /^Service in version "v1" cannot be handled as a Service: json: cannot unmarshal string into Go struct field \S*spec\.ports of type /,
      );
    });

    it('refuses a Service without ports, unless it is headless', async () => {
      const create = (name: string, spec: object) =>
        contract.admin.post(`${contract.path('services')}?dryRun=All`, {
          apiVersion: 'v1',
          kind: 'Service',
          metadata: { name },
          spec,
        });
      const { status, body } = await create('x', { selector: { app: 'x' } });
      expect([status, body.reason]).toEqual([422, 'Invalid']);
      expect(body.message).toBe(
        'Service "x" is invalid: spec.ports: Required value',
      );
      const headless = await create('y', { clusterIP: 'None' });
      expect(headless.status).toBe(201);
    });

    it('refuses an object of another kind, and what is not JSON', async () => {
      const other = await contract.admin.post(maps(), {
        apiVersion: 'v1',
        kind: 'Secret',
        metadata: { name: 'x' },
      });
      expect(other.status).toBe(400);
      expect(other.body.message).toMatch(
        /^Secret in version "v1" cannot be handled as a ConfigMap/,
      );
      const broken = await contract.admin.post(maps(), '{bad');
      expect(broken.status).toBe(400);
      expect(broken.body.message).toMatch(
        /^the object provided is unrecognized \(must be of type ConfigMap\): couldn't get version\/kind; json parse error: /,
      );
    });

    it('names the fields that it does not know, or refuses them', async () => {
      const object = { ...contract.configMap('odd'), dataa: {} };
      const warned = await contract.admin.post(
        `${maps()}?dryRun=All&fieldValidation=Warn`,
        object,
      );
      expect(warned.status).toBe(201);
      expect(warned.headers.warning).toBe('299 - "unknown field \\"dataa\\""');
      expect(warned.body).not.toHaveProperty('dataa');
      const refused = await contract.admin.post(
        `${maps()}?fieldValidation=Strict`,
        object,
      );
      expect([refused.status, refused.body.message]).toEqual([
        400,
        'ConfigMap in version "v1" cannot be handled as a ConfigMap: strict decoding error: unknown field "dataa"',
      ]);
    });

    it('needs the namespace to be there', async () => {
      const { status, body } = await contract.admin.post(
        '/api/v1/namespaces/nowhere/configmaps',
        contract.configMap('x'),
      );
      expect(status).toBe(404);
      expect(body).toMatchObject({
        message: 'namespaces "nowhere" not found',
        details: { name: 'nowhere', kind: 'namespaces' },
      });
    });

    it('gives a Service its address and ports their defaults', async () => {
      const { status, body } = await contract.admin.post(
        contract.path('services'),
        {
          apiVersion: 'v1',
          kind: 'Service',
          metadata: { name: 'shop' },
          spec: { selector: { app: 'shop' }, ports: [{ port: 80 }] },
        },
      );
      expect(status).toBe(201);
      expect(body.spec).toMatchObject({
        type: 'ClusterIP',
        clusterIP: expect.stringMatching(/^10\./),
        sessionAffinity: 'None',
        internalTrafficPolicy: 'Cluster',
        ports: [{ port: 80, targetPort: 80, protocol: 'TCP' }],
      });
      expect(body.metadata.managedFields[0].fieldsV1).toEqual({
        'f:spec': {
          'f:internalTrafficPolicy': {},
          'f:ports': {
            '.': {},
            'k:{"port":80,"protocol":"TCP"}': {
              '.': {},
              'f:port': {},
              'f:protocol': {},
              'f:targetPort': {},
            },
          },
          'f:selector': {},
          'f:sessionAffinity': {},
          'f:type': {},
        },
      });
    });

    it('labels a Namespace with its name', async () => {
      const { body } = await contract.admin.get(
        `/api/v1/namespaces/${contract.namespace}`,
      );
      expect(body).toMatchObject({
        metadata: {
          labels: { 'kubernetes.io/metadata.name': contract.namespace },
        },
        spec: { finalizers: ['kubernetes'] },
        status: { phase: 'Active' },
      });
    });

    it('refuses methods that a resource does not have', async () => {
      const { status, body } = await contract.admin.put(maps(), {});
      expect([status, body.reason, body.message]).toEqual([
        405,
        'MethodNotAllowed',
        'the server does not allow this method on the requested resource',
      ]);
    });
  });

  describe('update and patch', () => {
    const at = () => contract.path('configmaps', 'changed');

    beforeEach(async () => {
      await contract.admin.delete(at());
      await contract.admin.post(
        contract.path('configmaps'),
        contract.configMap('changed', { a: '1', b: '2' }, { l: 'm' }),
      );
    });

    it('replaces an object, and refuses to replace a version that is gone', async () => {
      const { body: read } = await contract.admin.get(at());
      const written = await contract.admin.put(at(), {
        ...read,
        data: { a: '9' },
      });
      expect(written.status).toBe(200);
      expect(written.body.data).toEqual({ a: '9' });
      expect(written.body.metadata.uid).toBe(read.metadata.uid);
      const late = await contract.admin.put(at(), { ...read, data: {} });
      expect(late.status).toBe(409);
      expect(late.body).toMatchObject({
        reason: 'Conflict',
        message:
          'Operation cannot be fulfilled on configmaps "changed": the object has been modified; please apply your changes to the latest version and try again',
        details: { name: 'changed', kind: 'configmaps' },
      });
    });

    it('writes nothing where nothing changes', async () => {
      const { body: read } = await contract.admin.get(at());
      const { body } = await contract.admin.put(at(), read);
      expect(body.metadata.resourceVersion).toBe(read.metadata.resourceVersion);
    });

    it('refuses another name than that of the path', async () => {
      const { status, body } = await contract.admin.put(
        at(),
        contract.configMap('else'),
      );
      expect([status, body.message]).toEqual([
        400,
        'the name of the object (else) does not match the name on the URL (changed)',
      ]);
    });

    it('does not update what is not there', async () => {
      const answer = await contract.admin.put(
        contract.path('configmaps', 'nothing'),
        contract.configMap('nothing'),
      );
      expect(answer.status).toBe(404);
    });

    it('merges', async () => {
      const { status, body } = await contract.admin.patch(
        at(),
        'merge-patch+json',
        { data: { a: null, c: '3' }, metadata: { labels: { n: 'o' } } },
      );
      expect(status).toBe(200);
      expect(body.data).toEqual({ b: '2', c: '3' });
      expect(body.metadata.labels).toEqual({ l: 'm', n: 'o' });
    });

    it('patches step by step', async () => {
      const { status, body } = await contract.admin.patch(
        at(),
        'json-patch+json',
        [
          { op: 'test', path: '/data/a', value: '1' },
          { op: 'replace', path: '/data/a', value: '7' },
          { op: 'add', path: '/metadata/labels/n', value: 'o' },
          { op: 'remove', path: '/data/b' },
        ],
      );
      expect(status).toBe(200);
      expect(body.data).toEqual({ a: '7' });
    });

    it.each([
      [[{ op: 'test', path: '/data/a', value: '5' }]],
      [[{ op: 'remove', path: '/data/zz' }]],
    ])('refuses steps that cannot be done: %j', async patch => {
      const { status, body } = await contract.admin.patch(
        at(),
        'json-patch+json',
        patch,
      );
      expect([status, body.reason, body.message]).toEqual([
        422,
        'Invalid',
        'the server rejected our request due to an error in our request',
      ]);
      const { body: now } = await contract.admin.get(at());
      expect(now.data).toEqual({ a: '1', b: '2' });
    });

    it('patches in a dry run without effect', async () => {
      const { body } = await contract.admin.patch(
        `${at()}?dryRun=All`,
        'merge-patch+json',
        { data: { a: '8' } },
      );
      expect(body.data.a).toBe('8');
      expect((await contract.admin.get(at())).body.data.a).toBe('1');
    });

    it('refuses a patch of a version that is gone, and one of an unknown type', async () => {
      const old = await contract.admin.patch(at(), 'merge-patch+json', {
        metadata: { resourceVersion: '1' },
      });
      expect([old.status, old.body.reason]).toEqual([409, 'Conflict']);
      const odd = await contract.admin.patch(at(), 'odd-patch+json', {});
      expect([odd.status, odd.body.reason]).toEqual([
        415,
        'UnsupportedMediaType',
      ]);
    });

    it('refuses a dry run that is not for all', async () => {
      const { status, body } = await contract.admin.delete(
        `${at()}?dryRun=some`,
      );
      expect([status, body.message]).toEqual([
        422,
        'DeleteOptions.meta.k8s.io "" is invalid: dryRun: Unsupported value: ["some"]: supported values: "All"',
      ]);
    });
  });

  describe('workloads', () => {
    const at = () => contract.path('deployments', 'shop');
    const deployment = {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: 'shop' },
      spec: {
        // Nothing is to run, so that no controller of a real cluster gets in the way.
        replicas: 0,
        selector: { matchLabels: { app: 'shop' } },
        template: {
          metadata: { labels: { app: 'shop' } },
          spec: {
            containers: [
              {
                name: 'web',
                image: 'web:1',
                env: [{ name: 'A', value: '1' }],
              },
              { name: 'log', image: 'log:1' },
            ],
          },
        },
      },
    };

    it('are created with defaults', async () => {
      const { status, body } = await contract.admin.post(
        contract.path('deployments'),
        deployment,
      );
      expect(status).toBe(201);
      expect(body.metadata.generation).toBe(1);
      expect(body.spec).toMatchObject({
        strategy: { type: 'RollingUpdate' },
        revisionHistoryLimit: 10,
        progressDeadlineSeconds: 600,
      });
    });

    const images = (body: any) =>
      Object.fromEntries(
        body.spec.template.spec.containers.map((c: any) => [c.name, c.image]),
      );

    it('merges containers by name', async () => {
      const { status, body } = await contract.admin.patch(
        at(),
        'strategic-merge-patch+json',
        {
          spec: {
            template: {
              spec: {
                containers: [
                  {
                    name: 'web',
                    image: 'web:2',
                    env: [{ name: 'B', value: '2' }],
                  },
                ],
              },
            },
          },
        },
      );
      expect(status).toBe(200);
      expect(images(body)).toEqual({ web: 'web:2', log: 'log:1' });
      const web = body.spec.template.spec.containers.find(
        (container: any) => container.name === 'web',
      );
      expect(web.env.map((e: any) => e.name).sort()).toEqual(['A', 'B']);
      expect(body.metadata.generation).toBe(2);
    });

    it('removes a container by directive', async () => {
      const { body } = await contract.admin.patch(
        at(),
        'strategic-merge-patch+json',
        {
          spec: {
            template: {
              spec: { containers: [{ name: 'log', $patch: 'delete' }] },
            },
          },
        },
      );
      expect(images(body)).toEqual({ web: 'web:2' });
    });

    it('counts generations for what is wanted only', async () => {
      const generation = async () =>
        (await contract.admin.get(at())).body.metadata.generation;
      const before = await generation();
      await contract.admin.patch(at(), 'merge-patch+json', {
        metadata: { labels: { x: 'y' } },
      });
      expect(await generation()).toBe(before);
      await contract.admin.patch(at(), 'merge-patch+json', {
        spec: { minReadySeconds: 5 },
      });
      expect(await generation()).toBe(before + 1);
    });

    it('takes the status through its own path only', async () => {
      const condition = {
        type: 'Contract',
        status: 'True',
        reason: 'Test',
        message: '',
        lastTransitionTime: '2026-01-01T00:00:00Z',
        lastUpdateTime: '2026-01-01T00:00:00Z',
      };
      await contract.admin.patch(at(), 'merge-patch+json', {
        status: { conditions: [condition] },
      });
      const types = (body: any) =>
        (body.status.conditions ?? []).map((c: any) => c.type);
      expect(types((await contract.admin.get(at())).body)).not.toContain(
        'Contract',
      );
      const { status, body } = await contract.admin.patch(
        `${at()}/status`,
        'strategic-merge-patch+json',
        { spec: { replicas: 7 }, status: { conditions: [condition] } },
      );
      expect(status).toBe(200);
      expect(types(body)).toContain('Contract');
      expect(body.spec.replicas).toBe(0);
    });

    it('does not let the selector change', async () => {
      const { status, body } = await contract.admin.patch(
        at(),
        'merge-patch+json',
        { spec: { selector: { matchLabels: { extra: 'x' } } } },
      );
      expect([status, body.reason]).toEqual([422, 'Invalid']);
      expect(body.message).toContain('field is immutable');
    });

    it('wants a selector and containers', async () => {
      const { status, body } = await contract.admin.post(
        contract.path('deployments'),
        { ...deployment, metadata: { name: 'empty' }, spec: {} },
      );
      expect(status).toBe(422);
      expect(body.details.causes).toEqual(
        expect.arrayContaining(
          ['spec.selector', 'spec.template.spec.containers'].map(field => ({
            reason: 'FieldValueRequired',
            message: 'Required value',
            field,
          })),
        ),
      );
    });
  });

  describe('server-side apply', () => {
    const APPLY = 'apply-patch+yaml';
    const at = (manager: string, more = '') =>
      `${contract.path(
        'configmaps',
        'applied',
      )}?fieldManager=${manager}${more}`;
    const wanted = (data: Record<string, string>) => ({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'applied' },
      data,
    });

    beforeEach(async () => {
      await contract.admin.delete(contract.path('configmaps', 'applied'));
    });

    it('creates, and records who owns what', async () => {
      const { status, body } = await contract.admin.patch(
        at('one'),
        APPLY,
        wanted({ a: '1' }),
      );
      expect(status).toBe(201);
      expect(body.metadata.managedFields).toMatchObject([
        {
          manager: 'one',
          operation: 'Apply',
          apiVersion: 'v1',
          fieldsType: 'FieldsV1',
          fieldsV1: { 'f:data': { 'f:a': {} } },
        },
      ]);
      const again = await contract.admin.patch(
        at('one'),
        APPLY,
        wanted({ a: '1' }),
      );
      expect(again.status).toBe(200);
      expect(again.body.metadata.resourceVersion).toBe(
        body.metadata.resourceVersion,
      );
    });

    it('reads YAML', async () => {
      const { status, body } = await contract.admin.send(
        'PATCH',
        at('one'),
        'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: applied\ndata:\n  from: "yaml"\n',
        { 'Content-Type': `application/${APPLY}` },
      );
      expect([status, body.data]).toEqual([201, { from: 'yaml' }]);
    });

    it('tells of conflicts, and takes over by force', async () => {
      await contract.admin.patch(at('one'), APPLY, wanted({ a: '1', b: '1' }));
      const conflict = await contract.admin.patch(
        at('two'),
        APPLY,
        wanted({ a: '2' }),
      );
      expect(conflict.status).toBe(409);
      expect(conflict.body).toMatchObject({
        reason: 'Conflict',
        message: 'Apply failed with 1 conflict: conflict with "one": .data.a',
        details: {
          causes: [
            {
              reason: 'FieldManagerConflict',
              message: 'conflict with "one"',
              field: '.data.a',
            },
          ],
        },
      });
      const forced = await contract.admin.patch(
        at('two', '&force=true'),
        APPLY,
        wanted({ a: '2' }),
      );
      expect(forced.body.data).toEqual({ a: '2', b: '1' });
      const owned = Object.fromEntries(
        forced.body.metadata.managedFields.map((entry: any) => [
          entry.manager,
          entry.fieldsV1,
        ]),
      );
      expect(owned).toEqual({
        one: { 'f:data': { 'f:b': {} } },
        two: { 'f:data': { 'f:a': {} } },
      });
    });

    it('counts several conflicts with one manager', async () => {
      await contract.admin.patch(at('one'), APPLY, wanted({ a: '1', b: '1' }));
      const { body } = await contract.admin.patch(
        at('two'),
        APPLY,
        wanted({ a: '2', b: '2' }),
      );
      expect(body.message).toBe(
        'Apply failed with 2 conflicts: conflicts with "one":\n- .data.a\n- .data.b',
      );
    });

    it('shares a field that both want the same', async () => {
      await contract.admin.patch(at('one'), APPLY, wanted({ a: '1' }));
      const shared = await contract.admin.patch(
        at('two'),
        APPLY,
        wanted({ a: '1' }),
      );
      expect(shared.status).toBe(200);
      // Neither takes it away alone.
      const left = await contract.admin.patch(at('one'), APPLY, wanted({}));
      expect(left.body.data).toEqual({ a: '1' });
      const gone = await contract.admin.patch(at('two'), APPLY, wanted({}));
      expect(gone.body.data ?? {}).toEqual({});
    });

    it('removes what its manager no longer wants, and nothing else', async () => {
      await contract.admin.patch(at('one'), APPLY, wanted({ a: '1', b: '1' }));
      await contract.admin.patch(
        contract.path('configmaps', 'applied'),
        'merge-patch+json',
        { data: { c: '3' } },
      );
      const { body } = await contract.admin.patch(
        at('one'),
        APPLY,
        wanted({ a: '1' }),
      );
      expect(body.data).toEqual({ a: '1', c: '3' });
    });

    it('conflicts with what others have written without apply', async () => {
      await contract.admin.post(
        contract.path('configmaps'),
        contract.configMap('applied', { a: '1' }),
      );
      const { body } = await contract.admin.patch(
        at('one'),
        APPLY,
        wanted({ a: '2' }),
      );
      expect(body.message).toBe(
        'Apply failed with 1 conflict: conflict with "contract" using v1: .data.a',
      );
    });

    it('merges keyed lists item by item', async () => {
      const service = (ports: object[]) => ({
        apiVersion: 'v1',
        kind: 'Service',
        metadata: { name: 'keyed' },
        spec: { ports },
      });
      const path = (manager: string) =>
        `${contract.path('services', 'keyed')}?fieldManager=${manager}`;
      const first = await contract.admin.patch(
        path('one'),
        APPLY,
        service([{ name: 'http', port: 80, protocol: 'TCP' }]),
      );
      expect(first.status).toBe(201);
      const second = await contract.admin.patch(
        path('two'),
        APPLY,
        service([{ name: 'grpc', port: 90, protocol: 'TCP' }]),
      );
      expect(second.body.spec.ports.map((p: any) => p.name)).toEqual([
        'http',
        'grpc',
      ]);
      const own = second.body.metadata.managedFields.find(
        (entry: any) => entry.manager === 'two',
      );
      expect(own.fieldsV1).toEqual({
        'f:spec': {
          'f:ports': {
            'k:{"port":90,"protocol":"TCP"}': {
              '.': {},
              'f:name': {},
              'f:port': {},
              'f:protocol': {},
            },
          },
        },
      });
      const conflict = await contract.admin.patch(
        path('two'),
        APPLY,
        service([
          { name: 'other', port: 80, protocol: 'TCP' },
          { name: 'grpc', port: 90, protocol: 'TCP' },
        ]),
      );
      expect(conflict.body.message).toBe(
        'Apply failed with 1 conflict: conflict with "one": .spec.ports[port=80,protocol="TCP"].name',
      );
    });

    it('wants a manager', async () => {
      const { status, body } = await contract.admin.patch(
        contract.path('configmaps', 'applied'),
        APPLY,
        wanted({}),
      );
      expect([status, body.message]).toEqual([
        422,
        'PatchOptions.meta.k8s.io "" is invalid: fieldManager: Required value: is required for apply patch',
      ]);
    });

    it('changes nothing in a dry run', async () => {
      const { status } = await contract.admin.patch(
        at('one', '&dryRun=All'),
        APPLY,
        wanted({ a: '1' }),
      );
      expect(status).toBe(201);
      const found = await contract.admin.get(
        contract.path('configmaps', 'applied'),
      );
      expect(found.status).toBe(404);
    });
  });

  describe('delete', () => {
    it('says what it removed', async () => {
      const { body: made } = await contract.admin.post(
        contract.path('configmaps'),
        contract.configMap('gone'),
      );
      const at = contract.path('configmaps', 'gone');
      const dry = await contract.admin.delete(`${at}?dryRun=All`);
      expect(dry.status).toBe(200);
      const { status, body } = await contract.admin.delete(at);
      expect(status).toBe(200);
      expect(body).toEqual({
        kind: 'Status',
        apiVersion: 'v1',
        metadata: {},
        status: 'Success',
        details: { name: 'gone', kind: 'configmaps', uid: made.metadata.uid },
      });
      expect((await contract.admin.delete(at)).status).toBe(404);
    });

    it('keeps to preconditions', async () => {
      await contract.admin.post(
        contract.path('configmaps'),
        contract.configMap('kept'),
      );
      const { status, body } = await contract.admin.delete(
        contract.path('configmaps', 'kept'),
        { preconditions: { uid: 'another' } },
      );
      expect([status, body.reason]).toEqual([409, 'Conflict']);
    });

    it('waits for finalizers', async () => {
      const at = contract.path('configmaps', 'held');
      await contract.admin.post(contract.path('configmaps'), {
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: { name: 'held', finalizers: ['contract.example.com/hold'] },
      });
      const { body } = await contract.admin.delete(at);
      expect(body.metadata.deletionTimestamp).toEqual(expect.any(String));
      expect((await contract.admin.get(at)).status).toBe(200);
      await contract.admin.patch(at, 'merge-patch+json', {
        metadata: { finalizers: null },
      });
      expect((await contract.admin.get(at)).status).toBe(404);
    });

    it('removes a selection at once', async () => {
      for (const name of ['many-a', 'many-b']) {
        await contract.admin.post(
          contract.path('configmaps'),
          contract.configMap(name, {}, { many: 'yes' }),
        );
      }
      await contract.admin.post(
        contract.path('configmaps'),
        contract.configMap('many-c'),
      );
      const { status } = await contract.admin.delete(
        `${contract.path('configmaps')}?labelSelector=many%3Dyes`,
      );
      expect(status).toBe(200);
      const left = await contract.admin.get(contract.path('configmaps'));
      const names = left.body.items.map((item: any) => item.metadata.name);
      expect(names).toContain('many-c');
      expect(names).not.toContain('many-a');
      expect(names).not.toContain('many-b');
    });
  });
}
