import { createHash } from 'crypto';
import { Finding, rules } from '@mesh-for-backstage/mesh-analysis';
import type {
  FindingPage,
  Severity,
  SeverityCounts,
  StoredFinding,
} from '@mesh-for-backstage/plugin-mesh-common';
import { Knex } from 'knex';
import { parseUnit, Unit } from './buckets';
import { chunks } from './chunks';
import { ServiceCriteria, whereMeets } from './criteria';
import {
  isPositionIn,
  KeysetOrder,
  KeysetPosition,
  seek,
  whereContains,
} from './keyset';
import { whereOwnedBy } from './ServiceStore';
import { rankOf, SeverityOrNone } from './severity';

/** What a reader narrows findings down to; every part is optional. */
export interface FindingFilter {
  search?: string;
  rules?: string[];
  severities?: SeverityOrNone[];
  clusters?: string[];
  namespaces?: string[];
  owners?: string[];
  state?: 'open' | 'resolved' | 'all';
}

export const findingSorts = [
  'severity',
  'firstSeen',
  'lastSeen',
  'rule',
  'namespace',
] as const;
export type FindingSort = (typeof findingSorts)[number];

/** What of the findings a reader may see. */
export interface FindingVisibility {
  /** Findings that belong to a service: all, none, or those of services that meet the criteria. */
  ofServices: boolean | ServiceCriteria;
  /** Findings that belong to no service, such as those of clusters. */
  ofFleet: boolean;
}

export interface FindingListOptions {
  filter: FindingFilter;
  sort: FindingSort;
  order: 'asc' | 'desc';
  limit: number;
  after?: KeysetPosition;
  visibility: FindingVisibility;
}

export interface FindingList {
  findings: StoredFinding[];
  next?: KeysetPosition;
}

/** What a unit has found. */
export interface FoundFinding {
  id: string;
  finding: Finding;
  /** Service and owner it is shown with. Left out where another unit says so. */
  service?: { id: string; owner?: string };
}

const titles: Readonly<Record<string, string | undefined>> = {
  ...Object.fromEntries(
    Object.values(rules).map(rule => [rule.id, rule.title]),
  ),
  AnalysisFailed: 'Analysis failed',
};

/** Open findings were last seen just now: they sort behind all times. */
const LAST_SEEN = `case when findings.resolved_at is null then '9999' else findings.last_seen end`;

const orders: Record<FindingSort, Omit<KeysetOrder, 'order'>> = {
  severity: { ...orderBy('findings.severity_rank'), numeric: true },
  firstSeen: orderBy('findings.first_seen'),
  lastSeen: orderBy(LAST_SEEN),
  rule: orderBy('findings.rule'),
  namespace: orderBy('findings.namespace'),
};

function orderBy(primary: string): Omit<KeysetOrder, 'order'> {
  return {
    primary,
    ties: ['findings.namespace', 'findings.name', 'findings.id'],
  };
}

/** Whether a position that a reader gives back can be one of this sort. */
export function isFindingPosition(
  sort: FindingSort,
  position: unknown,
): position is KeysetPosition {
  return isPositionIn(orders[sort], position);
}

/**
 * Ids for what a unit has found. The same rule on the same object is the same
 * finding, whatever its words are and in however many clusters it holds; where a
 * unit says it twice of one object, the order of the words tells them apart.
 */
export function identify(
  unit: Unit,
  findings: readonly Finding[],
  service?: { id: string; owner?: string },
): FoundFinding[] {
  const found = new Map<string, number>();
  return [...findings]
    .sort((a, b) => (a.message < b.message ? -1 : 1))
    .map(finding => {
      const key = JSON.stringify([
        unit,
        service?.id ?? null,
        finding.rule,
        finding.kind,
        finding.namespace ?? null,
        finding.name,
      ]);
      const ordinal = found.get(key) ?? 0;
      found.set(key, ordinal + 1);
      const id = createHash('sha256')
        .update(`${key}${ordinal}`)
        .digest('base64url')
        .slice(0, 22);
      return { id, finding, ...(service && { service }) };
    });
}

