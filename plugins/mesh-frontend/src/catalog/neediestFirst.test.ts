import {
  cart,
  findings,
  resolvedFinding,
  search,
} from '../__testUtils__/fleet';
import { countSeverities, neediestFirst } from './neediestFirst';

describe('neediestFirst', () => {
  it('puts what has an error before what is well, and many clusters before few', () => {
    const well = { ...cart, name: 'well', findings: [resolvedFinding] };
    expect(neediestFirst([search, well, cart]).map(({ name }) => name)).toEqual(
      ['cart', 'well', 'search'],
    );
  });
});

describe('countSeverities', () => {
  it('counts what holds now', () => {
    expect(countSeverities([...findings, resolvedFinding])).toEqual({
      error: 2,
      warning: 1,
      info: 1,
    });
  });
});
