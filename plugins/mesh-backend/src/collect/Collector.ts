import { LoggerService } from '@backstage/backend-plugin-api';
import {
  KindId,
  watchedKinds,
  WatchedKind,
} from '@mesh-for-backstage/mesh-analysis';
import { ClusterState } from '@mesh-for-backstage/plugin-mesh-common';
import { ClusterLease, LeaseLostError } from '../store/ClusterLease';
import {
  ClusterStatus,
  ClusterStore,
  isSwitchedOff,
  StoredCluster,
  StoredCoverage,
} from '../store/ClusterStore';
import { ObjectStore } from '../store/ObjectStore';
import { ApiServer, ApiServerOptions } from './ApiServer';
import { Backoff } from './Backoff';
import { ChangeWriter } from './ChangeWriter';
import { Discoverer, Discovery } from './discover';
import { ApiStatusError, UnreachableError } from './errors';
import { Reflector, ReflectorHost, ReflectorState } from './Reflector';
import { Semaphore } from './Semaphore';
import { CollectSettings } from './settings';
import { sleep } from './sleep';

/** @internal */
export interface CollectorOptions {
  /** The cluster as it was last known. */
  cluster: StoredCluster;
  createKubeConfig: ApiServerOptions['createKubeConfig'];
  lease: ClusterLease;
  clusterStore: ClusterStore;
  objectStore: ObjectStore;
  settings: CollectSettings;
  /** Shared by all collectors of the process. */
  pages: Semaphore;
  logger: LoggerService;
  /** Told when state or coverage of the cluster has changed, once it is stored. */
  onChanged?: () => void;
  /** Told when the collector has ended by itself: for want of the lease, or by a mistake of ours. */
  onEnded?: () => void;
}

/** A kind that is read, by one reflector or by one for each of several namespaces. */
interface Reading {
  kind: WatchedKind;
  version: string;
  reflectors: Reflector[];
  controller: AbortController;
  ended: Promise<unknown>;
}

/** From well known to not known. */
const badness: Array<ReflectorState['state']> = [
  'synced',
  'stale',
  'unreachable',
  'absent-api',
  'forbidden',
];

/** How long changes of state are gathered before they are stored. */
const REPORT_DELAY_MS = 200;
/** The same while kinds are still being read for the first time: then each page is a change. */
const REPORT_DELAY_WHILE_READING_MS = 1_000;

/** All that is under way ends at once when it is told to, but for what the database is asked. */
const STOP_WITHIN_MS = 20_000;

/**
 * Keeps the store in step with one cluster: asks again and again what it serves,
 * reads each watched kind of it, and says how well each is known. A fault of the
 * cluster, whatever it is, ends here.
 */
export class Collector {
  readonly #options: CollectorOptions;
  readonly #settings: CollectSettings;
  readonly #logger: LoggerService;
  readonly #controller = new AbortController();
  readonly #api: ApiServer;
  readonly #discoverer: Discoverer;
  readonly #writer: ChangeWriter;
  readonly #ownPages: Semaphore;
  readonly #readings = new Map<KindId, Reading>();
  readonly #coverage = new Map<KindId, StoredCoverage>();
  readonly #dirty = new Set<KindId>();
  readonly #toCount = new Set<KindId>();
  readonly #startedAt = Date.now();
  #status: ClusterStatus;
  #lastContact?: string;
  #kubernetesVersion?: string;
  #discovered = false;
  #down?: Error;
  #reachable = deferred();
  #probing?: Promise<void>;
  #wakeDiscovery?: () => void;
  #reportTimer?: NodeJS.Timeout;
  #reportAt = Infinity;
  #reportWaits = false;
  readonly #reportBackoff: Backoff;
  #reporting: Promise<void> = Promise.resolve();
  #ended?: Promise<unknown>;
  #waitingFor = '';

  static create(options: CollectorOptions): Collector {
    return new Collector(options);
  }