/** Findings of all topics, with the times at which they were first and last seen. */
export class FindingStore {
  readonly #database: Knex;

  static create(options: { database: Knex }): FindingStore {
    return new FindingStore(options.database);
  }

  private constructor(database: Knex) {
    this.#database = database;
  }

  /**
   * Makes the open findings of each unit those that are given. What is no longer
   * found is resolved, not deleted; what comes back is opened again, with the time
   * at which it was first seen. Answers whether anything was written.
   */
  async replace(
    trx: Knex,
    found: ReadonlyMap<Unit, readonly FoundFinding[]>,
    now: string,
  ): Promise<{ changed: boolean }> {
    const stored = await storedFindings(trx, [...found.keys()]);
    const written: Array<FoundFinding & { unit: Unit; firstSeen: string }> = [];
    const seen = new Set<string>();
    for (const [unit, findings] of found) {
      for (const one of findings) {
        seen.add(one.id);
        const before = stored.get(one.id);
        if (!before || differs(before, one)) {
          written.push({ ...one, unit, firstSeen: before?.first_seen ?? now });
        }
      }
    }
    const resolved = [...stored.values()].filter(
      row => row.resolved_at === null && !seen.has(row.id),
    );

    for (const some of chunks(written, 100)) await write(trx, some, now);
    for (const some of chunks(resolved, 500)) {
      await trx('findings')
        .whereIn(
          'id',
          some.map(row => row.id),
        )
        .update({ resolved_at: now, last_seen: now });
    }
    return { changed: written.length + resolved.length > 0 };
  }

  /**
   * Says which service findings of other units are shown with, and takes it back of
   * those that no longer concern the service, or whose service is gone.
   */
  async assign(
    trx: Knex,
    services: ReadonlyArray<{
      id: string;
      owner?: string;
      findingIds: readonly string[];
    }>,
    gone: readonly string[],
  ): Promise<void> {
    const kept = new Map(
      services.map(({ id, findingIds }) => [id, new Set(findingIds)]),
    );
    for (const some of chunks([...kept.keys(), ...gone], 500)) {
      const assigned: Array<{ id: string; service_id: string; unit: Unit }> =
        await trx('findings')
          .select('id', 'service_id', 'unit')
          .whereIn('service_id', some)
          .whereNull('resolved_at');
      const stale = assigned.filter(
        ({ id, service_id: service, unit }) =>
          parseUnit(unit)?.type !== 'service' && !kept.get(service)?.has(id),
      );
      for (const part of chunks(stale, 500)) {
        await trx('findings')
          .whereIn(
            'id',
            part.map(({ id }) => id),
          )
          .update({ service_id: null, owner: null });
      }
    }
    for (const { id, owner, findingIds } of services) {
      for (const some of chunks(findingIds, 500)) {
        await trx('findings')
          .whereIn('id', some)
          .update({ service_id: id, owner: owner ?? null });
      }
    }
  }

