import { randomBytes } from 'node:crypto';
import { IncomingMessage, ServerResponse } from 'node:http';
import { createSecureServer, Http2SecureServer } from 'node:http2';
import { AddressInfo, Socket } from 'node:net';
import { Access, effectiveRules } from './access/AccessRules';
import { ApiServer, sendStatus, versionInfo } from './http/ApiServer';
import { errorEvent, RunningWatch } from './http/reads';
import { User } from './http/reviews';
import { expired, notFound } from './http/StatusError';
import { Kind } from './kinds/Kind';
import { KubeObject } from './objects/KubeObject';
import { ClusterState } from './store/ClusterState';
import { ObjectService } from './store/ObjectService';
import { StoredObject } from './store/StoredObject';
import { CertificateAuthority, ServerCertificate } from './tls';

/**
 * One request that a cluster answered.
 *
 * @public
 */
export interface RequestRecord {
  method: string;
  /** Path with the query. */
  path: string;
  status: number;
  /** Name of the user, or undefined where nobody signed in. */
  user?: string;
}

/** Names an object. @public */
export interface ObjectReference {
  apiVersion: string;
  kind: string;
  namespace?: string;
  name: string;
}

const KEPT_REQUESTS = 5000;
/** How long a connection of HTTP/1.1 may lie idle, as at the API server. */
const IDLE_CONNECTION_MS = 90_000;
/** Of one connection; the API server has the same limit. */
const MAX_CONCURRENT_STREAMS = 250;

/** Read everything, but no Secret. */
const READER: Access = [
  {
    verbs: ['get', 'list', 'watch'],
    apiGroups: ['*'],
    resources: ['*'],
    exceptResources: ['secrets'],
  },
];

interface TokenOwner {
  user: string;
  /** When a rotated token stops to be accepted, in milliseconds since 1970. */
  validUntil?: number;
}

/**
 * One simulated cluster: an API server over HTTPS, and the hands of those who steer it.
 *
 * @public
 */
export class SimulatedCluster {
  readonly name: string;
  readonly #state: ClusterState;
  readonly #service: ObjectService;
  readonly #authority: CertificateAuthority;
  readonly #certificate: ServerCertificate;
  readonly #host: string;
  readonly #latencyMs: number;
  readonly #implicitKinds: boolean;
  readonly #api: ApiServer;
  readonly #access = new Map<string, Access>();
  readonly #rules = new Map<string, User>();
  readonly #tokens = new Map<string, string>();
  readonly #owners = new Map<string, TokenOwner>();
  readonly #watches = new Set<RunningWatch>();
  readonly #requests: RequestRecord[] = [];
  #server: Http2SecureServer | undefined;
  readonly #connections = new Set<Socket>();
  #port: number;
  #version = versionInfo();

  /** @internal */
  static async create(options: {
    name: string;
    seed: string;
    host: string;
    port: number;
    authority: CertificateAuthority;
    certificate: ServerCertificate;
    latencyMs: number;
    implicitKinds: boolean;
    historySize: number;
    bookmarkIntervalMs: number;
  }): Promise<SimulatedCluster> {
    const cluster = new SimulatedCluster(options);
    cluster.setPermissions('admin', 'all');
    cluster.setPermissions('reader', READER);
    cluster.rotateToken('admin');
    cluster.rotateToken('reader');
    for (const name of [
      'default',
      'kube-system',
      'kube-public',
      'kube-node-lease',
    ]) {
      cluster.apply({
        apiVersion: 'v1',
        kind: 'Namespace',
        metadata: { name },
      });
    }
    return cluster;
  }

