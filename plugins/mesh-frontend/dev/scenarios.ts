import type { ServiceRow } from '@mesh-for-backstage/plugin-mesh-common';
import type { MeshApi } from '../src/api';
import {
  cart,
  clusters,
  findings,
  rows,
  search,
} from '../src/__testUtils__/fleet';
import {
  emptyFleet,
  fullFleet,
  mockMeshApi,
  responseError,
} from '../src/__testUtils__/mockMeshApi';

/** Many clusters and services, as the largest portals have them. */
const much = () => {
  const manyClusters = Array.from({ length: 40 }, (_, index) => ({
    ...clusters[index % clusters.length],
    name: `${clusters[index % clusters.length].name}-${index + 1}`,
  }));
  const manyRows = Array.from(
    { length: 1_234 },
    (_, index): ServiceRow => ({
      ...rows[index % rows.length],
      name: `${rows[index % rows.length].name}-${index + 1}`,
    }),
  );
  const manyFindings = Array.from({ length: 430 }, (_, index) => ({
    ...findings[index % findings.length],
    id: `f${index}`,
    name: `${findings[index % findings.length].name}-${index}`,
  }));
  return { clusters: manyClusters, rows: manyRows, findings: manyFindings };
};

const healthy = {
  clusters: clusters.slice(0, 2).map(cluster => ({
    ...cluster,
    findings: { error: 0, warning: 0, info: 0 },
  })),
  rows: [rows[1]],
  findings: [],
};

const failing = (status: number, name: string, message: string) =>
  new Proxy({} as MeshApi, {
    get: (_, method) =>
      // An API that were a promise would be waited for.
      method === 'then'
        ? undefined
        : async () => {
            throw await responseError(status, name, message);
          },
  });

const scenarios: Record<string, () => MeshApi> = {
  full: () => mockMeshApi(),
  much: () => mockMeshApi(much()),
  little: () =>
    mockMeshApi(healthy, {
      getService: async () => search,
      getEntityServices: async () => ({ items: [search], messages: [] }),
    }),
  several: () =>
    mockMeshApi(fullFleet, {
      getEntityServices: async () => ({
        items: [cart, search],
        messages: [
          {
            level: 'warning',
            annotation: 'mesh.backstage.io/services',
            text: 'No Service checkout/cart-v2 is known in any cluster. Check the spelling, or take it out.',
          },
        ],
      }),
    }),
  none: () =>
    mockMeshApi(emptyFleet, {
      getEntityServices: async () => ({ items: [], messages: [] }),
    }),
  connecting: () =>
    mockMeshApi({
      ...emptyFleet,
      clusters: clusters.slice(0, 3).map(cluster => ({
        ...cluster,
        state: 'connecting' as const,
        since: undefined,
        asOf: undefined,
        lastContact: undefined,
        versions: undefined,
        mesh: undefined,
        findings: undefined,
        counts: {
          services: { unknown: 'unreachable' as const, detail: 'not read yet' },
          workloads: {
            unknown: 'unreachable' as const,
            detail: 'not read yet',
          },
          nodes: { unknown: 'unreachable' as const, detail: 'not read yet' },
          namespaces: {
            unknown: 'unreachable' as const,
            detail: 'not read yet',
          },
        },
        coverage: {
          synced: 0,
          forbidden: 0,
          absentApi: 0,
          unreachable: 0,
          stale: 0,
        },
        partial: true,
      })),
    }),
  forbidden: () =>
    failing(403, 'NotAllowedError', 'mesh.service.read is not granted.'),
  error: () =>
    failing(
      500,
      'Error',
      'The database does not answer: connect ECONNREFUSED.',
    ),
  loading: () =>
    new Proxy({} as MeshApi, {
      get: (_, method) =>
        method === 'then' ? undefined : () => new Promise(() => {}),
    }),
};

export const devMeshApi = (): MeshApi =>
  (scenarios[localStorage.getItem('scenario') ?? 'full'] ?? scenarios.full)();
