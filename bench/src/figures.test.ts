import { distributionOf, isMet, tableOf } from './figures';

describe('distributionOf', () => {
  it('takes the nearest rank', () => {
    const sample = Array.from({ length: 100 }, (_, i) => 100 - i);
    expect(distributionOf(sample)).toEqual({
      count: 100,
      p50: 50,
      p95: 95,
      p99: 99,
      max: 100,
    });
    expect(distributionOf([7])).toMatchObject({ p50: 7, p99: 7, max: 7 });
  });

  it('refuses an empty sample', () => {
    expect(() => distributionOf([])).toThrow('nothing to take percentiles of');
  });
});

describe('isMet', () => {
  it.each([
    ['most', 10, 10, true],
    ['most', 10, 10.1, false],
    ['least', 50, 50, true],
    ['least', 50, 49.9, false],
  ] as const)('holds at %s %s against %s', (at, bar, value, met) => {
    expect(isMet({ what: '', unit: '', value, bar: { at, value: bar } })).toBe(
      met,
    );
  });

  it('says nothing without a bar, and never calls a missing value met', () => {
    expect(isMet({ what: '', unit: '', value: 1 })).toBeUndefined();
    expect(
      isMet({ what: '', unit: '', value: NaN, bar: { at: 'most', value: 1 } }),
    ).toBe(false);
  });
});

it('prints what is met and what is not', () => {
  const table = tableOf([
    { what: 'a', value: 12.34, unit: 'ms', bar: { at: 'most', value: 10 } },
    { what: 'b', value: 3, unit: 's' },
  ]);
  expect(table).toContain('a     12.3 ms   at most 10 ms  NOT MET');
  expect(table).toContain('b     3 s');
});
