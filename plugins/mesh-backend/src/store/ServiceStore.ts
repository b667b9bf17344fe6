import type {
  DataplaneFilter,
  ServiceFacets,
  ServiceRow,
} from '@mesh-for-backstage/plugin-mesh-common';
import { MeshServiceResource } from '@mesh-for-backstage/plugin-mesh-node';
import type { ServiceView } from '@mesh-for-backstage/mesh-analysis';
import { Knex } from 'knex';
import { chunks } from './chunks';
import { ServiceCriteria, whereInClusters, whereMeets } from './criteria';
import {
  isPositionIn,
  KeysetOrder,
  KeysetPosition,
  seek,
  whereContains,
} from './keyset';
import { namesOfRanks, rankOf, SeverityOrNone } from './severity';

/** What a reader narrows the services down to; every part is optional. */
export interface ServiceFilter {
  search?: string;
  clusters?: string[];
  namespaces?: string[];
  /** Entity refs in lower case; `none` for services without an owner. */
  owners?: string[];
  dataplanes?: DataplaneFilter[];
  /** Worst severity. */
  severities?: SeverityOrNone[];
}

/** @internal */
export const serviceSorts = [
  'name',
  'namespace',
  'owner',
  'clusters',
  'endpoints',
  'severity',
] as const;
export type ServiceSort = (typeof serviceSorts)[number];

export interface ServiceListOptions {
  filter: ServiceFilter;
  sort: ServiceSort;
  order: 'asc' | 'desc';
  limit: number;
  after?: KeysetPosition;
  /** What the reader may see at all. */
  criteria?: ServiceCriteria;
}

export interface ServiceList {
  rows: ServiceRow[];
  /** Where the next page starts, where there is one. */
  next?: KeysetPosition;
}

/** What pages show of a service: a view without its findings, whose ids it holds. */
export type ServiceBody = Omit<ServiceView, 'findings'> & {
  owner?: string;
  ownerBy?: string;
  entities: string[];
  findingIds: string[];
};

/** A service as the analyser writes it. */
export interface ServiceRecord {
  row: ServiceRow;
  body: ServiceBody;
  /** Of both. */
  hash: string;
}

export interface StoredService {
  id: string;
  body: ServiceBody;
  asOf: string;
}

/** Expressions by which pages sort. Services without an owner come first, and so do unknown endpoints. */
const orders: Record<ServiceSort, Omit<KeysetOrder, 'order'>> = {
  name: { primary: 'services.name', ties: ['services.id'] },
  namespace: {
    primary: 'services.namespace',
    ties: ['services.name', 'services.id'],
  },
  owner: {
    primary: `coalesce(services.owner, '')`,
    ties: ['services.name', 'services.id'],
  },
  clusters: {
    numeric: true,
    primary: 'services.cluster_count',
    ties: ['services.name', 'services.id'],
  },
  endpoints: {
    numeric: true,
    primary: 'coalesce(services.endpoints_ready, -1)',
    ties: ['services.name', 'services.id'],
  },
  severity: {
    numeric: true,
    primary: 'services.worst',
    ties: ['services.name', 'services.id'],
  },
};

/** Whether a position that a reader gives back can be one of this sort. */
export function isServicePosition(
  sort: ServiceSort,
  position: unknown,
): position is KeysetPosition {
  return isPositionIn(orders[sort], position);
}

export function serviceId(service: {
  scope: string;
  namespace: string;
  name: string;
}): string {
  return `${service.scope}/${service.namespace}/${service.name}`;
}

/** The services of the fleet, as pages read them. */
export class ServiceStore {
  readonly #database: Knex;

  static create(options: { database: Knex }): ServiceStore {
    return new ServiceStore(options.database);
  }

  private constructor(database: Knex) {
    this.#database = database;
  }

