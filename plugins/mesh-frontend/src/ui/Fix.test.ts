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
});
