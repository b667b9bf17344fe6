import { ClusterNames, ClusterSet, nobody } from './ClusterNames';
import { ServiceLink, ServiceLinks } from './types';

/** How a link stands, whomever it joins. */
export type LinkKind = Omit<ServiceLink, 'from' | 'to'>;

/** For each cluster the others that it reaches in one and the same way. */
interface Reached {
  kind: LinkKind;
  from: Map<string, ClusterSet>;
}

/**
 * The links of one service. In a mesh of N clusters there are up to N·(N−1) of them,
 * nearly all alike; they are kept as one set of clusters for each cluster, and told in
 * groups.
 */
export class LinkGroups {
  readonly #names: ClusterNames;
  readonly #reached = new Map<string, Reached>();

  static create(names: ClusterNames): LinkGroups {
    return new LinkGroups(names);
  }

  private constructor(names: ClusterNames) {
    this.#names = names;
  }

  add(kind: LinkKind, from: string, to: ClusterSet): void {
    const others = to & ~this.#names.bit(from);
    if (others === nobody) {
      return;
    }
    const key = JSON.stringify([kind.mechanism, kind.state, kind.reason]);
    const reached = this.#reached.get(key) ?? { kind, from: new Map() };
    this.#reached.set(key, reached);
    reached.from.set(from, (reached.from.get(from) ?? nobody) | others);
  }

  /** The links that leave one of some clusters and reach one of some others. */
  only(from: ClusterSet, to: (kind: LinkKind) => ClusterSet): LinkGroups {
    const kept = LinkGroups.create(this.#names);
    for (const { kind, from: reached } of this.#reached.values()) {
      const targets = to(kind);
      for (const [name, others] of reached) {
        if ((this.#names.bit(name) & from) !== nobody) {
          kept.add(kind, name, others & targets);
        }
      }
    }
    return kept;
  }

  toList(): ServiceLinks[] {
    return [...this.#reached.values()]
      .flatMap(({ kind, from }) =>
        this.#grouped(from).map(group => ({
          from: this.#names.namesIn(group.from),
          to: this.#names.namesIn(group.to),
          ...kind,
        })),
      )
      .sort(inOrder);
  }

  /**
   * Clusters with the same set of others, put together. Clusters that reach each other
   * have the same set once each is counted to its own; of the two sets of a cluster,
   * with itself and without, the one is taken that more clusters have.
   */
  #grouped(
    reached: ReadonlyMap<string, ClusterSet>,
  ): Array<{ from: ClusterSet; to: ClusterSet }> {
    const shared = new Map<string, number>();
    const sets = [...reached].map(([from, others]) => {
      const bit = this.#names.bit(from);
      const both = [others, others | bit].map(to => ({ to, key: keyOf(to) }));
      for (const { key } of both) {
        shared.set(key, (shared.get(key) ?? 0) + 1);
      }
      return { bit, both };
    });
    const groups = new Map<string, { from: ClusterSet; to: ClusterSet }>();
    for (const { bit, both } of sets) {
      const [without, withIt] = both;
      const { to, key } =
        shared.get(withIt.key)! > shared.get(without.key)! ? withIt : without;
      const group = groups.get(key) ?? { from: nobody, to };
      group.from |= bit;
      groups.set(key, group);
    }
    // Where one cluster stayed alone with its set, it need not be in it.
    return [...groups.values()].map(({ from, to }) => ({
      from,
      to: isOne(from) ? to & ~from : to,
    }));
  }
}

/** As the key of a Map: the hash of a bigint itself comes from its last 64 bits alone. */
function keyOf(set: ClusterSet): string {
  return set.toString(32);
}

function isOne(set: ClusterSet): boolean {
  return (set & (set - 1n)) === nobody;
}

function inOrder(a: ServiceLinks, b: ServiceLinks): number {
  const key = ({ mechanism, from, to, state, reason }: ServiceLinks) =>
    [mechanism, from.join(), to.join(), state, reason].join(' ');
  return key(a) < key(b) ? -1 : 1;
}

/**
 * Single links from groups of them, by names.
 *
 * @public
 */
export function expandLinks(groups: readonly ServiceLinks[]): ServiceLink[] {
  return groups
    .flatMap(({ from: sources, to: targets, ...kind }) =>
      sources.flatMap(from =>
        targets.filter(to => to !== from).map(to => ({ from, to, ...kind })),
      ),
    )
    .sort((a, b) => compare(a.from, b.from) || compare(a.to, b.to));
}

function compare(a: string, b: string): number {
  if (a === b) {
    return 0;
  }
  return a < b ? -1 : 1;
}
