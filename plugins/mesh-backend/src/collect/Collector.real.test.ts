import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { TestDatabases } from '@backstage/backend-test-utils';
import {
  ControlPlane,
  describeReal,
  startControlPlane,
} from '@mesh-for-backstage/real-fleet';
import { stringify } from 'yaml';
import { createKubeconfigSource } from '../clusters/kubeconfigSource';
import {
  clusterAt,
  eventually,
  Harness,
  initDatabase,
} from './__testUtils__/harness';

/*
 * The core of collecting against a real kube-apiserver: what the simulator might
 * have been built to flatter, this one was not.
 */

jest.setTimeout(300_000);

const databases = TestDatabases.create({ ids: ['SQLITE_3'] });

const readAll = [
  { apiGroups: ['*'], resources: ['*'], verbs: ['get', 'list', 'watch'] },
];

const service = (name: string) => ({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name, namespace: 'shop' },
  spec: { selector: { app: name }, ports: [{ port: 80 }] },
});

const definition = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'sidecars.networking.istio.io' },
  spec: {
    group: 'networking.istio.io',
    scope: 'Namespaced',
    names: { kind: 'Sidecar', plural: 'sidecars', singular: 'sidecar' },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
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

const SIDECAR = 'Sidecar.networking.istio.io';

describeReal('Collector against a real API server', () => {
  let plane: ControlPlane;
  let harness: Harness;
  let directory: string;

  beforeAll(async () => {
    plane = await startControlPlane({ name: 'east' });
    await plane.client().apply({
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: { name: 'shop' },
    });
    directory = await mkdtemp(join(tmpdir(), 'mesh-collector-'));
  });

  afterAll(async () => {
    await plane?.stop();
    await rm(directory, { recursive: true, force: true });
  });

  beforeEach(async () => {
    await plane.setPermissions('reader', readAll);
    harness = Harness.create({
      knex: await initDatabase(databases, 'SQLITE_3'),
      clusters: [
        clusterAt({
          name: 'east',
          url: plane.url,
          caData: plane.caData,
          token: plane.token('reader'),
        }),
      ],
      settings: { requestTimeoutMs: 10_000, connectTimeoutMs: 10_000 },
    });
  });

  afterEach(async () => {
    await harness?.stop();
  });

  it('reads pages, follows changes, and starts again from what it had', async () => {
    const admin = plane.client();
    for (let i = 0; i < 7; i++) await admin.apply(service(`cart-${i}`));
    await harness.stop();
    harness = Harness.create({
      knex: harness.knex,
      clusters: harness.clusters,
      settings: { pageSize: 2, requestTimeoutMs: 10_000 },
    });
    const first = harness.start();
    await harness.untilState('east', 'synced');
    expect(await harness.names('east', 'Service')).toEqual([
      'default/kubernetes',
      ...Array.from({ length: 7 }, (_, i) => `shop/cart-${i}`),
    ]);
    expect(await harness.cluster('east')).toMatchObject({
      kubernetesVersion: expect.stringMatching(/^v1\.\d+/),
    });

    const basket = await admin.apply(service('basket'));
    await eventually(async () =>
      expect(await harness.names('east', 'Service')).toContain('shop/basket'),
    );
    await admin.delete(basket);
    await eventually(async () =>
      expect(await harness.names('east', 'Service')).not.toContain(
        'shop/basket',
      ),
    );

    await first.stop();
    await admin.apply(service('late'));
    harness.start({ instanceId: 'two' });
    expect(await harness.names('east', 'Service')).toContain('shop/cart-0');
    await eventually(async () =>
      expect(await harness.names('east', 'Service')).toContain('shop/late'),
    );
  });

  it('survives a compaction and a restart of the API server', async () => {
    harness.start();
    await harness.untilState('east', 'synced');
    await plane.stopApiServer();
    await harness.untilState('east', 'unreachable');
    expect(await harness.names('east', 'Service')).toContain('shop/cart-0');
    expect(await harness.coverage('east', 'Service')).toMatchObject({
      state: 'unreachable',
    });
    await plane.startApiServer();
    await plane.expireHistory();
    await plane.client().apply(service('after-compaction'));
    await harness.untilState('east', 'synced');
    await eventually(async () =>
      expect(await harness.names('east', 'Service')).toContain(
        'shop/after-compaction',
      ),
    );
  });

  it('names what it may not read, and reads it once it may', async () => {
    await plane.setPermissions('reader', [
      {
        apiGroups: [''],
        resources: ['services', 'namespaces'],
        verbs: ['get', 'list', 'watch'],
      },
    ]);
    harness.start();
    await harness.untilState('east', 'degraded');
    expect(await harness.coverage('east', 'Node')).toMatchObject({
      state: 'forbidden',
      missing: { verb: 'list', group: '', resource: 'nodes' },
    });
    expect(await harness.coverage('east', 'Service')).toMatchObject({
      state: 'synced',
    });
    await plane.setPermissions('reader', readAll);
    await harness.untilState('east', 'synced');
  });

  it('sees a definition appear, and go', async () => {
    harness.start();
    await harness.untilState('east', 'synced');
    expect(await harness.coverage('east', SIDECAR)).toMatchObject({
      state: 'absent-api',
    });
    const admin = plane.client();
    await admin.apply(definition);
    await eventually(async () =>
      expect(await harness.coverage('east', SIDECAR)).toMatchObject({
        state: 'synced',
        version: 'v1',
      }),
    );
    await admin.apply({
      apiVersion: 'networking.istio.io/v1',
      kind: 'Sidecar',
      metadata: { name: 'default', namespace: 'shop' },
      spec: { egress: [{ hosts: ['./*'] }] },
    });
    await eventually(async () =>
      expect(await harness.names('east', SIDECAR)).toEqual(['shop/default']),
    );
    const [stored] = await harness.objectStore.list({
      cluster: 'east',
      kind: 'CustomResourceDefinition.apiextensions.k8s.io',
    });
    expect(stored.spec.versions).toEqual([
      { name: 'v1', served: true, storage: true },
    ]);

    await admin.delete(definition);
    await eventually(async () => {
      expect(await harness.coverage('east', SIDECAR)).toMatchObject({
        state: 'absent-api',
        objects: 0,
      });
      expect(await harness.names('east', SIDECAR)).toEqual([]);
    });
  });

  it('asks for no more of Jobs and ReplicaSets than metadata', async () => {
    await plane.client().apply({
      apiVersion: 'batch/v1',
      kind: 'Job',
      metadata: { name: 'report', namespace: 'shop' },
      spec: {
        template: {
          spec: {
            restartPolicy: 'Never',
            containers: [
              { name: 'report', image: 'registry.example/report:1' },
            ],
          },
        },
      },
    });
    harness.start();
    await harness.untilState('east', 'synced');
    const [job] = await harness.objectStore.list({
      cluster: 'east',
      kind: 'Job.batch',
    });
    expect(job).toEqual({
      cluster: 'east',
      apiVersion: 'batch/v1',
      kind: 'Job',
      metadata: expect.objectContaining({ name: 'report' }),
    });
  });

  it('follows a token that rotates in its file', async () => {
    const token = await plane.rotatingToken('collector');
    await plane.client().apply({
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'ClusterRoleBinding',
      metadata: { name: 'collector' },
      roleRef: {
        apiGroup: 'rbac.authorization.k8s.io',
        kind: 'ClusterRole',
        name: 'token-reader',
      },
      subjects: [
        { kind: 'ServiceAccount', name: 'collector', namespace: 'default' },
      ],
    });
    const tokenFile = join(directory, 'token');
    const kubeconfig = join(directory, 'kubeconfig');
    await writeFile(tokenFile, `${token.token}\n`);
    await writeFile(
      kubeconfig,
      stringify({
        apiVersion: 'v1',
        kind: 'Config',
        clusters: [
          {
            name: 'east',
            cluster: {
              server: plane.url,
              'certificate-authority-data': plane.caData,
            },
          },
        ],
        users: [{ name: 'collector', user: { tokenFile: 'token' } }],
        contexts: [
          { name: 'east', context: { cluster: 'east', user: 'collector' } },
        ],
      }),
    );
    harness.start({ source: createKubeconfigSource({ path: kubeconfig }) });
    await harness.untilState('east', 'synced');

    await writeFile(tokenFile, await token.rotate());
    // Every connection is made anew, and the old token is worth nothing.
    await plane.stopApiServer();
    await harness.untilState('east', 'unreachable');
    await plane.startApiServer();
    await harness.untilState('east', 'synced');
    await plane.client().apply(service('rotated'));
    await eventually(async () =>
      expect(await harness.names('east', 'Service')).toContain('shop/rotated'),
    );
  });
});
