import { request as httpRequest } from 'node:http';
import { request as httpsRequest, RequestOptions } from 'node:https';

import type { KubeConfig } from '@kubernetes/client-node';

import { InventoryCluster } from '../inventory/createInventory';
import { mapsOf, stringOf } from '../inventory/fields';
import { ManifestObject } from '../inventory/FleetObject';
import { Coverage } from '../inventory/Inventory';
import { KindId, WatchedKind, watchedKinds } from '../inventory/kinds';
import { WrongCall } from './WrongCall';

const pageSize = 500;
const concurrency = 6;
const timeoutMs = 60_000;

interface Answer {
  status: number;
  body: any;
}

export interface LiveOptions {
  systemNamespaces: readonly string[];
  /** Whether metadata of remote secrets may be read. */
  remoteSecrets: boolean;
}

/** The context of a kubeconfig, or one line that names those that there are. */
export async function loadContext(
  cluster: string,
  context: string,
  file?: string,
): Promise<KubeConfig> {
  // The client is large; who reads manifests need not wait for it.
  const client = await import('@kubernetes/client-node');
  const config = new client.KubeConfig();
  try {
    if (file) {
      config.loadFromFile(file);
    } else {
      config.loadFromDefault();
    }
  } catch (error) {
    throw new WrongCall(
      `--cluster ${cluster}: the kubeconfig cannot be read: ${
        String((error as Error).message).split('\n')[0]
      }`,
    );
  }
  if (!config.getContextObject(context)) {
    throw new WrongCall(
      `--cluster ${cluster}: the kubeconfig has no context "${context}"; it has ${
        config
          .getContexts()
          .map(one => one.name)
          .join(', ') || 'none'
      }`,
    );
  }
  config.setCurrentContext(context);
  if (!config.getCurrentCluster()) {
    throw new WrongCall(
      `--cluster ${cluster}: context "${context}" names a cluster that the kubeconfig does not define`,
    );
  }
  return config;
}

/**
 * Reads every watched kind of a live cluster once. What cannot be read becomes
 * coverage; a cluster that does not answer at all is `unreachable`.
 */
export async function readLive(
  name: string,
  config: KubeConfig,
  options: LiveOptions,
): Promise<{ cluster: InventoryCluster; version?: string; problem?: string }> {
  const get = (path: string, accept?: string) =>
    fetchJson(config, path, accept);
  try {
    const served = await discover(get);
    const objects: ManifestObject[] = [];
    const coverage: Record<KindId, Coverage> = {};
    await pooled(watchedKinds, async kind => {
      const read = await readKind(get, kind, served, options);
      read.objects.forEach(object => objects.push(object));
      coverage[kind.id] = read.coverage;
    });
    const version = stringOf((await get('/version')).body?.gitVersion);
    return {
      cluster: { name, objects, coverage },
      ...(version && { version }),
    };
  } catch (error) {
    const problem = String((error as Error).message).split('\n')[0];
    return {
      cluster: {
        name,
        objects: [],
        coverage: { '*': { state: 'unreachable', message: problem } },
      },
      problem,
    };
  }
}

type Get = (path: string, accept?: string) => Promise<Answer>;

/** Plural names by `group/version`. */
async function discover(get: Get): Promise<Map<string, Set<string>>> {
  const served = new Map<string, Set<string>>();
  const core = await get('/api/v1');
  if (core.status === 401) {
    throw new Error('the API server does not accept the credentials (401)');
  }
  if (core.status >= 400) {
    throw new Error(`discovery failed: GET /api/v1 answered ${core.status}`);
  }
  served.set('v1', pluralsOf(core.body));
  const wanted = new Set(watchedKinds.map(kind => kind.group));
  const groups = mapsOf((await get('/apis')).body?.groups)
    .filter(group => wanted.has(group.name))
    .flatMap(group => mapsOf(group.versions))
    .map(version => stringOf(version.groupVersion))
    .filter(groupVersion => groupVersion !== undefined);
  await pooled(groups, async groupVersion => {
    const answer = await get(`/apis/${groupVersion}`);
    if (answer.status < 400) {
      served.set(groupVersion, pluralsOf(answer.body));
    }
  });
  return served;
}

function pluralsOf(body: any): Set<string> {
  return new Set(
    mapsOf(body?.resources).map(resource => String(resource.name)),
  );
}

