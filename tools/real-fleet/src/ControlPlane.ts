import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { request as httpRequest } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ApiClient } from './ApiClient';
import { programPath } from './binaries';
import { Authority } from './certificates';
import { toKubeconfig } from './kubeconfig';
import { Permissions, RbacRule } from './Permissions';
import { freePorts } from './ports';
import { Component, Processes } from './processes';

/** @public */
export interface ControlPlaneOptions {
  /** The cluster's name: context of the kubeconfig. */
  name: string;
  /** State folder; a new temporary one by default, removed on stop. */
  dir?: string;
  /** Port of the API server; a free one by default. */
  port?: number;
  /** Folder of the programs; `MESH_REAL_BIN`, `KUBEBUILDER_ASSETS` or the cache by default. */
  bin?: string;
  /**
   * Names of tokens beside `admin` (group `system:masters`) and `reader` (reads
   * everything but Secrets). They may nothing until `setPermissions`.
   */
  tokens?: string[];
  /** Range of cluster IPs; must not overlap between clusters of one mesh. */
  serviceCidr?: string;
  /** Further flags of the API server. */
  apiServerArgs?: string[];
  /** The components outlive this process. */
  detach?: boolean;
  /** Gives up a start that is under way, and cleans up. */
  signal?: AbortSignal;
}

/**
 * A token that can be replaced, as the tokens of service accounts are.
 *
 * @public
 */
export interface RotatingToken {
  /** The token that holds now. */
  readonly token: string;
  /** A new token; the old one is refused from now on (the server may remember it for some ten seconds). */
  rotate(): Promise<string>;
}

/** @public */
export class ControlPlane {
  readonly name: string;
  readonly url: string;
  /** The CA as PEM. */
  readonly ca: string;
  readonly dir: string;
  readonly port: number;
  readonly processes: Processes;
  readonly #options: ControlPlaneOptions;
  readonly #etcdUrl: string;
  readonly #tokens: ReadonlyMap<string, string>;
  readonly #ownsDir: boolean;
  readonly #clients = new Map<string, ApiClient>();
  readonly #permissions: Permissions;
  #apiServer: Component | undefined;

  /** Use `startControlPlane`, which tries again where a port was taken. */
  static async create(options: ControlPlaneOptions): Promise<ControlPlane> {
    const dir =
      options.dir ?? (await mkdtemp(join(tmpdir(), 'mesh-real-fleet-')));
    await mkdir(dir, { recursive: true });
    await chmod(dir, 0o700);
    const processes = Processes.create({ dir, detach: options.detach });
    try {
      const [etcdPort, peerPort, freePort] = await freePorts(3);
      const etcd = await processes.start({
        name: 'etcd',
        command: await programPath('etcd', options.bin),
        args: etcdArgs(dir, etcdPort, peerPort),
      });
      const port = options.port ?? freePort;
      const authority = await Authority.createRoot(`${options.name} API`);
      const tokens = newTokens(options.tokens ?? []);
      await writeState(dir, authority, tokens);
      const controlPlane = new ControlPlane({
        options,
        dir,
        port,
        processes,
        tokens,
        ca: authority.pem,
        etcdUrl: `http://127.0.0.1:${etcdPort}`,
      });
      await etcd.ready(() => isHealthy(etcdPort), { signal: options.signal });
      await controlPlane.#startApiServer();
      await controlPlane.grantReader();
      return controlPlane;
    } catch (error) {
      await processes.stopAll();
      if (!options.dir) {
        await rm(dir, { recursive: true, force: true });
      }
      throw new Error(
        `Cluster ${options.name} did not start: ${(error as Error).message}`,
        { cause: error },
      );
    }
  }

  private constructor(state: {
    options: ControlPlaneOptions;
    dir: string;
    port: number;
    processes: Processes;
    tokens: Map<string, string>;
    ca: string;
    etcdUrl: string;
  }) {
    this.name = state.options.name;
    this.dir = state.dir;
    this.port = state.port;
    this.url = `https://127.0.0.1:${state.port}`;
    this.ca = state.ca;
    this.processes = state.processes;
    this.#options = state.options;
    this.#tokens = state.tokens;
    this.#etcdUrl = state.etcdUrl;
    this.#ownsDir = !state.options.dir;
    this.#permissions = Permissions.create(name => this.client(name));
  }

  /** The CA as a kubeconfig wants it: base64 of the PEM. */
  get caData(): string {
    return Buffer.from(this.ca).toString('base64');
  }

  /** The token of a name: `admin`, `reader`, or one of the options'. */
  token(name: string = 'admin'): string {
    const token = this.#tokens.get(name);
    if (!token) {
      throw new Error(
        `Cluster ${this.name} has no token ${name}, only ${[
          ...this.#tokens.keys(),
        ].join(', ')}`,
      );
    }
    return token;
  }

