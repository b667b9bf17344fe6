import { clusters } from '../__testUtils__/fleet';
import { fleetState, worstFirst } from './order';

describe('worstFirst', () => {
  it('puts what needs a person before what is well, then goes by name', () => {
    expect(worstFirst(clusters).map(({ name }) => name)).toEqual([
      'edge-fra',
      'staging',
      'prod-ap-south',
      'prod-eu-west',
      'prod-us-east',
    ]);
  });
});

describe('fleetState', () => {
  it('names the clusters that are missing or old, and since when', () => {
    expect(fleetState(clusters)).toEqual({
      partial: true,
      clusters: [
        expect.objectContaining({
          name: 'edge-fra',
          state: 'unreachable',
          since: expect.any(String),
        }),
        expect.objectContaining({ name: 'staging', state: 'degraded' }),
      ],
    });
  });

  it('is whole where all clusters are synced', () => {
    expect(fleetState(clusters.slice(0, 3))).toEqual({
      partial: false,
      clusters: [],
    });
  });
});
