import { createHash } from 'node:crypto';
import type { AgentOptions, RequestOptions } from 'node:https';
import { createSecureContext } from 'node:tls';
import type { KubeConfig } from '@kubernetes/client-node';
import { Agent, Dispatcher, ProxyAgent, request } from 'undici';
import { abortable } from './abortable';
import {
  AnswerTooLargeError,
  ApiStatusError,
  MalformedAnswerError,
  toUnreachable,
  UnreachableError,
} from './errors';

/** @internal */
export interface ApiServerOptions {
  /** Called for each set of credentials; see `MeshCluster.createKubeConfig`. */
  createKubeConfig: () => KubeConfig | Promise<KubeConfig>;
  connectTimeoutMs: number;
  /** How long an answer may take to begin, and how long it may pause. */
  requestTimeoutMs: number;
  now?: () => number;
}

/** An event of a watch. `object` of an ERROR is a Status. */
export interface WatchEvent {
  type: 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK' | 'ERROR';
  object: any;
}

interface Credentials {
  generation: number;
  kubeConfig: KubeConfig;
}

interface Connection {
  dispatcher: Dispatcher;
  /** Of the TLS material: a rotated certificate needs a new connection. */
  fingerprint: string;
}

const RENEW_AT_MOST_EVERY_MS = 10_000;
const CLOSE_WITHIN_MS = 5_000;

/**
 * One cluster's API server, over HTTPS.
 *
 * Who we are and whom we trust comes from `KubeConfig` of @kubernetes/client-node:
 * tokens, files, sign-in commands, certificates, proxies, server names. The bytes
 * go through undici itself rather than through that client's `Watch` and typed
 * API, for two reasons: lists and watches then share one way to connect, so that
 * a proxy that works for one works for the other; and a page of a list is parsed
 * once, without building a typed object for every item.
 */