  async list(options: FindingListOptions): Promise<FindingList> {
    const { primary, ties } = orders[options.sort];
    const keys = [primary, ...ties];
    const query = this.#filtered(options)
      .select('findings.*')
      .select(
        keys.map((key, index) => this.#database.raw(`${key} as key_${index}`)),
      )
      .limit(options.limit + 1);
    seek(query, { primary, ties, order: options.order }, options.after);
    const page: Array<Record<string, any>> = await query;
    const items = page.slice(0, options.limit);
    const last = items.at(-1);
    return {
      findings: items.map(toFinding),
      ...(page.length > options.limit && last
        ? { next: keys.map((_, index) => last[`key_${index}`]) }
        : {}),
    };
  }

  async count(
    options: Pick<FindingListOptions, 'filter' | 'visibility'>,
  ): Promise<number> {
    const counted = await this.#filtered(options).count({ n: '*' }).first();
    return Number(counted?.n ?? 0);
  }

  /** The rules among the findings that the filter takes, leaving aside what it says of rules. */
  async countRules(
    options: Pick<FindingListOptions, 'filter' | 'visibility'>,
  ): Promise<FindingPage['rules']> {
    const rows: Array<{ rule: string; rank: number; count: number }> =
      await this.#filtered({
        ...options,
        filter: { ...options.filter, rules: undefined },
      })
        .select({ rule: 'findings.rule' })
        .max({ rank: 'findings.severity_rank' })
        .count({ count: '*' })
        .groupBy('findings.rule');
    return rows
      .map(({ rule, rank, count }) => ({
        rule,
        title: titles[rule] ?? rule,
        severity: severityOf(Number(rank)),
        count: Number(count),
      }))
      .sort((a, b) => b.count - a.count || (a.rule < b.rule ? -1 : 1));
  }

  /** Open findings among `ids`, the worst first. */
  async getOpen(ids: readonly string[]): Promise<StoredFinding[]> {
    const findings: StoredFinding[] = [];
    for (const some of chunks([...new Set(ids)], 500)) {
      const rows = await this.#database('findings')
        .whereIn('id', some)
        .whereNull('resolved_at');
      findings.push(...rows.map(toFinding));
    }
    return findings.sort(
      (a, b) =>
        rankOf(b.severity) - rankOf(a.severity) ||
        compare(a.rule, b.rule) ||
        compare(a.id, b.id),
    );
  }

  /** Open findings by cluster. */
  async countByCluster(cluster?: string): Promise<Map<string, SeverityCounts>> {
    const rows = await this.#database('finding_clusters')
      .join('findings', 'findings.id', 'finding_clusters.finding_id')
      .whereNull('findings.resolved_at')
      .modify(query => {
        if (cluster !== undefined) {
          query.where('finding_clusters.cluster', cluster);
        }
      })
      .select('finding_clusters.cluster', 'findings.severity')
      .count({ count: '*' })
      .groupBy('finding_clusters.cluster', 'findings.severity');
    const counts = new Map<string, SeverityCounts>();
    for (const row of rows) {
      const of = counts.get(String(row.cluster)) ?? {
        error: 0,
        warning: 0,
        info: 0,
      };
      of[row.severity as Severity] = Number(row.count);
      counts.set(String(row.cluster), of);
    }
    return counts;
  }

  /** Forgets findings that were resolved before a time. */
  async forgetResolved(before: string): Promise<void> {
    await this.#database.transaction(async trx => {
      const old = trx('findings')
        .select('id')
        .where('resolved_at', '<', before);
      await trx('finding_clusters').whereIn('finding_id', old).delete();
      await trx('findings').where('resolved_at', '<', before).delete();
    });
  }

  #filtered({
    filter,
    visibility,
  }: Pick<FindingListOptions, 'filter' | 'visibility'>): Knex.QueryBuilder {
    const query = this.#database('findings');
    whereVisible(query, visibility);
    if (filter.state !== 'all') {
      if (filter.state === 'resolved') query.whereNotNull('resolved_at');
      else query.whereNull('resolved_at');
    }
    if (filter.search) whereContains(query, 'findings.search', filter.search);
    if (filter.rules) query.whereIn('findings.rule', filter.rules);
    if (filter.severities) {
      query.whereIn('findings.severity_rank', filter.severities.map(rankOf));
    }
    if (filter.clusters) {
      const { clusters } = filter;
      query.whereIn('findings.id', inner =>
        inner
          .select('finding_id')
          .from('finding_clusters')
          .whereIn('cluster', clusters),
      );
    }
    if (filter.namespaces) {
      query.whereIn('findings.namespace', filter.namespaces);
    }
    if (filter.owners) whereOwnedBy(query, 'findings.owner', filter.owners);
    return query;
  }
}

