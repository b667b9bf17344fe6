import { IncomingMessage, ServerResponse } from 'node:http';
import { createServer, Server } from 'node:https';
import { AddressInfo } from 'node:net';
import { KubeConfig } from '@kubernetes/client-node';
import { CertificateAuthority } from '@mesh-for-backstage/fleet-simulator';
import { watchedKinds } from '@mesh-for-backstage/mesh-analysis';
import { eventually, quickSettings } from './__testUtils__/harness';
import { ApiServer } from './ApiServer';
import { ChangeWriter } from './ChangeWriter';
import { Reflector, ReflectorState } from './Reflector';
import { CollectSettings } from './settings';

/*
 * A reflector against a server that says exactly what a test tells it to, for
 * answers that no well-behaved server gives on demand.
 */

jest.setTimeout(60_000);

type Handler = (url: URL, response: ServerResponse) => void;

const kind = watchedKinds.find(one => one.id === 'Service')!;
const object = (name: string, resourceVersion = '1') => ({
  metadata: { name, namespace: 'shop', resourceVersion },
});
const json = (response: ServerResponse, body: unknown, status = 200) => {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify(body));
};
const listOf = (
  items: object[],
  metadata: object = { resourceVersion: '10' },
) => ({ kind: 'ServiceList', metadata, items });
const isWatch = (url: URL) => url.searchParams.get('watch') === 'true';
const gone = {
  kind: 'Status',
  code: 410,
  reason: 'Expired',
  message: 'too old',
};

let server: Server;
let api: ApiServer;
let handler: Handler;
let controller: AbortController;
let requests: URL[];
let states: ReflectorState[];
let stored: Map<string, string>;
let running: Promise<void>;
let token: string;

