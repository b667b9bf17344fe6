import type { LoggerService } from '@backstage/backend-plugin-api';
import {
  ClusterMesh,
  Finding,
  clustersWithChangedLinks,
  fleetFindings,
  linkedClusters,
} from '@mesh-for-backstage/mesh-analysis';
import { Knex } from 'knex';
import {
  FLEET_UNIT,
  linksUnit,
  ParsedUnit,
  parseUnit,
  serviceUnit,
  Unit,
  viewBucket,
} from '../store/buckets';
import { ClusterStore } from '../store/ClusterStore';
import { isPassing, tellable } from '../store/databaseErrors';
import { FindingStore, identify } from '../store/FindingStore';
import { InstanceStore } from '../store/InstanceStore';
import { ObjectStore } from '../store/ObjectStore';
import { Claim, Queue } from '../store/Queue';
import { ReadStore } from '../store/ReadStore';
import { ServiceStore } from '../store/ServiceStore';
import { ViewStore } from '../store/ViewStore';
import { Batch, Effects, Topic } from './Batch';
import { drawCluster, Drawing } from './drawCluster';
import { drawNamespace } from './drawNamespace';
import { drawServices, Owners } from './drawServices';

/** @internal */
export interface AnalyserOptions {
  database: Knex;
  logger: LoggerService;
  queue: Queue;
  clusters: ClusterStore;
  objects: ObjectStore;
  views: ViewStore;
  instances: InstanceStore;
  services: ServiceStore;
  findings: FindingStore;
  reads: ReadStore;
  owners: Owners;
  /** Keys of labels that name an owner, in order. */
  ownerLabels: readonly string[];
  /** Told of what has changed once it is stored. */
  onChange?(topics: ReadonlySet<Topic>): void;
  now?: () => Date;
}

const BATCH = 64;
/** Changes come in flocks: what follows within this time is drawn together with the first. */
const COALESCE_MILLISECONDS = 100;
/** How often the queue is asked although this process has marked nothing: other replicas may have. */
const POLL_MILLISECONDS = 1_000;
const LINKS_DELAY_MILLISECONDS = 2_000;

/** How long to wait before trying again what the database had no time for. */
const RETRY_MILLISECONDS = 1_000;

/** Drawing has taken so long that another replica has taken over: what it has drawn since must stand. */
class ClaimsLost extends Error {
  readonly units: ReadonlySet<Unit>;

  constructor(units: ReadonlySet<Unit>) {
    super(`Another replica has taken over ${units.size} units`);
    this.units = units;
  }
}

/** A part of a batch: what is drawn, and the claims that are done with it. */
interface Drawn {
  claims: Claim[];
  write: Drawing;
}

/** Draws what has changed, and writes what comes of it. */
export class Analyser {
  readonly #options: AnalyserOptions;
  readonly #now: () => Date;
  #running: Promise<void> | undefined;
  #stopped = false;
  /** Claims of a batch that was broken off, and could not be given back at once. */
  #unreturned: readonly Claim[] = [];
  #marked = false;
  #wake: () => void = () => undefined;
  #unsubscribe: () => void = () => undefined;

  static create(options: AnalyserOptions): Analyser {
    return new Analyser(options);
  }

  private constructor(options: AnalyserOptions) {
    this.#options = options;
    this.#now = options.now ?? (() => new Date());
  }

