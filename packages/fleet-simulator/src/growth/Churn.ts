import { KubeObject } from '../objects/KubeObject';
import { SimulatedCluster } from '../SimulatedCluster';
import { Random } from './Random';
import { endpointOf, isReady } from './workload';

const TICK_MS = 50;

/**
 * Changes a fleet at a rate, as a living one changes: pods become ready or not, with
 * their endpoints, labels change, pods are replaced, services come and go.
 */
export class Churn {
  readonly #clusters: readonly SimulatedCluster[];
  readonly #perSecond: number;
  readonly #random: Random;
  /** Services that the churn itself has made; only those are taken away again. */
  readonly #made: Array<{ cluster: SimulatedCluster; name: string }> = [];
  #timer: NodeJS.Timeout | undefined;
  #changes = 0;

  static create(options: {
    clusters: readonly SimulatedCluster[];
    perSecond: number;
    seed: string;
  }): Churn {
    return new Churn(options);
  }

  private constructor(options: Parameters<typeof Churn.create>[0]) {
    this.#clusters = options.clusters;
    this.#perSecond = options.perSecond;
    this.#random = Random.create(`${options.seed}/churn`);
  }

  /** Number of objects changed so far. */
  get changes(): number {
    return this.#changes;
  }

  start(): void {
    const began = Date.now();
    const before = this.#changes;
    this.#timer = setInterval(() => {
      const due = ((Date.now() - began) / 1000) * this.#perSecond;
      // After a pause of the process the backlog is dropped, not poured out.
      const limit = Math.min(due - (this.#changes - before), this.#perSecond);
      for (let done = 0; done < limit; ) done += this.step();
    }, TICK_MS);
  }

  stop(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  /** One thing that happens. Returns the number of objects that it changed. */
  step(): number {
    const cluster = this.#random.pick(this.#clusters);
    const what = this.#random.next();
    let changed: number;
    if (what < 0.6) changed = this.#flipReadiness(cluster);
    else if (what < 0.8) changed = this.#changeLabel(cluster);
    else if (what < 0.95) changed = this.#replacePod(cluster);
    else changed = this.#addOrRemoveService(cluster);
    // A cluster without such objects gets one, so that something happens everywhere.
    changed ||= this.#addOrRemoveService(cluster);
    this.#changes += changed;
    return changed;
  }

  #flipReadiness(cluster: SimulatedCluster): number {
    const pod = cluster.sample('v1', 'Pod', this.#random.next());
    if (!pod) return 0;
    const status = isReady(pod) ? 'False' : 'True';
    const others = (pod.status?.conditions ?? []).filter(
      (condition: any) => condition.type !== 'Ready',
    );
    pod.status = {
      ...pod.status,
      conditions: [...others, { type: 'Ready', status }],
      containerStatuses: (pod.status?.containerStatuses ?? []).map(
        (container: object) => ({ ...container, ready: status === 'True' }),
      ),
    };
    cluster.load(pod);
    return 1 + this.#updateEndpoints(cluster, pod, [pod]);
  }

  #changeLabel(cluster: SimulatedCluster): number {
    const kind = this.#random.chance(0.5) ? 'Deployment' : 'Service';
    const object = cluster.sample(
      kind === 'Service' ? 'v1' : 'apps/v1',
      kind,
      this.#random.next(),
    );
    if (!object) return 0;
    object.metadata.labels = {
      ...object.metadata.labels,
      'company.example/release': String(this.#random.below(1_000_000)),
    };
    cluster.load(object);
    return 1;
  }

  #replacePod(cluster: SimulatedCluster): number {
    const old = cluster.sample('v1', 'Pod', this.#random.next());
    if (!old) return 0;
    const { uid, resourceVersion, creationTimestamp, generation, ...metadata } =
      old.metadata;
    const stem = metadata.name.slice(0, metadata.name.lastIndexOf('-'));
    const fresh: KubeObject = {
      ...old,
      metadata: {
        ...metadata,
        name: `${stem || metadata.name}-${this.#random.suffix(5)}`,
      },
    };
    cluster.remove({
      apiVersion: 'v1',
      kind: 'Pod',
      namespace: metadata.namespace,
      name: metadata.name,
    });
    cluster.load(fresh);
    return 2 + this.#updateEndpoints(cluster, old, [fresh]);
  }

  #addOrRemoveService(cluster: SimulatedCluster): number {
    if (this.#made.length > 20) {
      const { cluster: owner, name } = this.#made.shift()!;
      const reference = { apiVersion: 'v1', kind: 'Service', name };
      if (!owner.get(reference)) return 0;
      owner.remove(reference);
      return 1;
    }
    const name = `canary-${this.#random.suffix(8)}`;
    cluster.load({
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name, namespace: 'default', labels: { app: name } },
      spec: { selector: { app: name }, ports: [{ name: 'http', port: 80 }] },
    });
    this.#made.push({ cluster, name });
    return 1;
  }

  /** Puts pods in the place of one in the slice that names it. */
  #updateEndpoints(
    cluster: SimulatedCluster,
    pod: KubeObject,
    pods: KubeObject[],
  ): number {
    const { namespace, name, labels } = pod.metadata;
    const slice = cluster.endpointSliceOf(namespace ?? '', labels?.app ?? '');
    if (!slice) return 0;
    const others = (slice.endpoints ?? []).filter(
      (endpoint: any) => endpoint.targetRef?.name !== name,
    );
    slice.endpoints = [...others, ...pods.map(endpointOf)];
    cluster.load(slice);
    return 1;
  }
}