  private constructor(options: Parameters<typeof SimulatedCluster.create>[0]) {
    this.name = options.name;
    this.#state = ClusterState.create({
      seed: `${options.seed}/${options.name}`,
      historySize: options.historySize,
    });
    this.#service = ObjectService.create(this.#state);
    this.#authority = options.authority;
    this.#certificate = options.certificate;
    this.#host = options.host;
    this.#port = options.port;
    this.#latencyMs = options.latencyMs;
    this.#implicitKinds = options.implicitKinds;
    this.#api = ApiServer.create({
      state: this.#state,
      authenticate: token => this.#userOf(token),
      anonymousRules: effectiveRules([], false),
      version: () => this.#version,
      bookmarkIntervalMs: options.bookmarkIntervalMs,
      watches: { add: watch => this.#addWatch(watch) },
      address: () => `${this.#host}:${this.#port}`,
    });
  }

  get url(): string {
    return `https://${
      this.#host.includes(':') ? `[${this.#host}]` : this.#host
    }:${this.#port}`;
  }

  /** The authority's certificate, PEM in base64. */
  get caData(): string {
    return this.#authority.caData;
  }

  /** The newest resource version. */
  get resourceVersion(): string {
    return String(this.#state.version);
  }

  /** What was asked and answered, the oldest first; only so many are kept. */
  get requests(): readonly RequestRecord[] {
    return this.#requests;
  }

  /** Number of watches that are running. */
  get watches(): number {
    return this.#watches.size;
  }

  /** The token of a user: `admin`, `reader`, or one named by `setPermissions`. */
  token(name: string): string {
    const token = this.#tokens.get(name);
    if (!token) {
      throw new Error(
        `cluster ${this.name} has no token "${name}"; setPermissions("${name}", …) makes one`,
      );
    }
    return token;
  }

  /**
   * Stores an object as it is, status included, in place of what was there. Its
   * namespace is made where it is missing. A kind that the cluster does not serve yet
   * is served from now on, unless `implicitKinds` is off.
   */
  apply(manifest: KubeObject): KubeObject {
    return this.load(manifest).parse(manifest.apiVersion, manifest.kind);
  }

  /** The same as `apply`, without reading the result. @internal */
  load(manifest: KubeObject): StoredObject {
    const kind = this.#kindFor(manifest);
    const namespace = manifest.metadata.namespace ?? 'default';
    if (kind.namespaced && !this.#state.hasNamespace(namespace)) {
      this.load({
        apiVersion: 'v1',
        kind: 'Namespace',
        metadata: { name: namespace },
      });
    }
    return this.#service.put(kind, manifest);
  }

  /** Removes an object at once, finalizers or not. */
  remove(reference: ObjectReference): void {
    const kind = this.#kindNamed(reference);
    const namespace = kind.namespaced ? reference.namespace ?? 'default' : '';
    const live = this.#state.find(kind, namespace, reference.name);
    if (!live) throw notFound(kind, reference.name);
    this.#state.remove(kind, live);
  }

  get(reference: ObjectReference): KubeObject | undefined {
    const kind = this.#state.registry.kind(
      reference.apiVersion,
      reference.kind,
    );
    if (!kind) return undefined;
    const namespace = kind.namespaced ? reference.namespace ?? 'default' : '';
    return this.#state.find(kind, namespace, reference.name);
  }

  list(apiVersion: string, kindName: string, namespace?: string): KubeObject[] {
    const kind = this.#state.registry.kind(apiVersion, kindName);
    if (!kind) return [];
    return this.#state
      .collection(kind)
      .all()
      .filter(
        stored => namespace === undefined || stored.namespace === namespace,
      )
      .map(stored => stored.parse(apiVersion, kindName));
  }

  /** One object of a kind, chosen by a number from 0 to 1. @internal */
  sample(
    apiVersion: string,
    kindName: string,
    at: number,
  ): KubeObject | undefined {
    const kind = this.#state.registry.kind(apiVersion, kindName);
    const all = kind ? this.#state.collection(kind).all() : [];
    return all[Math.floor(at * all.length)]?.parse(apiVersion, kindName);
  }

  /** The EndpointSlice of a Service, found by its name as controllers form it. @internal */
  endpointSliceOf(namespace: string, service: string): KubeObject | undefined {
    const kind = this.#state.registry.kind(
      'discovery.k8s.io/v1',
      'EndpointSlice',
    )!;
    const found = this.#state
      .collection(kind)
      .withPrefix(`${namespace}/${service}-`)
      .find(
        stored =>
          stored.metadata().labels?.['kubernetes.io/service-name'] === service,
      );
    return found?.parse('discovery.k8s.io/v1', 'EndpointSlice');
  }

  /** Number of objects of all kinds. */
  get size(): number {
    const collections = new Set(
      this.#state.registry.kinds().map(kind => this.#state.collection(kind)),
    );
    return [...collections].reduce((sum, { size }) => sum + size, 0);
  }

  /**
   * Forgets the history: watches and pages from an older version are answered with
   * 410, as after a compaction of etcd. Running watches go on.
   */
  compact(): void {
    this.#state.compact();
  }

  /** Ends all watches, as a restart of a load balancer does. */
  closeWatches(): void {
    for (const { stream } of [...this.#watches]) stream.end();
  }

  /** Ends all watches with an ERROR event of code 410, as a server does whose history they fell behind. */
  expireWatches(): void {
    const version = this.#state.version;
    this.#state.compact();
    const event = errorEvent(
      expired(
        `too old resource version: ${version} (${this.#state.version})`,
      ).status(),
    );
    for (const { stream } of [...this.#watches]) {
      stream.send(event);
      stream.end();
    }
  }

  /** Sets what the owner of a token may do; a name that is new gets a token. */
  setPermissions(name: string, access: Access): void {
    this.#access.set(name, access);
    this.#rules.set(name, {
      name,
      groups:
        access === 'all'
          ? ['system:masters', 'system:authenticated']
          : ['system:authenticated'],
      rules: effectiveRules(access, true),
    });
    if (!this.#tokens.has(name)) this.rotateToken(name);
  }

  /** Gives a user a new token. The old one is refused with 401, at once or after a grace. */
  rotateToken(name: string, options: { graceMs?: number } = {}): string {
    const old = this.#tokens.get(name);
    if (old && options.graceMs) {
      this.#owners.set(old, {
        user: name,
        validUntil: Date.now() + options.graceMs,
      });
    } else if (old) this.#owners.delete(old);
    const token = randomBytes(24).toString('base64url');
    this.#tokens.set(name, token);
    this.#owners.set(token, { user: name });
    return token;
  }

  /** What `/version` answers from now on, such as `v1.34.2`. */
  setVersion(gitVersion: string): void {
    this.#version = versionInfo(gitVersion);
  }

  /** Listens; after `stop` on the same port, so that the URL stays. */
  async start(): Promise<void> {
    if (this.#server) return;
    const server = createSecureServer(
      {
        key: this.#certificate.key,
        cert: this.#certificate.certificate,
        allowHTTP1: true,
        http1Options: { keepAliveTimeout: IDLE_CONNECTION_MS },
        settings: { maxConcurrentStreams: MAX_CONCURRENT_STREAMS },
      },
      // Requests and responses of HTTP/2 have the interface of those of HTTP/1.1.
      (request, response) =>
        this.#handle(
          request as unknown as IncomingMessage,
          response as unknown as ServerResponse,
        ),
    );
    server.on('connection', (socket: Socket) => {
      this.#connections.add(socket);
      socket.on('close', () => this.#connections.delete(socket));
    });
    // A client that breaks off its handshake or its connection is no concern of ours.
    server.on('tlsClientError', () => {});
    server.on('sessionError', () => {});
    server.on('clientError', (_error: Error, socket: Socket) =>
      socket.destroy(),
    );
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(this.#port, this.#host, () => {
        server.removeListener('error', reject);
        resolve();
      });
    });
    this.#port = (server.address() as AddressInfo).port;
    this.#server = server;
  }

  /** Cuts all connections and stops to listen; what the cluster holds stays. */
  async stop(): Promise<void> {
    const server = this.#server;
    if (!server) return;
    this.#server = undefined;
    for (const { stream } of [...this.#watches]) stream.destroy();
    const closed = new Promise(resolve => server.close(resolve));
    for (const socket of this.#connections) socket.destroy();
    await closed;
  }

  #handle(request: IncomingMessage, response: ServerResponse): void {
    const record: RequestRecord = {
      method: request.method ?? '',
      path: request.url ?? '',
      status: 0,
      user: this.#nameOf(request),
    };
    this.#requests.push(record);
    if (this.#requests.length > KEPT_REQUESTS) {
      this.#requests.splice(0, KEPT_REQUESTS / 10);
    }
    const writeHead = response.writeHead.bind(response);
    response.writeHead = ((status: number, ...rest: any[]) => {
      record.status = status;
      return writeHead(status, ...rest);
    }) as typeof response.writeHead;
    const answer = () => {
      this.#api.handle(request, response).catch(error => {
        if (response.headersSent) response.destroy();
        else sendStatus(response, error);
      });
    };
    if (this.#latencyMs > 0) setTimeout(answer, this.#latencyMs);
    else answer();
  }

  #nameOf(request: IncomingMessage): string | undefined {
    const token = /^Bearer\s+(.+)$/i.exec(
      request.headers.authorization ?? '',
    )?.[1];
    return token && this.#userOf(token)?.name;
  }

  #userOf(token: string): User | undefined {
    const owner = this.#owners.get(token);
    if (!owner) return undefined;
    if (owner.validUntil !== undefined && owner.validUntil < Date.now()) {
      this.#owners.delete(token);
      return undefined;
    }
    return this.#rules.get(owner.user);
  }

  #addWatch(watch: RunningWatch): void {
    this.#watches.add(watch);
    watch.stream.onClose(() => this.#watches.delete(watch));
  }

  #kindFor(manifest: KubeObject): Kind {
    const kind = this.#state.registry.kind(manifest.apiVersion, manifest.kind);
    if (kind) return kind;
    if (!this.#implicitKinds) {
      throw new Error(
        `no kind "${manifest.kind}" in version "${manifest.apiVersion}": add its CustomResourceDefinition to the folder, or switch implicitKinds on`,
      );
    }
    return this.#state.registry.defineImplicitly(manifest);
  }

  #kindNamed({ apiVersion, kind: name }: ObjectReference): Kind {
    const kind = this.#state.registry.kind(apiVersion, name);
    if (!kind) {
      throw new Error(
        `cluster ${this.name} serves no kind "${name}" in version "${apiVersion}"`,
      );
    }
    return kind;
  }
}
