/** How much is measured: as the bars say, or a small run that shows that all of it works. */
export interface Sizes {
  beside: {
    clusters: number;
    latencyMs: number;
    services: number;
    requests: number;
    kubernetesRequests: number;
  };
  view: { few: number; many: number; services: number; requests: number };
  sync: { clusters: number; objects: number };
  changes: { perSecond: number; watchEvery: number; seconds: number };
  memory: { clusters: number; services: number };
  analysis: { clusters: number; services: number };
  settleTimeoutMs: number;
}

export const fullSizes: Sizes = {
  beside: {
    clusters: 20,
    latencyMs: 20,
    services: 50,
    requests: 500,
    kubernetesRequests: 30,
  },
  view: { few: 2, many: 200, services: 20, requests: 500 },
  sync: { clusters: 20, objects: 100_000 },
  changes: { perSecond: 100, watchEvery: 20, seconds: 60 },
  memory: { clusters: 100, services: 1_000 },
  analysis: { clusters: 20, services: 200 },
  settleTimeoutMs: 30 * 60_000,
};

export const quickSizes: Sizes = {
  beside: {
    clusters: 20,
    latencyMs: 20,
    services: 20,
    requests: 100,
    kubernetesRequests: 10,
  },
  view: { few: 2, many: 40, services: 20, requests: 100 },
  sync: { clusters: 5, objects: 10_000 },
  changes: { perSecond: 100, watchEvery: 20, seconds: 20 },
  memory: { clusters: 10, services: 200 },
  analysis: { clusters: 5, services: 200 },
  settleTimeoutMs: 5 * 60_000,
};
