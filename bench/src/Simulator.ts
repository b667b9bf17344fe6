import { FleetSize, KubeObject } from '@mesh-for-backstage/fleet-simulator';
import { Child } from './Child';
import type { SimulatedFleet, WatchedChange } from './simulatorProcess';

/** Simulated clusters in a process of their own. */
export class Simulator {
  readonly #child: Child;
  readonly clusters: SimulatedFleet['clusters'];

  static async start(options: {
    size?: FleetSize;
    dir?: string;
    latencyMs?: number;
  }): Promise<Simulator> {
    const child = Child.start(require.resolve('./simulatorProcess'), {
      maxOldSpaceMb: 8192,
    });
    const { clusters } = await child.call<SimulatedFleet>('start', options);
    return new Simulator(child, clusters);
  }

  private constructor(child: Child, clusters: SimulatedFleet['clusters']) {
    this.#child = child;
    this.clusters = clusters;
  }

  get objects(): number {
    return this.clusters.reduce((sum, cluster) => sum + cluster.objects, 0);
  }

  services(cluster: string): Promise<KubeObject[]> {
    return this.#child.call('services', { cluster });
  }

  startChurn(options: { perSecond: number; watchEvery: number }) {
    return this.#child.call<void>('startChurn', options);
  }

  takeWatched(): Promise<WatchedChange[]> {
    return this.#child.call('takeWatched');
  }

  stopChurn() {
    return this.#child.call<void>('stopChurn');
  }

  stop() {
    return this.#child.stop();
  }
}
