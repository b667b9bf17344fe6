import type { ServiceLinks } from '@mesh-for-backstage/plugin-mesh-common';

export type LinkState = ServiceLinks['state'];

/** Worst first. */
export const worstLinks: LinkState[] = [
  'broken',
  'unknown',
  'suppressed',
  'active',
];

/** Clusters that a picture can show as one, since whatever links one of them links all. */
export interface Alike {
  clusters: string[];
  /** How they are linked among each other; undefined where they are not, or where there is one only. */
  among?: LinkState;
}

/** All links from one box of a picture to another. */
export interface Arrow {
  from: number;
  to: number;
  state: LinkState;
}

function worseOf(one: LinkState | undefined, other: LinkState): LinkState {
  return one !== undefined &&
    worstLinks.indexOf(one) < worstLinks.indexOf(other)
    ? one
    : other;
}

/** Each cluster for itself. */
export function oneByOne(clusters: readonly string[]): Alike[] {
  return clusters.map(name => ({ clusters: [name] }));
}

/** Clusters on the same sides of the same links, put together. */
export function linkedAlike(
  clusters: readonly string[],
  links: readonly ServiceLinks[],
): Alike[] {
  const sides = links.map(({ from, to }) => [new Set(from), new Set(to)]);
  const alike = new Map<string, string[]>();
  for (const name of clusters) {
    const key = sides
      .map(([from, to]) => `${from.has(name)}${to.has(name)}`)
      .join();
    const others = alike.get(key);
    if (others) others.push(name);
    else alike.set(key, [name]);
  }
  return [...alike.values()].map(names => {
    const among =
      names.length === 1
        ? undefined
        : links.reduce<LinkState | undefined>(
            (worst, { state }, index) =>
              sides[index].every(side => side.has(names[0]))
                ? worseOf(worst, state)
                : worst,
            undefined,
          );
    return { clusters: names, ...(among && { among }) };
  });
}

/**
 * One arrow for each direction between boxes: several mechanisms between the same two
 * share it, the worst state wins.
 */
export function arrows(
  boxes: readonly Alike[],
  links: readonly ServiceLinks[],
): Arrow[] {
  const drawn = new Map<string, Arrow>();
  for (const { from, to, state } of links) {
    const [sources, targets] = [new Set(from), new Set(to)];
    boxes.forEach((source, fromBox) => {
      if (!sources.has(source.clusters[0])) return;
      boxes.forEach((target, toBox) => {
        if (fromBox === toBox || !targets.has(target.clusters[0])) return;
        const key = `${fromBox} ${toBox}`;
        drawn.set(key, {
          from: fromBox,
          to: toBox,
          state: worseOf(drawn.get(key)?.state, state),
        });
      });
    });
  }
  return [...drawn.values()];
}
