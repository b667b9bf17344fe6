import { LoggerService } from '@backstage/backend-plugin-api';
import { ClusterDefinition, ClusterSources, ListedClusters } from '../clusters';
import { ClusterLease } from '../store/ClusterLease';
import { ClusterStore } from '../store/ClusterStore';
import { ObjectStore } from '../store/ObjectStore';
import { Collector } from './Collector';
import { Semaphore } from './Semaphore';
import { CollectSettings } from './settings';
import { sleep } from './sleep';

/** @internal */
export interface CollectorsOptions {
  sources: ClusterSources;
  clusterStore: ClusterStore;
  objectStore: ObjectStore;
  settings: CollectSettings;
  logger: LoggerService;
  /** Names this replica; no two may have the same. */
  instanceId: string;
  /** Told when a cluster, its state or its coverage has changed. */
  onChanged?: (cluster: string) => void;
  leases?: LeaseSettings;
}

/** How long a lease lasts without being renewed, and how often it is. */
export interface LeaseSettings {
  durationMs: number;
  renewEveryMs: number;
}

/** A replica that dies is replaced after the duration and one interval: within 20 s. */
const defaultLeases: LeaseSettings = {
  durationMs: 15_000,
  renewEveryMs: 5_000,
};

interface Running {
  lease: ClusterLease;
  fingerprint: string;
  collector: Collector;
  /** The collector has ended by itself. */
  ended: boolean;
}

/**
 * Has every cluster collected, by one replica at a time. Looks at regular
 * intervals for clusters that have appeared, changed or gone, and for those whose
 * replica has not renewed its lease.
 */
export class Collectors {
  readonly #options: CollectorsOptions;
  readonly #leases: LeaseSettings;
  readonly #pages: Semaphore;
  readonly #controller = new AbortController();
  readonly #running = new Map<string, Running>();
  #wanted = new Map<string, ClusterDefinition>();
  #listedAt = -Infinity;
  #asking?: Promise<void>;
  #listed?: ListedClusters;
  #ended?: Promise<void>;

  static create(options: CollectorsOptions): Collectors {
    return new Collectors(options);
  }

  private constructor(options: CollectorsOptions) {
    this.#options = options;
    this.#leases = options.leases ?? defaultLeases;
    this.#pages = Semaphore.create(options.settings.concurrentPages);
  }

  start(): void {
    this.#ended ??= this.#run();
  }

  /** Stops all collectors and gives their clusters to other replicas. */
  async stop(): Promise<void> {
    this.#controller.abort();
    await this.#ended;
    const running = [...this.#running.values()];
    this.#running.clear();
    await Promise.all(
      running.map(async ({ collector, lease }) => {
        await collector.stop();
        await this.#options.clusterStore
          .releaseLease(lease)
          .catch(() => undefined);
      }),
    );
  }

  async #run(): Promise<void> {
    const { signal } = this.#controller;
    while (!signal.aborted) {
      try {
        await this.#renew();
        await this.#list();
        await this.#takeOver();
      } catch (error) {
        if (signal.aborted) return;
        this.#options.logger.warn(
          'Clusters could not be looked after; trying again',
          { error: String(error) },
        );
      }
      await sleep(this.#leases.renewEveryMs, signal);
    }
  }

  async #renew(): Promise<void> {
    const running = [...this.#running.values()];
    const held = new Set(
      await this.#options.clusterStore.renewLeases(
        running.map(({ lease }) => lease),
        this.#leases.durationMs,
      ),
    );
    const lost = running.filter(
      ({ lease, ended }) => ended || !held.has(lease),
    );
    await Promise.all(
      lost.map(async one => {
        await this.#stop(one);
        // One that has ended by a mistake still holds its lease; it is begun anew.
        await this.#options.clusterStore.releaseLease(one.lease);
      }),
    );
  }

  /**
   * Asks the sources which clusters there are, when it is time to. Most answer at
   * once; one that does not holds up neither the renewal of leases nor the end.
   */
  async #list(): Promise<void> {
    const { sources } = this.#options;
    if (Date.now() - this.#listedAt < sources.refreshIntervalMs) return;
    this.#asking ??= sources
      .list()
      .then(listed => {
        this.#listed = listed;
      })
      .finally(() => {
        this.#asking = undefined;
      });
    await Promise.race([
      this.#asking,
      sleep(this.#leases.renewEveryMs, this.#controller.signal),
    ]);
    if (!this.#listed || this.#controller.signal.aborted) return;
    await this.#apply(this.#listed);
    this.#listed = undefined;
    this.#listedAt = Date.now();
  }

  async #apply({ clusters, incomplete }: ListedClusters): Promise<void> {
    const { clusterStore, onChanged } = this.#options;
    this.#wanted = new Map(clusters.map(cluster => [cluster.name, cluster]));
    for (const cluster of clusters) {
      if (await clusterStore.register(cluster)) onChanged?.(cluster.name);
    }
    for (const stored of await clusterStore.list()) {
      // A source that does not answer has not said that its clusters are gone.
      const isGone =
        !this.#wanted.has(stored.name) && !incomplete.has(stored.source);
      if (isGone) await this.#remove(stored.name);
    }
    await this.#stopChanged();
  }

  async #remove(name: string): Promise<void> {
    const running = this.#running.get(name);
    if (running) await this.#stop(running);
    await this.#options.clusterStore.remove(name);
    this.#options.logger.info(
      `Cluster ${name} is no longer configured; what was known of it is removed`,
    );
    this.#options.onChanged?.(name);
  }

  /** A cluster that has to be connected in another way is collected anew. */
  async #stopChanged(): Promise<void> {
    for (const running of [...this.#running.values()]) {
      const wanted = this.#wanted.get(running.lease.cluster);
      const isSame =
        wanted?.createKubeConfig && wanted.fingerprint === running.fingerprint;
      if (isSame) continue;
      await this.#stop(running);
      await this.#options.clusterStore.releaseLease(running.lease);
    }
  }

  /** Takes the clusters that nobody collects. */
  async #takeOver(): Promise<void> {
    const { clusterStore, instanceId } = this.#options;
    for (const definition of this.#wanted.values()) {
      if (this.#controller.signal.aborted) return;
      const { name, createKubeConfig } = definition;
      if (this.#running.has(name) || !createKubeConfig) continue;
      const lease = await clusterStore.acquireLease(
        name,
        instanceId,
        this.#leases.durationMs,
      );
      const cluster = lease && (await clusterStore.get(name));
      if (!cluster) continue;
      const collector = Collector.create({
        ...this.#options,
        cluster,
        createKubeConfig,
        lease,
        pages: this.#pages,
        logger: this.#options.logger.child({ cluster: name }),
        onChanged: () => this.#options.onChanged?.(name),
        onEnded: () => {
          const running = this.#running.get(name);
          if (running?.lease === lease) running.ended = true;
        },
      });
      this.#running.set(name, {
        lease,
        fingerprint: definition.fingerprint,
        collector,
        ended: false,
      });
      collector.start();
    }
  }

  async #stop(running: Running): Promise<void> {
    this.#running.delete(running.lease.cluster);
    await running.collector.stop();
  }
}
