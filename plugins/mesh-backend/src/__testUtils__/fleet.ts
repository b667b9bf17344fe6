import { mockServices } from '@backstage/backend-test-utils';
import { FleetObject, kindIdOf } from '@mesh-for-backstage/mesh-analysis';
import { Knex } from 'knex';
import { Analyser } from '../analyse/Analyser';
import { Owners } from '../analyse/drawServices';
import { bucketsOf, coverageBucket } from '../store/buckets';
import { createStores } from '../store/createStores';
import { Queue } from '../store/Queue';
import { hashOf } from '../store/ViewStore';

/** All stores on one database, with an analyser that draws when it is told to. */
export function createTestStores(
  database: Knex,
  options: { owners?: Owners; now?: () => Date; instanceId?: string } = {},
) {
  const { now } = options;
  const stores = createStores({
    database,
    instanceId: options.instanceId ?? 'test',
    ...(now && { now }),
  });
  const analyser = Analyser.create({
    ...stores,
    logger: mockServices.logger.mock(),
    owners: options.owners ?? {
      prepare: async () => () => ({ entities: [] }),
    },
    ownerLabels: [],
    ...(now && { now }),
  });
  return { ...stores, analyser };
}

/** Writes to the store what a collector would write, without one. */
export class StoredFleet {
  readonly #database: Knex;
  readonly #queue: Queue;

  constructor(stores: { database: Knex; queue: Queue }) {
    this.#database = stores.database;
    this.#queue = stores.queue;
  }

  async addCluster(name: string, state = 'synced'): Promise<void> {
    await this.#database('clusters').insert({
      name,
      source: 'test',
      state,
      since: '2026-11-30T00:00:00.000Z',
      last_contact: '2026-11-30T00:00:00.000Z',
    });
  }

  async cover(cluster: string, kinds: Record<string, string>): Promise<void> {
    for (const [kind, state] of Object.entries(kinds)) {
      const row = {
        cluster,
        kind,
        resource: kind.toLowerCase(),
        state,
        since: '2026-11-30T00:00:00.000Z',
        ...(state === 'synced' && { as_of: '2026-11-30T00:00:00.000Z' }),
      };
      await this.#database('coverage')
        .insert(row)
        .onConflict(['cluster', 'kind'])
        .merge();
    }
    await this.#queue.markChanged(
      this.#database,
      Object.keys(kinds).map(kind => coverageBucket(cluster, kind)),
    );
  }

  async apply(...objects: FleetObject[]): Promise<void> {
    await this.#database.transaction(async trx => {
      for (const object of objects) {
        const { cluster, ...body } = object;
        const json = JSON.stringify(body);
        await trx('objects')
          .insert({ ...keyOf(object), hash: hashOf(json), body: json })
          .onConflict(['cluster', 'namespace', 'kind', 'name'])
          .merge();
      }
      await this.#queue.markChanged(trx, objects.flatMap(bucketsOf));
    });
  }

  async delete(...objects: FleetObject[]): Promise<void> {
    await this.#database.transaction(async trx => {
      for (const object of objects) {
        await trx('objects').where(keyOf(object)).delete();
      }
      await this.#queue.markChanged(trx, objects.flatMap(bucketsOf));
    });
  }
}

function keyOf(object: FleetObject) {
  return {
    cluster: object.cluster,
    namespace: object.metadata.namespace ?? '',
    kind: kindIdOf(object),
    name: object.metadata.name,
  };
}

/** What every cluster that is watched has been read for. */
export const syncedKinds = Object.fromEntries(
  [
    'Namespace',
    'Service',
    'Pod',
    'Node',
    'EndpointSlice.discovery.k8s.io',
    'Deployment.apps',
    'StatefulSet.apps',
    'DaemonSet.apps',
    'ReplicaSet.apps',
    'Job.batch',
    'CronJob.batch',
    'ConfigMap',
    'MutatingWebhookConfiguration.admissionregistration.k8s.io',
  ].map(kind => [kind, 'synced']),
);

export function namespace(
  cluster: string,
  name: string,
  labels: Record<string, string> = {},
): FleetObject {
  return {
    cluster,
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: { name, labels },
  };
}

/** A Service, its Deployment, one pod and its endpoint. */
export function application(
  cluster: string,
  namespaceName: string,
  name: string,
  options: {
    port?: string;
    labels?: Record<string, string>;
    ready?: boolean;
    podLabels?: Record<string, string>;
  } = {},
): FleetObject[] {
  const { port = 'http', labels = {}, ready = true, podLabels = {} } = options;
  const metadata = (more: object = {}) => ({
    name,
    namespace: namespaceName,
    ...more,
  });
  const app = { app: name };
  const ownedBy = (apiVersion: string, kind: string, owner: string) => ({
    ownerReferences: [{ apiVersion, kind, name: owner, controller: true }],
  });
  return [
    {
      cluster,
      apiVersion: 'v1',
      kind: 'Service',
      metadata: metadata({ labels }),
      spec: {
        selector: app,
        clusterIP: '10.0.0.1',
        ports: [{ name: port, port: 80, targetPort: 8080 }],
      },
    },
    {
      cluster,
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: metadata(),
      spec: {
        replicas: 1,
        selector: { matchLabels: app },
        template: { metadata: { labels: { ...app, ...podLabels } }, spec: {} },
      },
    },
    {
      cluster,
      apiVersion: 'apps/v1',
      kind: 'ReplicaSet',
      metadata: {
        ...metadata(ownedBy('apps/v1', 'Deployment', name)),
        name: `${name}-1`,
      },
    },
    {
      cluster,
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: {
        ...metadata({
          labels: { ...app, ...podLabels },
          ...ownedBy('apps/v1', 'ReplicaSet', `${name}-1`),
        }),
        name: `${name}-1-a`,
      },
      spec: { containers: [{ name: 'app', image: 'shop/app:1' }] },
      status: {
        phase: 'Running',
        conditions: [{ type: 'Ready', status: ready ? 'True' : 'False' }],
      },
    },
    {
      cluster,
      apiVersion: 'discovery.k8s.io/v1',
      kind: 'EndpointSlice',
      metadata: {
        ...metadata({ labels: { 'kubernetes.io/service-name': name } }),
        name: `${name}-abc`,
      },
      addressType: 'IPv4',
      endpoints: [{ addresses: ['10.1.0.1'], conditions: { ready } }],
      ports: [{ name: port, port: 8080 }],
    } as unknown as FleetObject,
  ];
}