function whereVisible(
  query: Knex.QueryBuilder,
  { ofServices, ofFleet }: FindingVisibility,
): void {
  if (ofServices === true && ofFleet) return;
  query.where(visible => {
    // Nothing at all is visible unless one of these says so.
    visible.whereRaw('1 = 0');
    if (ofFleet) {
      // One about a Service whose service is not drawn yet, or cannot be, belongs
      // to a service all the same: which one, and so to whom, is not known.
      visible.orWhere(unclaimed =>
        unclaimed
          .whereNull('findings.service_id')
          .whereNot('findings.kind', 'Service'),
      );
    }
    if (ofServices === true) {
      visible
        .orWhereNotNull('findings.service_id')
        .orWhere('findings.kind', 'Service');
    }
    if (typeof ofServices === 'object') {
      visible.orWhereIn('findings.service_id', inner => {
        inner.select('services.id').from('services');
        whereMeets(inner, ofServices);
      });
    }
  });
}

interface FindingRow {
  id: string;
  unit: string;
  body: string;
  service_id: string | null;
  owner: string | null;
  first_seen: string;
  resolved_at: string | null;
}

async function storedFindings(
  trx: Knex,
  units: readonly Unit[],
): Promise<Map<string, FindingRow>> {
  const stored = new Map<string, FindingRow>();
  for (const some of chunks(units, 500)) {
    const rows: FindingRow[] = await trx('findings')
      .select(
        'id',
        'unit',
        'body',
        'service_id',
        'owner',
        'first_seen',
        'resolved_at',
      )
      .whereIn('unit', some);
    for (const row of rows) stored.set(row.id, row);
  }
  return stored;
}

function differs(row: FindingRow, { finding, service }: FoundFinding): boolean {
  return (
    row.resolved_at !== null ||
    row.body !== JSON.stringify(finding) ||
    (service !== undefined &&
      (row.service_id !== service.id || row.owner !== (service.owner ?? null)))
  );
}

/** Who asks for the findings of a namespace means those about the Namespace too. */
function namespaceOf({ kind, namespace, name }: Finding): string {
  return namespace ?? (kind === 'Namespace' ? name : '');
}

async function write(
  trx: Knex,
  findings: ReadonlyArray<FoundFinding & { unit: Unit; firstSeen: string }>,
  now: string,
): Promise<void> {
  const ids = findings.map(({ id }) => id);
  for (const { service, ...found } of findings) {
    const { finding } = found;
    const columns = {
      unit: found.unit,
      rule: finding.rule,
      severity: finding.severity,
      severity_rank: rankOf(finding.severity),
      kind: finding.kind,
      namespace: namespaceOf(finding),
      name: finding.name,
      search: `${finding.namespace ?? ''}/${finding.name}`.toLowerCase(),
      body: JSON.stringify(finding),
      first_seen: found.firstSeen,
      last_seen: now,
      resolved_at: null,
      ...(service && {
        service_id: service.id,
        owner: service.owner ?? null,
      }),
    };
    await trx('findings')
      .insert({ id: found.id, ...columns })
      .onConflict('id')
      .merge(columns);
  }
  await trx('finding_clusters').whereIn('finding_id', ids).delete();
  const clusters = findings.flatMap(({ id, finding }) =>
    [...new Set(finding.clusters)].map(cluster => ({
      cluster,
      finding_id: id,
    })),
  );
  for (const some of chunks(clusters, 500)) {
    await trx('finding_clusters').insert(some);
  }
}

function toFinding(row: Record<string, any>): StoredFinding {
  const finding: Finding = JSON.parse(row.body);
  return {
    ...finding,
    id: row.id,
    title: titles[finding.rule] ?? finding.rule,
    ...(row.owner && { owner: row.owner }),
    ...(row.service_id && { service: serviceOf(row.service_id) }),
    firstSeen: row.first_seen,
    lastSeen: row.last_seen,
    ...(row.resolved_at && { resolvedAt: row.resolved_at }),
  };
}

/** Scopes may contain slashes, since they may be names of clusters. */
function serviceOf(id: string): StoredFinding['service'] {
  const parts = id.split('/');
  const [namespace, name] = parts.slice(-2);
  return { scope: parts.slice(0, -2).join('/'), namespace, name };
}

function severityOf(rank: number): Severity {
  if (rank >= 3) return 'error';
  return rank === 2 ? 'warning' : 'info';
}

function compare(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