async function readKind(
  get: Get,
  kind: WatchedKind,
  served: Map<string, Set<string>>,
  options: LiveOptions,
): Promise<{ objects: ManifestObject[]; coverage: Coverage }> {
  if (kind.optIn && !options.remoteSecrets) {
    return {
      objects: [],
      coverage: {
        state: 'forbidden',
        message: `reading ${kind.plural} is switched off; --remote-secrets reads their metadata`,
      },
    };
  }
  const versionOf = (version: string) =>
    kind.group ? `${kind.group}/${version}` : version;
  const version = kind.versions.find(one =>
    served.get(versionOf(one))?.has(kind.plural),
  );
  if (version === undefined) {
    return {
      objects: [],
      coverage: {
        state: 'absent-api',
        message: `${kind.plural}${
          kind.group && `.${kind.group}`
        } is not served`,
      },
    };
  }
  const apiVersion = versionOf(version);
  const base = kind.group ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
  const paths = kind.systemNamespacesOnly
    ? options.systemNamespaces.map(
        namespace =>
          `${base}/namespaces/${encodeURIComponent(namespace)}/${kind.plural}`,
      )
    : [`${base}/${kind.plural}`];
  const objects: ManifestObject[] = [];
  for (const path of paths) {
    const read = await readPages(get, path, kind);
    if (read.coverage) {
      return { objects: [], coverage: read.coverage };
    }
    read.items.forEach(item =>
      objects.push({ ...item, apiVersion, kind: kind.kind }),
    );
  }
  return { objects, coverage: { state: 'synced' } };
}

async function readPages(
  get: Get,
  path: string,
  kind: WatchedKind,
): Promise<{ items: any[]; coverage?: Coverage }> {
  const accept = kind.metadataOnly
    ? 'application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io'
    : undefined;
  for (let attempt = 0; attempt < 3; attempt += 1) {
    const items: any[] = [];
    let token: string | undefined;
    let expired = false;
    do {
      const query = new URLSearchParams({ limit: String(pageSize) });
      if (kind.labelSelector) {
        query.set('labelSelector', kind.labelSelector);
      }
      if (token) {
        query.set('continue', token);
      }
      const { status, body } = await get(`${path}?${query}`, accept);
      if (status === 410) {
        expired = true;
        break;
      }
      if (status >= 400) {
        return { items: [], coverage: coverageOf(status, kind) };
      }
      mapsOf(body?.items).forEach(item =>
        // Whatever the server sends, of a Secret nothing but its metadata is kept.
        items.push(kind.metadataOnly ? { metadata: item.metadata } : item),
      );
      token = stringOf(body?.metadata?.continue) || undefined;
    } while (token);
    if (!expired) {
      return { items };
    }
  }
  return {
    items: [],
    coverage: {
      state: 'unreachable',
      message: `the list of ${kind.plural} expired while it was read, three times`,
    },
  };
}

function coverageOf(status: number, kind: WatchedKind): Coverage {
  const resource = `${kind.plural}${kind.group && `.${kind.group}`}`;
  switch (status) {
    case 401:
    case 403:
      return { state: 'forbidden', message: `needs list on ${resource}` };
    case 404:
      return { state: 'absent-api', message: `${resource} is not served` };
    default:
      return {
        state: 'unreachable',
        message: `listing ${resource} answered ${status}`,
      };
  }
}

/** A few at a time, so that neither side is swamped. */
async function pooled<T>(
  items: readonly T[],
  work: (item: T) => Promise<void>,
): Promise<void> {
  const queue = [...items];
  await Promise.all(
    Array.from({ length: concurrency }, async () => {
      for (let item = queue.shift(); item !== undefined; item = queue.shift()) {
        await work(item);
      }
    }),
  );
}

async function fetchJson(
  config: KubeConfig,
  path: string,
  accept = 'application/json',
): Promise<Answer> {
  const server = config.getCurrentCluster()!.server.replace(/\/$/, '');
  const url = new URL(server + path);
  const options: RequestOptions = {
    method: 'GET',
    headers: { Accept: accept },
    timeout: timeoutMs,
  };
  await config.applyToHTTPSOptions(options as any);
  return new Promise((resolve, reject) => {
    const send = url.protocol === 'http:' ? httpRequest : httpsRequest;
    const request = send(url, options, response => {
      const chunks: Buffer[] = [];
      response.on('data', chunk => chunks.push(chunk));
      response.on('error', reject);
      response.on('end', () => {
        const text = Buffer.concat(chunks).toString('utf8');
        const status = response.statusCode ?? 0;
        try {
          resolve({ status, body: text === '' ? undefined : JSON.parse(text) });
        } catch {
          if (status >= 400) {
            resolve({ status, body: undefined });
          } else {
            reject(
              new Error(
                `GET ${url.pathname} answered something that is no JSON`,
              ),
            );
          }
        }
      });
    });
    request.on('timeout', () =>
      request.destroy(
        new Error(`${url.host} did not answer within ${timeoutMs / 1000} s`),
      ),
    );
    request.on('error', error =>
      reject(new Error(`${url.host}: ${error.message || (error as any).code}`)),
    );
    request.end();
  });
}
