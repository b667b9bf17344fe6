import { Entity, stringifyEntityRef } from '@backstage/catalog-model';
import type {
  EntityServices,
  FleetState,
  ServiceCluster,
  ServiceDetail,
  ServiceFacets,
  ServiceRow,
} from '@mesh-for-backstage/plugin-mesh-common';
import { FindingStore } from '../store/FindingStore';
import { FleetStateStore } from '../store/FleetStateStore';
import { ServiceStore, StoredService } from '../store/ServiceStore';
import { withLastSeen } from './lastSeen';
import { Page, Services, ServicesQuery, ServiceVisibility } from './types';

/** A selector that is too wide may name all services of a fleet, and each of them is a page. */
const MOST_OF_ENTITY = 100;

/** What tells which services an entity's annotations name. */
export interface EntityMatcher {
  match(entity: Entity): Promise<{
    serviceIds: string[];
    messages: EntityServices['messages'];
  }>;
}

/** @internal */
export interface FleetServicesOptions {
  services: ServiceStore;
  findings: FindingStore;
  fleet: FleetStateStore;
  entities: EntityMatcher;
}

/** Services as the API shows them, from what the analyser has stored. */
export class FleetServices implements Services {
  readonly #services: ServiceStore;
  readonly #findings: FindingStore;
  readonly #fleet: FleetStateStore;
  readonly #entities: EntityMatcher;

  static create(options: FleetServicesOptions): FleetServices {
    return new FleetServices(options);
  }

  private constructor(options: FleetServicesOptions) {
    this.#services = options.services;
    this.#findings = options.findings;
    this.#fleet = options.fleet;
    this.#entities = options.entities;
  }

  async list(
    query: ServicesQuery,
    visibility: ServiceVisibility,
  ): Promise<Page<ServiceRow>> {
    const fleet = await this.#fleet.get();
    const { criteria } = visibility;
    const [{ items, next }, totalItems] = await Promise.all([
      this.#rows(query, visibility, fleet),
      this.#services.count({ filter: query.filter, criteria }),
    ]);
    return {
      items,
      totalItems,
      ...(next && { next }),
      fleet: visibility.fleet
        ? fleet
        : narrowed(fleet, await this.#services.clusters(criteria)),
    };
  }

  async listRows(query: ServicesQuery, visibility: ServiceVisibility) {
    return this.#rows(query, visibility, await this.#fleet.get());
  }

  facets({ criteria }: ServiceVisibility): Promise<ServiceFacets> {
    return this.#services.facets(criteria);
  }

  async get(
    id: string,
    visibility: ServiceVisibility,
  ): Promise<ServiceDetail | undefined> {
    const service = await this.#services.get(id, visibility.criteria);
    return service && this.#detail(service, visibility);
  }

  async ofEntity(
    entity: Entity,
    visibility: ServiceVisibility,
  ): Promise<EntityServices> {
    const { serviceIds, messages } = await this.#entities.match(entity);
    const services = await this.#services.getAll(
      serviceIds,
      visibility.criteria,
    );
    const items: ServiceDetail[] = [];
    for (const service of services.slice(0, MOST_OF_ENTITY)) {
      items.push(await this.#detail(service, visibility));
    }
    if (services.length > items.length) {
      messages.push({
        level: 'warning',
        text: `The annotations name ${services.length} services; the first ${items.length} of them are shown. A narrower selector names fewer.`,
      });
    }
    if (services.length < serviceIds.length) {
      messages.push({
        level: 'info',
        text: `Not all services of ${stringifyEntityRef(
          entity,
        )} are shown: some you may not see. The permission mesh.service.read decides.`,
      });
    }
    return {
      items,
      messages: visibility.fleet ? messages : messages.map(withoutClusters),
    };
  }

  async #rows(
    query: ServicesQuery,
    { criteria }: ServiceVisibility,
    fleet: FleetState,
  ) {
    const { rows, next } = await this.#services.list({ ...query, criteria });
    const old = new Set(fleet.clusters.map(({ name }) => name));
    return {
      items: rows.map(row => ({
        ...row,
        // What was stored may have been complete at the time, and be old by now.
        partial: row.partial || row.clusters.some(name => old.has(name)),
      })),
      ...(next && { next }),
    };
  }

  async #detail(
    { body, asOf }: StoredService,
    { fleet, criteria }: ServiceVisibility,
  ): Promise<ServiceDetail> {
    const { findingIds, ...view } = body;
    const names = [...new Set(body.instances.map(({ cluster }) => cluster))];
    const { namespace, name } = body;
    const [clusters, findings, { clusters: old }, homonyms] = await Promise.all(
      [
        this.#fleet.clusters(names),
        this.#findings.getOpen(findingIds),
        this.#fleet.get(),
        this.#services.scopes({
          namespace,
          name,
          among: body.homonyms,
          criteria,
        }),
      ],
    );
    // A workload may stand behind several services; here it is shown with this one.
    const shownWith = {
      service: { scope: body.scope, namespace, name },
      ...(body.owner && { owner: body.owner }),
    };
    return {
      ...view,
      // A scope that one may not see is not named.
      homonyms,
      partial:
        view.partial || old.some(cluster => names.includes(cluster.name)),
      findings: findings.map(({ owner: _owner, ...finding }) => ({
        ...withLastSeen(finding, old),
        ...shownWith,
      })),
      asOf,
      clusters: fleet ? clusters : clusters.map(withoutMessage),
    };
  }
}

/**
 * Of the fleet's state what somebody may know who sees services only: clusters in
 * which these are, and not what their API servers answer, since that names hosts.
 */
export function narrowed(
  fleet: FleetState,
  visible: readonly string[],
): FleetState {
  const names = new Set(visible);
  return {
    partial: fleet.partial,
    clusters: fleet.clusters
      .filter(({ name }) => names.has(name))
      .map(({ message: _message, ...shown }) => shown),
  };
}

/** A list of all clusters is for those who may see them. */
function withoutClusters(
  message: EntityServices['messages'][number],
): EntityServices['messages'][number] {
  return { ...message, text: message.text.replace(/ Known are .*$/s, '') };
}

/** Messages tell of servers and permissions; they take `mesh.fleet.read`. */
function withoutMessage({
  message: _message,
  ...shown
}: ServiceCluster): ServiceCluster {
  return shown;
}
