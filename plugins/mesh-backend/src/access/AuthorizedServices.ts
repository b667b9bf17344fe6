import type { Entity } from '@backstage/catalog-model';
import { meshServiceReadPermission } from '@mesh-for-backstage/plugin-mesh-common';
import { Services, ServicesQuery, ServiceVisibility } from '../services/types';
import { lacks, PermissionRequests, ReaderOptions } from './permissionRequests';

/**
 * Services, as far as the reader may see them. What may not be seen does not exist:
 * it is neither listed nor counted, and asking for it by name finds nothing.
 */
export class AuthorizedServices {
  readonly #services: Services;
  readonly #requests: PermissionRequests;

  static create(options: {
    services: Services;
    requests: PermissionRequests;
  }): AuthorizedServices {
    return new AuthorizedServices(options.services, options.requests);
  }

  private constructor(services: Services, requests: PermissionRequests) {
    this.#services = services;
    this.#requests = requests;
  }

  async list(query: ServicesQuery, reader: ReaderOptions) {
    return this.#services.list(query, await this.#visibility(reader));
  }

  /** A function that reads pages of rows; permissions are asked for once. */
  async rowReader(reader: ReaderOptions) {
    const visibility = await this.#visibility(reader);
    return (query: ServicesQuery) => this.#services.listRows(query, visibility);
  }

  async facets(reader: ReaderOptions) {
    return this.#services.facets(await this.#visibility(reader));
  }

  async get(id: string, reader: ReaderOptions) {
    return this.#services.get(id, await this.#visibility(reader));
  }

  async ofEntity(entity: Entity, reader: ReaderOptions) {
    return this.#services.ofEntity(entity, await this.#visibility(reader));
  }

  async #visibility(reader: ReaderOptions): Promise<ServiceVisibility> {
    const [services, fleet] = await Promise.all([
      this.#requests.readableServices(reader),
      this.#requests.mayReadFleet(reader),
    ]);
    if (services === false) throw lacks(meshServiceReadPermission.name);
    return { fleet, ...(services !== true && { criteria: services }) };
  }
}
