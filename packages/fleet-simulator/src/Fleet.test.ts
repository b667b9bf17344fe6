import { join } from 'node:path';
import { parse } from 'yaml';
import { ApiClient, until } from './contract/ApiClient';
import { Fleet, startFleet } from './Fleet';
import { SimulatedCluster } from './SimulatedCluster';

const FLEETS = join(__dirname, '../../../fleets/test');

function clientOf(cluster: SimulatedCluster, user = 'admin'): ApiClient {
  const { url, caData } = cluster;
  return ApiClient.create({ url, caData, token: cluster.token(user) });
}

describe('startFleet', () => {
  let fleet: Fleet;
  const clients: ApiClient[] = [];

  function connect(cluster: SimulatedCluster, user?: string): ApiClient {
    const client = clientOf(cluster, user);
    clients.push(client);
    return client;
  }

  afterEach(async () => {
    clients.splice(0).forEach(client => client.close());
    await fleet?.stop();
  });

  describe('from a folder', () => {
    beforeEach(async () => {
      fleet = await startFleet({ dir: join(FLEETS, 'two-clusters') });
    });

    it('serves a cluster for each sub-folder, with all it holds', async () => {
      expect(fleet.problems).toEqual([]);
      expect(fleet.clusters.map(({ name }) => name)).toEqual(['east', 'west']);
      const east = connect(fleet.cluster('east'));
      const { body } = await east.get(
        '/apis/shop.company.example/v1/promotions',
      );
      expect(body.items[0]).toMatchObject({
        metadata: { name: 'spring', generation: 1 },
        spec: { percent: 10 },
      });
      const { body: deployment } = await east.get(
        '/apis/apps/v1/namespaces/shop/deployments/web',
      );
      expect(deployment.status.readyReplicas).toBe(1);
    });

    it('keeps uid and time of creation', () => {
      expect(
        fleet
          .cluster('east')
          .get({ apiVersion: 'v1', kind: 'Namespace', name: 'shop' })?.metadata,
      ).toMatchObject({
        uid: '6f1f8c0e-5a0f-4a52-9d9c-0d6f1f1f0001',
        creationTimestamp: '2026-03-01T08:00:00Z',
        labels: { 'kubernetes.io/metadata.name': 'shop' },
      });
    });

    it('makes namespaces and kinds that the folder does not define', async () => {
      const west = connect(fleet.cluster('west'));
      const { body } = await west.get(
        '/apis/networking.istio.io/v1/destinationrules',
      );
      expect(body.items).toHaveLength(1);
      expect((await west.get('/api/v1/namespaces/shop')).status).toBe(200);
      const east = connect(fleet.cluster('east'));
      expect((await east.get('/apis/networking.istio.io/v1')).status).toBe(404);
    });

    it('writes a kubeconfig with a context for each cluster', () => {
      const config = parse(fleet.kubeconfig({ token: 'reader' }));
      expect(config).toMatchObject({
        'current-context': 'east',
        contexts: [{ name: 'east' }, { name: 'west' }],
      });
      expect(config.users[1].user.token).toBe(
        fleet.cluster('west').token('reader'),
      );
      expect(
        Buffer.from(
          config.clusters[0].cluster['certificate-authority-data'],
          'base64',
        ).toString(),
      ).toBe(fleet.caPem);
      expect(
        parse(fleet.kubeconfig({ clusters: ['west'] })).clusters,
      ).toHaveLength(1);
    });

    it('does not let the reader see Secrets, nor write', async () => {
      const reader = connect(fleet.cluster('east'), 'reader');
      const status = async (path: string) => (await reader.get(path)).status;
      expect(await status('/api/v1/services')).toBe(200);
      expect(await status('/api/v1/secrets')).toBe(403);
      expect(await status('/api/v1/namespaces/shop/secrets/token')).toBe(403);
      expect(
        (await reader.delete('/api/v1/namespaces/shop/services/web')).status,
      ).toBe(403);
    });
  });

  it('serves some clusters of a folder, and names those that there are', async () => {
    const dir = join(FLEETS, 'two-clusters');
    fleet = await startFleet({ dir, clusters: ['west'] });
    expect(fleet.clusters.map(({ name }) => name)).toEqual(['west']);
    expect(() => fleet.cluster('east')).toThrow('there are: west');
    await expect(startFleet({ dir, clusters: ['north'] })).rejects.toThrow(
      /no folder for cluster "north" .*there are: east, west/,
    );
  });

  it('tells where manifests are wrong, and goes on', async () => {
    fleet = await startFleet({ dir: join(FLEETS, 'broken') });
    expect(fleet.problems).toEqual([
      {
        cluster: 'east',
        file: 'broken.yaml',
        document: 2,
        line: 10,
        message: 'metadata.name is missing',
      },
      {
        cluster: 'east',
        file: 'broken.yaml',
        document: 3,
        line: 16,
        message: 'metadata.labels["release"] must be a string; quote the value',
      },
      {
        cluster: 'east',
        file: 'broken.yaml',
        document: 4,
        line: 23,
        message: 'apiVersion is missing',
      },
      {
        cluster: 'east',
        file: 'not-yaml.yaml',
        document: 1,
        line: 4,
        message: expect.stringMatching(/^not valid YAML: /),
      },
      {
        cluster: 'east',
        file: 'broken.yaml',
        document: 5,
        line: 27,
        message: expect.stringContaining(
          'ConfigMap "Not_A_Name" is invalid: metadata.name',
        ),
      },
      {
        cluster: 'east',
        file: 'broken.yaml',
        document: 7,
        line: 37,
        message: expect.stringContaining(
          'cannot unmarshal string into Go struct field Service.spec.ports',
        ),
      },
    ]);
    const east = fleet.cluster('east');
    expect(east.list('v1', 'Service', 'shop')).toHaveLength(1);
    expect(east.list('v1', 'ConfigMap')).toHaveLength(1);
  });

  it('refuses unknown kinds where they are not to be served', async () => {
    fleet = await startFleet({
      dir: join(FLEETS, 'two-clusters'),
      implicitKinds: false,
    });
    expect(fleet.problems).toMatchObject([
      {
        cluster: 'west',
        document: 2,
        message: expect.stringContaining(
          'no kind "DestinationRule" in version "networking.istio.io/v1"',
        ),
      },
    ]);
  });

  it('grows to a size, the same for the same seed', async () => {
    const size = { clusters: 2, services: 25 };
    const describeFleet = (grown: Fleet) =>
      grown.clusters.map(cluster =>
        ['Service', 'Pod', 'Namespace'].map(kind =>
          cluster.list('v1', kind).map(object => {
            const { creationTimestamp, ...metadata } = object.metadata;
            return { ...object, metadata };
          }),
        ),
      );
    fleet = await startFleet({ size, seed: 7 });
    const first = describeFleet(fleet);
    await fleet.stop();
    fleet = await startFleet({ size, seed: 7 });
    expect(describeFleet(fleet)).toEqual(first);
    await fleet.stop();
    fleet = await startFleet({ size, seed: 8 });
    expect(describeFleet(fleet)).not.toEqual(first);

    const [one, two] = fleet.clusters;
    const names = (cluster: SimulatedCluster) =>
      cluster.list('v1', 'Service').map(({ metadata }) => metadata.name);
    expect(names(one)).toHaveLength(25);
    expect(names(two)).toEqual(names(one));
    expect(one.list('apps/v1', 'Deployment').length).toBeGreaterThan(25);
    expect(one.list('discovery.k8s.io/v1', 'EndpointSlice')).toHaveLength(25);
    expect(
      one
        .list('v1', 'Pod')
        .filter(pod => pod.spec.initContainers?.[0].name === 'istio-proxy')
        .length,
    ).toBeGreaterThan(0);
    expect(
      one.list(
        'admissionregistration.k8s.io/v1',
        'MutatingWebhookConfiguration',
      ),
    ).toHaveLength(2);
  });

  it('churns at a rate', async () => {
    fleet = await startFleet({
      size: { clusters: 2, services: 5 },
      churn: { perSecond: 200 },
    });
    const cluster = fleet.clusters[0];
    const client = connect(cluster);
    const watch = await client.watch('/api/v1/pods?watch=1');
    await until(
      () =>
        ['ADDED', 'MODIFIED', 'DELETED'].every(type =>
          watch.events.some(event => event.type === type),
        ),
      () => 'pods to come, change and go',
    );
    await fleet.stop();
    const { resourceVersion } = cluster;
    await new Promise(resolve => setTimeout(resolve, 200));
    expect(cluster.resourceVersion).toBe(resourceVersion);
  });

  it('answers late where it is told to', async () => {
    fleet = await startFleet({ clusters: ['east'], latencyMs: 200 });
    const before = Date.now();
    await connect(fleet.cluster('east')).get('/version');
    expect(Date.now() - before).toBeGreaterThanOrEqual(190);
  });

  it('tells of a port that is in use', async () => {
    fleet = await startFleet({ clusters: ['east'] });
    const port = Number(new URL(fleet.clusters[0].url).port);
    await expect(
      startFleet({ clusters: ['west'], port }),
    ).rejects.toMatchObject({ code: 'EADDRINUSE' });
  });
});