  /** Begins to draw. Clusters that were never drawn are marked first. */
  start(): void {
    if (this.#running) return;
    this.#unsubscribe = this.#options.queue.onMarked(() => {
      this.#marked = true;
      this.#wake();
    });
    this.#running = this.#run();
  }

  /** Lets the batch in hand end, and begins no other. */
  async stop(): Promise<void> {
    this.#stopped = true;
    this.#unsubscribe();
    this.#wake();
    await this.#running;
  }

  /** Draws until nothing is free to be claimed. For tools and tests. */
  async drain(): Promise<void> {
    while ((await this.#drawBatch()) > 0);
  }

  async #run(): Promise<void> {
    let failures = 0;
    while (!this.#stopped) {
      try {
        const drawn = await this.#drawBatch();
        failures = 0;
        if (drawn < BATCH) await this.#pause();
        else await letOthersRun();
      } catch (error) {
        failures += 1;
        this.#options.logger.error(
          'The analyser could not read or write its queue; it tries again',
          error as Error,
        );
        await this.#sleep(Math.min(30_000, 500 * 2 ** Math.min(failures, 10)));
      }
    }
  }

  async #pause(): Promise<void> {
    if (!this.#marked) await this.#sleep(POLL_MILLISECONDS);
    this.#marked = false;
    if (!this.#stopped) {
      await new Promise(resolve => {
        setTimeout(resolve, COALESCE_MILLISECONDS);
      });
    }
  }

  /** Ends early when something is marked, or when the analyser stops. */
  #sleep(milliseconds: number): Promise<void> {
    return new Promise(resolve => {
      const timer = setTimeout(resolve, milliseconds);
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
      if (this.#stopped) this.#wake();
    });
  }

  async #drawBatch(): Promise<number> {
    const { queue } = this.#options;
    await queue.release(this.#unreturned);
    this.#unreturned = [];
    const claims = await queue.claim(BATCH);
    if (claims.length === 0) return 0;
    try {
      const batch = new Batch({
        ...this.#options,
        now: this.#now().toISOString(),
      });
      await this.#write(await this.#draw(claims, batch), batch);
    } catch (error) {
      this.#unreturned = claims;
      throw error;
    }
    return claims.length;
  }

  async #draw(claims: readonly Claim[], batch: Batch): Promise<Drawn[]> {
    const { queue, logger } = this.#options;
    const parsed = claims.map(claim => ({
      claim,
      unit: parseUnit(claim.unit),
    }));
    const drawn: Drawn[] = [];
    // Clusters first: what they say is read by all others.
    for (const { claim, unit } of parsed) {
      if (unit === undefined) {
        logger.warn(`Unknown unit ${claim.unit} in the queue; it is left out`);
        await queue.complete([claim]);
      } else if (unit.type !== 'service') {
        await letOthersRun();
        await this.#attempt([claim], drawn, () => this.#drawOne(unit, batch));
      }
    }
    const services = parsed.flatMap(({ claim, unit }) =>
      unit?.type === 'service' ? [{ claim, unit }] : [],
    );
    if (services.length === 0) return drawn;
    await letOthersRun();
    try {
      drawn.push({
        claims: services.map(({ claim }) => claim),
        write: await this.#drawServices(
          services.map(({ unit }) => unit),
          batch,
        ),
      });
    } catch (error) {
      if (isPassing(error)) throw error;
      // One of them is at fault: the others must not wait for it.
      for (const { claim, unit } of services) {
        await this.#attempt([claim], drawn, () =>
          this.#drawServices([unit], batch),
        );
      }
    }
    return drawn;
  }

  #drawOne(unit: ParsedUnit, batch: Batch): Promise<Drawing> {
    switch (unit.type) {
      case 'cluster':
        return drawCluster(unit.cluster, batch, this.#options);
      case 'namespace':
        return drawNamespace(unit, batch, this.#options);
      case 'links':
        return this.#spreadLinks(unit.cluster);
      case 'fleet':
        return this.#drawFleet(batch);
      default:
        return this.#drawServices([unit], batch);
    }
  }

  #drawServices(
    units: ReadonlyArray<{ namespace: string; name: string }>,
    batch: Batch,
  ): Promise<Drawing> {
    return drawServices(
      units.map(({ namespace, name }) => ({ namespace, name })),
      batch,
      this.#options,
      this.#options,
    );
  }

  async #spreadLinks(cluster: string): Promise<Drawing> {
    return async (trx, effects) => {
      const names = await this.#options.instances.names(trx, {
        clusters: [cluster],
      });
      for (const { namespace, name } of names) {
        effects.units.add(serviceUnit(namespace, name));
      }
    };
  }

  async #drawFleet(batch: Batch): Promise<Drawing> {
    const found = identify(FLEET_UNIT, fleetFindings(await batch.meshes()));
    return async (trx, effects) => {
      const { changed } = await this.#options.findings.replace(
        trx,
        new Map([[FLEET_UNIT, found]]),
        batch.now,
      );
      if (changed) effects.topics.add('findings');
    };
  }

  async #attempt(
    claims: Claim[],
    drawn: Drawn[],
    draw: () => Promise<Drawing>,
  ): Promise<void> {
    try {
      drawn.push({ claims, write: await draw() });
    } catch (error) {
      await this.#failed(claims, error as Error);
    }
  }

  /** One transaction for all: each costs a write to disk. Where it fails, each is tried alone. */
  async #write(drawn: readonly Drawn[], batch: Batch): Promise<void> {
    if (drawn.length === 0) return;
    try {
      await this.#writeTogether(drawn, batch);
    } catch (error) {
      if (error instanceof ClaimsLost) {
        await this.#writeWithout(error.units, drawn, batch);
        return;
      }
      if (drawn.length === 1) {
        await this.#failed(drawn[0].claims, error as Error);
        return;
      }
      this.#options.logger.debug(
        'A batch could not be written as a whole; each part is written alone',
        error as Error,
      );
      for (const one of drawn) await this.#write([one], batch);
    }
  }

  /** Drops the parts in which something was taken over; what of them is still ours is drawn anew. */
  async #writeWithout(
    lost: ReadonlySet<Unit>,
    drawn: readonly Drawn[],
    batch: Batch,
  ): Promise<void> {
    const isWhole = ({ claims }: Drawn) =>
      claims.every(({ unit }) => !lost.has(unit));
    for (const one of drawn) {
      if (isWhole(one)) await this.#write([one], batch);
      else await this.#options.queue.release(one.claims);
    }
  }

  async #writeTogether(drawn: readonly Drawn[], batch: Batch): Promise<void> {
    const { database, queue, views, findings } = this.#options;
    const claims = drawn.flatMap(one => one.claims);
    const before = await views.allMeshes();
    const effects = new Effects();
    await database.transaction(async trx => {
      for (const { write } of drawn) await write(trx, effects);
      const cured = claims.filter(({ attempts }) => attempts > 0);
      if (cured.length > 0) {
        const { changed } = await findings.replace(
          trx,
          new Map(cured.map(({ unit }) => [analysisOf(unit), []])),
          batch.now,
        );
        if (changed) effects.topics.add('findings');
      }
      await this.#mark(trx, effects);
      await this.#markLinks(trx, before, effects);
      const lost = await queue.lost(trx, claims);
      if (lost.size > 0) throw new ClaimsLost(lost);
    });
    await queue.complete(claims);
    if (effects.topics.size > 0) this.#options.onChange?.(effects.topics);
  }

  async #mark(trx: Knex, effects: Effects): Promise<void> {
    const { queue, instances } = this.#options;
    const changed = [...new Set([...effects.meshes.keys(), ...effects.known])];
    if (changed.length > 0) {
      const names = await instances.names(trx, { clusters: changed });
      for (const { namespace, name } of names) {
        effects.units.add(serviceUnit(namespace, name));
      }
    }
    await queue.markUnits(trx, [...effects.units]);
    await queue.markChanged(
      trx,
      [...effects.meshes.keys()].map(cluster => viewBucket('mesh', cluster)),
    );
  }

  /**
   * Services of other clusters, whose links to these have changed. They may wait a
   * little: while a fleet is first read, every cluster changes the links of all.
   */
  async #markLinks(
    trx: Knex,
    before: readonly ClusterMesh[],
    { meshes, known }: Effects,
  ): Promise<void> {
    if (meshes.size + known.size === 0) return;
    const after = [
      ...before.filter(({ cluster }) => !meshes.has(cluster)),
      ...[...meshes.values()].filter(mesh => mesh !== undefined),
    ].sort((a, b) => (a.cluster < b.cluster ? -1 : 1));
    const others = clustersWithChangedLinks(before, after);
    for (const cluster of known) {
      for (const other of linkedClusters(after, cluster)) others.add(other);
    }
    for (const cluster of [...meshes.keys(), ...known]) others.delete(cluster);
    await this.#options.queue.markUnits(
      trx,
      [FLEET_UNIT, ...[...others].map(linksUnit)],
      { delayMs: LINKS_DELAY_MILLISECONDS },
    );
  }

  async #failed(claims: readonly Claim[], error: Error): Promise<void> {
    if (isPassing(error)) {
      this.#options.logger.warn(
        'The database had no time for the analyser; it tries again',
        error,
      );
      await this.#options.queue.release(claims, {
        delayMs: RETRY_MILLISECONDS,
      });
      return;
    }
    for (const claim of claims) await this.#fail(claim, error);
  }

  async #fail(claim: Claim, error: Error): Promise<void> {
    const { queue, logger, findings, database, onChange } = this.#options;
    const { retryAt } = await queue.fail(claim);
    logger.warn(
      `Analysis of ${claim.unit} failed; it is tried again at ${new Date(
        retryAt,
      ).toISOString()}`,
      error,
    );
    const unit = analysisOf(claim.unit);
    const { changed } = await findings.replace(
      database,
      new Map([[unit, identify(unit, [analysisFailed(claim.unit, error)])]]),
      this.#now().toISOString(),
    );
    if (changed) onChange?.(new Set(['findings']));
  }
}

