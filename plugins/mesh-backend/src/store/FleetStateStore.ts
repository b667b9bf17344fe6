import type {
  ClusterState,
  FleetState,
  ServiceCluster,
} from '@mesh-for-backstage/plugin-mesh-common';
import { Knex } from 'knex';
import { chunks } from './chunks';

/**
 * Kinds without which a list of services is not complete. A cluster that is
 * degraded for want of any other one has all its services.
 */
const KINDS_OF_SERVICES = [
  'Namespace',
  'Service',
  'Pod',
  'EndpointSlice.discovery.k8s.io',
  'Deployment.apps',
  'StatefulSet.apps',
  'DaemonSet.apps',
];

type ClusterInState = FleetState['clusters'][number];

/** Which clusters are missing or old in what the services and findings say. */
export class FleetStateStore {
  readonly #database: Knex;

  static create(options: { database: Knex }): FleetStateStore {
    return new FleetStateStore(options.database);
  }

  private constructor(database: Knex) {
    this.#database = database;
  }

  async get(): Promise<FleetState> {
    const clusters: ClusterRow[] = await this.#database('clusters')
      .select('name', 'state', 'since', 'message')
      .whereNot({ state: 'synced' })
      .orderBy('name');
    if (clusters.length === 0) return { partial: false, clusters: [] };
    const gaps = await this.#gaps();
    const shown = clusters.filter(
      ({ name, state }) => state !== 'degraded' || gaps.has(name),
    );
    return { partial: shown.length > 0, clusters: shown.map(toState) };
  }

  /** How some clusters stand, in the order of their names; what is not known is left out. */
  async clusters(names: readonly string[]): Promise<ServiceCluster[]> {
    const clusters: ServiceCluster[] = [];
    for (const some of chunks(names, 500)) {
      const rows: ServiceClusterRow[] = await this.#database('clusters')
        .whereIn('name', some)
        .select(
          'name',
          'title',
          'environment',
          'state',
          'since',
          'message',
          'last_contact',
        );
      clusters.push(...rows.map(toServiceCluster));
    }
    return clusters.sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  /** Clusters that answer, and of which a kind that services are made of is not current. */
  async #gaps(): Promise<Set<string>> {
    const rows = await this.#database('coverage')
      .distinct('cluster')
      .whereIn('kind', KINDS_OF_SERVICES)
      .whereNot({ state: 'synced' });
    return new Set(rows.map(row => row.cluster));
  }
}

interface ClusterRow {
  name: string;
  state: ClusterState;
  since: string;
  message: string | null;
}

function toState({ name, state, since, message }: ClusterRow): ClusterInState {
  return { name, state, since, ...(message && { message }) };
}

interface ServiceClusterRow extends ClusterRow {
  title: string | null;
  environment: string | null;
  last_contact: string | null;
}

function toServiceCluster({
  name,
  title,
  environment,
  state,
  since,
  message,
  last_contact: lastContact,
}: ServiceClusterRow): ServiceCluster {
  return {
    name,
    ...(title && { title }),
    ...(environment && { environment }),
    state,
    since,
    ...(message && { message }),
    ...(lastContact && { lastContact }),
  };
}
