import { existsSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Entity } from '@backstage/catalog-model';
import Database from 'better-sqlite3';
import { Child } from './Child';
import type { PortalOptions } from './portalProcess';
import { Simulator } from './Simulator';

const token = 'a-token-for-the-benchmark-alone';

export interface Answer {
  status: number;
  /** From the request until the last byte of the answer. */
  ms: number;
  text: string;
}

/** A portal's backend in a process of its own, with the mesh plugin on SQLite. */
export class Portal {
  readonly #child: Child;
  readonly #port: number;
  readonly #database: string;
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 16 });

  static async start(options: {
    simulator: Simulator;
    /** Folder of the databases. What an earlier portal left there is served at once. */
    directory: string;
    entities?: Entity[];
    kubernetes?: boolean;
    profileTo?: string;
  }): Promise<Portal> {
    const child = Child.start(require.resolve('./portalProcess'), {
      profileTo: options.profileTo,
    });
    const port = await freePort();
    const start: PortalOptions = {
      kubernetes: options.kubernetes ?? false,
      entities: options.entities ?? [],
      config: {
        app: { title: 'Benchmark', baseUrl: `http://127.0.0.1:${port}` },
        backend: {
          baseUrl: `http://127.0.0.1:${port}`,
          listen: { host: '127.0.0.1', port },
          database: {
            client: 'better-sqlite3',
            connection: { directory: options.directory },
          },
          auth: {
            externalAccess: [
              { type: 'static', options: { token, subject: 'benchmark' } },
            ],
          },
        },
        kubernetes: {
          serviceLocatorMethod: { type: 'multiTenant' },
          clusterLocatorMethods: [
            {
              type: 'config',
              clusters: options.simulator.clusters.map(cluster => ({
                name: cluster.name,
                url: cluster.url,
                caData: cluster.caData,
                authProvider: 'serviceAccount',
                serviceAccountToken: cluster.token,
                skipMetricsLookup: true,
              })),
            },
          ],
        },
      },
    };
    await child.call('start', start);
    return new Portal(child, port, join(options.directory, 'mesh.sqlite'));
  }

  private constructor(child: Child, port: number, database: string) {
    this.#child = child;
    this.#port = port;
    this.#database = database;
  }

  async get(path: string): Promise<Answer> {
    return this.#request('GET', path);
  }

  async post(path: string, body: unknown): Promise<Answer> {
    return this.#request('POST', path, JSON.stringify(body));
  }

  async json<T = any>(path: string): Promise<T> {
    const { status, text } = await this.get(path);
    if (status !== 200) throw new Error(`${path}: ${status} ${text}`);
    return JSON.parse(text);
  }

  get residentMb() {
    return this.#child.residentMb();
  }

  get cpuSeconds() {
    return this.#child.cpuSeconds();
  }

  /** What is stored and what waits to be analysed, read from the database beside the portal. */
  progress(): { objects: number; queue: number; services: number } {
    if (!existsSync(this.#database)) {
      return { objects: 0, queue: 0, services: 0 };
    }
    const database = new Database(this.#database, {
      readonly: true,
      timeout: 30_000,
    });
    try {
      const count = (table: string) =>
        (database.prepare(`select count(*) as n from ${table}`).get() as any)
          .n as number;
      return {
        objects: count('objects'),
        queue: count('queue'),
        services: count('services'),
      };
    } finally {
      database.close();
    }
  }

  /** Waits until all objects are stored, and until nothing is left to be analysed. */
  async settled(options: {
    objects: number;
    timeoutMs: number;
    onProgress?: (progress: ReturnType<Portal['progress']>) => void;
  }): Promise<{ storedMs: number; analysedMs: number }> {
    const started = performance.now();
    let storedMs: number | undefined;
    for (;;) {
      if (this.#child.ended) throw this.#child.ended;
      const progress = this.progress();
      options.onProgress?.(progress);
      const ms = performance.now() - started;
      if (storedMs === undefined && progress.objects >= options.objects) {
        storedMs = ms;
      }
      if (
        storedMs !== undefined &&
        progress.queue === 0 &&
        progress.services > 0
      ) {
        return { storedMs, analysedMs: ms };
      }
      if (ms > options.timeoutMs) {
        throw new Error(
          `Not settled after ${Math.round(ms / 1000)} s: ${JSON.stringify(
            progress,
          )} of ${options.objects} objects`,
        );
      }
      await sleep(250);
    }
  }

  async stop() {
    this.#agent.destroy();
    await this.#child.stop();
  }

  async kill() {
    this.#agent.destroy();
    await this.#child.kill();
  }

  #request(method: string, path: string, body?: string): Promise<Answer> {
    return new Promise((resolve, reject) => {
      const started = performance.now();
      const outgoing = request(
        {
          host: '127.0.0.1',
          port: this.#port,
          method,
          path,
          agent: this.#agent,
          headers: {
            authorization: `Bearer ${token}`,
            ...(body !== undefined && {
              'content-type': 'application/json',
              'content-length': Buffer.byteLength(body),
            }),
          },
        },
        response => {
          const chunks: Buffer[] = [];
          response.on('data', chunk => chunks.push(chunk));
          response.on('error', reject);
          response.on('end', () =>
            resolve({
              status: response.statusCode ?? 0,
              ms: performance.now() - started,
              text: Buffer.concat(chunks).toString('utf8'),
            }),
          );
        },
      );
      outgoing.on('error', reject);
      outgoing.end(body);
    });
  }
}

async function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() =>
        resolve(typeof address === 'object' && address ? address.port : 0),
      );
    });
  });
}
