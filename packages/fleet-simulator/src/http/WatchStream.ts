import { ServerResponse } from 'node:http';

/** A watcher that lets this much pile up is cut off, as an API server does. */
const MAX_PENDING_BYTES = 32 * 1024 * 1024;

/**
 * One running watch. Events of one turn of the event loop are written at once, so
 * that thousands of them a second cost few system calls.
 */
export class WatchStream {
  readonly #response: ServerResponse;
  readonly #onClose = new Set<() => void>();
  #pending: string[] = [];
  #isScheduled = false;
  #isClosed = false;

  static create(response: ServerResponse, contentType: string): WatchStream {
    response.writeHead(200, {
      'Content-Type': contentType,
      'Cache-Control': 'no-cache, private',
    });
    response.flushHeaders();
    return new WatchStream(response);
  }

  private constructor(response: ServerResponse) {
    this.#response = response;
    response.on('close', () => this.#closed());
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  onClose(callback: () => void): void {
    if (this.#isClosed) callback();
    else this.#onClose.add(callback);
  }

  send(text: string): void {
    if (this.#isClosed) return;
    this.#pending.push(text);
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    setImmediate(() => this.#flush());
  }

  /** Ends the stream after what was sent. */
  end(): void {
    if (this.#isClosed) return;
    this.#flush();
    if (!this.#isClosed) this.#response.end();
    this.#closed();
  }

  /** Cuts the connection. */
  destroy(): void {
    this.#response.destroy();
    this.#closed();
  }

  #flush(): void {
    this.#isScheduled = false;
    if (this.#isClosed || this.#pending.length === 0) return;
    const text = this.#pending.join('');
    this.#pending = [];
    this.#response.write(text);
    if (this.#response.writableLength > MAX_PENDING_BYTES) this.destroy();
  }

  #closed(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#pending = [];
    for (const callback of this.#onClose) callback();
    this.#onClose.clear();
  }
}
