import type { Workload } from '@mesh-for-backstage/plugin-mesh-common';
import { cart } from '../__testUtils__/fleet';
import { revisionState } from './Workloads';

const workload = (
  requested: Workload['requested']['revision'],
  ...actual: Array<Workload['actual'][number]['revision']>
): Workload => ({
  ...cart.workloads[0],
  requested: { dataplane: 'sidecar', revision: requested },
  actual: actual.map(revision => ({ revision, version: '1.29.0', pods: 1 })),
});

describe('revisionState', () => {
  it.each([
    ['same', workload('1-29-0', '1-29-0')],
    ['differs', workload('1-29-0', '1-28-2')],
    ['mixed', workload('1-29-0', '1-28-2', '1-29-0')],
    // What is not known is not judged.
    [undefined, workload({ unknown: 'forbidden' }, '1-29-0')],
    [undefined, workload('1-29-0', { unknown: 'not-reported' })],
    [undefined, workload('1-29-0')],
    [undefined, workload(undefined, '1-29-0')],
  ])('is %s', (state, subject) => {
    expect(revisionState(subject)).toBe(state);
  });
});
