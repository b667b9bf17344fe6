import { createHash } from 'node:crypto';
import { IncomingMessage, ServerResponse } from 'node:http';
import {
  Agent,
  createServer,
  request as httpsRequest,
  Server,
} from 'node:https';
import { AddressInfo, createServer as createTcpServer, Socket } from 'node:net';
import {
  CertificateAuthority,
  readRequestInfo,
  ServerCertificate,
} from '@mesh-for-backstage/fleet-simulator';
import { appliesTo, Fault, SeenRequest } from './faults';
import { EXPIRED_EVENT, standIn, StandIn } from './statuses';

/**
 * One request that came to the proxy. Tokens are never kept, only their SHA-256.
 *
 * @public
 */
export interface ProxiedRequest {
  method: string;
  /** Path with the query. */
  path: string;
  /** SHA-256 of the `Authorization` header in hexadecimal, or undefined where there was none. */
  authorization?: string;
  /** The fault that was done to it. */
  fault?: Fault['type'];
  /** Status of the answer, once there is one. */
  status?: number;
  /** When it came, in milliseconds since 1970. */
  at: number;
}

/** @public */
export interface FaultProxyOptions {
  /** The API server behind the proxy. */
  target: { url: string; caData: string };
  /** Names and addresses in the proxy's certificate; those of this machine by default. */
  certificateFor?: string[];
}

/** @public */
export interface FaultProxy {
  readonly url: string;
  /** Certificate of the authority that signed the proxy's certificate, PEM in base64. */
  readonly caData: string;
  readonly requests: readonly ProxiedRequest[];
  /** Number of watches that are running through the proxy. */
  readonly watches: number;
  /** Puts faults in place of those before; without any, everything works again. */
  fault(...faults: Array<Fault | undefined>): void;
  stop(): Promise<void>;
}

/**
 * A server of a kubeconfig whose name does not resolve: the fault of a broken DNS. The
 * top-level domain `.invalid` is reserved for that (RFC 2606).
 *
 * @public
 */
export function unresolvableServer(name = 'cluster'): string {
  return `https://${name}.invalid:6443`;
}

const KEPT_REQUESTS = 10_000;
const HOP_BY_HOP = new Set([
  'connection',
  'keep-alive',
  'transfer-encoding',
  'host',
]);

/** A watch that is being forwarded. */
interface ForwardedWatch {
  seen: SeenRequest;
  response: ServerResponse;
  isSilent: boolean;
}

class RunningProxy implements FaultProxy {
  readonly #target: URL;
  readonly #agent: Agent;
  readonly #authority: CertificateAuthority;
  readonly #certificate: ServerCertificate;
  readonly #wrongCertificate: ServerCertificate;
  readonly #https: Server;
  readonly #tcp = createTcpServer(socket => this.#connected(socket));
  readonly #sockets = new Set<Socket>();
  readonly #watches = new Set<ForwardedWatch>();
  readonly #requests: ProxiedRequest[] = [];
  /** The header by which the target knew the client last; only ever sent back to the target. */
  #lastAuthorization: string | undefined;
  #faults: Array<{ fault: Fault; left: number }> = [];
  #port = 0;

  static async start(options: FaultProxyOptions): Promise<FaultProxy> {
    const authority = await CertificateAuthority.create('fault-proxy');
    const certificate = await authority.issue(
      options.certificateFor ?? ['127.0.0.1', 'localhost'],
    );
    const proxy = new RunningProxy(
      options.target,
      authority,
      certificate,
      await authority.issue(['another-cluster.example.com']),
    );
    await new Promise<void>((resolve, reject) => {
      proxy.#tcp.once('error', reject);
      proxy.#tcp.listen(0, '127.0.0.1', resolve);
    });
    proxy.#port = (proxy.#tcp.address() as AddressInfo).port;
    return proxy;
  }

