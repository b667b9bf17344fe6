import {
  analyseFleet,
  createInventory,
} from '@mesh-for-backstage/mesh-analysis';
import { objectsOf } from './bareLoop';
import { BenchContext } from './BenchContext';
import { Figure } from './figures';
import { Simulator } from './Simulator';

/** A pass over a whole fleet by the analysis alone: no store, no network. */
export async function measureAnalysis(
  context: BenchContext,
): Promise<Figure[]> {
  const size = context.sizes.analysis;
  context.say(
    `analysis: ${size.clusters} clusters of ${size.services} services`,
  );
  const simulator = await Simulator.start({ size });
  try {
    const clusters = await Promise.all(
      simulator.clusters.map(async cluster => ({
        name: cluster.name,
        objects: await objectsOf(cluster),
      })),
    );
    const passes: number[] = [];
    let instances = 0;
    for (let i = 0; i < 3; i++) {
      const inventory = createInventory({
        clusters,
        now: '2026-11-30T12:00:00Z',
      });
      const started = performance.now();
      const view = analyseFleet(inventory);
      passes.push(performance.now() - started);
      instances = view.services.reduce(
        (sum, service) => sum + service.instances.length,
        0,
      );
    }
    const ms = Math.min(...passes);
    context.detail('analysis', { ...size, passes, instances });
    return [
      {
        what: `analysis, per service of a cluster, of ${instances}`,
        value: ms / instances,
        unit: 'ms',
        bar: { at: 'most', value: 1 },
      },
    ];
  } finally {
    await simulator.stop();
  }
}
