/**
 * Growing delays between attempts: exponential, with a cap, and drawn at random
 * from the whole span, so that collectors that failed together do not return
 * together. Never shorter than a fifth of the first span: a failure must not
 * become a tight loop by luck.
 */
export class Backoff {
  readonly #baseMs: number;
  readonly #capMs: number;
  readonly #random: () => number;
  #failures = 0;

  static create(options: {
    baseMs: number;
    capMs: number;
    random?: () => number;
  }): Backoff {
    return new Backoff(options);
  }

  private constructor(options: {
    baseMs: number;
    capMs: number;
    random?: () => number;
  }) {
    this.#baseMs = options.baseMs;
    this.#capMs = options.capMs;
    this.#random = options.random ?? Math.random;
  }

  /** Failures since the last success. */
  get failures(): number {
    return this.#failures;
  }

  /** How long to wait now; what the server asks for is the least. */
  next(retryAfterMs: number = 0): number {
    const span = Math.min(this.#capMs, this.#baseMs * 2 ** this.#failures);
    this.#failures = Math.min(this.#failures + 1, 30);
    const floor = this.#baseMs / 5;
    return Math.max(floor + this.#random() * (span - floor), retryAfterMs);
  }

  reset(): void {
    this.#failures = 0;
  }
}
