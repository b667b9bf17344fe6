import { Agent, request } from 'node:https';

/** What an API server answered, whatever the status. */
export interface ApiAnswer<T = unknown> {
  status: number;
  body: T;
}

export interface ApiRequest {
  method?: string;
  path: string;
  query?: Record<string, string>;
  body?: unknown;
  contentType?: string;
  timeoutMs?: number;
}

/** The part of an object that everything here reads. */
export interface KubeObject {
  apiVersion: string;
  kind: string;
  metadata: {
    name: string;
    namespace?: string;
    labels?: Record<string, string>;
    annotations?: Record<string, string>;
    [key: string]: unknown;
  };
  [key: string]: unknown;
}

/** An answer that is not a success, with the server's own words. */
export class ApiError extends Error {
  readonly status: number;
  readonly reason: string;

  constructor(what: string, answer: ApiAnswer) {
    const body = answer.body as { message?: string; reason?: string } | string;
    const message =
      typeof body === 'string' ? body.slice(0, 500) : body?.message;
    super(`${what}: ${answer.status} ${message ?? ''}`.trimEnd());
    this.name = 'ApiError';
    this.status = answer.status;
    this.reason = (typeof body === 'object' && body?.reason) || '';
  }
}

interface ResourceInfo {
  plural: string;
  namespaced: boolean;
  hasStatus: boolean;
}

/**
 * Asks one API server with one token.
 *
 * Kept to plain HTTP: writing status through its subresource, TokenRequest and
 * waiting for readiness need paths that typed clients do not have for any kind.
 */
export class ApiClient {
  readonly #url: string;
  readonly #ca: string;
  readonly #token: string;
  readonly #agent: Agent;
  readonly #resources = new Map<string, Map<string, ResourceInfo>>();

  static create(options: {
    url: string;
    ca: string;
    token: string;
  }): ApiClient {
    return new ApiClient(options);
  }

  private constructor(options: { url: string; ca: string; token: string }) {
    this.#url = options.url;
    this.#ca = options.ca;
    this.#token = options.token;
    this.#agent = new Agent({ keepAlive: true, maxSockets: 8 });
  }

  /** The answer as it is; only a broken connection throws. */
  async ask<T = any>(options: ApiRequest): Promise<ApiAnswer<T>> {
    const url = new URL(options.path, this.#url);
    for (const [key, value] of Object.entries(options.query ?? {})) {
      url.searchParams.set(key, value);
    }
    const body =
      options.body === undefined ? undefined : JSON.stringify(options.body);
    return new Promise((fulfil, reject) => {
      const req = request(
        url,
        {
          method: options.method ?? 'GET',
          agent: this.#agent,
          ca: this.#ca,
          timeout: options.timeoutMs ?? 30_000,
          headers: {
            accept: 'application/json',
            authorization: `Bearer ${this.#token}`,
            ...(body !== undefined && {
              'content-type': options.contentType ?? 'application/json',
              'content-length': Buffer.byteLength(body),
            }),
          },
        },
        response => {
          const chunks: Buffer[] = [];
          response.on('data', chunk => chunks.push(chunk));
          response.on('error', reject);
          response.on('end', () =>
            fulfil({
              status: response.statusCode ?? 0,
              body: parse(Buffer.concat(chunks).toString('utf8')) as T,
            }),
          );
        },
      );
      req.on('timeout', () =>
        req.destroy(new Error(`no answer from ${url.pathname} in time`)),
      );
      req.on('error', reject);
      req.end(body);
    });
  }

  /** The body of a success; anything else throws an `ApiError`. */
  async request<T = any>(options: ApiRequest): Promise<T> {
    const answer = await this.ask<T>(options);
    if (answer.status >= 300) {
      throw new ApiError(`${options.method ?? 'GET'} ${options.path}`, answer);
    }
    return answer.body;
  }

  async get<T = any>(path: string): Promise<T> {
    return this.request<T>({ path });
  }

  async list<T = KubeObject>(
    path: string,
    query: Record<string, string> = {},
  ): Promise<T[]> {
    const body = await this.request<{ items?: T[] }>({ path, query });
    return body.items ?? [];
  }

  /** Server-side apply with force: what the folder says holds. */
  async apply(
    object: KubeObject,
    options: { subresource?: 'status'; dryRun?: boolean } = {},
  ): Promise<KubeObject> {
    const path = await this.pathOf(object);
    return this.request({
      method: 'PATCH',
      path: options.subresource ? `${path}/${options.subresource}` : path,
      query: {
        fieldManager: 'real-fleet',
        force: 'true',
        ...(options.dryRun && { dryRun: 'All' }),
      },
      contentType: 'application/apply-patch+yaml',
      body: object,
    });
  }

  async create(
    object: KubeObject,
    query: Record<string, string> = {},
  ): Promise<KubeObject> {
    return this.request({
      method: 'POST',
      path: await this.collectionOf(object),
      query,
      body: object,
    });
  }

  async replace(object: KubeObject): Promise<KubeObject> {
    return this.request({
      method: 'PUT',
      path: await this.pathOf(object),
      body: object,
    });
  }

  /** Deletes if it is there. */
  async delete(object: KubeObject): Promise<void> {
    const path = await this.pathOf(object);
    const answer = await this.ask({ method: 'DELETE', path });
    if (answer.status >= 300 && answer.status !== 404) {
      throw new ApiError(`DELETE ${path}`, answer);
    }
  }

  async pathOf(object: KubeObject): Promise<string> {
    const name = encodeURIComponent(object.metadata.name);
    return `${await this.collectionOf(object)}/${name}`;
  }

  async collectionOf(object: KubeObject): Promise<string> {
    const info = await this.resource(object.apiVersion, object.kind);
    if (!info) {
      throw new Error(
        `the API server does not serve ${object.kind} of ${object.apiVersion}`,
      );
    }
    const root = groupPath(object.apiVersion);
    const namespace = object.metadata.namespace ?? 'default';
    return info.namespaced
      ? `${root}/namespaces/${encodeURIComponent(namespace)}/${info.plural}`
      : `${root}/${info.plural}`;
  }

  /** What discovery says about a kind; asked again while it is not there, since CRDs come late. */
  async resource(
    apiVersion: string,
    kind: string,
  ): Promise<ResourceInfo | undefined> {
    const known = this.#resources.get(apiVersion)?.get(kind);
    if (known) {
      return known;
    }
    const answer = await this.ask<{
      resources?: { name: string; kind: string; namespaced: boolean }[];
    }>({ path: groupPath(apiVersion) });
    const resources = answer.body?.resources ?? [];
    const kinds = new Map<string, ResourceInfo>();
    for (const { name, kind: kindName, namespaced } of resources) {
      if (!name.includes('/')) {
        kinds.set(kindName, {
          plural: name,
          namespaced,
          hasStatus: resources.some(r => r.name === `${name}/status`),
        });
      }
    }
    this.#resources.set(apiVersion, kinds);
    return kinds.get(kind);
  }

  close(): void {
    this.#agent.destroy();
  }
}

function groupPath(apiVersion: string): string {
  return apiVersion.includes('/')
    ? `/apis/${apiVersion}`
    : `/api/${apiVersion}`;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