  private constructor(options: CollectorOptions) {
    this.#options = options;
    this.#settings = options.settings;
    this.#logger = options.logger;
    const { cluster } = options;
    this.#status = {
      state: cluster.state,
      message: cluster.message,
      since: cluster.since,
    };
    this.#lastContact = cluster.lastContact;
    this.#kubernetesVersion = cluster.kubernetesVersion;
    this.#api = ApiServer.create({
      createKubeConfig: options.createKubeConfig,
      connectTimeoutMs: options.settings.connectTimeoutMs,
      requestTimeoutMs: options.settings.requestTimeoutMs,
    });
    this.#discoverer = Discoverer.create(this.#api);
    this.#reportBackoff = Backoff.create(options.settings.backoff);
    this.#ownPages = Semaphore.create(
      options.settings.concurrentPagesPerCluster,
    );
    this.#writer = ChangeWriter.create({
      store: options.objectStore,
      lease: options.lease,
      delayMs: options.settings.writeDelayMs,
      backoff: options.settings.backoff,
      signal: this.#controller.signal,
      onLeaseLost: () => this.#end(),
      onWritten: kinds => {
        for (const kind of kinds) this.#toCount.add(kind);
        this.#reportSoon();
      },
      onFailure: error =>
        this.#logger.warn('Changes could not be stored; trying again', error),
    });
  }

  start(): void {
    this.#ended ??= this.#run();
  }

  /** Ends all requests, and returns when the last write is over, or takes too long. */
  async stop(): Promise<void> {
    this.#controller.abort();
    this.#reachable.resolve();
    this.#wakeDiscovery?.();
    clearTimeout(this.#reportTimer);
    await this.#api.close();
    let timer: NodeJS.Timeout | undefined;
    const tooLong = new Promise<void>(done => {
      timer = setTimeout(() => {
        // Harmless: what is written later is refused, since the lease is another's.
        this.#logger.warn(
          `Stopped without waiting any longer for ${this.#waitingFor}`,
        );
        done();
      }, STOP_WITHIN_MS);
    });
    await Promise.race([this.#settle(), tooLong]).finally(() =>
      clearTimeout(timer),
    );
  }

  async #settle(): Promise<void> {
    this.#waitingFor = 'discovery';
    await this.#ended;
    for (const { kind, ended } of this.#readings.values()) {
      this.#waitingFor = `the reading of ${kind.id}`;
      await ended.catch(() => undefined);
    }
    this.#waitingFor = 'a write to the database';
    await this.#writer.idle();
    await this.#reporting;
  }

  async #run(): Promise<void> {
    const { signal } = this.#controller;
    try {
      await this.#recall(signal);
      const aging = setInterval(
        () => this.#age(),
        Math.min(10_000, this.#settings.staleAfterMs / 3),
      );
      try {
        await this.#keepDiscovering(signal);
      } finally {
        clearInterval(aging);
      }
    } catch (error) {
      if (signal.aborted) return;
      if (!(error instanceof LeaseLostError)) {
        this.#logger.error('The collector has ended', error as Error);
      }
      this.#end();
    }
  }

  /** Continues from what an earlier run has stored, as soon as the database lets it. */
  async #recall(signal: AbortSignal): Promise<void> {
    const backoff = Backoff.create(this.#settings.backoff);
    for (;;) {
      signal.throwIfAborted();
      try {
        await this.#readStored();
        return;
      } catch (error) {
        if (error instanceof LeaseLostError) throw error;
        this.#logger.warn(
          'What is stored of the cluster could not be read; trying again',
          error as Error,
        );
        await sleep(backoff.next(), signal);
      }
    }
  }

  async #readStored(): Promise<void> {
    const { cluster, clusterStore, lease } = this.#options;
    await clusterStore.keepOnly(
      lease,
      watchedKinds.map(({ id, systemNamespacesOnly }) => ({
        kind: id,
        ...(systemNamespacesOnly && { namespaces: cluster.systemNamespaces }),
      })),
    );
    for (const row of await clusterStore.coverage(lease.cluster)) {
      this.#coverage.set(row.kind, row);
    }
    const counts = await this.#options.objectStore.count(lease.cluster);
    this.#writer.recall(counts.keys());
  }

  async #keepDiscovering(signal: AbortSignal): Promise<void> {
    const backoff = Backoff.create(this.#settings.backoff);
    while (!signal.aborted) {
      let waitMs = this.#settings.discoveryIntervalMs;
      try {
        const discovery = await this.#discoverer.discover(signal);
        backoff.reset();
        this.#answered();
        this.#kubernetesVersion =
          discovery.kubernetesVersion ?? this.#kubernetesVersion;
        this.#discovered = true;
        await this.#apply(discovery);
      } catch (error) {
        if (signal.aborted) return;
        if (error instanceof LeaseLostError) throw error;
        this.#failed(error as Error);
        waitMs = backoff.next(
          error instanceof ApiStatusError ? error.retryAfterMs : undefined,
        );
      }
      this.#reportSoon();
      await this.#sleepUntilWoken(waitMs, signal);
    }
  }

  /** Starts reading what has become served, and stops what no longer is. */
  async #apply(discovery: Discovery): Promise<void> {
    for (const kind of watchedKinds) {
      if (discovery.undecided.has(kind.id)) continue;
      const isOff = kind.optIn && !this.#settings.optIns.has(kind.optIn);
      const version = discovery.versions.get(kind.id);
      const reading = this.#readings.get(kind.id);
      if (reading && (isOff || reading.version !== version)) {
        reading.controller.abort();
        await reading.ended;
        this.#readings.delete(kind.id);
      }
      if (isOff) {
        await this.#forget(kind, {
          state: 'forbidden',
          message: `Reading is switched off; mesh.collect.${kind.optIn}: true switches it on`,
        });
      } else if (version === undefined) {
        await this.#forget(kind, {
          state: 'absent-api',
          message: `The cluster does not serve ${resourceOf(kind)}`,
        });
      } else if (!this.#readings.has(kind.id)) {
        this.#read(kind, version);
      }
    }
  }

  /** A kind that is not read: nothing of it may stay, or it would never be corrected. */
  async #forget(kind: WatchedKind, state: ReflectorState): Promise<void> {
    const before = this.#coverage.get(kind.id);
    this.#cover(kind, { ...state, version: undefined });
    if (before?.state === state.state && before.objects === 0) return;
    if (this.#writer.beginList({ kind: kind.id })) return;
    this.#toCount.add(kind.id);
    await this.#writer.removeUnseen({ kind: kind.id }, new Set());
  }

  #read(kind: WatchedKind, version: string): void {
    const controller = new AbortController();
    const stop = () => controller.abort();
    this.#controller.signal.addEventListener('abort', stop, { once: true });
    const namespaces = kind.systemNamespacesOnly
      ? this.#options.cluster.systemNamespaces
      : [undefined];
    const host: ReflectorHost = {
      api: this.#api,
      writer: this.#writer,
      settings: this.#settings,
      withPage: (task, signal) =>
        this.#ownPages.run(() => this.#options.pages.run(task, signal), signal),
      whenReachable: signal => this.#whenReachable(signal),
      suspectUnreachable: error => this.#suspectUnreachable(error),
      unexpected: error =>
        this.#logger.error(`Reading ${kind.id} failed unexpectedly`, error),
    };
    const reading: Reading = {
      kind,
      version,
      controller,
      reflectors: namespaces.map(namespace =>
        Reflector.create({
          host,
          kind,
          version,
          namespace,
          onState: () => this.#combine(kind.id),
          onAlive: () => this.#alive(kind.id),
        }),
      ),
      ended: Promise.resolve(),
    };
    this.#readings.set(kind.id, reading);
    reading.ended = Promise.all(
      reading.reflectors.map(reflector => reflector.run(controller.signal)),
    ).finally(() => this.#controller.signal.removeEventListener('abort', stop));
  }

  /** A kind is known as well as the worst known of its namespaces. */
  #combine(id: KindId): void {
    const reading = this.#readings.get(id);
    if (!reading) return;
    const states = reading.reflectors.map(reflector => reflector.state);
    // Until each has said something, what was known before stands.
    if (states.some(state => state === undefined)) return;
    const worst = [...(states as ReflectorState[])].sort(
      (a, b) => badness.indexOf(b.state) - badness.indexOf(a.state),
    )[0];
    this.#cover(reading.kind, { ...worst, version: reading.version });
  }

  #cover(
    kind: WatchedKind,
    state: ReflectorState & { version: string | undefined },
  ): void {
    const before = this.#coverage.get(kind.id);
    const isSame =
      before?.state === state.state &&
      before.message === state.message &&
      before.version === state.version;
    if (isSame) return;
    const now = new Date().toISOString();
    this.#coverage.set(kind.id, {
      cluster: this.#options.lease.cluster,
      kind: kind.id,
      resource: resourceOf(kind),
      version: state.version,
      state: state.state,
      message: state.message,
      missing: state.missing,
      objects: before?.objects ?? 0,
      since: before?.state === state.state ? before.since : now,
      asOf: state.state === 'synced' ? now : state.version && before?.asOf,
    });
    this.#dirty.add(kind.id);
    this.#reportSoon();
  }

  #alive(id: KindId): void {
    this.#answered();
    const row = this.#coverage.get(id);
    if (!row || row.state === 'absent-api') return;
    const reading = this.#readings.get(id);
    // A list that has ended is a sign of life of all namespaces only if each has given one.
    if (reading && reading.reflectors.length > 1 && row.state !== 'synced') {
      return;
    }
    const now = new Date();
    const isDue =
      !row.asOf ||
      now.getTime() - Date.parse(row.asOf) >= this.#settings.asOfIntervalMs;
    // The stored time lags behind by up to the interval; it never runs ahead.
    if (!isDue) return;
    row.asOf = now.toISOString();
    this.#dirty.add(id);
    this.#reportSoon();
  }

  /** What has shown no sign of life for too long is no longer current, whatever the reason. */
  #age(): void {
    const limit = this.#settings.staleAfterMs + this.#settings.asOfIntervalMs;
    const now = Date.now();
    if (now - this.#startedAt < limit) return;
    for (const [id, row] of this.#coverage) {
      if (row.state !== 'synced' || !row.asOf) continue;
      if (now - Date.parse(row.asOf) < limit) continue;
      const message = `No sign of life since ${row.asOf}`;
      const reading = this.#readings.get(id);
      reading?.reflectors.forEach(reflector => reflector.markStale(message));
      if (!reading) {
        const kind = watchedKinds.find(one => one.id === id);
        if (kind) {
          this.#cover(kind, { state: 'stale', message, version: row.version });
        }
      }
    }
  }

  #answered(): void {
    this.#lastContact = new Date().toISOString();
    if (!this.#down) return;
    this.#down = undefined;
    this.#reachable.resolve();
    for (const { reflectors } of this.#readings.values()) {
      for (const reflector of reflectors) {
        if (reflector.state?.state === 'unreachable') reflector.reconnect();
      }
    }
    this.#reportSoon();
  }

  /** Discovery has failed: for want of an answer, or for want of a useful one. */
  #failed(error: Error): void {
    const isSignIn = error instanceof ApiStatusError && error.status === 401;
    if (isSignIn) {
      this.#goDown(
        new UnreachableError(
          'The API server refuses the credentials (401); check token or certificate',
          '401',
        ),
      );
    } else if (error instanceof UnreachableError) {
      this.#goDown(error);
    } else if (!this.#discovered) {
      // It answers, and does not say what it serves: nothing can be read.
      this.#goDown(error);
    }
  }

  #goDown(error: Error): void {
    const isNews = this.#down?.message !== error.message;
    if (!this.#down) this.#reachable = deferred();
    this.#down = error;
    this.#api.reconnect();
    if (!isNews) return;
    for (const [id, row] of this.#coverage) {
      if (row.state !== 'synced' && row.state !== 'stale') continue;
      const reading = this.#readings.get(id);
      reading?.reflectors.forEach(reflector =>
        reflector.markUnreachable(error.message),
      );
      const kind = watchedKinds.find(one => one.id === id);
      if (!reading && kind) {
        this.#cover(kind, {
          state: 'unreachable',
          message: error.message,
          version: row.version,
        });
      }
    }
    this.#reportSoon();
  }

  async #whenReachable(signal: AbortSignal): Promise<void> {
    while (this.#down && !signal.aborted) {
      const stop = deferred();
      signal.addEventListener('abort', stop.resolve, { once: true });
      await Promise.race([this.#reachable.promise, stop.promise]);
      signal.removeEventListener('abort', stop.resolve);
    }
  }

  /** One request without an answer may be bad luck: asks for something small before giving up the cluster. */
  async #suspectUnreachable(error: Error): Promise<void> {
    if (this.#down) return;
    this.#probing ??= this.#probe(error).finally(() => {
      this.#probing = undefined;
    });
    await this.#probing;
  }

  async #probe(error: Error): Promise<void> {
    // What took the last request may be a connection on which nothing arrives any more.
    if (error instanceof UnreachableError) this.#api.reconnect();
    try {
      await this.#api.get('/version', { signal: this.#controller.signal });
      this.#answered();
    } catch (failure) {
      if (this.#controller.signal.aborted) return;
      const answers =
        failure instanceof ApiStatusError && failure.status !== 401;
      if (answers) return;
      this.#failed(failure as Error);
      this.#wakeDiscovery?.();
    }
  }

  async #sleepUntilWoken(
    milliseconds: number,
    signal: AbortSignal,
  ): Promise<void> {
    const woken = new AbortController();
    const wake = () => woken.abort();
    this.#wakeDiscovery = wake;
    signal.addEventListener('abort', wake, { once: true });
    await sleep(milliseconds, woken.signal);
    signal.removeEventListener('abort', wake);
    this.#wakeDiscovery = undefined;
  }

  /** Collects no more. What is under way is over when `stop` returns. */
  #end(): void {
    if (this.#controller.signal.aborted) return;
    this.#controller.abort();
    this.#options.onEnded?.();
  }

  #reportSoon(): void {
    if (this.#controller.signal.aborted) return;
    const delayMs =
      this.#discovered && this.#pending().length > 0
        ? REPORT_DELAY_WHILE_READING_MS
        : REPORT_DELAY_MS;
    const at = Date.now() + delayMs;
    if (at >= this.#reportAt) return;
    clearTimeout(this.#reportTimer);
    this.#reportAt = at;
    this.#reportTimer = setTimeout(() => {
      this.#reportAt = Infinity;
      // One that waits for the one before it will tell this too.
      if (this.#reportWaits) return;
      this.#reportWaits = true;
      this.#reporting = this.#reporting.then(() => {
        this.#reportWaits = false;
        return this.#report();
      });
    }, delayMs);
  }

  /** Kinds of which nothing is known yet. */
  #pending(): KindId[] {
    return [...this.#readings.keys()].filter(id => !this.#coverage.has(id));
  }

  /** Stores what has changed of coverage and state. */
  async #report(): Promise<void> {
    if (this.#controller.signal.aborted) return;
    const { clusterStore, lease } = this.#options;
    const dirty = [...this.#dirty];
    this.#dirty.clear();
    try {
      // What is called current has to be there.
      await this.#writer.flush();
      await this.#count(dirty);
      const rows = dirty.flatMap(id => this.#coverage.get(id) ?? []);
      const { changed } = await clusterStore.saveCoverage(lease, rows);
      const status = this.#derive();
      const isNews =
        status.state !== this.#status.state ||
        status.message !== this.#status.message;
      if (status.state !== this.#status.state) this.#announce(status);
      this.#status = status;
      await clusterStore.saveStatus(lease, status);
      this.#reportBackoff.reset();
      if (isNews || changed.length > 0) this.#options.onChanged?.();
    } catch (error) {
      if (this.#controller.signal.aborted) return;
      if (error instanceof LeaseLostError) {
        this.#end();
        return;
      }
      dirty.forEach(id => this.#dirty.add(id));
      this.#logger.warn('State could not be stored; trying again', {
        error: String(error),
      });
      await sleep(this.#reportBackoff.next(), this.#controller.signal);
      this.#reportSoon();
    }
  }

  async #count(dirty: KindId[]): Promise<void> {
    const toCount = new Set([...this.#toCount, ...dirty]);
    if (toCount.size === 0) return;
    this.#toCount.clear();
    const counts = await this.#options.objectStore.count(
      this.#options.lease.cluster,
    );
    for (const id of toCount) {
      const row = this.#coverage.get(id);
      const objects = counts.get(id) ?? 0;
      if (!row || row.objects === objects) continue;
      row.objects = objects;
      if (!dirty.includes(id)) dirty.push(id);
    }
  }

  #derive(): ClusterStatus {
    const { state, message } = this.#stateNow();
    return {
      state,
      message,
      since:
        state === this.#status.state
          ? this.#status.since
          : new Date().toISOString(),
      lastContact: this.#lastContact,
      kubernetesVersion: this.#kubernetesVersion,
    };
  }

  #stateNow(): { state: ClusterState; message?: string } {
    if (this.#down) {
      return { state: 'unreachable', message: this.#down.message };
    }
    if (!this.#discovered) {
      return { state: this.#status.state, message: this.#status.message };
    }
    const pending = this.#pending();
    if (pending.length > 0) {
      const total = this.#readings.size;
      return {
        state: 'connecting',
        message: `Reading: ${
          total - pending.length
        } of ${total} kinds are there`,
      };
    }
    const gaps = [...this.#coverage.values()].filter(
      row =>
        row.state !== 'synced' &&
        row.state !== 'absent-api' &&
        !isSwitchedOff(row),
    );
    if (gaps.length === 0) return { state: 'synced' };
    return {
      state: 'degraded',
      message: `${gaps
        .slice(0, 3)
        .map(row => row.message ?? `${row.resource} is ${row.state}`)
        .join('; ')}${gaps.length > 3 ? `; and ${gaps.length - 3} more` : ''}`,
    };
  }

  #announce(status: ClusterStatus): void {
    const text = `${this.#status.state} → ${status.state}${
      status.message ? `: ${status.message}` : ''
    }`;
    if (status.state === 'unreachable' || status.state === 'degraded') {
      this.#logger.warn(text);
    } else {
      this.#logger.info(text);
    }
  }
}

/** Plural and group, as in an RBAC rule. */
function resourceOf(kind: WatchedKind): string {
  return kind.group ? `${kind.plural}.${kind.group}` : kind.plural;
}

function deferred(): { promise: Promise<void>; resolve: () => void } {
  let resolve!: () => void;
  const promise = new Promise<void>(done => {
    resolve = done;
  });
  return { promise, resolve };
}
