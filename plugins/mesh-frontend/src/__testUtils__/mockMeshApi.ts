import { ResponseError } from '@backstage/errors';
import type {
  ClusterSummary,
  FindingPage,
  FindingsQuery,
  ServiceRow,
  ServicesQuery,
  StoredFinding,
} from '@mesh-for-backstage/plugin-mesh-common';
import type { MeshApi } from '../api';
import { fleetState } from '../fleet/order';
import {
  cart,
  clusterDetail,
  clusters,
  findings,
  resolvedFinding,
  rows,
  search,
  sessions,
} from './fleet';

/** An error as the client throws it for an answer of the backend. */
export const responseError = (
  status: number,
  name: string,
  message: string,
): Promise<Error> =>
  ResponseError.fromResponse(
    new Response(
      JSON.stringify({
        error: { name, message },
        response: { statusCode: status },
      }),
      { status, headers: { 'content-type': 'application/json' } },
    ),
  );

const fail = async (status: number, name: string, message: string) => {
  throw await responseError(status, name, message);
};

/** What the backend of this mock holds. */
export interface MockFleet {
  clusters: ClusterSummary[];
  rows: ServiceRow[];
  findings: StoredFinding[];
}

export const fullFleet: MockFleet = {
  clusters,
  rows,
  findings: [...findings, resolvedFinding],
};
export const emptyFleet: MockFleet = { clusters: [], rows: [], findings: [] };

const count = (values: string[]) =>
  [...new Set(values)].sort().map(value => ({
    value,
    count: values.filter(one => one === value).length,
  }));

const takes = (wanted: string[] | undefined, ...values: string[]) =>
  !wanted?.length || wanted.some(one => values.includes(one));

const severities = { info: 0, warning: 1, error: 2 };

/** Answers as the backend would: filters, sorts and pages. For tests and the development page. */
export function mockMeshApi(
  fleet: MockFleet = fullFleet,
  overrides: Partial<MeshApi> = {},
): MeshApi {
  const state = fleetState(fleet.clusters);

  const page = <T>(all: T[], query: { cursor?: string; limit?: number }) => {
    const from = Number(query.cursor ?? 0);
    const to = from + (query.limit ?? 50);
    return {
      items: all.slice(from, to),
      totalItems: all.length,
      ...(to < all.length ? { nextCursor: String(to) } : {}),
      fleet: state,
    };
  };

  return {
    async listClusters() {
      return { items: fleet.clusters };
    },
    async getCluster(name) {
      return fleet.clusters.some(cluster => cluster.name === name)
        ? clusterDetail(name)
        : fail(404, 'NotFoundError', `There is no cluster "${name}".`);
    },
    async listServices(query: ServicesQuery = {}) {
      const dataplane = (row: ServiceRow) =>
        typeof row.dataplane === 'string' ? row.dataplane : 'unknown';
      const found = fleet.rows
        .filter(
          row =>
            `${row.namespace}/${row.name}`.includes(query.search ?? '') &&
            takes(query.cluster, ...row.clusters) &&
            takes(query.namespace, row.namespace) &&
            takes(query.owner, row.owner ?? 'none') &&
            takes(query.dataplane, dataplane(row)) &&
            takes(query.severity, row.worst ?? 'none'),
        )
        .sort((a, b) => a.name.localeCompare(b.name));
      return page(query.order === 'desc' ? found.reverse() : found, query);
    },
    async getServiceFacets() {
      const all = fleet.rows;
      return {
        clusters: count(all.flatMap(row => row.clusters)),
        namespaces: count(all.map(row => row.namespace)),
        owners: count(all.map(row => row.owner ?? 'none')),
        dataplanes: count(
          all.map(row =>
            typeof row.dataplane === 'string' ? row.dataplane : 'unknown',
          ),
        ),
        severities: count(all.map(row => row.worst ?? 'none')),
      };
    },
    async getService(scope, namespace, name) {
      const service = [cart, search, sessions].find(
        one => one.namespace === namespace && one.name === name,
      );
      return service
        ? { ...service, scope }
        : fail(
            404,
            'NotFoundError',
            `There is no service ${namespace}/${name} in scope "${scope}".`,
          );
    },
    async getEntityServices() {
      return { items: [cart], messages: [] };
    },
    async listFindings(query: FindingsQuery = {}): Promise<FindingPage> {
      const open = query.state ?? 'open';
      const candidates = fleet.findings.filter(
        one =>
          (open === 'all' ||
            (open === 'resolved') === Boolean(one.resolvedAt)) &&
          `${one.namespace}/${one.name}`.includes(query.search ?? '') &&
          takes(query.severity, one.severity) &&
          takes(query.cluster, ...one.clusters) &&
          takes(query.namespace, one.namespace ?? '') &&
          takes(query.owner, one.owner ?? 'none'),
      );
      const found = candidates
        .filter(one => takes(query.rule, one.rule))
        .sort((a, b) =>
          query.sort === 'firstSeen'
            ? a.firstSeen.localeCompare(b.firstSeen)
            : severities[a.severity] - severities[b.severity],
        );
      if (query.order === 'desc') found.reverse();
      return {
        ...page(found, query),
        rules: count(candidates.map(({ rule }) => rule)).map(
          ({ value, count: many }) => {
            const { title, severity } = candidates.find(
              ({ rule }) => rule === value,
            )!;
            return { rule: value, title, severity, count: many };
          },
        ),
      };
    },
    async servicesCsv() {
      return 'scope,namespace,name\n';
    },
    async findingsCsv() {
      return 'rule,severity\n';
    },
    ...overrides,
  };
}