  kubeconfig(tokenName: string = 'admin'): string {
    return toKubeconfig([
      {
        name: this.name,
        url: this.url,
        caData: this.caData,
        user: tokenName,
        token: this.token(tokenName),
      },
    ]);
  }

  /** A small client of this server, for tests and for what the fleet writes itself. */
  client(tokenName: string = 'admin'): ApiClient {
    let client = this.#clients.get(tokenName);
    if (!client) {
      client = ApiClient.create({
        url: this.url,
        ca: this.ca,
        token: this.token(tokenName),
      });
      this.#clients.set(tokenName, client);
    }
    return client;
  }

  /**
   * Gives a token exactly these permissions, by roles and bindings, and returns
   * when the server goes by them.
   */
  async setPermissions(tokenName: string, rules: RbacRule[]): Promise<void> {
    this.token(tokenName);
    await this.#permissions.set(tokenName, rules);
  }

  /**
   * Lets `reader` read everything that is served now, but no Secrets. RBAC has no
   * "all but": to be called again when CRDs have brought new groups.
   */
  async grantReader(): Promise<void> {
    const admin = this.client();
    const [core, groups] = await Promise.all([
      admin.get<{ resources: { name: string }[] }>('/api/v1'),
      admin.get<{ groups: { name: string }[] }>('/apis'),
    ]);
    const verbs = ['get', 'list', 'watch'];
    await this.setPermissions('reader', [
      {
        verbs,
        apiGroups: [''],
        resources: core.resources
          .map(({ name }) => name)
          .filter(name => name !== 'secrets'),
      },
      {
        verbs,
        apiGroups: groups.groups.map(({ name }) => name),
        resources: ['*'],
      },
    ]);
  }

  /**
   * A token of a service account, through TokenRequest. Each is bound to a
   * Secret of its own (which holds nothing); without it the token is refused.
   */
  async rotatingToken(
    serviceAccount: string,
    namespace: string = 'default',
  ): Promise<RotatingToken> {
    const admin = this.client();
    await admin.apply({
      apiVersion: 'v1',
      kind: 'ServiceAccount',
      metadata: { name: serviceAccount, namespace },
    });
    let generation = 0;
    const issue = async () => {
      generation += 1;
      const binding = await admin.create({
        apiVersion: 'v1',
        kind: 'Secret',
        metadata: { name: `${serviceAccount}-token-${generation}`, namespace },
      });
      const answer = await admin.request<{ status: { token: string } }>({
        method: 'POST',
        path: `/api/v1/namespaces/${namespace}/serviceaccounts/${serviceAccount}/token`,
        body: {
          apiVersion: 'authentication.k8s.io/v1',
          kind: 'TokenRequest',
          spec: {
            boundObjectRef: {
              apiVersion: 'v1',
              kind: 'Secret',
              name: binding.metadata.name,
              uid: binding.metadata.uid,
            },
          },
        },
      });
      return { binding, token: answer.status.token };
    };
    let current = await issue();
    return {
      get token() {
        return current.token;
      },
      async rotate() {
        const old = current;
        current = await issue();
        await admin.delete(old.binding);
        return current.token;
      },
    };
  }