  private constructor(
    target: FaultProxyOptions['target'],
    authority: CertificateAuthority,
    certificate: ServerCertificate,
    wrongCertificate: ServerCertificate,
  ) {
    this.#target = new URL(target.url);
    this.#agent = new Agent({
      keepAlive: true,
      ca: Buffer.from(target.caData, 'base64').toString(),
    });
    this.#authority = authority;
    this.#certificate = certificate;
    this.#wrongCertificate = wrongCertificate;
    this.#https = createServer(
      { key: certificate.key, cert: certificate.certificate },
      (request, response) => this.#handle(request, response),
    );
    this.#https.on('tlsClientError', () => {});
    this.#https.on('clientError', (_error, socket) => socket.destroy());
  }

  get url(): string {
    return `https://127.0.0.1:${this.#port}`;
  }

  get caData(): string {
    return this.#authority.caData;
  }

  get requests(): readonly ProxiedRequest[] {
    return this.#requests;
  }

  get watches(): number {
    return this.#watches.size;
  }

  fault(...faults: Array<Fault | undefined>): void {
    this.#faults = faults
      .filter(fault => fault !== undefined)
      .map(fault => ({ fault, left: fault.times ?? Infinity }));
    this.#useCertificate();
    // What went silent has missed events; its client must begin anew.
    for (const watch of [...this.#watches]) {
      if (watch.isSilent) watch.response.destroy();
    }
    for (const { fault } of this.#faults) this.#doToRunningWatches(fault);
  }

  async stop(): Promise<void> {
    this.#faults = [];
    const closed = new Promise(resolve => this.#tcp.close(resolve));
    for (const socket of this.#sockets) socket.destroy();
    this.#https.closeAllConnections();
    this.#agent.destroy();
    await closed;
  }

  #useCertificate(): void {
    const isWrong = this.#faults.some(
      ({ fault }) => fault.type === 'wrongCertificate',
    );
    const { key, certificate } = isWrong
      ? this.#wrongCertificate
      : this.#certificate;
    this.#https.setSecureContext({ key, cert: certificate });
    // Connections that are open were made with the other certificate.
    if (isWrong) for (const socket of this.#sockets) socket.destroy();
  }

  #doToRunningWatches(fault: Fault): void {
    for (const watch of [...this.#watches]) {
      if (!appliesTo(fault, watch.seen)) continue;
      switch (fault.type) {
        case 'silentWatch':
        case 'neverAnswers':
          watch.isSilent = true;
          break;
        case 'dropConnection':
          watch.response.destroy();
          break;
        case 'watchEndsAtOnce':
          watch.response.end();
          break;
        case 'expired':
          if (fault.as === 'event') watch.response.end(EXPIRED_EVENT);
          break;
        case 'malformedJson':
          watch.response.write('{"type":"MODIFIED","object":{\n');
          break;
        default:
      }
    }
  }

  #connected(socket: Socket): void {
    this.#sockets.add(socket);
    socket.on('error', () => {});
    socket.on('close', () => this.#sockets.delete(socket));
    const isMute = this.#faults.some(
      ({ fault }) => fault.type === 'neverAnswers' && !fault.match,
    );
    if (!isMute) this.#https.emit('connection', socket);
  }

  #handle(request: IncomingMessage, response: ServerResponse): void {
    const { authorization } = request.headers;
    const record: ProxiedRequest = {
      method: request.method ?? 'GET',
      path: request.url ?? '/',
      authorization: authorization && sha256(authorization),
      at: Date.now(),
    };
    this.#requests.push(record);
    if (this.#requests.length > KEPT_REQUESTS) this.#requests.shift();
    response.on('error', () => {});

    const seen = seenRequest(record);
    const fault = this.#take(seen, authorization);
    record.fault = fault?.type;
    if (fault?.type === 'latency') {
      setTimeout(
        () => this.#forward(request, response, seen, record),
        fault.ms,
      );
      return;
    }
    if (!fault || fault.type === 'wrongCertificate') {
      this.#forward(request, response, seen, record);
      return;
    }
    const answer = standIn(fault, seen);
    if (answer) send(request, response, answer, record);
    else this.#misbehave(fault, request, response, seen, record);
  }

  /** The first fault that is for a request; it is used up by that. */
  #take(seen: SeenRequest, authorization: string | undefined) {
    for (const entry of this.#faults) {
      const { fault } = entry;
      if (entry.left <= 0 || !appliesTo(fault, seen)) continue;
      if (
        fault.type === 'rotatedToken' &&
        authorization === `Bearer ${fault.newToken}`
      ) {
        continue;
      }
      entry.left--;
      return fault;
    }
    return undefined;
  }

  #misbehave(
    fault: Fault,
    request: IncomingMessage,
    response: ServerResponse,
    seen: SeenRequest,
    record: ProxiedRequest,
  ): void {
    switch (fault.type) {
      case 'neverAnswers':
        request.resume();
        return;
      case 'dropConnection':
        if (fault.when === 'during') {
          this.#forwardCut(request, response, record);
        } else request.socket.destroy();
        return;
      case 'truncatedList':
        this.#forwardCut(request, response, record);
        return;
      case 'silentWatch': {
        const watch = { seen, response, isSilent: true };
        this.#watches.add(watch);
        response.on('close', () => this.#watches.delete(watch));
        beginWatch(response, record);
        return;
      }
      case 'watchEndsAtOnce':
        beginWatch(response, record);
        response.end();
        return;
      case 'expired':
        beginWatch(response, record);
        response.end(EXPIRED_EVENT);
        return;
      case 'malformedJson':
        beginWatch(response, record);
        response.end('{"type":"ADDED","object":{"kind":\n');
        return;
      default:
        this.#forward(request, response, seen, record);
    }
  }

  #forward(
    request: IncomingMessage,
    response: ServerResponse,
    seen: SeenRequest,
    record: ProxiedRequest,
  ): void {
    const outgoing = this.#request(request);
    outgoing.on('response', incoming => {
      record.status = incoming.statusCode;
      response.writeHead(
        incoming.statusCode ?? 502,
        withoutHopByHop(incoming.headers),
      );
      if (seen.verb !== 'watch' || incoming.statusCode !== 200) {
        incoming.pipe(response);
        incoming.on('error', () => response.destroy());
        return;
      }
      const watch: ForwardedWatch = { seen, response, isSilent: false };
      this.#watches.add(watch);
      response.flushHeaders();
      incoming.on('data', chunk => {
        if (watch.isSilent || response.writableEnded) return;
        if (!response.write(chunk)) {
          incoming.pause();
          response.once('drain', () => incoming.resume());
        }
      });
      incoming.on('end', () => {
        if (!watch.isSilent) response.end();
      });
      incoming.on('error', () => response.destroy());
      response.on('close', () => {
        this.#watches.delete(watch);
        incoming.destroy();
      });
    });
    outgoing.on('error', () => response.destroy());
    response.on('close', () => outgoing.destroy());
    request.pipe(outgoing);
  }

  /** Forwards half of the body, and cuts the connection. */
  #forwardCut(
    request: IncomingMessage,
    response: ServerResponse,
    record: ProxiedRequest,
  ): void {
    const outgoing = this.#request(request);
    outgoing.on('response', incoming => {
      const chunks: Buffer[] = [];
      incoming.on('data', chunk => chunks.push(chunk));
      incoming.on('error', () => response.destroy());
      incoming.on('end', () => {
        const body = Buffer.concat(chunks);
        record.status = incoming.statusCode;
        response.writeHead(incoming.statusCode ?? 502, {
          ...withoutHopByHop(incoming.headers),
          'content-length': String(body.length),
        });
        response.write(body.subarray(0, Math.floor(body.length / 2)), () =>
          request.socket.destroy(),
        );
      });
    });
    outgoing.on('error', () => response.destroy());
    request.pipe(outgoing);
  }

  #request(request: IncomingMessage) {
    const headers = withoutHopByHop(request.headers);
    const rotated = this.#faults.find(
      ({ fault }) => fault.type === 'rotatedToken',
    )?.fault;
    const { authorization } = request.headers;
    if (
      rotated?.type === 'rotatedToken' &&
      authorization === `Bearer ${rotated.newToken}`
    ) {
      headers.authorization = this.#lastAuthorization;
    } else if (authorization) this.#lastAuthorization = authorization;
    return httpsRequest({
      agent: this.#agent,
      host: this.#target.hostname.replace(/^\[|\]$/g, ''),
      port: this.#target.port || 443,
      method: request.method,
      path: request.url,
      headers: { ...headers, host: this.#target.host },
    });
  }
}

