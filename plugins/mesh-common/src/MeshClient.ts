import { NotFoundError, ResponseError } from '@backstage/errors';
import type { paths } from './openapi.generated';
import type {
  ClusterDetail,
  ClusterList,
  EntityServices,
  FindingPage,
  ServiceDetail,
  ServiceFacets,
  ServicePage,
} from './api';

/** @public */
export type ServicesQuery = NonNullable<
  paths['/v1/services']['get']['parameters']['query']
>;
/** @public */
export type FindingsQuery = NonNullable<
  paths['/v1/findings']['get']['parameters']['query']
>;

/** @public */
export interface MeshClientOptions {
  /** Base URL of the plugin, without a trailing slash: `https://portal/api/mesh`, or `plugin://mesh`. */
  baseUrl: string | (() => Promise<string>);
  fetch: typeof fetch;
}

/** Asks the mesh backend. Throws `ResponseError` for every answer that is not 2xx. @public */
export class MeshClient {
  readonly #options: MeshClientOptions;

  constructor(options: MeshClientOptions) {
    this.#options = options;
  }

  listClusters(): Promise<ClusterList> {
    return this.#get(['v1', 'clusters']);
  }

  getCluster(name: string): Promise<ClusterDetail> {
    return this.#get(['v1', 'clusters', name]);
  }

  listServices(query: ServicesQuery = {}): Promise<ServicePage> {
    return this.#get(['v1', 'services'], query);
  }

  getServiceFacets(): Promise<ServiceFacets> {
    return this.#get(['v1', 'services', 'facets']);
  }

  getService(
    scope: string,
    namespace: string,
    name: string,
  ): Promise<ServiceDetail> {
    return this.#get(['v1', 'services', scope, namespace, name]);
  }

  getEntityServices(entity: {
    kind: string;
    namespace: string;
    name: string;
  }): Promise<EntityServices> {
    const { kind, namespace, name } = entity;
    return this.#get(['v1', 'entities', kind, namespace, name, 'services']);
  }

  listFindings(query: FindingsQuery = {}): Promise<FindingPage> {
    return this.#get(['v1', 'findings'], query);
  }

  /** All rows that the query takes, as CSV text. */
  async servicesCsv(query: ServicesQuery = {}): Promise<string> {
    const response = await this.#fetch(['v1', 'services'], {
      ...query,
      format: 'csv',
    });
    return response.text();
  }

  /** All rows that the query takes, as CSV text. */
  async findingsCsv(query: FindingsQuery = {}): Promise<string> {
    const response = await this.#fetch(['v1', 'findings'], {
      ...query,
      format: 'csv',
    });
    return response.text();
  }

  async #get<T>(path: string[], query: object = {}): Promise<T> {
    return (await this.#fetch(path, query)).json();
  }

  async #fetch(path: string[], query: object): Promise<Response> {
    // In a URL these lead to another path, however they are written.
    const odd = path.find(part => ['', '.', '..'].includes(part));
    if (odd !== undefined) {
      throw new NotFoundError(`Nothing has the name "${odd}"`);
    }
    const { baseUrl, fetch } = this.#options;
    const base = typeof baseUrl === 'string' ? baseUrl : await baseUrl();
    const parameters = new URLSearchParams();
    for (const [name, value] of Object.entries(query)) {
      for (const one of Array.isArray(value) ? value : [value]) {
        if (one !== undefined && one !== '')
          parameters.append(name, String(one));
      }
    }
    const search = parameters.size > 0 ? `?${parameters}` : '';
    const response = await fetch(
      `${base}/${path.map(encodeURIComponent).join('/')}${search}`,
    );
    if (!response.ok) throw await ResponseError.fromResponse(response);
    return response;
  }
}
