/** Lets a bounded number of tasks run at a time, in the order in which they came. */
export class Semaphore {
  readonly #waiting: Array<() => void> = [];
  #free: number;

  static create(permits: number): Semaphore {
    return new Semaphore(permits);
  }

  private constructor(permits: number) {
    this.#free = permits;
  }

  async run<T>(task: () => Promise<T>): Promise<T> {
    if (this.#free > 0) this.#free--;
    else await new Promise<void>(resolve => this.#waiting.push(resolve));
    try {
      return await task();
    } finally {
      const next = this.#waiting.shift();
      // A permit is handed on rather than freed, so that nobody overtakes the queue.
      if (next) next();
      else this.#free++;
    }
  }
}