  /** Stops the API server and leaves its data; connections break at once. */
  async stopApiServer(): Promise<void> {
    if (this.#apiServer) {
      await this.processes.stop(this.#apiServer);
      this.#apiServer = undefined;
    }
  }

  /** Starts the API server again on the same port, with the same data and tokens. */
  async startApiServer(): Promise<void> {
    if (!this.#apiServer) {
      await this.#startApiServer();
    }
  }

  /**
   * Makes every resource version up to now too old, so that a list's `continue`
   * or a watch from before is answered by 410. The API server restarts, since it
   * would otherwise answer from its own memory.
   */
  async expireHistory(): Promise<void> {
    await this.stopApiServer();
    const status = await etcdCall(this.#etcdUrl, '/v3/maintenance/status', {});
    await etcdCall(this.#etcdUrl, '/v3/kv/compaction', {
      revision: status.header.revision,
      physical: true,
    });
    await this.startApiServer();
  }

  /** Kills what runs and removes the state folder, where it made one. */
  async stop(): Promise<void> {
    await this.processes.stopAll();
    this.#clients.forEach(client => client.close());
    if (this.#ownsDir) {
      await rm(this.dir, { recursive: true, force: true, maxRetries: 3 });
    }
  }

  async #startApiServer(): Promise<void> {
    const apiServer = await this.processes.start({
      name: 'kube-apiserver',
      command: await programPath('kube-apiserver', this.#options.bin),
      args: [
        `--etcd-servers=${this.#etcdUrl}`,
        '--bind-address=127.0.0.1',
        `--secure-port=${this.port}`,
        `--cert-dir=${join(this.dir, 'certs')}`,
        `--tls-cert-file=${join(this.dir, 'api.crt')}`,
        `--tls-private-key-file=${join(this.dir, 'api.key')}`,
        `--token-auth-file=${join(this.dir, 'tokens.csv')}`,
        '--authorization-mode=RBAC',
        '--service-account-issuer=https://kubernetes.default.svc',
        `--service-account-key-file=${serviceAccountKey(this.dir)}`,
        `--service-account-signing-key-file=${serviceAccountKey(this.dir)}`,
        `--service-cluster-ip-range=${
          this.#options.serviceCidr ?? '10.96.0.0/16'
        }`,
        '--allow-privileged',
        // A machine without a default route has no address to advertise by itself.
        '--advertise-address=10.255.255.254',
        '--endpoint-reconciler-type=none',
        ...(this.#options.apiServerArgs ?? []),
      ],
    });
    this.#apiServer = apiServer;
    const admin = this.client();
    await apiServer.ready(
      async () => {
        const path = '/readyz';
        const { status } = await admin.ask({ path, timeoutMs: 5_000 });
        return status === 200;
      },
      { signal: this.#options.signal },
    );
  }
}

/**
 * A real API server with a store of its own: etcd and kube-apiserver, on
 * loopback, until `stop`.
 *
 * @public
 */
export async function startControlPlane(
  options: ControlPlaneOptions,
): Promise<ControlPlane> {
  // Between choosing a port and binding it somebody else may take it.
  for (let attempt = 1; ; attempt++) {
    try {
      return await ControlPlane.create(options);
    } catch (error) {
      if (attempt === 3 || !/address already in use/.test(String(error))) {
        throw error;
      }
    }
  }
}

function newTokens(names: string[]): Map<string, string> {
  return new Map(
    [...new Set(['admin', 'reader', ...names])].map(name => [
      name,
      randomBytes(24).toString('hex'),
    ]),
  );
}

async function writeState(
  dir: string,
  authority: Authority,
  tokens: Map<string, string>,
): Promise<void> {
  const serving = await authority.createServing(
    'kube-apiserver',
    ['localhost', 'kubernetes', 'kubernetes.default.svc'],
    ['127.0.0.1'],
  );
  const { privateKey } = generateKeyPairSync('rsa', {
    modulusLength: 2048,
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
    publicKeyEncoding: { type: 'spki', format: 'pem' },
  });
  const rows = [...tokens].map(([name, token]) =>
    [token, name, name, ...(name === 'admin' ? ['system:masters'] : [])].join(
      ',',
    ),
  );
  const files: Record<string, string> = {
    'ca.crt': authority.pem,
    'api.crt': serving.cert,
    'api.key': serving.key,
    'service-accounts.key': privateKey,
    'tokens.csv': `${rows.join('\n')}\n`,
  };
  for (const [name, content] of Object.entries(files)) {
    await writeFile(join(dir, name), content, { mode: 0o600 });
  }
}

export function serviceAccountKey(dir: string): string {
  return join(dir, 'service-accounts.key');
}

function etcdArgs(dir: string, port: number, peerPort: number): string[] {
  return [
    '--data-dir',
    join(dir, 'etcd'),
    '--listen-client-urls',
    `http://127.0.0.1:${port}`,
    '--advertise-client-urls',
    `http://127.0.0.1:${port}`,
    '--listen-peer-urls',
    `http://127.0.0.1:${peerPort}`,
    '--initial-advertise-peer-urls',
    `http://127.0.0.1:${peerPort}`,
    '--initial-cluster',
    `default=http://127.0.0.1:${peerPort}`,
    // The state does not outlive the fleet, so a power cut may take it.
    '--unsafe-no-fsync',
  ];
}

async function isHealthy(etcdPort: number): Promise<boolean> {
  const body = await plainHttp(`http://127.0.0.1:${etcdPort}/health`);
  return JSON.parse(body).health === 'true';
}

async function etcdCall(
  url: string,
  path: string,
  body: unknown,
): Promise<{ header: { revision: string } }> {
  return JSON.parse(await plainHttp(`${url}${path}`, body));
}

function plainHttp(url: string, body?: unknown): Promise<string> {
  return new Promise((fulfil, reject) => {
    const req = httpRequest(
      url,
      { method: body ? 'POST' : 'GET', timeout: 5_000, agent: false },
      response => {
        let text = '';
        response.on('data', chunk => (text += chunk));
        response.on('error', reject);
        response.on('end', () =>
          response.statusCode === 200
            ? fulfil(text)
            : reject(new Error(`${url}: ${response.statusCode} ${text}`)),
        );
      },
    );
    req.on('timeout', () => req.destroy(new Error(`no answer from ${url}`)));
    req.on('error', reject);
    req.end(body ? JSON.stringify(body) : undefined);
  });
}
