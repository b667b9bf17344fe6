import { watchedKinds } from '@mesh-for-backstage/mesh-analysis';
import { Knex } from 'knex';
import { Bucket, clusterUnit, namespaceUnit, parseUnit, Unit } from './buckets';
import { chunks } from './chunks';

/** A unit that this process is to draw anew. */
export interface Claim {
  unit: Unit;
  /** Version at the time of the claim: the unit is done where it is still the same. */
  version: number;
  attempts: number;
  enqueuedAt: number;
}

/** @internal */
export interface QueueOptions {
  database: Knex;
  /** Names this process in claims; replicas have different ones. */
  instanceId: string;
  /** Milliseconds since 1970; replaced in tests. */
  now?: () => number;
}

const CLAIM_MILLISECONDS = 60_000;
/** How long at most a cluster that is read for the first time is left alone. */
const HOLD_MILLISECONDS = 60_000;
/** How often it is looked which clusters these are, and whether units can be let go. */
const HOLD_CHECK_MILLISECONDS = 250;
const FREE_MILLISECONDS = 500;
const BACK_OFF = { firstMs: 1_000, capMs: 300_000, afterChangeMs: 5_000 };
/** SQLite allows 32,766 variables in a statement; a row of the queue takes three. */
const CHUNK = 500;

/** Kinds whose third part of a bucket names a namespace. `Namespace` objects are of their namespace too. */
const kindsOfNamespaces = new Set([
  'Namespace',
  ...watchedKinds.filter(kind => kind.namespaced).map(kind => kind.id),
]);

/**
 * The units that have to be drawn anew, in a table that all replicas share. A unit
 * is in it once, however often it is marked.
 */
