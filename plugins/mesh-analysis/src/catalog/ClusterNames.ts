/**
 * Some clusters of a fleet, a bit for each: hundreds of them are cut, joined and
 * compared at once.
 */
export type ClusterSet = bigint;

export const nobody: ClusterSet = 0n;

/** Which bit is whose. A name gets its bit when it is first asked for. */
export class ClusterNames {
  readonly #bits = new Map<string, ClusterSet>();
  readonly #names: string[] = [];

  static create(): ClusterNames {
    return new ClusterNames();
  }

  bit(name: string): ClusterSet {
    let bit = this.#bits.get(name);
    if (bit === undefined) {
      bit = 1n << BigInt(this.#names.length);
      this.#bits.set(name, bit);
      this.#names.push(name);
    }
    return bit;
  }

  setOf(names: Iterable<string>): ClusterSet {
    let set = nobody;
    for (const name of names) {
      set |= this.bit(name);
    }
    return set;
  }

  /** The names in a set, sorted. */
  namesIn(set: ClusterSet): string[] {
    const digits = set.toString(2);
    const last = digits.length - 1;
    return this.#names
      .filter((_, index) => digits[last - index] === '1')
      .sort();
  }
}
