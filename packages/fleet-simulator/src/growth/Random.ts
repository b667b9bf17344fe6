/** Random numbers that are the same for the same seed. */
export class Random {
  #state: number;

  static create(seed: string): Random {
    let hash = 2166136261;
    for (let i = 0; i < seed.length; i++) {
      // FNV-1a spreads the seed over 32 bits.
      // eslint-disable-next-line no-bitwise
      hash = Math.imul(hash ^ seed.charCodeAt(i), 16777619);
    }
    return new Random(hash);
  }

  private constructor(state: number) {
    this.#state = state;
  }

  /** From 0 to 1, without 1. The generator is mulberry32. */
  next(): number {
    /* eslint-disable no-bitwise */
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let t = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
    /* eslint-enable no-bitwise */
  }

  /** A whole number from 0, below the bound. */
  below(bound: number): number {
    return Math.floor(this.next() * bound);
  }

  chance(probability: number): boolean {
    return this.next() < probability;
  }

  pick<T>(items: readonly T[]): T {
    return items[this.below(items.length)];
  }

  /** Letters and digits as controllers append them to names. */
  suffix(length: number): string {
    const letters = 'bcdfghjklmnpqrstvwxz2456789';
    return Array.from({ length }, () => letters[this.below(27)]).join('');
  }
}
