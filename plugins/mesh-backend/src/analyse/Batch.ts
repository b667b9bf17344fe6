import { ClusterMesh } from '@mesh-for-backstage/mesh-analysis';
import { Unit } from '../store/buckets';
import { ClusterStore, StoredCluster } from '../store/ClusterStore';
import { ObjectStore } from '../store/ObjectStore';
import { ViewStore } from '../store/ViewStore';
import {
  ClusterKnowledge,
  Loader,
  RecordingInventory,
} from './RecordingInventory';

export type Topic = 'clusters' | 'services' | 'findings';

/** What the writes of a batch concern, gathered so that it is marked and told once. */
export class Effects {
  /** Clusters whose mesh is another one now, with that. */
  readonly meshes = new Map<string, ClusterMesh | undefined>();
  /** Clusters whose services or namespaces have become known, or unknown. */
  readonly known = new Set<string>();
  readonly units = new Set<Unit>();
  readonly topics = new Set<Topic>();
}

/** Whether services and namespaces of a cluster are known, be it from some time ago. */
export interface StoredKnown {
  services: boolean;
  namespaces: boolean;
}

/**
 * What several units of one claim read in common. It is made after the claim, so
 * that a change which it misses has raised the version of the unit that reads it.
 */
export class Batch {
  readonly now: string;
  readonly #clusters: ClusterStore;
  readonly #objects: ObjectStore;
  readonly #views: ViewStore;
  readonly #knowledge = new Map<string, Promise<ClusterKnowledge>>();
  #stored: Promise<Map<string, StoredCluster>> | undefined;
  #meshes: Promise<readonly ClusterMesh[]> | undefined;
  #known: Promise<ReadonlyMap<string, StoredKnown>> | undefined;

  constructor(options: {
    clusters: ClusterStore;
    objects: ObjectStore;
    views: ViewStore;
    now: string;
  }) {
    this.now = options.now;
    this.#clusters = options.clusters;
    this.#objects = options.objects;
    this.#views = options.views;
  }

  clusters(): Promise<Map<string, StoredCluster>> {
    this.#stored ??= this.#clusters
      .list()
      .then(list => new Map(list.map(cluster => [cluster.name, cluster])));
    return this.#stored;
  }

  /** The meshes of all clusters; the same list as in the batch before where none has changed. */
  meshes(): Promise<readonly ClusterMesh[]> {
    this.#meshes ??= this.#views.allMeshes();
    return this.#meshes;
  }

  knowledge(cluster: string): Promise<ClusterKnowledge> {
    let known = this.#knowledge.get(cluster);
    if (!known) {
      known = this.#load(cluster);
      this.#knowledge.set(cluster, known);
    }
    return known;
  }

  /** Which clusters' services and namespaces are known; clusters that are not drawn yet are absent. */
  known(): Promise<ReadonlyMap<string, StoredKnown>> {
    this.#known ??= this.#views
      .inNamespaces<StoredKnown>('known', [''])
      .then(rows => new Map(rows.map(row => [row.cluster, row.body])));
    return this.#known;
  }

  async inventory(): Promise<RecordingInventory> {
    const loader: Loader = {
      list: scope => this.#objects.list(scope),
      listNamespace: scope => this.#objects.listNamespace(scope),
      get: key => this.#objects.get(key),
      coverage: cluster => this.knowledge(cluster),
    };
    return RecordingInventory.create({
      loader,
      clusters: [...(await this.clusters()).keys()],
      now: this.now,
    });
  }

  async #load(name: string): Promise<ClusterKnowledge> {
    const cluster = (await this.clusters()).get(name);
    const rows = await this.#clusters.coverage(name);
    return { cluster, kinds: new Map(rows.map(row => [row.kind, row])) };
  }
}