export class ApiServer {
  readonly #createKubeConfig: ApiServerOptions['createKubeConfig'];
  readonly #connectTimeoutMs: number;
  readonly #requestTimeoutMs: number;
  readonly #now: () => number;
  #credentials?: Promise<Credentials>;
  #generation = 0;
  #renewedAt = -Infinity;
  #connection?: Connection;
  #signingIn?: Promise<{
    url: string;
    host: string;
    headers: Record<string, string>;
    dispatcher: Dispatcher;
    generation: number;
  }>;
  readonly #retired = new Set<Dispatcher>();
  #closed = false;

  static create(options: ApiServerOptions): ApiServer {
    return new ApiServer(options);
  }

  private constructor(options: ApiServerOptions) {
    this.#createKubeConfig = options.createKubeConfig;
    this.#connectTimeoutMs = options.connectTimeoutMs;
    this.#requestTimeoutMs = options.requestTimeoutMs;
    this.#now = options.now ?? Date.now;
  }

  /** Reads a JSON document. With `etag`, the answer is undefined where it has not changed. */
  async get(
    path: string,
    options: {
      signal: AbortSignal;
      accept?: string;
      etag?: string;
      maxBytes?: number;
    },
  ): Promise<{ body: any; etag?: string; contentType: string } | undefined> {
    const answer = await this.#request(path, {
      signal: options.signal,
      bodyTimeout: this.#requestTimeoutMs,
      headers: {
        accept: options.accept ?? 'application/json',
        ...(options.etag && { 'if-none-match': options.etag }),
      },
    });
    if (answer.statusCode === 304) {
      await answer.body.dump();
      return undefined;
    }
    const text = await readText(
      answer,
      path,
      options.maxBytes ?? 64 * 1024 * 1024,
    ).catch(error => {
      if (options.signal.aborted || error instanceof AnswerTooLargeError) {
        throw error;
      }
      throw toUnreachable(error, answer.host);
    });
    return {
      body: parseJson(text, path),
      etag: header(answer, 'etag'),
      contentType: header(answer, 'content-type') ?? '',
    };
  }

  /** Events of a watch, until the server ends it. `onConnected` is called once it has accepted it. */
  async *watch(
    path: string,
    options: {
      signal: AbortSignal;
      accept?: string;
      maxLineBytes?: number;
      onConnected: () => void;
    },
  ): AsyncGenerator<WatchEvent> {
    const answer = await this.#request(path, {
      signal: options.signal,
      // A watch may be silent for long; whoever reads it knows for how long.
      bodyTimeout: 0,
      headers: { accept: options.accept ?? 'application/json' },
    });
    options.onConnected();
    try {
      for await (const line of lines(
        answer.body,
        path,
        options.maxLineBytes ?? 64 * 1024 * 1024,
      )) {
        yield parseJson(line, path) as WatchEvent;
      }
    } catch (error) {
      if (
        options.signal.aborted ||
        error instanceof MalformedAnswerError ||
        error instanceof AnswerTooLargeError
      ) {
        throw error;
      }
      throw toUnreachable(error, answer.host);
    } finally {
      answer.body.destroy();
    }
  }

  /**
   * Makes new requests use new connections. Those that are in use live on; a
   * connection on which nothing arrives any more must not take new requests.
   */
  reconnect(): void {
    const connection = this.#connection;
    this.#connection = undefined;
    if (connection) this.#retire(connection.dispatcher);
  }

  /** Ends all connections. */
  async close(): Promise<void> {
    this.#closed = true;
    const dispatchers = [...this.#retired];
    if (this.#connection) dispatchers.push(this.#connection.dispatcher);
    this.#connection = undefined;
    this.#retired.clear();
    const ended = Promise.all(
      dispatchers.map(dispatcher =>
        dispatcher.destroy().catch(() => undefined),
      ),
    );
    // A socket that does not report its end must not keep this process from ending.
    let timer: NodeJS.Timeout | undefined;
    const enough = new Promise<void>(done => {
      timer = setTimeout(done, CLOSE_WITHIN_MS);
    });
    await Promise.race([ended, enough]).finally(() => clearTimeout(timer));
  }

  async #request(
    path: string,
    options: {
      signal: AbortSignal;
      bodyTimeout: number;
      headers: Record<string, string>;
    },
  ) {
    for (let attempt = 1; ; attempt++) {
      const { url, host, headers, dispatcher, generation } = await abortable(
        this.#signIn(),
        options.signal,
      );
      options.signal.throwIfAborted();
      let response: Dispatcher.ResponseData;
      try {
        // Undici heeds the signal only once it has a connection.
        response = await abortable(
          request(url + path, {
            dispatcher,
            signal: options.signal,
            headersTimeout: this.#requestTimeoutMs,
            bodyTimeout: options.bodyTimeout,
            headers: { ...options.headers, ...headers },
          }),
          options.signal,
        );
      } catch (error) {
        if (options.signal.aborted) throw error;
        throw toUnreachable(error, host);
      }
      if (response.statusCode === 200 || response.statusCode === 304) {
        return { ...response, host };
      }
      const error = await statusError(response, path, secretsOf(headers));
      const mayRetry = attempt === 1 && error.status === 401;
      if (!mayRetry || !this.#renewCredentials(generation)) throw error;
    }
  }

  /**
   * Forgets credentials that were refused, unless that was done a moment ago.
   * Answers whether there are others to try.
   */
  #renewCredentials(refused: number): boolean {
    if (this.#generation > refused) return true;
    if (this.#now() - this.#renewedAt < RENEW_AT_MOST_EVERY_MS) return false;
    this.#renewedAt = this.#now();
    this.#generation++;
    this.#credentials = undefined;
    return true;
  }

  /** Credentials for one request. Concurrent requests share one sign-in, so that a command is not run for each. */
  async #signIn() {
    this.#signingIn ??= this.#signInOnce().finally(() => {
      this.#signingIn = undefined;
    });
    return this.#signingIn;
  }

  async #signInOnce() {
    if (this.#closed) throw new Error('The connection has been closed');
    const generation = this.#generation;
    const options: RequestOptions = { headers: {} };
    let kubeConfig: KubeConfig;
    try {
      this.#credentials ??= Promise.resolve(this.#createKubeConfig()).then(
        created => ({ generation, kubeConfig: created }),
      );
      ({ kubeConfig } = await within(
        this.#requestTimeoutMs,
        this.#credentials,
      ));
      await within(
        this.#requestTimeoutMs,
        kubeConfig.applyToHTTPSOptions(options),
      );
    } catch (error) {
      this.#credentials = undefined;
      throw signInError(error);
    }
    if (this.#closed) throw new Error('The connection has been closed');
    const cluster = kubeConfig.getCurrentCluster();
    if (!cluster) {
      throw new UnreachableError(
        'Sign-in failed: the kubeconfig has no current cluster',
        'sign-in',
      );
    }
    const headers: Record<string, string> = {};
    for (const [name, value] of Object.entries(options.headers ?? {})) {
      // Token files often end with a line break, which no header may hold.
      headers[name.toLowerCase()] = String(value).trim();
    }
    if (options.auth && !headers.authorization) {
      headers.authorization = `Basic ${Buffer.from(options.auth).toString(
        'base64',
      )}`;
    }
    return {
      url: cluster.server.replace(/\/+$/, ''),
      host: hostOf(cluster.server),
      headers,
      dispatcher: this.#connect(kubeConfig, options),
      generation,
    };
  }

  #connect(kubeConfig: KubeConfig, options: RequestOptions): Dispatcher {
    const fingerprint = createHash('sha256')
      .update(
        JSON.stringify([
          options.ca,
          options.cert,
          options.key,
          options.servername,
          options.rejectUnauthorized,
        ]),
      )
      .digest('base64');
    if (this.#connection?.fingerprint !== fingerprint) {
      this.reconnect();
      this.#connection = {
        fingerprint,
        dispatcher: this.#createDispatcher(kubeConfig, options),
      };
    }
    return this.#connection!.dispatcher;
  }

  #createDispatcher(
    kubeConfig: KubeConfig,
    options: RequestOptions,
  ): Dispatcher {
    const described = kubeConfig.createDispatcherOptions(
      kubeConfig.getCurrentCluster(),
      options as AgentOptions,
    );
    const connect = {
      timeout: this.#connectTimeoutMs,
      // One for all connections: each would otherwise parse and keep the
      // authorities for itself, and there is a connection for every watch.
      secureContext: createSecureContext({
        ca: options.ca,
        cert: options.cert,
        key: options.key,
        pfx: options.pfx,
        passphrase: options.passphrase,
      }),
    };
    switch (described.type) {
      case 'proxy':
        return new ProxyAgent({
          uri: described.uri,
          requestTls: { ...described.requestTls, ...connect },
          connect: {
            ...described.connect,
            timeout: this.#connectTimeoutMs,
          },
        });
      case 'socks':
        // The connector for SOCKS is the client's own, and not exported by it.
        return (
          kubeConfig as unknown as {
            createDispatcher(
              cluster: unknown,
              agentOptions: unknown,
            ): Dispatcher;
          }
        ).createDispatcher(kubeConfig.getCurrentCluster(), options);
      case 'agent':
        return new Agent({ connect: { ...described.connect, ...connect } });
      default:
        return new Agent({ connect });
    }
  }

  /** Lets a dispatcher finish what it is used for, and then ends it. */
  #retire(dispatcher: Dispatcher): void {
    this.#retired.add(dispatcher);
    dispatcher
      .close()
      .catch(() => undefined)
      .finally(() => this.#retired.delete(dispatcher));
  }
}

