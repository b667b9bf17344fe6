import { IncomingMessage } from 'node:http';
import { Agent, request } from 'node:https';
import { KubeObject } from '../objects/KubeObject';

/** An answer, with its body parsed where it is JSON. */
export interface Answer {
  status: number;
  headers: IncomingMessage['headers'];
  text: string;
  body: any;
}

export interface WatchEvent {
  type: 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK' | 'ERROR';
  object: KubeObject & Record<string, any>;
}

/** Asks again and again, for as long as a loaded machine may need. */
export async function until(
  condition: () => boolean | Promise<boolean>,
  what: () => string,
  timeoutMs = 30_000,
): Promise<void> {
  const deadline = Date.now() + timeoutMs;
  while (!(await condition())) {
    if (Date.now() > deadline) throw new Error(`waited in vain for ${what()}`);
    await new Promise(resolve => setTimeout(resolve, 20));
  }
}

/** A running watch; its events are kept until a test asks for them. */
export class ApiWatch {
  readonly status: number;
  readonly events: WatchEvent[] = [];
  readonly #response: IncomingMessage;
  #rest = '';
  #isEnded = false;

  constructor(response: IncomingMessage) {
    this.#response = response;
    this.status = response.statusCode ?? 0;
    response.setEncoding('utf8');
    response.on('data', (chunk: string) => this.#take(chunk));
    response.on('error', () => {
      this.#isEnded = true;
    });
    response.on('close', () => {
      this.#isEnded = true;
    });
  }

  get isEnded(): boolean {
    return this.#isEnded;
  }

  /** Waits until there are so many events, and returns them. */
  async take(count: number): Promise<WatchEvent[]> {
    await until(
      () => this.events.length >= count,
      () => `${count} events; got ${JSON.stringify(this.events)}`,
    );
    return this.events.slice(0, count);
  }

  /** Waits for the first event that fits. */
  async find(fits: (event: WatchEvent) => boolean): Promise<WatchEvent> {
    await until(
      () => this.events.some(fits),
      () => `an event; got ${JSON.stringify(this.events)}`,
    );
    return this.events.find(fits)!;
  }

  async ended(): Promise<void> {
    await until(
      () => this.#isEnded,
      () => 'the end of the watch',
    );
  }

  close(): void {
    this.#response.destroy();
  }

  #take(chunk: string): void {
    const lines = (this.#rest + chunk).split('\n');
    this.#rest = lines.pop()!;
    for (const line of lines) if (line) this.events.push(JSON.parse(line));
  }
}

/**
 * The plainest client of an API server: it adds nothing to what a test asks for, and
 * hides nothing of what comes back.
 *
 * @public
 */
export class ApiClient {
  readonly #url: string;
  readonly #agent: Agent;
  readonly #token: string | undefined;
  readonly #watches = new Set<ApiWatch>();

  static create(options: {
    url: string;
    caData: string;
    token?: string;
  }): ApiClient {
    return new ApiClient(options);
  }

  private constructor(options: {
    url: string;
    caData: string;
    token?: string;
  }) {
    this.#url = options.url;
    this.#token = options.token;
    this.#agent = new Agent({
      keepAlive: true,
      ca: Buffer.from(options.caData, 'base64').toString(),
    });
  }

  get(path: string, headers: Record<string, string> = {}): Promise<Answer> {
    return this.send('GET', path, undefined, headers);
  }

  post(path: string, body: unknown): Promise<Answer> {
    return this.send('POST', path, body);
  }

  put(path: string, body: unknown): Promise<Answer> {
    return this.send('PUT', path, body);
  }

  patch(path: string, type: string, body: unknown): Promise<Answer> {
    return this.send('PATCH', path, body, {
      'Content-Type': `application/${type}`,
    });
  }

  delete(path: string, body?: unknown): Promise<Answer> {
    return this.send('DELETE', path, body);
  }

  async send(
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<Answer> {
    const response = await this.#open(method, path, body, headers);
    const chunks: Buffer[] = [];
    for await (const chunk of response) chunks.push(chunk);
    const text = Buffer.concat(chunks).toString();
    let parsed: unknown;
    try {
      parsed = JSON.parse(text);
    } catch {
      parsed = undefined;
    }
    return {
      status: response.statusCode ?? 0,
      headers: response.headers,
      text,
      body: parsed,
    };
  }

  async watch(
    path: string,
    headers: Record<string, string> = {},
  ): Promise<ApiWatch> {
    const response = await this.#open('GET', path, undefined, headers);
    const watch = new ApiWatch(response);
    this.#watches.add(watch);
    return watch;
  }

  close(): void {
    for (const watch of this.#watches) watch.close();
    this.#agent.destroy();
  }

  #open(
    method: string,
    path: string,
    body: unknown,
    headers: Record<string, string>,
  ): Promise<IncomingMessage> {
    const text =
      body === undefined || typeof body === 'string'
        ? body
        : JSON.stringify(body);
    return new Promise((resolve, reject) => {
      const outgoing = request(
        this.#url + path,
        {
          method,
          agent: this.#agent,
          headers: {
            'User-Agent': 'contract/1.0',
            Accept: 'application/json',
            ...(this.#token && { Authorization: `Bearer ${this.#token}` }),
            ...(text !== undefined && {
              'Content-Type': 'application/json',
              'Content-Length': String(Buffer.byteLength(text)),
            }),
            ...headers,
          },
        },
        resolve,
      );
      outgoing.on('error', reject);
      outgoing.end(text);
    });
  }
}
