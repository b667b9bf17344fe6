import { KindId } from '@mesh-for-backstage/mesh-analysis';
import { ClusterLease, LeaseLostError } from '../store/ClusterLease';
import { ObjectKey, ObjectRecord, ObjectStore } from '../store/ObjectStore';
import { Backoff } from './Backoff';
import { sleep } from './sleep';

type Change = ObjectRecord | (ObjectKey & { deleted: true });

/** How many changes may wait before whoever brings more has to. */
const MAX_WAITING = 500;

/**
 * Gathers the changes of one cluster and writes them in transactions: many watches
 * bring few changes each, and a transaction for each would cost more than the
 * changes do. The last change of an object wins. What could not be written is
 * kept and tried again.
 */
export class ChangeWriter {
  readonly #store: ObjectStore;
  readonly #lease: ClusterLease;
  readonly #delayMs: number;
  readonly #signal: AbortSignal;
  readonly #onLeaseLost: () => void;
  readonly #onWritten: (kinds: Iterable<KindId>) => void;
  readonly #onFailure: (error: Error) => void;
  readonly #backoff: Backoff;
  readonly #listed = new Set<string>();
  #storedKinds?: ReadonlySet<KindId>;
  #waiting = new Map<string, Change>();
  #flushing?: Promise<void>;
  #timer?: NodeJS.Timeout;

  static create(options: {
    store: ObjectStore;
    lease: ClusterLease;
    delayMs: number;
    backoff: { baseMs: number; capMs: number };
    signal: AbortSignal;
    onLeaseLost: () => void;
    /** Told of the kinds whose objects may have become more or fewer. */
    onWritten: (kinds: Iterable<KindId>) => void;
    onFailure: (error: Error) => void;
  }): ChangeWriter {
    return new ChangeWriter(options);
  }

  private constructor(options: Parameters<typeof ChangeWriter.create>[0]) {
    this.#store = options.store;
    this.#lease = options.lease;
    this.#delayMs = options.delayMs;
    this.#signal = options.signal;
    this.#onLeaseLost = options.onLeaseLost;
    this.#onWritten = options.onWritten;
    this.#onFailure = options.onFailure;
    this.#backoff = Backoff.create(options.backoff);
  }

  /** Adds changes to be written soon. Waits where too many wait already. */
  async add(changes: readonly Change[]): Promise<void> {
    for (const change of changes) this.#waiting.set(keyOf(change), change);
    if (this.#waiting.size >= MAX_WAITING) await this.flush();
    else this.#timer ??= setTimeout(() => this.#flushLater(), this.#delayMs);
  }

  /** Writes all that waits now, and returns when it is written; what is added meanwhile may wait on. */
  async flush(): Promise<void> {
    this.#signal.throwIfAborted();
    // The write under way may have begun before the last change came; the one after
    // it, whoever begins it, has that change.
    if (this.#flushing) await this.#flushing;
    this.#signal.throwIfAborted();
    if (this.#waiting.size > 0) {
      this.#flushing ??= this.#writeWaiting().finally(() => {
        this.#flushing = undefined;
      });
    }
    await this.#flushing;
  }

  /**
   * To be called before a list. Answers whether nothing of its scope can be stored
   * yet, so that there is nothing to be removed at its end: true at most once, since
   * a list that is broken off may have stored a part.
   */
  beginList(scope: { kind: KindId; namespace?: string }): boolean {
    const key = `${scope.kind}|${scope.namespace ?? '*'}`;
    const isFirst = !this.#listed.has(key);
    this.#listed.add(key);
    return isFirst && this.#storedKinds?.has(scope.kind) === false;
  }

  /** Says of which kinds there are objects from an earlier run. */
  recall(storedKinds: Iterable<KindId>): void {
    this.#storedKinds = new Set(storedKinds);
  }

  /** Ends a list of a kind: what is stored and was not seen is removed. */
  async removeUnseen(
    scope: { kind: string; namespace?: string },
    seen: ReadonlySet<string>,
  ): Promise<void> {
    await this.flush();
    await this.#persist(async () => {
      const removed = await this.#store.removeUnseen(this.#lease, scope, seen);
      if (removed > 0) this.#onWritten([scope.kind]);
    });
  }

  /** Returns when no write is under way any more; what waits is left. */
  async idle(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    await this.#flushing?.catch(() => undefined);
  }

  #flushLater(): void {
    this.#timer = undefined;
    // Errors reach whoever flushes; here nobody waits, and what was not written is kept.
    this.flush().catch(() => undefined);
  }

  async #writeWaiting(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const batch = this.#waiting;
    this.#waiting = new Map();
    const upserts: ObjectRecord[] = [];
    const deletes: ObjectKey[] = [];
    for (const change of batch.values()) {
      if ('deleted' in change) deletes.push(change);
      else upserts.push(change);
    }
    await this.#persist(async () => {
      const { written, deleted } = await this.#store.write(this.#lease, {
        upserts,
        deletes,
      });
      if (written + deleted > 0) {
        this.#onWritten(new Set([...batch.values()].map(one => one.kind)));
      }
    });
  }

  /** Tries until it succeeds, the lease is lost, or the collector stops. */
  async #persist(write: () => Promise<void>): Promise<void> {
    for (;;) {
      this.#signal.throwIfAborted();
      try {
        await write();
        this.#backoff.reset();
        return;
      } catch (error) {
        if (error instanceof LeaseLostError) {
          this.#onLeaseLost();
          throw error;
        }
        this.#onFailure(error as Error);
        await sleep(this.#backoff.next(), this.#signal);
      }
    }
  }
}

function keyOf(key: ObjectKey): string {
  return `${key.kind}|${key.namespace}/${key.name}`;
}
