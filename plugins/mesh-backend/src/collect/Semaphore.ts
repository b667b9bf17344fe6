/** Lets a bounded number of tasks run at a time, in the order in which they came. */
export class Semaphore {
  readonly #waiting = new Set<() => void>();
  #free: number;

  static create(permits: number): Semaphore {
    return new Semaphore(permits);
  }

  private constructor(permits: number) {
    this.#free = permits;
  }

  /** Runs a task when it is its turn. Who waits leaves the queue when the signal is aborted, with its reason. */
  async run<T>(task: () => Promise<T>, signal: AbortSignal): Promise<T> {
    signal.throwIfAborted();
    if (this.#free > 0) this.#free--;
    else await this.#turn(signal);
    try {
      return await task();
    } finally {
      const [next] = this.#waiting;
      // A permit is handed on rather than freed, so that nobody overtakes the queue.
      if (next) next();
      else this.#free++;
    }
  }

  #turn(signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const waiter = {
        take: () => {
          this.#waiting.delete(waiter.take);
          signal.removeEventListener('abort', waiter.leave);
          resolve();
        },
        leave: () => {
          this.#waiting.delete(waiter.take);
          reject(signal.reason);
        },
      };
      this.#waiting.add(waiter.take);
      signal.addEventListener('abort', waiter.leave, { once: true });
    });
  }
}