export class Queue {
  readonly #database: Knex;
  readonly #instanceId: string;
  readonly #now: () => number;
  readonly #listeners = new Set<() => void>();
  readonly #isPostgres: boolean;
  #freedUntil = 0;
  #held: { until: number; clusters: ReadonlySet<string> } = {
    until: 0,
    clusters: new Set(),
  };

  static create(options: QueueOptions): Queue {
    return new Queue(options);
  }

  private constructor(options: QueueOptions) {
    this.#database = options.database;
    this.#instanceId = options.instanceId;
    this.#now = options.now ?? Date.now;
    this.#isPostgres = options.database.client.config.client === 'pg';
  }

  /** Calls `listener` whenever this process has marked something, once it is committed. */
  onMarked(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /**
   * Marks every unit that reads one of the buckets. To be called in the transaction
   * that writes the change, so that neither can be lost without the other.
   */
  async markChanged(trx: Knex, buckets: readonly Bucket[]): Promise<void> {
    const distinct = [...new Set(buckets)];
    const units = new Set<Unit>();
    for (const bucket of distinct) {
      for (const unit of impliedReaders(bucket)) units.add(unit);
    }
    for (const some of chunks(distinct, CHUNK)) {
      const readers = await trx('reads')
        .distinct('unit')
        .whereIn('bucket', some);
      for (const { unit } of readers) units.add(unit);
    }
    await this.markUnits(trx, [...units]);

    const clusters = new Set<string>();
    for (const bucket of distinct) {
      const cluster = clusterWhoseNamespacesRead(bucket);
      if (cluster !== undefined) clusters.add(cluster);
    }
    for (const cluster of [...clusters].sort()) {
      await this.#markNamespacesOf(trx, cluster);
    }
  }

  /**
   * Marks units by name. With a delay they are left alone for a while, so that what
   * many changes mark in turn is drawn once.
   */
  async markUnits(
    trx: Knex,
    units: readonly Unit[],
    options: { delayMs?: number } = {},
  ): Promise<void> {
    if (units.length === 0) return;
    const now = this.#now();
    const held = await this.#heldClusters(trx);
    const delayOf = (unit: Unit) =>
      isOfCluster(unit, held) ? HOLD_MILLISECONDS : options.delayMs;
    // Sorted, so that two transactions lock rows in the same order.
    const rows = [...new Set(units)].sort().map(unit => ({
      unit,
      enqueued_at: now,
      claimed_until: now + (delayOf(unit) ?? 0),
    }));
    for (const some of chunks(rows, CHUNK)) {
      await trx('queue')
        .insert(some)
        .onConflict('unit')
        .merge(this.#markedAgain(trx, now));
    }
    this.#wakeAfter(trx);
  }

  async #markNamespacesOf(trx: Knex, cluster: string): Promise<void> {
    const now = this.#now();
    const again = this.#markedAgain(trx, now);
    // Knex drops `onConflict` from an insert that selects, on SQLite.
    await trx.raw(
      `insert into queue (unit, enqueued_at)
       select 'namespace:' || cluster || '/' || namespace, cast(? as bigint)
       from views where topic = 'catalog' and cluster = ? order by namespace
       on conflict (unit) do update set version = ?, claimed_until = ?`,
      [now, cluster, again.version, again.claimed_until],
    );
    // One that another replica draws for the first time just now has no view yet.
    await trx.raw(
      `update queue set version = version + 1 where claimed_by is not null and unit like ? escape '\\'`,
      [`${namespaceUnit(cluster, '').replace(/[\\%_]/g, '\\$&')}%`],
    );
    this.#wakeAfter(trx);
  }

  /**
   * A unit that waits because it has failed does not have to wait out its delay
   * when what it reads has changed: the change may be the cure.
   */
  #markedAgain(trx: Knex, now: number) {
    const soon = now + BACK_OFF.afterChangeMs;
    return {
      version: trx.raw('queue.version + 1'),
      claimed_until: trx.raw(
        'case when queue.claimed_by is null and queue.claimed_until > ? then ? else queue.claimed_until end',
        [soon, soon],
      ),
    };
  }

  /**
   * Clusters that are read for the first time. Their units wait until that is done:
   * drawn page by page they would be drawn many times, and from half of what there is.
   */
  async #heldClusters(trx: Knex): Promise<ReadonlySet<string>> {
    const now = this.#now();
    if (now >= this.#held.until) {
      const names: string[] = await trx('clusters')
        .where({ state: 'connecting' })
        .where('since', '>', new Date(now - HOLD_MILLISECONDS).toISOString())
        .pluck('name');
      this.#held = {
        until: now + HOLD_CHECK_MILLISECONDS,
        clusters: new Set(names),
      };
    }
    return this.#held.clusters;
  }

  /** Lets units go that were held, whoever has marked them, once their cluster has been read. */
  async #freeHeld(): Promise<void> {
    const now = this.#now();
    if (now < this.#freedUntil) return;
    this.#freedUntil = now + FREE_MILLISECONDS;
    const held = await this.#heldClusters(this.#database);
    const units: Unit[] = await this.#database('queue')
      .whereNull('claimed_by')
      .where({ attempts: 0 })
      // Delays for other reasons are shorter.
      .where('claimed_until', '>', now + BACK_OFF.afterChangeMs)
      .pluck('unit');
    const free = units.filter(unit => !isOfCluster(unit, held));
    for (const some of chunks(free, CHUNK)) {
      await this.#database('queue')
        .whereIn('unit', some)
        .whereNull('claimed_by')
        .update({ claimed_until: 0 });
    }
  }

  /** Takes up to `limit` units, the longest waiting first. */
  async claim(limit: number): Promise<Claim[]> {
    const now = this.#now();
    await this.#freeHeld();
    return this.#database.transaction(async trx => {
      const next = trx('queue')
        .select('unit', 'version', 'attempts', 'enqueued_at')
        .where('claimed_until', '<=', now)
        .orderBy('enqueued_at')
        .limit(limit);
      const rows = await (this.#isPostgres
        ? next.forUpdate().skipLocked()
        : next);
      if (rows.length === 0) return [];
      await trx('queue')
        .whereIn(
          'unit',
          rows.map(row => row.unit),
        )
        .update({
          claimed_by: this.#instanceId,
          claimed_until: now + CLAIM_MILLISECONDS,
        });
      return rows.map(row => ({
        unit: row.unit,
        version: Number(row.version),
        attempts: Number(row.attempts),
        enqueuedAt: Number(row.enqueued_at),
      }));
    });
  }

  /** Units whose claim has run out meanwhile, so that another replica may have drawn them from newer data. */
  async lost(trx: Knex, claims: readonly Claim[]): Promise<Set<Unit>> {
    const lost = new Set(claims.map(({ unit }) => unit));
    for (const some of chunks([...lost], CHUNK)) {
      const held: Unit[] = await trx('queue')
        .whereIn('unit', some)
        .where({ claimed_by: this.#instanceId })
        .pluck('unit');
      for (const unit of held) lost.delete(unit);
    }
    return lost;
  }

  /** Takes drawn units off the queue; those that were marked meanwhile stay, free to be claimed again. */
  async complete(claims: readonly Claim[]): Promise<void> {
    for (const some of chunks(claims, CHUNK)) {
      await this.#database.transaction(async trx => {
        // Most were not marked again: one statement for each version takes them all.
        for (const [version, units] of groupByVersion(some)) {
          await trx('queue')
            .whereIn('unit', units)
            .where({ version, claimed_by: this.#instanceId })
            .delete();
        }
        await trx('queue')
          .whereIn(
            'unit',
            some.map(claim => claim.unit),
          )
          .where({ claimed_by: this.#instanceId })
          .update({
            claimed_by: null,
            claimed_until: 0,
            attempts: 0,
            enqueued_at: this.#now(),
          });
      });
    }
  }

  /** Gives a unit back that could not be drawn; it is tried again after a growing delay. */
  async fail(claim: Claim): Promise<{ retryAt: number }> {
    const attempts = claim.attempts + 1;
    const delay = Math.min(
      BACK_OFF.capMs,
      BACK_OFF.firstMs * 2 ** Math.min(attempts - 1, 20),
    );
    const retryAt = this.#now() + delay;
    await this.#database('queue')
      .where({ unit: claim.unit, claimed_by: this.#instanceId })
      .update({ claimed_by: null, claimed_until: retryAt, attempts });
    return { retryAt };
  }

  /** Gives units back untouched, as when the process stops; with a delay, to be tried later. */
  async release(
    claims: readonly Claim[],
    options: { delayMs?: number } = {},
  ): Promise<void> {
    const until = options.delayMs ? this.#now() + options.delayMs : 0;
    for (const some of chunks(claims, CHUNK)) {
      await this.#database('queue')
        .whereIn(
          'unit',
          some.map(claim => claim.unit),
        )
        .where({ claimed_by: this.#instanceId })
        .update({ claimed_by: null, claimed_until: until });
    }
  }

  /** How many units wait, and since when the oldest does. */
  async depth(): Promise<{ units: number; oldest?: number }> {
    const row = await this.#database('queue')
      .count({ units: '*' })
      .min({ oldest: 'enqueued_at' })
      .first();
    const oldest = (row as { oldest?: number | string | null })?.oldest;
    return {
      units: Number(row?.units ?? 0),
      ...(oldest === null || oldest === undefined
        ? {}
        : { oldest: Number(oldest) }),
    };
  }

  #wakeAfter(trx: Knex): void {
    if (this.#listeners.size === 0) return;
    const wake = () => this.#listeners.forEach(listener => listener());
    const committed = (trx as Knex.Transaction).executionPromise;
    if (committed) committed.then(wake, () => undefined);
    else wake();
  }
}

/**
 * Units that read a bucket by what they are, without a row in `reads`: a namespace
 * reads everything in it, and a cluster the coverage of its kinds. Recording these
 * would make `reads` the largest table of all.
 */
function impliedReaders(bucket: Bucket): Unit[] {
  const [cluster, kind, third] = bucket.split('|');
  if (cluster === 'view') return [];
  if (third === '?') return [clusterUnit(cluster)];
  if (third === '*' || !kindsOfNamespaces.has(kind)) return [];
  return [namespaceUnit(cluster, third)];
}

/** The cluster all of whose namespaces read the bucket: coverage, and what is known of the cluster's mesh. */
function clusterWhoseNamespacesRead(bucket: Bucket): string | undefined {
  const parts = bucket.split('|');
  if (parts[0] === 'view') return parts[1] === 'mesh' ? parts[2] : undefined;
  return parts[2] === '?' ? parts[0] : undefined;
}

function isOfCluster(unit: Unit, clusters: ReadonlySet<string>): boolean {
  if (clusters.size === 0) return false;
  const parsed = parseUnit(unit);
  return (
    (parsed?.type === 'cluster' || parsed?.type === 'namespace') &&
    clusters.has(parsed.cluster)
  );
}

/** Whether a unit reads the bucket by what it is, so that the read need not be recorded. */
export function isImplied(unit: Unit, bucket: Bucket): boolean {
  if (impliedReaders(bucket).includes(unit)) return true;
  const parsed = parseUnit(unit);
  return (
    parsed?.type === 'namespace' &&
    clusterWhoseNamespacesRead(bucket) === parsed.cluster
  );
}

function groupByVersion(claims: readonly Claim[]): Map<number, Unit[]> {
  const groups = new Map<number, Unit[]>();
  for (const { unit, version } of claims) {
    groups.set(version, [...(groups.get(version) ?? []), unit]);
  }
  return groups;
}
