import type { ServiceLinks } from '@mesh-for-backstage/plugin-mesh-common';
import { arrows, linkedAlike, oneByOne } from './linkedAlike';

const link = (
  from: string,
  to: string,
  state: ServiceLinks['state'] = 'active',
  mechanism: ServiceLinks['mechanism'] = 'istio',
): ServiceLinks => ({ from: [...from], to: [...to], state, mechanism });

/** Arrows as `a>b state`. */
function drawn(clusters: string, ...links: ServiceLinks[]): string[] {
  return arrows(oneByOne([...clusters]), links)
    .map(({ from, to, state }) => `${clusters[from]}>${clusters[to]} ${state}`)
    .sort();
}

describe('arrows', () => {
  it('draw each direction for itself', () => {
    expect(drawn('ab', link('a', 'b'), link('b', 'a', 'broken'))).toEqual([
      'a>b active',
      'b>a broken',
    ]);
  });

  it('draw a group from each of its clusters to each other', () => {
    expect(drawn('abc', link('abc', 'ab'))).toEqual([
      'a>b active',
      'b>a active',
      'c>a active',
      'c>b active',
    ]);
  });

  it('show the worst of several mechanisms', () => {
    expect(
      drawn(
        'ab',
        link('a', 'b'),
        link('a', 'b', 'broken', 'mcs'),
        link('a', 'b', 'suppressed', 'cilium-global'),
      ),
    ).toEqual(['a>b broken']);
  });
});

describe('clusters that are linked alike', () => {
  const told = (clusters: string, ...links: ServiceLinks[]) =>
    linkedAlike([...clusters], links).map(
      ({ clusters: names, among }) => `${names.join('')} ${among ?? 'apart'}`,
    );

  it('of a full mesh are one', () => {
    expect(told('abcdef', link('abcdef', 'abcdef'))).toEqual(['abcdef active']);
  });

  it('stand apart where a way is missing', () => {
    const links = [link('bcdef', 'abcdef'), link('a', 'cdef')];
    const boxes = linkedAlike([...'abcdef'], links);
    expect(boxes.map(({ clusters }) => clusters.join(''))).toEqual([
      'a',
      'b',
      'cdef',
    ]);
    expect(
      arrows(boxes, links).map(
        ({ from, to }) =>
          `${boxes[from].clusters.join('')}>${boxes[to].clusters.join('')}`,
      ),
    ).toEqual(['b>a', 'b>cdef', 'cdef>a', 'cdef>b', 'a>cdef']);
  });

  it('tell the worst of how they are linked among each other', () => {
    expect(
      told('abc', link('abc', 'abc'), link('ab', 'ab', 'broken', 'mcs')),
    ).toEqual(['ab broken', 'c apart']);
  });

  it('are not linked among each other where they only read another', () => {
    expect(told('abx', link('ab', 'x'))).toEqual(['ab apart', 'x apart']);
  });
});
