import type {
  ServiceInstance,
  Severity,
  Workload,
} from '@mesh-for-backstage/mesh-analysis';
import { logicalNameOf } from '@mesh-for-backstage/mesh-analysis';
import { Knex } from 'knex';
import { chunks } from './chunks';
import { hashOf } from './ViewStore';

/** A Service of one cluster, with all that its logical service is drawn from. */
export interface InstanceBody {
  instance: ServiceInstance;
  workloads: Workload[];
  namespaceLabels: Record<string, string>;
  /** What was found about it and its workloads, within its cluster. */
  findings: Array<{ id: string; severity: Severity }>;
}

export interface ServiceName {
  namespace: string;
  name: string;
}

export interface StoredInstance {
  service: ServiceName;
  body: InstanceBody;
}

/** The Services of all clusters. */
export class InstanceStore {
  readonly #database: Knex;

  static create(options: { database: Knex }): InstanceStore {
    return new InstanceStore(options.database);
  }

  private constructor(database: Knex) {
    this.#database = database;
  }

  /** The instances of logical services, in the order of cluster and name. */
  async ofServices(
    services: readonly ServiceName[],
  ): Promise<StoredInstance[]> {
    const instances: StoredInstance[] = [];
    for (const some of chunks(services, 200)) {
      const rows = await this.#database('service_instances')
        .select('service_namespace', 'service_name', 'cluster', 'name', 'body')
        .whereIn(
          ['service_namespace', 'service_name'],
          some.map(({ namespace, name }) => [namespace, name]),
        );
      rows.sort(
        (a, b) => compare(a.cluster, b.cluster) || compare(a.name, b.name),
      );
      for (const row of rows) {
        instances.push({
          service: { namespace: row.service_namespace, name: row.service_name },
          body: JSON.parse(row.body),
        });
      }
    }
    return instances;
  }

  /** All instances, page by page: for questions that no index answers. */
  async *all(): AsyncGenerator<StoredInstance[]> {
    let after = ['', '', ''];
    for (;;) {
      const rows: any[] = await this.#database('service_instances')
        .whereRaw('(cluster, namespace, name) > (?, ?, ?)', after)
        .orderBy(['cluster', 'namespace', 'name'])
        .limit(500);
      if (rows.length === 0) return;
      const last = rows[rows.length - 1];
      after = [last.cluster, last.namespace, last.name];
      yield rows.map(row => ({
        service: { namespace: row.service_namespace, name: row.service_name },
        body: JSON.parse(row.body),
      }));
    }
  }

  /** Names of the logical services that have an instance in one of the clusters, or in a namespace of any. */
  async names(
    trx: Knex,
    where: { clusters: readonly string[] } | { namespace: string },
  ): Promise<ServiceName[]> {
    const rows: ServiceColumns[] = await trx('service_instances')
      .distinct('service_namespace', 'service_name')
      .modify(query => {
        if ('clusters' in where) query.whereIn('cluster', [...where.clusters]);
        else query.where({ service_namespace: where.namespace });
      });
    return rows.map(serviceOf);
  }

  /** Names of all logical services. */
  async allNames(trx: Knex): Promise<ServiceName[]> {
    const rows: ServiceColumns[] = await trx('service_instances').distinct(
      'service_namespace',
      'service_name',
    );
    return rows.map(serviceOf);
  }

  /**
   * Makes the instances of a namespace those that are given; answers the logical
   * services that this concerns.
   */
  async replace(
    trx: Knex,
    scope: { cluster: string; namespace: string },
    bodies: readonly InstanceBody[],
  ): Promise<ServiceName[]> {
    const rows: Array<ServiceColumns & { name: string; hash: string }> =
      await trx('service_instances')
        .select('name', 'hash', 'service_namespace', 'service_name')
        .where(scope);
    const stored = new Map(rows.map(row => [row.name, row]));
    const concerned: ServiceName[] = [];
    const written: object[] = [];
    for (const body of bodies) {
      const { name } = body.instance;
      const json = JSON.stringify(body);
      const hash = hashOf(json);
      const before = stored.get(name);
      stored.delete(name);
      if (before?.hash === hash) continue;
      const service = logicalNameOf(body.instance);
      concerned.push(service);
      if (before) concerned.push(serviceOf(before));
      written.push({
        ...scope,
        name,
        service_namespace: service.namespace,
        service_name: service.name,
        hash,
        body: json,
      });
    }
    for (const some of chunks(written, 200)) {
      await trx('service_instances')
        .insert(some)
        .onConflict(['cluster', 'namespace', 'name'])
        .merge();
    }
    for (const some of chunks([...stored.keys()], 500)) {
      await trx('service_instances')
        .where(scope)
        .whereIn('name', some)
        .delete();
    }
    concerned.push(...[...stored.values()].map(serviceOf));
    return concerned;
  }
}

interface ServiceColumns {
  service_namespace: string;
  service_name: string;
}

function serviceOf(row: ServiceColumns): ServiceName {
  return { namespace: row.service_namespace, name: row.service_name };
}

function compare(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