beforeEach(async () => {
  const authority = await CertificateAuthority.create('test');
  const certificate = await authority.issue(['127.0.0.1']);
  requests = [];
  states = [];
  stored = new Map();
  token = 't';
  controller = new AbortController();
  server = createServer(
    { key: certificate.key, cert: certificate.certificate },
    (request: IncomingMessage, response) => {
      const url = new URL(request.url!, 'https://server');
      requests.push(url);
      handler(url, response);
    },
  );
  await new Promise<void>(done => server.listen(0, '127.0.0.1', done));
  const url = `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
  api = ApiServer.create({
    connectTimeoutMs: 2_000,
    requestTimeoutMs: 2_000,
    createKubeConfig: () => {
      const kubeConfig = new KubeConfig();
      kubeConfig.loadFromClusterAndUser(
        {
          name: 'a',
          server: url,
          caData: authority.caData,
          skipTLSVerify: false,
        },
        { name: 'u', token },
      );
      return kubeConfig;
    },
  });
});

afterEach(async () => {
  controller.abort();
  await running;
  await api.close();
  server.closeAllConnections();
  await new Promise(done => server.close(done));
});

function start(settings: Partial<CollectSettings> = {}): Reflector {
  // Stands for the store: what is written, and nothing of how.
  const writer = {
    add: async (changes: any[]) => {
      for (const change of changes) {
        const key = `${change.namespace}/${change.name}`;
        if (change.deleted) stored.delete(key);
        else stored.set(key, change.body);
      }
    },
    flush: async () => {},
    beginList: () => false,
    removeUnseen: async (_scope: unknown, seen: Set<string>) => {
      for (const key of [...stored.keys()]) {
        if (!seen.has(key)) stored.delete(key);
      }
    },
  } as unknown as ChangeWriter;
  const reflector = Reflector.create({
    host: {
      api,
      writer,
      settings: { ...quickSettings, pageSize: 4, ...settings },
      withPage: task => task(),
      whenReachable: async () => {},
      suspectUnreachable: async () => {},
      unexpected: error => {
        throw error;
      },
    },
    kind,
    version: 'v1',
    onState: state => states.push(state),
    onAlive: () => {},
  });
  running = reflector.run(controller.signal);
  return reflector;
}

const lists = () => requests.filter(url => !isWatch(url));
const watches = () => requests.filter(isWatch);

it('does not take other errors of a watch for 410: it goes on from where it was (BP-17)', async () => {
  handler = (url, response) => {
    if (!isWatch(url)) {
      json(response, listOf([object('cart')]));
      return;
    }
    response.writeHead(200);
    if (watches().length <= 2) {
      response.write(
        `${JSON.stringify({
          type: 'ADDED',
          object: object('pay', String(10 + watches().length)),
        })}\n`,
      );
      response.end(
        `${JSON.stringify({
          type: 'ERROR',
          object: { kind: 'Status', code: 500, reason: 'InternalError' },
        })}\n`,
      );
    } else {
      response.flushHeaders();
    }
  };
  start();
  await eventually(() => expect(watches().length).toBe(3));
  expect(lists()).toHaveLength(1);
  expect(watches().map(url => url.searchParams.get('resourceVersion'))).toEqual(
    ['10', '11', '12'],
  );
  expect(states.map(one => one.state)).toEqual(['synced']);
});

it('does not follow a list that leads to the same page again and again', async () => {
  handler = (url, response) => {
    if (isWatch(url)) {
      response.writeHead(200).flushHeaders();
      return;
    }
    const isWell = lists().length > 10;
    json(
      response,
      listOf([object(`cart-${lists().length}`)], {
        resourceVersion: '10',
        ...(!isWell && { continue: 'same' }),
      }),
    );
  };
  start();
  await eventually(() => expect(watches()).toHaveLength(1));
  expect(states[0]).toMatchObject({
    state: 'unreachable',
    message: expect.stringContaining('does not get on'),
  });
  expect(states.at(-1)).toEqual({ state: 'synced' });
});

it('leaves out objects with names that no API server gives, and keeps the others', async () => {
  handler = (url, response) => {
    if (!isWatch(url)) {
      json(
        response,
        listOf([object('a\u0000b'), object('a|b'), object('cart')]),
      );
      return;
    }
    response.writeHead(200);
    for (const [type, name] of [
      ['ADDED', 'x'.repeat(300)],
      ['DELETED', 'a\u0000b'],
      ['ADDED', 'pay'],
    ]) {
      response.write(
        `${JSON.stringify({ type, object: object(name, '11') })}\n`,
      );
    }
  };
  start();
  await eventually(() =>
    expect([...stored.keys()].sort()).toEqual(['shop/cart', 'shop/pay']),
  );
  expect(states.map(one => one.state)).toEqual(['synced']);
});

it('shows no credentials, even where the server answers with them', async () => {
  token = 'a-token-that-is-long-enough';
  handler = (_url, response) => {
    json(
      response,
      {
        kind: 'Status',
        reason: 'InternalError',
        message: `cannot use Bearer ${token}`,
      },
      500,
    );
  };
  start();
  await eventually(() => expect(states).toHaveLength(1));
  expect(states[0].message).toContain('cannot use Bearer [redacted]');
  expect(JSON.stringify(states)).not.toContain(token);
});

it('begins a list anew when its continuation has expired', async () => {
  let expirations = 0;
  handler = (url, response) => {
    if (isWatch(url)) {
      response.writeHead(200).flushHeaders();
    } else if (!url.searchParams.get('continue')) {
      json(
        response,
        listOf([object('cart')], { resourceVersion: '10', continue: 'next' }),
      );
    } else if (expirations++ === 0) {
      json(response, gone, 410);
    } else {
      json(response, listOf([object('pay')]));
    }
  };
  stored.set('shop/old', '');
  start();
  await eventually(() => expect(watches()).toHaveLength(1));
  expect([...stored.keys()].sort()).toEqual(['shop/cart', 'shop/pay']);
  expect(lists().map(url => url.searchParams.get('continue'))).toEqual([
    null,
    'next',
    null,
    'next',
  ]);
});

it('asks for smaller pages when one is too large', async () => {
  const all = Array.from({ length: 8 }, (_, index) => ({
    ...object(`s-${index}`),
    spec: { externalName: 'x'.repeat(400) },
  }));
  handler = (url, response) => {
    if (isWatch(url)) {
      response.writeHead(200).flushHeaders();
      return;
    }
    const limit = Number(url.searchParams.get('limit'));
    const from = Number(url.searchParams.get('continue') ?? 0);
    const next = from + limit < all.length ? String(from + limit) : undefined;
    json(
      response,
      listOf(all.slice(from, from + limit), {
        resourceVersion: '10',
        continue: next,
      }),
    );
  };
  start({ pageSize: 8, maxPageBytes: 1_500 });
  await eventually(() => expect(watches()).toHaveLength(1));
  expect(stored.size).toBe(8);
  expect(lists()[0].searchParams.get('limit')).toBe('8');
  expect(lists().at(-1)!.searchParams.get('limit')).toBe('2');
});

it('says so when even one object is too large, and takes its time', async () => {
  handler = (_url, response) =>
    json(response, listOf([{ ...object('big'), spec: 'x'.repeat(5_000) }]));
  start({ maxPageBytes: 1_500 });
  await eventually(() =>
    expect(states.at(-1)).toMatchObject({
      state: 'unreachable',
      message: expect.stringContaining('larger than'),
    }),
  );
});

it('reads events however they are cut into packets', async () => {
  const lines = [object('ünï', '11'), object('cart', '12')]
    .map(one => `${JSON.stringify({ type: 'ADDED', object: one })}\n`)
    .join('\n');
  handler = (url, response) => {
    if (!isWatch(url)) {
      json(response, listOf([]));
      return;
    }
    response.writeHead(200);
    const bytes = Buffer.from(lines);
    let at = 0;
    const timer = setInterval(() => {
      response.write(bytes.subarray(at, at + 7));
      at += 7;
      if (at >= bytes.length) clearInterval(timer);
    }, 1);
  };
  start();
  await eventually(() =>
    expect([...stored.keys()].sort()).toEqual(['shop/cart', 'shop/ünï']),
  );
});

it('reads anew after a line that is no event, since others may be lost', async () => {
  handler = (url, response) => {
    if (!isWatch(url)) {
      json(response, listOf([object('cart')]));
      return;
    }
    response.writeHead(200);
    if (watches().length === 1)
      response.end('{"type":"ADDED","object":{"met\n');
    else response.flushHeaders();
  };
  start();
  await eventually(() => expect(watches()).toHaveLength(2));
  expect(lists()).toHaveLength(2);
});

it.each([
  ['is no list', { kind: 'Status', status: 'Success' }],
  ['is nothing', null],
])('keeps what it has when the answer %s', async (_case, body) => {
  handler = (_url, response) => json(response, body);
  stored.set('shop/cart', '');
  start();
  await eventually(() => expect(lists().length).toBeGreaterThan(2));
  expect([...stored.keys()]).toEqual(['shop/cart']);
  expect(states.at(-1)).toMatchObject({ state: 'unreachable' });
});

it('follows no redirect, which could carry the token elsewhere', async () => {
  handler = (url, response) => {
    if (url.pathname === '/elsewhere') throw new Error('followed');
    response.writeHead(302, { location: '/elsewhere' });
    response.end();
  };
  start();
  await eventually(() => expect(states).not.toEqual([]));
  expect(requests.every(url => url.pathname !== '/elsewhere')).toBe(true);
});
