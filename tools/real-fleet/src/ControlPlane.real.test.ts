import { existsSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { ApiClient } from './ApiClient';
import { ControlPlane, startControlPlane } from './ControlPlane';
import { describeReal } from './testing';

jest.setTimeout(180_000);

describeReal('a real control plane', () => {
  let plane: ControlPlane;

  beforeAll(async () => {
    plane = await startControlPlane({ name: 'one', tokens: ['other'] });
  });

  afterAll(async () => {
    await plane?.stop();
  });

  it('says which version it is', async () => {
    const version = await plane.client().get('/version');
    expect(version.gitVersion).toMatch(/^v1\.\d+\.\d+/);
  });

  it('gives a token its permissions, and takes them away', async () => {
    const pods = { path: '/api/v1/pods' };
    await plane.setPermissions('reader', [
      { apiGroups: [''], resources: ['pods'], verbs: ['list'] },
    ]);
    expect((await plane.client('reader').ask(pods)).status).toBe(200);
    expect((await plane.client('other').ask(pods)).status).toBe(403);

    await plane.setPermissions('reader', []);
    expect((await plane.client('reader').ask(pods)).status).toBe(403);
  });

  it('gives permissions in one namespace', async () => {
    const verbs = ['list'];
    const rule = { apiGroups: [''], resources: ['pods'], verbs };
    await plane.setPermissions('other', [
      { ...rule, namespaces: ['kube-system'] },
    ]);
    const statusIn = async (namespace: string) => {
      const path = `/api/v1/namespaces/${namespace}/pods`;
      return (await plane.client('other').ask({ path })).status;
    };
    expect(await statusIn('kube-system')).toBe(200);
    expect(await statusIn('default')).toBe(403);

    await plane.setPermissions('other', []);
    expect(await statusIn('kube-system')).toBe(403);
  });

  it('lets the reader read all but Secrets', async () => {
    await plane.grantReader();
    const reader = plane.client('reader');
    const statusOf = async (path: string) =>
      (await reader.ask({ path })).status;
    expect(await statusOf('/apis/apps/v1/deployments')).toBe(200);
    expect(await statusOf('/api/v1/configmaps')).toBe(200);
    expect(await statusOf('/api/v1/secrets')).toBe(403);
  });

  it('refuses a rotated token and takes the new one', async () => {
    const rotating = await plane.rotatingToken('collector');
    const old = rotating.token;
    const statusOf = async (token: string) => {
      const client = ApiClient.create({ url: plane.url, ca: plane.ca, token });
      const { status } = await client.ask({ path: '/version' });
      client.close();
      return status;
    };
    expect(await statusOf(old)).toBe(200);
    const next = await rotating.rotate();
    expect(await statusOf(next)).toBe(200);
    await until(async () => (await statusOf(old)) === 401);
  });

  it('comes back with its data and the same tokens', async () => {
    const path = '/api/v1/namespaces/kept';
    await plane.client().apply({
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: { name: 'kept' },
    });
    await plane.stopApiServer();
    await expect(plane.client().ask({ path })).rejects.toThrow();
    await plane.startApiServer();
    expect((await plane.client().ask({ path })).status).toBe(200);
  });

  it('forgets its history on demand', async () => {
    const admin = plane.client();
    const list = await admin.get('/api/v1/namespaces');
    await admin.apply({
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: { name: 'later' },
    });
    await plane.expireHistory();
    const answer = await admin.ask({
      path: '/api/v1/namespaces',
      query: {
        watch: '1',
        resourceVersion: list.metadata.resourceVersion,
        timeoutSeconds: '5',
      },
    });
    // Real servers say it either way: by the status line, or by an ERROR event.
    const code =
      answer.status === 200 ? answer.body.object?.code : answer.status;
    expect(code).toBe(410);
  });

  it('leaves nothing behind', async () => {
    const other = await startControlPlane({ name: 'two' });
    await other.stop();
    expect(existsSync(other.dir)).toBe(false);
    await expect(other.client().ask({ path: '/version' })).rejects.toThrow();
  });
});

async function until(check: () => Promise<boolean>): Promise<void> {
  const end = Date.now() + 60_000;
  while (!(await check())) {
    if (Date.now() > end) {
      throw new Error('It did not happen within a minute');
    }
    await sleep(500);
  }
}
