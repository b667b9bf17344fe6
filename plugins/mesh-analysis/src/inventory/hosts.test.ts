import { hostMatches, meaningOfHost } from './hosts';

describe('meaningOfHost', () => {
  const web = { kind: 'service', namespace: 'shop', name: 'web' };
  it.each([
    ['web', 'k8s.internal', web],
    ['web.shop.svc', 'k8s.internal', web],
    ['web.shop.svc.k8s.internal', 'k8s.internal', web],
    ['WEB.shop.svc.K8S.internal.', 'k8s.internal', web],
    // Another suffix than the cluster's own is somebody else's name.
    ['web.shop.svc.cluster.local', 'k8s.internal', { kind: 'external' }],
    // Where the suffix is not known nobody may call the service missing.
    [
      'web.shop.svc.k8s.internal',
      undefined,
      {
        kind: 'unverified',
        namespace: 'shop',
        name: 'web',
        domain: 'k8s.internal',
      },
    ],
    ['web.shop.svc.clusterset.local', undefined, { ...web, clusterset: true }],
    [
      'web.shop',
      'cluster.local',
      { kind: 'unverified', namespace: 'shop', name: 'web', domain: '' },
    ],
    ['www.example.com', 'cluster.local', { kind: 'external' }],
    ['*.example.com', 'cluster.local', { kind: 'external' }],
    ['', 'cluster.local', { kind: 'external' }],
  ])('%s with %s', (host, clusterDomain, expected) => {
    expect(meaningOfHost(host, { namespace: 'shop', clusterDomain })).toEqual(
      expected,
    );
  });
});

describe('hostMatches', () => {
  it.each([
    ['*', 'web.shop.svc.cluster.local', true],
    ['*.shop.svc.cluster.local', 'web.shop.svc.cluster.local', true],
    ['*.shop.svc.cluster.local', 'shop.svc.cluster.local', false],
    ['*.shop.svc.cluster.local', 'web.workshop.svc.cluster.local', false],
    ['web.shop.svc.cluster.local', 'web.shop.svc.cluster.local', true],
    ['web.shop.svc.cluster.local', 'api.shop.svc.cluster.local', false],
  ])('%s, %s', (pattern, host, expected) => {
    expect(hostMatches(pattern, host)).toBe(expected);
  });
});