/** The unit of findings about the analysis of a unit, apart from those that it finds. */
function analysisOf(unit: Unit): Unit {
  return `analysis:${unit}`;
}

function analysisFailed(key: Unit, error: Error): Finding {
  const unit = parseUnit(key);
  const about = aboutOf(key, unit);
  return {
    rule: 'AnalysisFailed',
    severity: 'error',
    ...about,
    message: `${about.kind} ${
      about.name
    } could not be analysed, so that what is shown of it is the last state before: ${tellable(
      error,
    )}`,
    fix: 'Nothing in the cluster has to be done. Report it with the message, and with the objects where they may be shared.',
    actor: 'platform',
    evidence: about.clusters.map(cluster => ({
      cluster,
      kind: about.kind,
      ...('namespace' in about && { namespace: about.namespace }),
      name: about.name,
    })),
  };
}

function aboutOf(
  key: Unit,
  unit: ParsedUnit | undefined,
): Pick<Finding, 'kind' | 'clusters' | 'namespace' | 'name'> {
  switch (unit?.type) {
    case 'namespace':
      return {
        kind: 'Namespace',
        clusters: [unit.cluster],
        namespace: unit.namespace,
        name: unit.namespace,
      };
    case 'service':
      return {
        kind: 'Service',
        clusters: [],
        namespace: unit.namespace,
        name: unit.name,
      };
    case 'cluster':
    case 'links':
      return { kind: 'Cluster', clusters: [unit.cluster], name: unit.cluster };
    default:
      return { kind: 'Unit', clusters: [], name: key };
  }
}

/**
 * SQLite answers at once, so that drawing after drawing would run without a gap in
 * which requests and answers of API servers are looked at.
 */
function letOthersRun(): Promise<void> {
  return new Promise(resolve => {
    setImmediate(resolve);
  });
}
