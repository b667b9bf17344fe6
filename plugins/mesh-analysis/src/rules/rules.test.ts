import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';

import { createFinding } from './createFinding';
import { RuleId, rules } from './rules';

const page = readFileSync(
  resolve(__dirname, '../../../../docs/findings.md'),
  'utf8',
);
const sections = new Map(
  page
    .split(/^### /m)
    .slice(1)
    .map(text => {
      const [heading, ...rest] = text.split('\n');
      return [heading.trim(), rest.join('\n').split(/^## /m)[0]];
    }),
);
const all = Object.values(rules);

describe('the register of rules', () => {
  it('and docs/findings.md list the same rules, in the same order', () => {
    expect([...sections.keys()]).toEqual(all.map(rule => rule.id));
  });

  it.each(all)('$id is described as it is registered', rule => {
    const text = sections.get(rule.id)!;
    expect(text).toContain(`${rule.title}. Severity: ${rule.severity}.`);
    for (const part of ['What it means.', 'Why it matters.', 'What to do.']) {
      expect(text).toContain(`**${part}**`);
    }
    for (const code of rule.equivalents ?? []) {
      expect(text).toContain(code);
    }
  });

  it.each(all)('$id is named and worded like the others', rule => {
    expect(rule.id).toMatch(/^[A-Z][A-Za-z]+$/);
    expect(rule.title).toMatch(/^[A-Z].*[^.]$/);
    expect(rule.equivalents ?? []).not.toContain(
      expect.not.stringMatching(/^(IST|KIA)\d{4}$/),
    );
  });

  it('makes findings, and none of a rule that is not registered', () => {
    const details = {
      kind: 'Service',
      clusters: ['east'],
      name: 'web',
      message: 'Something.',
      evidence: [],
    };
    expect(createFinding('PortNameMismatch', details)).toEqual({
      rule: 'PortNameMismatch',
      severity: 'error',
      actor: 'service-owner',
      equivalents: ['IST0170'],
      docs: 'docs/findings.md#portnamemismatch',
      ...details,
    });
    expect(
      createFinding('HeadlessMixed', { ...details, severity: 'warning' })
        .severity,
    ).toBe('warning');
    expect(() => createFinding('Invented' as RuleId, details)).toThrow();
  });
});
