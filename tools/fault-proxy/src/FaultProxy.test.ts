import {
  ApiClient,
  Fleet,
  SimulatedCluster,
  startFleet,
  until,
} from '@mesh-for-backstage/fleet-simulator';
import { Fault } from './faults';
import { FaultProxy, startFaultProxy, unresolvableServer } from './FaultProxy';

const PODS = '/api/v1/namespaces/default/pods';
const CONFIG_MAPS = '/api/v1/namespaces/default/configmaps';

function configMap(name: string, data: Record<string, string> = {}) {
  return {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name, namespace: 'default' },
    data,
  };
}

describe('startFaultProxy', () => {
  let fleet: Fleet;
  let cluster: SimulatedCluster;
  let proxy: FaultProxy;
  let client: ApiClient;

  beforeAll(async () => {
    fleet = await startFleet({ clusters: ['east'] });
    cluster = fleet.cluster('east');
  });
  afterAll(() => fleet.stop());

  beforeEach(async () => {
    proxy = await startFaultProxy({ target: cluster });
    client = connect(cluster.token('admin'));
  });
  afterEach(async () => {
    client.close();
    await proxy.stop();
  });

  function connect(token: string): ApiClient {
    return ApiClient.create({ url: proxy.url, caData: proxy.caData, token });
  }

  async function watchFromNow() {
    return client.watch(
      `${CONFIG_MAPS}?watch=1&resourceVersion=${cluster.resourceVersion}`,
    );
  }

  it('forwards requests and watches, and remembers them without the token', async () => {
    const watch = await watchFromNow();
    const made = await client.post(CONFIG_MAPS, configMap('forwarded'));
    expect(made.status).toBe(201);
    const [event] = await watch.take(1);
    expect(event).toMatchObject({
      type: 'ADDED',
      object: { metadata: { name: 'forwarded' } },
    });
    expect(proxy.watches).toBe(1);
    expect(proxy.requests).toMatchObject([
      {
        method: 'GET',
        status: 200,
        authorization: expect.stringMatching(/^[0-9a-f]{64}$/),
      },
      { method: 'POST', path: CONFIG_MAPS, status: 201 },
    ]);
    expect(JSON.stringify(proxy.requests)).not.toContain(
      cluster.token('admin'),
    );
    watch.close();
    await until(
      () => proxy.watches === 0,
      () => 'the watch to be gone',
    );
  });

  it.each<[Fault, number, object]>([
    [{ type: 'unauthorized' }, 401, { reason: 'Unauthorized' }],
    [
      { type: 'forbidden' },
      403,
      { reason: 'Forbidden', details: { kind: 'pods' } },
    ],
    [
      { type: 'tooManyRequests', retryAfterSeconds: 7 },
      429,
      { details: { retryAfterSeconds: 7 } },
    ],
    [{ type: 'serverError' }, 500, { reason: 'InternalError' }],
    [{ type: 'serverError', code: 503 }, 503, { code: 503 }],
  ])('answers for %j with %d', async (fault, status, body) => {
    proxy.fault(fault);
    const answer = await client.get(PODS);
    expect(answer.status).toBe(status);
    expect(answer.body).toMatchObject(body);
    expect(proxy.requests[0].fault).toBe(fault.type);
    proxy.fault(undefined);
    expect((await client.get(PODS)).status).toBe(200);
  });

  it('says in a header when to come again', async () => {
    proxy.fault({ type: 'tooManyRequests', retryAfterSeconds: 7 });
    expect((await client.get(PODS)).headers['retry-after']).toBe('7');
  });

  it('forbids only the verbs and resources that are named', async () => {
    proxy.fault({
      type: 'forbidden',
      verbs: ['list'],
      resources: ['deployments.apps'],
    });
    expect((await client.get('/apis/apps/v1/deployments')).body.message).toBe(
      'deployments.apps is forbidden: User "reader" cannot list resource "deployments" in API group "apps" at the cluster scope',
    );
    expect((await client.get(PODS)).status).toBe(200);
  });

  it('hides a group', async () => {
    proxy.fault({ type: 'notFound', group: 'apps' });
    expect((await client.get('/apis/apps/v1')).status).toBe(404);
    expect((await client.get('/apis/apps/v1/deployments')).status).toBe(404);
    expect((await client.get('/apis/batch/v1')).status).toBe(200);
  });

  it('limits a fault to paths, methods and a number of requests', async () => {
    proxy.fault({
      type: 'serverError',
      match: { path: /pods/g, method: 'GET' },
      times: 2,
    });
    expect((await client.get(CONFIG_MAPS)).status).toBe(200);
    expect((await client.get(PODS)).status).toBe(500);
    expect((await client.get(PODS)).status).toBe(500);
    expect((await client.get(PODS)).status).toBe(200);
  });

  it('is slow', async () => {
    proxy.fault({ type: 'latency', ms: 300 });
    const before = Date.now();
    expect((await client.get(PODS)).status).toBe(200);
    expect(Date.now() - before).toBeGreaterThanOrEqual(290);
  });

  it('never answers on new and on open connections', async () => {
    await client.get(PODS);
    proxy.fault({ type: 'neverAnswers' });
    const other = connect('any');
    let answers = 0;
    const count = () => {
      answers++;
    };
    const pending = [client.get(PODS), other.get(PODS)].map(p =>
      p.then(count, () => undefined),
    );
    await new Promise(resolve => setTimeout(resolve, 300));
    expect(answers).toBe(0);
    other.close();
    client.close();
    await Promise.all(pending);
  });

  it('drops the connection before and during an answer', async () => {
    proxy.fault({ type: 'dropConnection' });
    await expect(client.get(PODS)).rejects.toThrow(/hang up|ECONNRESET/);
    proxy.fault({ type: 'dropConnection', when: 'during' });
    await expect(client.get('/api/v1')).rejects.toThrow(/aborted/);
  });

  it('cuts running watches', async () => {
    const watch = await watchFromNow();
    await until(
      () => proxy.watches === 1,
      () => 'the watch',
    );
    proxy.fault({ type: 'dropConnection' });
    await watch.ended();
    expect(watch.events).toEqual([]);
  });

  it('keeps running and new watches silent while everything else works', async () => {
    const running = await watchFromNow();
    await until(
      () => proxy.watches === 1,
      () => 'the watch',
    );
    proxy.fault({ type: 'silentWatch' });
    const fresh = await watchFromNow();
    expect(fresh.status).toBe(200);
    await client.post(CONFIG_MAPS, configMap('unheard'));
    expect((await client.get(`${CONFIG_MAPS}/unheard`)).status).toBe(200);
    await new Promise(resolve => setTimeout(resolve, 200));
    expect([...running.events, ...fresh.events]).toEqual([]);
    expect([running.isEnded, fresh.isEnded]).toEqual([false, false]);
    proxy.fault(undefined);
    await Promise.all([running.ended(), fresh.ended()]);
  });

  it('ends watches at once', async () => {
    const running = await watchFromNow();
    await until(
      () => proxy.watches === 1,
      () => 'the watch',
    );
    proxy.fault({ type: 'watchEndsAtOnce' });
    await running.ended();
    const fresh = await watchFromNow();
    await fresh.ended();
    expect(fresh.events).toEqual([]);
  });

  it('tells in both forms that a version is too old', async () => {
    const running = await watchFromNow();
    await until(
      () => proxy.watches === 1,
      () => 'the watch',
    );
    proxy.fault({ type: 'expired', as: 'event' });
    const fresh = await watchFromNow();
    for (const watch of [running, fresh]) {
      const [event] = await watch.take(1);
      expect(event).toMatchObject({
        type: 'ERROR',
        object: { kind: 'Status', code: 410, reason: 'Expired' },
      });
      await watch.ended();
    }
    proxy.fault({ type: 'expired', as: 'status' });
    const refused = await client.get(`${CONFIG_MAPS}?watch=1`);
    expect(refused).toMatchObject({ status: 410, body: { reason: 'Expired' } });
    expect((await client.get(CONFIG_MAPS)).status).toBe(200);
  });

  it('refuses the old token and takes the new one', async () => {
    expect((await client.get(PODS)).status).toBe(200);
    proxy.fault({ type: 'rotatedToken', newToken: 'fresh' });
    expect((await client.get(PODS)).status).toBe(401);
    const renewed = connect('fresh');
    expect((await renewed.get(PODS)).status).toBe(200);
    renewed.close();
  });

  it('shows a certificate for another name, and the right one again', async () => {
    await client.get(PODS);
    proxy.fault({ type: 'wrongCertificate' });
    const other = connect(cluster.token('admin'));
    await expect(other.get(PODS)).rejects.toThrow(/altnames/);
    proxy.fault(undefined);
    expect((await other.get(PODS)).status).toBe(200);
    other.close();
  });

  it('answers with what is not JSON', async () => {
    proxy.fault({ type: 'malformedJson' });
    const answer = await client.get(PODS);
    expect(answer.status).toBe(200);
    expect(answer.body).toBeUndefined();
  });

  it('cuts a list off in the middle', async () => {
    cluster.apply(configMap('big', { text: 'x'.repeat(50_000) }));
    proxy.fault({ type: 'truncatedList' });
    await expect(client.get(CONFIG_MAPS)).rejects.toThrow(/aborted/);
    expect((await client.get(`${CONFIG_MAPS}/big`)).status).toBe(200);
  });

  it('checks the certificate of its target', async () => {
    const stranger = await startFaultProxy({
      target: { url: cluster.url, caData: proxy.caData },
    });
    const other = ApiClient.create({
      url: stranger.url,
      caData: stranger.caData,
    });
    await expect(other.get(PODS)).rejects.toThrow();
    other.close();
    await stranger.stop();
  });

  it('names a server that does not resolve', () => {
    expect(unresolvableServer('east')).toBe('https://east.invalid:6443');
  });
});
