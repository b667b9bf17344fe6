import { filterPredicateToFilterFunction } from '@backstage/filter-predicates';
import { isMeshAvailable, meshEntityFilter } from './isMeshAvailable';

const entity = (annotations?: Record<string, string>, kind = 'Component') => ({
  apiVersion: 'backstage.io/v1alpha1',
  kind,
  metadata: { name: 'cart', annotations },
});

describe('which entities have a Mesh tab', () => {
  const matches = filterPredicateToFilterFunction(meshEntityFilter);
  it.each([
    [true, entity({ 'backstage.io/kubernetes-id': 'cart' })],
    [true, entity({ 'backstage.io/kubernetes-label-selector': 'app=cart' })],
    [true, entity({ 'mesh.backstage.io/services': 'shop/cart' })],
    [false, entity({ 'backstage.io/kubernetes-namespace': 'shop' })],
    [false, entity()],
  ])('is %s for %j', (expected, subject) => {
    expect(isMeshAvailable(subject)).toBe(expected);
    expect(matches(subject)).toBe(expected);
  });

  it('is for components in the new system', () => {
    expect(matches(entity({ 'backstage.io/kubernetes-id': 'x' }, 'API'))).toBe(
      false,
    );
  });
});
