import { splitFix } from './Fix';

describe('splitFix', () => {
  it.each([
    ['prose', 'Give the Service the same ports in all clusters.', [false]],
    [
      'prose with a colon',
      'Give each cluster an id of its own: global.multiCluster.clusterName.',
      [false],
    ],
    ['a command', 'kubectl -n shop rollout restart deployment/cart', [true]],
    [
      'prose, then YAML',
      'Name it:\n\nspec:\n  ports:\n    - name: http',
      [false, true],
    ],
    [
      'several documents',
      'apiVersion: v1\nkind: Service\n---\napiVersion: v1\nkind: Pod',
      [true],
    ],
    [
      'a fenced command',
      'Run:\n```\nistioctl tag set stable\n```',
      [false, true],
    ],
  ])('tells %s', (_, fix, code) => {
    expect(splitFix(fix).map(part => part.code)).toEqual(code);
  });

  it('keeps the indentation of YAML', () => {
    expect(splitFix('spec:\n  ports:\n    - name: http')).toEqual([
      { code: true, text: 'spec:\n  ports:\n    - name: http' },
    ]);
  });

  it('takes a command out of the sentence around it', () => {
    expect(
      splitFix(
        'Use a revision that is installed (1-29, 1-30): kubectl label namespace returns istio.io/rev=1-30 --overwrite',
      ),
    ).toEqual([
      {
        code: false,
        text: 'Use a revision that is installed (1-29, 1-30):',
      },
      {
        code: true,
        text: 'kubectl label namespace returns istio.io/rev=1-30 --overwrite',
      },
    ]);
    expect(
      splitFix(
        'istioctl waypoint apply -n reviews --name reviews-waypoint, or correct the label.',
      ),
    ).toEqual([
      {
        code: true,
        text: 'istioctl waypoint apply -n reviews --name reviews-waypoint',
      },
      { code: false, text: 'Or correct the label.' },
    ]);
  });

  it('leaves words that only look like a command in their sentence', () => {
    const fix = 'Set clustermesh-cache-ttl in cilium for example to 5m.';
    expect(splitFix(fix)).toEqual([{ code: false, text: fix }]);
  });
});