/** Host and port of a URL, without path and credentials. */
export function hostOf(url: string): string {
  try {
    return new URL(url).host;
  } catch {
    return 'the API server';
  }
}

type Answer = Dispatcher.ResponseData & { host: string };

function header(
  answer: Dispatcher.ResponseData,
  name: string,
): string | undefined {
  const value = answer.headers[name];
  return Array.isArray(value) ? value[0] : value;
}

async function readText(
  answer: Answer,
  path: string,
  maxBytes: number,
): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of answer.body) {
    bytes += chunk.length;
    if (bytes > maxBytes) {
      answer.body.destroy();
      throw new AnswerTooLargeError(withoutQuery(path), maxBytes);
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks, bytes).toString('utf8');
}

async function* lines(
  body: AsyncIterable<Buffer>,
  path: string,
  maxBytes: number,
): AsyncGenerator<string> {
  let begun: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    let start = 0;
    for (;;) {
      const end = chunk.indexOf(0x0a, start);
      if (end < 0) break;
      begun.push(chunk.subarray(start, end));
      const line = Buffer.concat(begun).toString('utf8');
      begun = [];
      bytes = 0;
      start = end + 1;
      if (line.trim() !== '') yield line;
    }
    if (start < chunk.length) {
      begun.push(chunk.subarray(start));
      bytes += chunk.length - start;
      if (bytes > maxBytes) {
        throw new AnswerTooLargeError(withoutQuery(path), maxBytes);
      }
    }
  }
  const rest = Buffer.concat(begun).toString('utf8').trim();
  if (rest !== '') {
    throw new MalformedAnswerError(
      `The watch of ${withoutQuery(
        path,
      )} was cut off in the middle of an event`,
    );
  }
}

