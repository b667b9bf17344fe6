import fc from 'fast-check';

import {
  LabelRequirement,
  meets,
  parseLabelSelector,
  requirementsOf,
  selects,
  serviceSelects,
} from './selectors';

describe('selects', () => {
  const labels = { app: 'web', tier: 'front', empty: '' };
  it.each([
    ['an empty selector takes everything', {}, true],
    ['matchLabels', { matchLabels: { app: 'web' } }, true],
    ['matchLabels with another value', { matchLabels: { app: 'api' } }, false],
    ['matchLabels with an absent key', { matchLabels: { zone: 'a' } }, false],
    ['matchLabels with an empty value', { matchLabels: { empty: '' } }, true],
    [
      'a label that every object inherits',
      { matchLabels: { toString: 'x' } },
      false,
    ],
    ['In', one('tier', 'In', 'back', 'front'), true],
    ['In with an absent key', one('zone', 'In', 'a'), false],
    ['NotIn', one('tier', 'NotIn', 'front'), false],
    ['NotIn with an absent key', one('zone', 'NotIn', 'a'), true],
    ['Exists', one('tier', 'Exists'), true],
    ['Exists with an absent key', one('zone', 'Exists'), false],
    ['DoesNotExist', one('tier', 'DoesNotExist'), false],
    ['DoesNotExist with an absent key', one('zone', 'DoesNotExist'), true],
    [
      'matchLabels and matchExpressions have to hold both',
      { matchLabels: { app: 'web' }, ...one('tier', 'NotIn', 'front') },
      false,
    ],
    ['an unknown operator takes nothing', one('tier', 'Gt', '1'), false],
    ['In without values takes nothing', one('tier', 'In'), false],
    ['Exists with values takes nothing', one('tier', 'Exists', 'x'), false],
    ['a list is no selector', [], false],
    ['a text is no selector', 'app=web', false],
    [
      'null in both fields',
      { matchLabels: null, matchExpressions: null },
      true,
    ],
  ])('%s', (_, selector, expected) => {
    expect(selects(selector, labels, 'nothing')).toBe(expected);
  });

  it.each(['nothing', 'everything'] as const)(
    'reads an absent selector as the API says: %s',
    absent => {
      expect(selects(undefined, labels, absent)).toBe(absent === 'everything');
      expect(selects(null, labels, absent)).toBe(absent === 'everything');
    },
  );

  function one(key: string, operator: string, ...values: string[]) {
    return { matchExpressions: [{ key, operator, values }] };
  }
});

describe('serviceSelects', () => {
  it.each([
    [{ app: 'web' }, true],
    [{ app: 'web', tier: 'back' }, false],
    [{}, false],
    [undefined, false],
    [null, false],
    [{ app: 1 }, false],
  ])('%j', (selector, expected) => {
    expect(serviceSelects(selector, { app: 'web', tier: 'front' })).toBe(
      expected,
    );
  });
});

describe('parseLabelSelector', () => {
  it('reads every form of kubectl', () => {
    expect(
      parseLabelSelector(
        'app=web, tier==front,zone!=a,v in (1, 2),w notin (x),backstage.io/kubernetes-id,!legacy',
      ),
    ).toEqual({
      requirements: [
        { key: 'app', operator: 'In', values: ['web'] },
        { key: 'tier', operator: 'In', values: ['front'] },
        { key: 'zone', operator: 'NotIn', values: ['a'] },
        { key: 'v', operator: 'In', values: ['1', '2'] },
        { key: 'w', operator: 'NotIn', values: ['x'] },
        { key: 'backstage.io/kubernetes-id', operator: 'Exists', values: [] },
        { key: 'legacy', operator: 'DoesNotExist', values: [] },
      ],
    });
  });

  it.each(['', '  ', 'app=web,', 'app==', 'app in web', '=x', 'a b'])(
    'says what is wrong with "%s"',
    text => {
      const parsed = parseLabelSelector(text);
      // `app==` asks for an empty value, which is allowed.
      expect('problem' in parsed).toBe(text !== 'app==');
    },
  );
});

describe('properties', () => {
  const key = fc.constantFrom('a', 'b', 'c');
  const value = fc.constantFrom('', '1', '2', '3');
  const labels = fc.dictionary(key, value);
  const requirement: fc.Arbitrary<LabelRequirement> = fc.oneof(
    fc.record({
      key,
      operator: fc.constantFrom('In' as const, 'NotIn' as const),
      values: fc.array(value, { minLength: 1, maxLength: 3 }),
    }),
    fc.record({
      key,
      operator: fc.constantFrom('Exists' as const, 'DoesNotExist' as const),
      values: fc.constant<string[]>([]),
    }),
  );
  const opposite = {
    In: 'NotIn',
    NotIn: 'In',
    Exists: 'DoesNotExist',
    DoesNotExist: 'Exists',
  } as const;

  it('a condition and its opposite divide all label sets between them', () => {
    fc.assert(
      fc.property(labels, requirement, (set, one) => {
        const other = { ...one, operator: opposite[one.operator] };
        expect(meets(set, one)).toBe(!meets(set, other));
      }),
    );
  });

  it('matchLabels is In with one value', () => {
    fc.assert(
      fc.property(labels, fc.dictionary(key, value), (set, matchLabels) => {
        const matchExpressions = Object.entries(matchLabels).map(
          ([name, wanted]) => ({ key: name, operator: 'In', values: [wanted] }),
        );
        expect(selects({ matchLabels }, set, 'nothing')).toBe(
          selects({ matchExpressions }, set, 'nothing'),
        );
      }),
    );
  });

  it('every further condition can only narrow', () => {
    fc.assert(
      fc.property(
        labels,
        fc.array(requirement),
        requirement,
        (set, all, more) => {
          const narrow = selects(
            { matchExpressions: [...all, more] },
            set,
            'nothing',
          );
          const wide = selects({ matchExpressions: all }, set, 'nothing');
          expect(narrow && !wide).toBe(false);
        },
      ),
    );
  });

  it('never throws, and what it cannot read takes nothing', () => {
    fc.assert(
      fc.property(fc.anything(), labels, (selector, set) => {
        const taken = selects(selector, set, 'nothing');
        const refused =
          selector === undefined ||
          selector === null ||
          'problem' in requirementsOf(selector);
        expect(taken && refused).toBe(false);
      }),
    );
  });

  it('reads back what it writes as text', () => {
    fc.assert(
      fc.property(fc.array(requirement, { minLength: 1 }), all => {
        const text = all
          .map(({ key: name, operator, values }) => {
            switch (operator) {
              case 'Exists':
                return name;
              case 'DoesNotExist':
                return `!${name}`;
              default:
                return `${name} ${
                  operator === 'In' ? 'in' : 'notin'
                } (${values.join(',')})`;
            }
          })
          .join(',');
        expect(parseLabelSelector(text)).toEqual({ requirements: all });
      }),
    );
  });
});
