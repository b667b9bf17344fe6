import { meshFleetReadPermission } from '@mesh-for-backstage/plugin-mesh-common';
import { Clusters } from '../services/types';
import { lacks, PermissionRequests, ReaderOptions } from './permissionRequests';

/** Clusters, for those who may read the fleet. */
export class AuthorizedClusters {
  readonly #clusters: Clusters;
  readonly #requests: PermissionRequests;

  static create(options: {
    clusters: Clusters;
    requests: PermissionRequests;
  }): AuthorizedClusters {
    return new AuthorizedClusters(options.clusters, options.requests);
  }

  private constructor(clusters: Clusters, requests: PermissionRequests) {
    this.#clusters = clusters;
    this.#requests = requests;
  }

  async list(reader: ReaderOptions) {
    await this.#demand(reader);
    return this.#clusters.list();
  }

  async get(name: string, reader: ReaderOptions) {
    await this.#demand(reader);
    return this.#clusters.get(name);
  }

  async #demand(reader: ReaderOptions): Promise<void> {
    if (!(await this.#requests.mayReadFleet(reader))) {
      throw lacks(meshFleetReadPermission.name);
    }
  }
}