  async list(options: ServiceListOptions): Promise<ServiceList> {
    const { primary, ties } = orders[options.sort];
    const keys = [primary, ...ties];
    const found = this.#filtered(options)
      .select('services.id')
      .select(
        keys.map((key, index) => this.#database.raw(`${key} as key_${index}`)),
      )
      .limit(options.limit + 1);
    seek(found, { primary, ties, order: options.order }, options.after);
    const page: Array<Record<string, string>> = await found;
    const items = page.slice(0, options.limit);
    const rows = await this.#rows(items.map(item => item.id));
    const last = items.at(-1);
    return {
      rows,
      ...(page.length > options.limit && last
        ? { next: keys.map((_, index) => last[`key_${index}`]) }
        : {}),
    };
  }

  async count(
    options: Pick<ServiceListOptions, 'filter' | 'criteria'>,
  ): Promise<number> {
    const counted = await this.#filtered(options).count({ n: '*' }).first();
    return Number(counted?.n ?? 0);
  }

  async facets(criteria?: ServiceCriteria): Promise<ServiceFacets> {
    const visible = () => this.#filtered({ filter: {}, criteria });
    const by = async (column: string) => {
      const rows: Array<{ value: string | number | null; count: number }> =
        await visible()
          .select({ value: `services.${column}` })
          .count({ count: '*' })
          .groupBy(`services.${column}`);
      return rows.map(row => ({ ...row, count: Number(row.count) }));
    };
    // Who may see all services need not have each of them looked up.
    const placed: Knex.QueryBuilder = criteria
      ? visible().join(
          'service_clusters',
          'service_clusters.service_id',
          'services.id',
        )
      : this.#database('service_clusters');
    const clusters = await placed
      .select({ value: 'service_clusters.cluster' })
      .count({ count: '*' })
      .groupBy('service_clusters.cluster');
    return {
      clusters: sorted(clusters),
      namespaces: sorted(await by('namespace')),
      owners: sorted(
        (await by('owner')).map(row => ({
          ...row,
          value: row.value ?? 'none',
        })),
      ),
      dataplanes: sorted(await by('dataplane')),
      severities: (await by('worst'))
        .sort((a, b) => Number(b.value) - Number(a.value))
        .map(({ value, count }) => ({
          value: namesOfRanks[Number(value)],
          count,
        })),
    };
  }

  /** Clusters in which there are services that the reader may see. */
  async clusters(criteria?: ServiceCriteria): Promise<string[]> {
    const rows = await this.#filtered({ filter: {}, criteria })
      .join('service_clusters', 'service_clusters.service_id', 'services.id')
      .distinct('service_clusters.cluster');
    return rows.map(row => row.cluster);
  }

  async get(
    id: string,
    criteria?: ServiceCriteria,
  ): Promise<StoredService | undefined> {
    const [service] = await this.getAll([id], criteria);
    return service;
  }

  /** The services among `ids` that exist and that the reader may see, in the order of their ids. */
  async getAll(
    ids: readonly string[],
    criteria?: ServiceCriteria,
  ): Promise<StoredService[]> {
    const services: StoredService[] = [];
    for (const some of chunks([...new Set(ids)].sort(), 500)) {
      const rows: Array<{ id: string; as_of: string; body: string }> =
        await this.#filtered({ filter: {}, criteria })
          .join('service_details', 'service_details.id', 'services.id')
          .whereIn('services.id', some)
          .select('services.id', 'services.as_of', 'service_details.body');
      for (const row of rows.sort((a, b) => (a.id < b.id ? -1 : 1))) {
        services.push({
          id: row.id,
          asOf: row.as_of,
          body: JSON.parse(row.body),
        });
      }
    }
    return services;
  }

  /** Of some scopes those in which a service of the name exists that the reader may see. */
  async scopes(options: {
    namespace: string;
    name: string;
    among: readonly string[];
    criteria?: ServiceCriteria;
  }): Promise<string[]> {
    const { namespace, name, among, criteria } = options;
    if (among.length === 0) return [];
    const rows: Array<{ scope: string }> = await this.#filtered({
      filter: {},
      criteria,
    })
      .where({ 'services.namespace': namespace, 'services.name': name })
      .select('services.scope');
    const visible = new Set(rows.map(({ scope }) => scope));
    return among.filter(scope => visible.has(scope));
  }

  /** Services as permission rules see them; undefined where there is none. */
  async resources(
    ids: readonly string[],
  ): Promise<Array<MeshServiceResource | undefined>> {
    const byId = new Map(
      (await this.getAll(ids)).map(({ id, body }) => [
        id,
        {
          scope: body.scope,
          namespace: body.namespace,
          name: body.name,
          ...(body.owner && { owner: body.owner }),
          clusters: clustersOf(body),
        },
      ]),
    );
    return ids.map(id => byId.get(id));
  }

  /** Ids of the services that have an instance where one is named: homonyms in other clusters are others. */
  async idsWith(
    instances: ReadonlyArray<{
      cluster: string;
      namespace: string;
      name: string;
    }>,
  ): Promise<string[]> {
    const wanted = new Set<string>();
    const names = new Map<string, { namespace: string; name: string }>();
    for (const { cluster, namespace, name } of instances) {
      names.set(`${namespace}/${name}`, { namespace, name });
      wanted.add(`${cluster}|${namespace}/${name}`);
    }
    const ids = new Set<string>();
    for (const some of chunks([...names.values()], 200)) {
      const rows = await this.#database('services')
        .join('service_clusters', 'service_clusters.service_id', 'services.id')
        .whereIn(
          ['services.namespace', 'services.name'],
          some.map(({ namespace, name }) => [namespace, name]),
        )
        .select(
          'services.id',
          'services.namespace',
          'services.name',
          'service_clusters.cluster',
        );
      for (const { id, namespace, name, cluster } of rows) {
        if (wanted.has(`${cluster}|${namespace}/${name}`)) ids.add(id);
      }
    }
    return [...ids].sort();
  }

  /**
   * Makes the stored services of each name exactly those that are given; answers
   * which were written and which are gone.
   */
  async replace(
    trx: Knex,
    keys: ReadonlyArray<{ namespace: string; name: string }>,
    records: readonly ServiceRecord[],
    asOf: string,
  ): Promise<{ written: ServiceRecord[]; gone: string[] }> {
    const stored = await this.#hashes(trx, keys);
    const changed = records.filter(
      record => stored.get(serviceId(record.body)) !== record.hash,
    );
    const kept = new Set(records.map(record => serviceId(record.body)));
    const gone = [...stored.keys()].filter(id => !kept.has(id));
    for (const some of chunks(gone, 500)) {
      for (const [table, column] of [
        ['services', 'id'],
        ['service_details', 'id'],
        ['service_clusters', 'service_id'],
        ['service_entities', 'service_id'],
      ]) {
        await trx(table).whereIn(column, some).delete();
      }
    }
    for (const some of chunks(changed, 100)) {
      await writeServices(trx, some, asOf);
    }
    return { written: changed, gone };
  }

  async #hashes(
    trx: Knex,
    keys: ReadonlyArray<{ namespace: string; name: string }>,
  ): Promise<Map<string, string>> {
    const hashes = new Map<string, string>();
    for (const some of chunks(keys, 200)) {
      const rows = await trx('services')
        .select('id', 'hash')
        .whereIn(
          ['namespace', 'name'],
          some.map(key => [key.namespace, key.name]),
        );
      for (const row of rows) hashes.set(row.id, row.hash);
    }
    return hashes;
  }

  async #rows(ids: string[]): Promise<ServiceRow[]> {
    if (ids.length === 0) return [];
    const rows = await this.#database('service_details')
      .select('id', 'row')
      .whereIn('id', ids);
    const byId = new Map(rows.map(row => [row.id, row.row]));
    // One that went between the two reads is left out.
    return ids.flatMap(id => {
      const row = byId.get(id);
      return row ? [JSON.parse(row)] : [];
    });
  }

  #filtered({
    filter,
    criteria,
  }: Pick<ServiceListOptions, 'filter' | 'criteria'>): Knex.QueryBuilder {
    const query = this.#database('services');
    if (criteria) whereMeets(query, criteria);
    if (filter.search) whereContains(query, 'services.search', filter.search);
    if (filter.clusters) whereInClusters(query, filter.clusters);
    if (filter.namespaces) {
      query.whereIn('services.namespace', filter.namespaces);
    }
    if (filter.owners) whereOwnedBy(query, 'services.owner', filter.owners);
    if (filter.dataplanes) {
      query.whereIn('services.dataplane', filter.dataplanes);
    }
    if (filter.severities) {
      query.whereIn('services.worst', filter.severities.map(rankOf));
    }
    return query;
  }
}

