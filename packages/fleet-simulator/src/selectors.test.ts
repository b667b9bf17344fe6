import fc from 'fast-check';
import {
  isLabelValue,
  matchesFields,
  matchesLabels,
  parseFieldSelector,
  parseLabelSelector,
  Requirement,
} from './selectors';

const letters = 'abcdefgh'.split('');
const key = fc.constantFrom(...letters, 'app.kubernetes.io/name', 'x/y');
const value = fc.stringMatching(/^[A-Za-z0-9]{1,8}$/);
const labels = fc.dictionary(key, value, { maxKeys: 5 });

/** A requirement, and its text in one of the forms that people write. */
const requirement: fc.Arbitrary<{ text: string; meaning: Requirement }> =
  fc.oneof(
    fc.record({ k: key, v: value }).map(({ k, v }) => ({
      text: `${k}=${v}`,
      meaning: { key: k, operator: 'in' as const, values: [v] },
    })),
    fc.record({ k: key, v: value }).map(({ k, v }) => ({
      text: `${k} != ${v}`,
      meaning: { key: k, operator: 'notin' as const, values: [v] },
    })),
    key.map(k => ({
      text: k,
      meaning: { key: k, operator: 'exists' as const, values: [] },
    })),
    key.map(k => ({
      text: `!${k}`,
      meaning: { key: k, operator: '!' as const, values: [] },
    })),
    fc
      .record({
        k: key,
        operator: fc.constantFrom('in' as const, 'notin' as const),
        values: fc.array(value, { minLength: 1, maxLength: 4 }),
      })
      .map(({ k, operator, values }) => ({
        text: `${k} ${operator} (${values.join(', ')})`,
        meaning: { key: k, operator, values },
      })),
  );

describe('label selectors', () => {
  it('mean what they say', () => {
    fc.assert(
      fc.property(fc.array(requirement, { maxLength: 5 }), parts => {
        const text = parts.map(part => part.text).join(',');
        expect(parseLabelSelector(text)).toEqual(
          parts.map(part => part.meaning),
        );
      }),
    );
  });

  it('match where each requirement does', () => {
    fc.assert(
      fc.property(
        fc.array(requirement, { maxLength: 5 }),
        labels,
        (parts, given) => {
          const all = parts.map(part => part.meaning);
          expect(matchesLabels(all, given)).toBe(
            all.every(one => matchesLabels([one], given)),
          );
        },
      ),
    );
  });

  it('are never met together with their opposite', () => {
    const opposite = (one: Requirement): Requirement => {
      const operators = {
        in: 'notin',
        notin: 'in',
        exists: '!',
        '!': 'exists',
      } as const;
      return {
        ...one,
        operator: operators[one.operator as keyof typeof operators],
      };
    };
    fc.assert(
      fc.property(requirement, labels, ({ meaning }, given) => {
        expect(matchesLabels([meaning], given)).not.toBe(
          matchesLabels([opposite(meaning)], given),
        );
      }),
    );
  });

  it('match everything where they are empty', () => {
    expect(matchesLabels(parseLabelSelector(''), undefined)).toBe(true);
    expect(matchesLabels(parseLabelSelector(' '), { a: 'b' })).toBe(true);
  });

  it('do not take inherited properties for labels', () => {
    expect(matchesLabels(parseLabelSelector('constructor'), {})).toBe(false);
  });

  it.each(['a=b=c', '(', 'a in b', 'a,,b', 'a=b,,', '=b', 'a>x', 'a/b/c=d'])(
    'are refused: %s',
    text => {
      expect(() => parseLabelSelector(text)).toThrow();
    },
  );

  it('either parse or are refused as a bad request', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 30 }), text => {
        let code = 400;
        try {
          parseLabelSelector(text);
        } catch (error) {
          code = (error as { code: number }).code;
        }
        expect(code).toBe(400);
      }),
    );
  });
});

describe('field selectors', () => {
  const pod = {
    metadata: { name: 'web', namespace: 'shop' },
    spec: { nodeName: 'a,b' },
    status: { phase: 'Running' },
  };

  it.each<[string, boolean]>([
    ['metadata.name=web', true],
    ['metadata.name==web,status.phase=Running', true],
    ['metadata.name!=web', false],
    ['status.phase!=Pending', true],
    ['spec.nodeName=a\\,b', true],
    ['spec.hostNetwork=', true],
    ['', true],
  ])('%s', (text, expected) => {
    expect(matchesFields(parseFieldSelector(text), pod)).toBe(expected);
  });

  it('undo the escaping of values', () => {
    fc.assert(
      fc.property(fc.string({ minLength: 1 }), given => {
        const escaped = given.replace(/[\\,=]/g, char => `\\${char}`);
        expect(parseFieldSelector(`metadata.name=${escaped}`)).toEqual([
          { field: 'metadata.name', equal: true, value: given },
        ]);
      }),
    );
  });
});

it('knows label values', () => {
  expect(['', 'a', 'a.b_c-d', 'A1'].map(isLabelValue)).not.toContain(false);
  expect(['-a', 'a b', 'é', 'x'.repeat(64)].map(isLabelValue)).not.toContain(
    true,
  );
});
