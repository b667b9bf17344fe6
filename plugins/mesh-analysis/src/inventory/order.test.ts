import { FleetObject } from './FleetObject';
import { byAge, normaliseGroup, tied } from './order';

function object(
  name: string,
  creationTimestamp?: string,
  namespace = 'a',
): FleetObject {
  return {
    cluster: 'east',
    apiVersion: 'v1',
    kind: 'X',
    metadata: { name, namespace, creationTimestamp },
  };
}

const early = '2026-01-01T00:00:00Z';
const late = '2026-02-01T00:00:00Z';

describe('byAge', () => {
  it.each(['gateway-api', 'mcs', 'peer-authentication', 'sidecar'] as const)(
    '%s: the oldest first, then by namespace and name, those without a time last',
    policy => {
      const sorted = [
        object('z'),
        object('c', late),
        object('b', early, 'b'),
        object('b', early),
        object('a', late),
      ].sort(byAge(policy));
      expect(
        sorted.map(({ metadata }) => `${metadata.namespace}/${metadata.name}`),
      ).toEqual(['a/b', 'b/b', 'a/a', 'a/c', 'a/z']);
    },
  );

  it.each([
    ['gateway-api', false],
    ['mcs', false],
    ['peer-authentication', true],
    ['sidecar', true],
  ] as const)('%s: a tie of age is open: %s', (policy, open) => {
    expect(tied(policy, object('a', early), object('b', early))).toBe(open);
    expect(tied(policy, object('a', early), object('b', late))).toBe(false);
  });
});

describe('normaliseGroup', () => {
  it.each([
    ['', ''],
    ['core', ''],
    ['gateway.networking.k8s.io', 'gateway.networking.k8s.io'],
    [undefined, 'default-group'],
    [7, 'default-group'],
  ])('%j', (group, expected) => {
    expect(normaliseGroup(group, 'default-group')).toBe(expected);
  });
});
