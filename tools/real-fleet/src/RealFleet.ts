import { setTimeout as sleep } from 'node:timers/promises';
import { GatewayApiBundle } from './bundles';
import { ControlPlane } from './ControlPlane';
import { toKubeconfig } from './kubeconfig';
import { ApplyReport } from './manifests/applyFolder';
import { RbacRule } from './Permissions';

/** @public */
export interface RealFleetOptions {
  /** Folder with one sub-folder of manifests a cluster. */
  dir: string;
  /** Names of the sub-folders to run; all by default. */
  clusters?: string[];
  /** Run istiod where the folders describe one, or describe no mesh at all. Default: true. */
  istio?: boolean;
  /** Gateway API bundle; `false` for none. Default: v1.6.3, standard. */
  gatewayApi?: GatewayApiBundle | false;
  /** Version of the multi-cluster services CRDs; `false` for none. */
  mcsApi?: string | false;
  /** Nodes of a cluster whose folder brings none. Default: 3. */
  nodes?: number;
  /** Port of the first cluster's API server, the others follow; free ports by default. */
  port?: number;
  /** Further names of tokens, see `startControlPlane`. */
  tokens?: string[];
  /** Settings of every istiod by environment, over those of the folders. */
  istiodEnv?: Record<string, string>;
  /** Folder of the programs. */
  bin?: string;
  /** State folder; a new temporary one by default, removed on stop. */
  stateDir?: string;
  /** The components outlive this process; `stopDetached` ends them. */
  detach?: boolean;
  /** Gives up a start that is under way, and cleans up. */
  signal?: AbortSignal;
  /** Called with one line whenever there is something to tell. */
  onProgress?: (line: string) => void;
}

/**
 * One cluster of a real fleet.
 *
 * @public
 */
export interface RealCluster {
  name: string;
  controlPlane: ControlPlane;
  url: string;
  caData: string;
  token(name?: string): string;
  kubeconfig(tokenName?: string): string;
  /** What became of each object of the folder. */
  report: ApplyReport;
}

/** @public */
export interface PodCount {
  running: number;
  total: number;
}

/**
 * Several real clusters with the contents of a folder, until `stop`.
 *
 * @public
 */
export class RealFleet {
  readonly #clusters: RealCluster[];
  readonly #stop: () => Promise<void>;

  /** `startRealFleet` makes one. */
  static create(clusters: RealCluster[], stop: () => Promise<void>): RealFleet {
    return new RealFleet(clusters, stop);
  }

  private constructor(clusters: RealCluster[], stop: () => Promise<void>) {
    this.#clusters = clusters;
    this.#stop = stop;
  }

  get clusters(): readonly RealCluster[] {
    return this.#clusters;
  }

  cluster(name: string): RealCluster {
    const cluster = this.#clusters.find(candidate => candidate.name === name);
    if (!cluster) {
      throw new Error(
        `The fleet has no cluster ${name}, only ${this.#clusters
          .map(c => c.name)
          .join(', ')}`,
      );
    }
    return cluster;
  }

  /** One context a cluster, named like it. */
  kubeconfig(options: { token?: string; clusters?: string[] } = {}): string {
    const { token: tokenName = 'admin', clusters: names } = options;
    const clusters = names?.map(name => this.cluster(name)) ?? this.#clusters;
    return toKubeconfig(
      clusters.map(({ name, url, caData, controlPlane }) => ({
        name,
        url,
        caData,
        user: tokenName,
        token: controlPlane.token(tokenName),
      })),
    );
  }

  /** Gives a token the same permissions in every cluster. */
  async setPermissions(tokenName: string, rules: RbacRule[]): Promise<void> {
    for (const { controlPlane } of this.#clusters) {
      await controlPlane.setPermissions(tokenName, rules);
    }
  }

  async pods(): Promise<PodCount> {
    const count: PodCount = { running: 0, total: 0 };
    for (const { controlPlane } of this.#clusters) {
      const pods = await controlPlane
        .client()
        .list<{ status?: { phase?: string } }>('/api/v1/pods');
      count.total += pods.length;
      count.running += pods.filter(({ status }) =>
        ['Running', 'Succeeded'].includes(status?.phase ?? ''),
      ).length;
    }
    return count;
  }

  /** Waits until every pod runs and no more come, or the time is over; says how many do. */
  async settle(options: { timeoutMs?: number } = {}): Promise<PodCount> {
    const until = Date.now() + (options.timeoutMs ?? 120_000);
    let before: PodCount | undefined;
    for (;;) {
      const count = await this.pods();
      const steady =
        count.running === count.total && before?.total === count.total;
      if (steady || Date.now() > until) {
        return count;
      }
      before = count;
      await sleep(2_000);
    }
  }

  /** Kills what runs and removes the state. */
  async stop(): Promise<void> {
    await this.#stop();
  }
}