/** Rows whose owner is one of those named; `none` stands for rows without one. */
export function whereOwnedBy(
  query: Knex.QueryBuilder,
  column: string,
  owners: readonly string[],
): void {
  query.where(any => {
    const named = owners.filter(owner => owner !== 'none');
    if (named.length > 0) any.orWhereIn(column, named);
    if (owners.includes('none')) any.orWhereNull(column);
  });
}

async function writeServices(
  trx: Knex,
  records: readonly ServiceRecord[],
  asOf: string,
): Promise<void> {
  const ids = records.map(({ body }) => serviceId(body));
  await trx('services')
    .insert(records.map(record => columnsOf(record, asOf)))
    .onConflict('id')
    .merge();
  await trx('service_details')
    .insert(
      records.map(({ row, body }, index) => ({
        id: ids[index],
        row: JSON.stringify(row),
        body: JSON.stringify(body),
      })),
    )
    .onConflict('id')
    .merge();

  await trx('service_clusters').whereIn('service_id', ids).delete();
  const clusters = records.flatMap(({ body }, index) =>
    clustersOf(body).map(cluster => ({ cluster, service_id: ids[index] })),
  );
  for (const some of chunks(clusters, 500)) {
    await trx('service_clusters').insert(some);
  }

  await trx('service_entities').whereIn('service_id', ids).delete();
  const entities = records.flatMap(({ body }, index) =>
    body.entities.map(ref => ({ entity_ref: ref, service_id: ids[index] })),
  );
  for (const some of chunks(entities, 500)) {
    await trx('service_entities').insert(some);
  }
}

function columnsOf({ row, body, hash }: ServiceRecord, asOf: string) {
  const known = 'ready' in row.endpoints ? row.endpoints : undefined;
  return {
    id: serviceId(body),
    scope: body.scope,
    namespace: body.namespace,
    name: body.name,
    search: `${body.namespace}/${body.name}`.toLowerCase(),
    owner: body.owner ?? null,
    owner_by: body.ownerBy ?? null,
    dataplane: typeof row.dataplane === 'string' ? row.dataplane : 'unknown',
    cluster_count: row.clusters.length,
    endpoints_ready: known?.ready ?? null,
    endpoints_total: known?.total ?? null,
    worst: rankOf(row.worst ?? 'none'),
    partial: row.partial,
    hash,
    as_of: asOf,
  };
}

function clustersOf(body: ServiceBody): string[] {
  return [...new Set(body.instances.map(({ cluster }) => cluster))].sort();
}

function sorted(
  rows: ReadonlyArray<{ value?: unknown; count?: unknown }>,
): Array<{ value: string; count: number }> {
  return rows
    .map(row => ({ value: String(row.value), count: Number(row.count) }))
    .sort((a, b) => (a.value < b.value ? -1 : 1));
}
