import {
  Fleet,
  FleetSize,
  KubeObject,
  startFleet,
} from '@mesh-for-backstage/fleet-simulator';
import { answerCalls } from './Child';

export interface SimulatedFleet {
  clusters: Array<{
    name: string;
    url: string;
    caData: string;
    token: string;
    objects: number;
  }>;
}

/** A change that the benchmark looks out for. */
export interface WatchedChange {
  cluster: string;
  namespace: string;
  service: string;
  /** Ready endpoints after the change. */
  ready: number;
  /** When it was made, in milliseconds since 1970, with fractions. */
  at: number;
}

let fleet: Fleet | undefined;
let churn: NodeJS.Timeout | undefined;
let watched: WatchedChange[] = [];

const now = () => performance.timeOrigin + performance.now();

answerCalls({
  async start(options: {
    dir?: string;
    size?: FleetSize;
    latencyMs?: number;
  }): Promise<SimulatedFleet> {
    fleet = await startFleet(options);
    return {
      clusters: fleet.clusters.map(cluster => ({
        name: cluster.name,
        url: cluster.url,
        caData: cluster.caData,
        token: cluster.token('reader'),
        objects: cluster.size,
      })),
    };
  },

  /** Lists the Services of a cluster, for the benchmark to pick from. */
  services({ cluster }: { cluster: string }): KubeObject[] {
    return fleet!.cluster(cluster).list('v1', 'Service');
  },

  /**
   * Turns readiness of endpoints on and off, so many times a second in all clusters
   * together. Of every `watchEvery` changes one hits a service that nothing else
   * touches meanwhile, and is remembered.
   */
  startChurn({
    perSecond,
    watchEvery,
  }: {
    perSecond: number;
    watchEvery: number;
  }) {
    const slices = fleet!.clusters.flatMap(cluster =>
      cluster
        .list('discovery.k8s.io/v1', 'EndpointSlice')
        .filter(slice => (slice.endpoints as unknown[] | undefined)?.length)
        .map(slice => ({ cluster, slice })),
    );
    if (slices.length < 4) throw new Error('Too few EndpointSlices to change');
    // One in eight is set aside for the changes that are looked out for.
    const reserved = slices.filter((_, index) => index % 8 === 0);
    const others = slices.filter((_, index) => index % 8 !== 0);
    let made = 0;
    const started = now();
    const change = (
      { cluster, slice }: (typeof slices)[number],
      remember: boolean,
    ) => {
      const live = cluster.get({
        apiVersion: slice.apiVersion,
        kind: slice.kind,
        namespace: slice.metadata.namespace,
        name: slice.metadata.name,
      })!;
      const endpoints = structuredClone(live.endpoints) as any[];
      const ready = endpoints[0].conditions?.ready !== false;
      endpoints[0] = {
        ...endpoints[0],
        conditions: { ...endpoints[0].conditions, ready: !ready },
      };
      const at = now();
      cluster.apply({ ...live, endpoints });
      if (remember) {
        watched.push({
          cluster: cluster.name,
          namespace: slice.metadata.namespace!,
          service: slice.metadata.labels!['kubernetes.io/service-name'],
          ready: endpoints.filter(one => one.conditions?.ready !== false)
            .length,
          at,
        });
      }
    };
    churn = setInterval(() => {
      // A timer that fires late makes up for it, so that the rate holds.
      const due = Math.floor(((now() - started) / 1000) * perSecond);
      for (; made < due; made++) {
        if (made % watchEvery === 0) {
          change(reserved[(made / watchEvery) % reserved.length], true);
        } else {
          change(others[(made * 7919) % others.length], false);
        }
      }
    }, 5);
  },

  /** The changes to look out for since the last call. */
  takeWatched(): WatchedChange[] {
    const taken = watched;
    watched = [];
    return taken;
  },

  stopChurn() {
    clearInterval(churn);
  },
});