function parseJson(text: string, path: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // The parser's message quotes the text, which may be anything.
    throw new MalformedAnswerError(
      `The answer to ${withoutQuery(path)} is not JSON, or was cut off`,
    );
  }
}

async function statusError(
  response: Dispatcher.ResponseData,
  path: string,
  secrets: readonly string[],
): Promise<ApiStatusError> {
  const status = response.statusCode;
  let reason: string | undefined;
  let detail: string | undefined;
  try {
    const text = await readText(
      { ...response, host: '' } as Answer,
      path,
      1024 * 1024,
    );
    const body = JSON.parse(text);
    if (body?.kind === 'Status') {
      reason = typeof body.reason === 'string' ? body.reason : undefined;
      detail =
        typeof body.message === 'string'
          ? withoutSecrets(body.message, secrets).slice(0, 300)
          : undefined;
    }
  } catch {
    // Proxies answer with pages of their own; the status says enough.
  }
  return new ApiStatusError({
    status,
    reason,
    message: `${withoutQuery(path)} was answered with ${status}${
      detail ? `: ${detail}` : ''
    }`,
    retryAfterMs: retryAfter(header(response, 'retry-after')),
  });
}

/** What of the headers is secret: tokens, and user and password in either form. */
function secretsOf(headers: Record<string, string>): string[] {
  const { authorization } = headers;
  if (!authorization) return [];
  const credential = authorization.replace(/^\S+\s+/, '');
  const decoded = /^Basic /i.test(authorization)
    ? Buffer.from(credential, 'base64').toString('utf8')
    : credential;
  return [credential, decoded, decoded.slice(decoded.indexOf(':') + 1)].filter(
    // What is shorter is no token, and would be found in any sentence.
    secret => secret.length >= 8,
  );
}

/** What stands between us and the server may answer with what it was sent. */
function withoutSecrets(text: string, secrets: readonly string[]): string {
  return secrets.reduce(
    (cleaned, secret) => cleaned.replaceAll(secret, '[redacted]'),
    text,
  );
}

function retryAfter(value: string | undefined): number | undefined {
  if (value === undefined) return undefined;
  const seconds = Number(value);
  if (Number.isFinite(seconds)) return Math.max(0, seconds * 1000);
  const date = Date.parse(value);
  return Number.isNaN(date) ? undefined : Math.max(0, date - Date.now());
}

function withoutQuery(path: string): string {
  return path.split('?')[0];
}

/**
 * What a sign-in plugin throws may hold what a command printed, and so a token:
 * only its code and the path of a file are told.
 */
function signInError(error: unknown): UnreachableError {
  if (error instanceof UnreachableError) return error;
  const { code, path, syscall } = error as NodeJS.ErrnoException;
  if (code === 'ENOENT' && syscall?.startsWith('spawn')) {
    return new UnreachableError(
      `Sign-in failed: the command ${path ?? ''} is not there (${code})`,
      'sign-in',
    );
  }
  if (code && path) {
    return new UnreachableError(
      `Sign-in failed: ${path} cannot be read (${code})`,
      'sign-in',
    );
  }
  return new UnreachableError(
    'Sign-in failed: the credentials of the kubeconfig cannot be used; run its sign-in command by hand to see why',
    'sign-in',
  );
}

async function within<T>(
  milliseconds: number,
  promise: Promise<T>,
): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<never>((_, reject) => {
    timer = setTimeout(
      () =>
        reject(
          new UnreachableError(
            'Sign-in failed: its command does not end in time',
            'sign-in',
          ),
        ),
      milliseconds,
    );
  });
  return Promise.race([promise, timeout]).finally(() => clearTimeout(timer));
}
