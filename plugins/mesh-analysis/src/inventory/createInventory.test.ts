import { service } from '../testing/objects';
import { createInventory } from './createInventory';

describe('createInventory', () => {
  const inventory = createInventory({
    now: '2026-11-30T00:00:00Z',
    clusters: [
      {
        name: 'east',
        objects: [
          service('web', { namespace: 'b' }),
          service('web', { namespace: 'a' }),
          service('api', { namespace: 'b' }),
          service('api', { namespace: 'b', labels: { second: 'true' } }),
          { kind: 'Service', apiVersion: 'v1', metadata: {} } as any,
          { kind: 'Service', apiVersion: 'v1' } as any,
          { kind: 7, apiVersion: 'v1', metadata: { name: 'x' } } as any,
          null as any,
          'text' as any,
        ],
        coverage: {
          Node: { state: 'forbidden', message: 'needs list on nodes' },
          Secret: 'forbidden',
        },
      },
      { name: 'west', objects: [], coverage: { '*': 'unreachable' } },
    ],
  });

  it('lists by namespace and name, each object once, and leaves out what has no name', () => {
    expect(
      inventory
        .list('Service', { cluster: 'east' })
        .map(({ metadata }) => `${metadata.namespace}/${metadata.name}`),
    ).toEqual(['a/web', 'b/api', 'b/web']);
    expect(
      inventory.list('Service', { cluster: 'east', namespace: 'a' }),
    ).toHaveLength(1);
    expect(
      inventory.list('Service', { cluster: 'east', namespace: 'c' }),
    ).toEqual([]);
    expect(inventory.list('Pod', { cluster: 'east' })).toEqual([]);
    expect(inventory.list('Service', { cluster: 'north' })).toEqual([]);
  });

  it('finds one object; of the same object twice the last one stands', () => {
    expect(
      inventory.get('Service', { cluster: 'east', namespace: 'b', name: 'api' })
        ?.metadata.labels,
    ).toEqual({ second: 'true' });
    expect(
      inventory.get('Service', {
        cluster: 'west',
        namespace: 'b',
        name: 'api',
      }),
    ).toBeUndefined();
  });

  it('counts what is not covered otherwise as read completely', () => {
    expect(inventory.coverage('Pod', 'east')).toEqual({ state: 'synced' });
    expect(inventory.coverage('Secret', 'east')).toEqual({
      state: 'forbidden',
    });
    expect(inventory.coverage('Node', 'east').message).toBe(
      'needs list on nodes',
    );
    expect(inventory.coverage('Pod', 'west').state).toBe('unreachable');
    expect(inventory.coverage('Pod', 'north').state).toBe('unreachable');
  });
});
