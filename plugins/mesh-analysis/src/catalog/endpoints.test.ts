import fc from 'fast-check';

import { slice } from '../testing/objects';
import { countEndpoints, slicesByService } from './endpoints';

const of = (...all: Array<ReturnType<typeof slice>>) =>
  countEndpoints(all.map(one => ({ ...one, cluster: 'east' })));

describe('countEndpoints', () => {
  it.each([
    [
      'ready',
      [{ addresses: ['10.0.0.1'], ready: true }],
      { ready: 1, total: 1 },
    ],
    [
      'not ready',
      [{ addresses: ['10.0.0.1'], ready: false }],
      { ready: 0, total: 1 },
    ],
    [
      'nothing said means ready',
      [{ addresses: ['10.0.0.1'] }],
      { ready: 1, total: 1 },
    ],
    [
      'null means ready',
      [{ addresses: ['10.0.0.1'], ready: null }],
      { ready: 1, total: 1 },
    ],
    ['none', [], { ready: 0, total: 0 }],
  ])('%s', (_, endpoints, expected) => {
    expect(of(slice('web', endpoints))).toEqual(expected);
  });

  it('counts an address in several slices once, a pod with two addresses too', () => {
    expect(
      of(
        slice('web', [
          { addresses: ['10.0.0.1'] },
          { addresses: ['10.0.0.2'], ready: false },
        ]),
        slice('web', [{ addresses: ['10.0.0.1'] }], { name: 'other-port' }),
      ),
    ).toEqual({ ready: 1, total: 2 });
    expect(
      of(
        slice('web', [{ addresses: ['10.0.0.1'], pod: 'web-1' }]),
        slice('web', [{ addresses: ['fd00::1'], pod: 'web-1' }], {
          name: 'v6',
        }),
      ),
    ).toEqual({ ready: 1, total: 1 });
  });

  it('never has more ready than there are, in whatever slices they stand', () => {
    const endpoint = fc.record({
      addresses: fc.array(fc.constantFrom('a', 'b', 'c'), { maxLength: 2 }),
      ready: fc.constantFrom(true, false, null, undefined),
    });
    fc.assert(
      fc.property(fc.array(fc.array(endpoint)), slices => {
        const all = slices.map((endpoints, index) =>
          slice('web', endpoints, { name: `s${index}` }),
        );
        const { ready, total } = of(...all);
        expect(ready).toBeLessThanOrEqual(total);
        expect(of(...[...all].reverse(), ...all)).toEqual({ ready, total });
      }),
    );
  });
});

describe('slicesByService', () => {
  it('leaves out slices that belong to no Service', () => {
    const lost = { ...slice('web', []), cluster: 'east' };
    lost.metadata = { ...lost.metadata, labels: {} };
    expect([
      ...slicesByService([
        { ...slice('web', []), cluster: 'east' },
        lost,
      ]).keys(),
    ]).toEqual(['web']);
  });
});
