import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { RealFleet } from './RealFleet';
import { startRealFleet } from './startRealFleet';
import { describeReal } from './testing';

jest.setTimeout(600_000);

describeReal(
  'two real clusters in one mesh',
  () => {
    let fleet: RealFleet;

    beforeAll(async () => {
      fleet = await startRealFleet({
        dir: join(__dirname, '__fixtures__', 'pair'),
      });
      await fleet.settle();
    });

    afterAll(async () => {
      const dirs = fleet?.clusters.map(({ controlPlane }) => controlPlane.dir);
      await fleet?.stop();
      if (dirs?.some(dir => existsSync(dir))) {
        throw new Error(`State was left behind: ${dirs}`);
      }
    });

    const client = (cluster: string) =>
      fleet.cluster(cluster).controlPlane.client();

    it('takes folders of clusters only', () => {
      expect(fleet.clusters.map(({ name }) => name)).toEqual(['east', 'west']);
    });

    it('has pods with addresses and sidecars of the real injector', async () => {
      const pods = await client('east').list<any>(
        '/api/v1/namespaces/shop/pods',
        { labelSelector: 'app=cart' },
      );
      expect(pods).toHaveLength(2);
      for (const { spec, status } of pods) {
        const containers = [...spec.containers, ...spec.initContainers];
        expect(containers.map(({ name }) => name)).toContain('istio-proxy');
        expect(status.phase).toBe('Running');
        expect(status.podIP).toMatch(/^10\.101\./);
      }
    });

    it('has endpoints that the controllers wrote', async () => {
      const has = await eventually(async () => {
        const slices = await client('west').list<any>(
          '/apis/discovery.k8s.io/v1/namespaces/shop/endpointslices',
          { labelSelector: 'kubernetes.io/service-name=cart' },
        );
        return slices.some(slice =>
          slice.endpoints?.some((e: any) => e.conditions.ready),
        );
      });
      expect(has).toBe(true);
    });

    it('has a gateway with an address and a status of istiod', async () => {
      const programmed = await eventually(async () => {
        const gateway = await client('east').get(
          '/apis/gateway.networking.k8s.io/v1/namespaces/shop/gateways/public',
        );
        return gateway.status?.conditions?.some(
          (c: any) => c.type === 'Programmed' && c.status === 'True',
        );
      });
      expect(programmed).toBe(true);
    });

    it('gives each istiod the credentials of the other cluster', async () => {
      const secret = await client('east').get(
        '/api/v1/namespaces/istio-system/secrets/istio-remote-secret-west',
      );
      const kubeconfig = Buffer.from(secret.data.west, 'base64').toString();
      expect(kubeconfig).toContain(fleet.cluster('west').url);
      expect(kubeconfig).not.toContain(fleet.cluster('west').token());
    });

    it('shares a root, and signs with an intermediate a cluster', async () => {
      const rootOf = async (cluster: string) => {
        const path = '/api/v1/namespaces/shop/configmaps/istio-ca-root-cert';
        await eventually(
          async () => (await client(cluster).ask({ path })).status === 200,
        );
        return (await client(cluster).get(path)).data['root-cert.pem'].trim();
      };
      expect(await rootOf('east')).toBe(await rootOf('west'));
      const signerOf = async (cluster: string) =>
        (
          await client(cluster).get(
            '/api/v1/namespaces/istio-system/secrets/cacerts',
          )
        ).data['ca-cert.pem'];
      expect(await signerOf('east')).not.toBe(await signerOf('west'));
    });

    it('writes a status that no controller here writes', async () => {
      const policy = await client('east').get(
        '/apis/backups.example.com/v1/namespaces/shop/policies/nightly',
      );
      expect(policy.status).toEqual({ phase: 'Ready' });
    });

    it('lists what is left to controllers and what is refused', () => {
      const { report } = fleet.cluster('east');
      expect(report.left).toEqual([
        {
          object: 'ReplicaSet.apps shop/cart-5d8f7c',
          file: expect.stringMatching(/^shop\.yaml:\d+$/),
          why: 'written by the controller manager for Deployment cart',
        },
      ]);
      expect(report.refused).toEqual([
        {
          object: 'Service shop/mistyped',
          file: expect.stringMatching(/^other\.yaml:\d+$/),
          why: expect.stringContaining('.spec.selektor'),
        },
      ]);
      expect(report.changed).toEqual([
        {
          object: 'Policy.backups.example.com',
          why: expect.stringContaining('any content'),
        },
      ]);
      expect(fleet.cluster('west').report.refused).toEqual([]);
    });

    it('has a kubeconfig with a context a cluster', () => {
      const text = fleet.kubeconfig({ token: 'reader' });
      expect(text).toContain('name: east');
      expect(text).toContain('name: west');
      expect(text).toContain(fleet.cluster('west').token('reader'));
      expect(text).not.toContain(fleet.cluster('west').token('admin'));
    });

    it('lets the reader see custom resources too', async () => {
      const reader = fleet.cluster('east').controlPlane.client('reader');
      const { status } = await reader.ask({
        path: '/apis/gateway.networking.k8s.io/v1/httproutes',
      });
      expect(status).toBe(200);
      expect((await reader.ask({ path: '/api/v1/secrets' })).status).toBe(403);
    });
  },
  { need: 'mesh' },
);

/** True as soon as it holds, false where it does not within two minutes. */
async function eventually(check: () => Promise<boolean>): Promise<boolean> {
  for (const end = Date.now() + 120_000; Date.now() < end; ) {
    if (await check()) {
      return true;
    }
    await sleep(500);
  }
  return false;
}
