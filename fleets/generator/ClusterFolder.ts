import { DemoCluster } from './clusters';
import { Folder, Manifest } from './Folder';
import {
  dateBetween,
  numberFrom,
  pick,
  suffixFrom,
  timeOn,
  uidFrom,
} from './seeded';

/** One cluster being written: its files, and the addresses and nodes that objects share. */
export class ClusterFolder {
  readonly cluster: DemoCluster;
  readonly folder = new Folder();
  readonly nodes: Array<{
    name: string;
    ip: string;
    zone: string;
    kubelet: string;
    pool: string;
  }> = [];
  readonly #taken = new Set<string>();

  constructor(cluster: DemoCluster) {
    this.cluster = cluster;
    let n = 0;
    for (const { pool, count, kubelet } of cluster.nodes) {
      for (let i = 0; i < count; i++) {
        const zone = cluster.zones[n % cluster.zones.length];
        n++;
        const ip = `172.${16 + cluster.number / 10}.${n}.${
          10 + numberFrom(`${cluster.name} ${pool} ${i}`, 200)
        }`;
        const name =
          cluster.environment === 'stores'
            ? `${zone}-till-server`
            : `ip-${ip.replace(/\./g, '-')}.${cluster.region}.compute.internal`;
        this.nodes.push({ name, ip, zone, kubelet, pool });
      }
    }
  }

  get name(): string {
    return this.cluster.name;
  }

  /** Adds an object with the metadata that the API server gives it. */
  add(
    file: string,
    manifest: Manifest,
    { note, created }: { note?: string; created?: string } = {},
  ): Manifest {
    const { apiVersion, kind, metadata, ...rest } = manifest;
    const { name, namespace, labels, annotations, ...more } = metadata as any;
    const key = `${this.name} ${kind} ${namespace ?? ''}/${name}`;
    const complete: Manifest = {
      apiVersion,
      kind,
      metadata: {
        name,
        namespace,
        uid: uidFrom(key),
        generation: undefined,
        creationTimestamp: created ?? this.createdOf(key),
        labels: emptyToUndefined(labels),
        annotations: emptyToUndefined(annotations),
        ...more,
      },
      ...rest,
    };
    this.folder.add(file, complete, note);
    return complete;
  }

  /** Most objects came with the cluster or in the months after. */
  createdOf(key: string): string {
    return timeOn(
      dateBetween(later(this.cluster.created, '2026-01-12'), '2026-09-25', key),
      key,
    );
  }

  uid(kind: string, namespace: string | undefined, name: string): string {
    return uidFrom(`${this.name} ${kind} ${namespace ?? ''}/${name}`);
  }

  podIp(key: string): string {
    for (let attempt = 0; ; attempt++) {
      const host = 2 + numberFrom(`pod ip ${this.name} ${key} ${attempt}`, 250);
      const subnet = numberFrom(`pod net ${this.name} ${key} ${attempt}`, 16);
      const ip = `10.${this.cluster.number}.${subnet}.${host}`;
      if (!this.#taken.has(ip)) {
        this.#taken.add(ip);
        return ip;
      }
    }
  }

  serviceIp(key: string): string {
    for (let attempt = 0; ; attempt++) {
      const ip = `10.${this.cluster.number + 100}.${numberFrom(
        `a ${this.name} ${key} ${attempt}`,
        240,
      )}.${1 + numberFrom(`b ${this.name} ${key} ${attempt}`, 250)}`;
      if (!this.#taken.has(ip)) {
        this.#taken.add(ip);
        return ip;
      }
    }
  }

  nodeFor(key: string, pool?: string) {
    const candidates = this.nodes.filter(node => !pool || node.pool === pool);
    return pick(
      `node ${this.name} ${key}`,
      candidates.length ? candidates : this.nodes,
    );
  }

  generateName(prefix: string, key: string, length = 5): string {
    return `${prefix}-${suffixFrom(`${this.name} ${key}`, length)}`;
  }
}

function later(a: string, b: string): string {
  return a > b ? a : b;
}

export function emptyToUndefined<T extends object>(value?: T): T | undefined {
  return value && Object.keys(value).length > 0 ? value : undefined;
}
