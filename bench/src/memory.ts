import { setTimeout as sleep } from 'node:timers/promises';
import { BenchContext } from './BenchContext';
import { Figure } from './figures';
import { Portal } from './Portal';
import { Simulator } from './Simulator';

/** Resident memory of the portal with the whole fleet on SQLite; the clusters run elsewhere. */
export async function measureMemory(context: BenchContext): Promise<Figure[]> {
  const { clusters, services } = context.sizes.memory;
  context.say(`memory: ${clusters} clusters of ${services} services`);
  const simulator = await Simulator.start({ size: { clusters, services } });
  const portal = await Portal.start({
    simulator,
    directory: context.directory('memory'),
    profileTo: context.profileTo,
  });
  const empty = portal.residentMb ?? NaN;
  let highest = empty;
  const watching = setInterval(() => {
    highest = Math.max(highest, portal.residentMb ?? 0);
  }, 200);
  try {
    const settled = await context.settle(portal, simulator);
    await sleep(15_000);
    const atRest = portal.residentMb ?? NaN;
    context.detail('memory', {
      objects: simulator.objects,
      emptyMb: empty,
      highestMb: highest,
      atRestMb: atRest,
      ...settled,
    });
    const fleet = `${clusters} clusters × ${services} services`;
    return [
      {
        what: `resident memory, highest, ${fleet}`,
        value: highest,
        unit: 'MB',
        bar: { at: 'most', value: 700 },
      },
      { what: 'the same, at rest', value: atRest, unit: 'MB' },
      { what: 'a portal without any object', value: empty, unit: 'MB' },
      {
        what: `first sync of ${simulator.objects} objects, all analysed`,
        value: settled.analysedMs / 1000,
        unit: 's',
      },
    ];
  } finally {
    clearInterval(watching);
    await portal.stop();
    await simulator.stop();
  }
}
