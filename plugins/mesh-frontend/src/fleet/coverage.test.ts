import { coverageText, missingRules } from './coverage';

const none = {
  synced: 0,
  forbidden: 0,
  absentApi: 0,
  unreachable: 0,
  stale: 0,
};

describe('coverageText', () => {
  it.each([
    [none, 'nothing read yet'],
    [{ ...none, absentApi: 9 }, 'nothing read yet'],
    [{ ...none, synced: 34, absentApi: 9 }, '34 of 34 kinds'],
    [
      { ...none, synced: 30, forbidden: 3, stale: 1 },
      '30 of 34 kinds – 3 forbidden, 1 stale',
    ],
    [{ ...none, unreachable: 34 }, '0 of 34 kinds – 34 unreachable'],
  ])('says %j', (coverage, text) => {
    expect(coverageText(coverage)).toBe(text);
  });
});

describe('missingRules', () => {
  it('is nothing where nothing is missing', () => {
    expect(missingRules([{}, {}])).toBeUndefined();
  });

  it('writes one rule for each API group, with all verbs of watching', () => {
    expect(
      missingRules([
        { missing: { verb: 'list', group: '', resource: 'nodes' } },
        { missing: { verb: 'watch', group: '', resource: 'pods' } },
        {
          missing: {
            verb: 'list',
            group: 'gateway.networking.k8s.io',
            resource: 'httproutes.gateway.networking.k8s.io',
          },
        },
      ]),
    ).toBe(`- apiGroups: [""]
  resources: ["nodes", "pods"]
  verbs: ["get", "list", "watch"]
- apiGroups: ["gateway.networking.k8s.io"]
  resources: ["httproutes"]
  verbs: ["get", "list", "watch"]`);
  });
});