/**
 * Starts a proxy in front of a simulated or real API server. It forwards everything,
 * watches too, until it is told to do a fault.
 *
 * @public
 */
export async function startFaultProxy(
  options: FaultProxyOptions,
): Promise<FaultProxy> {
  return RunningProxy.start(options);
}

function seenRequest({ method, path }: ProxiedRequest): SeenRequest {
  const { verb, resource } = readRequestInfo(method, path);
  const groupOfPath = /^\/apis\/([^/?]+)/.exec(path)?.[1];
  return {
    method,
    path,
    verb,
    group: resource?.group ?? groupOfPath,
    resource:
      resource &&
      (resource.group
        ? `${resource.plural}.${resource.group}`
        : resource.plural),
  };
}

function send(
  request: IncomingMessage,
  response: ServerResponse,
  { code, headers, body }: StandIn,
  record: ProxiedRequest,
): void {
  record.status = code;
  // The body is read to its end, so that the connection can be used again.
  request.resume();
  response.writeHead(code, {
    ...headers,
    'Content-Length': String(Buffer.byteLength(body)),
  });
  response.end(body);
}

function beginWatch(response: ServerResponse, record: ProxiedRequest): void {
  record.status = 200;
  response.writeHead(200, { 'Content-Type': 'application/json' });
  response.flushHeaders();
}

function withoutHopByHop(headers: IncomingMessage['headers']) {
  return Object.fromEntries(
    Object.entries(headers).filter(([name]) => !HOP_BY_HOP.has(name)),
  );
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
