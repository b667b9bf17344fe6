import { createHash } from 'node:crypto';
import { Kind, qualifiedPlural } from '../kinds/Kind';
import { KindRegistry } from '../kinds/KindRegistry';
import { joinApiVersion, KubeObject } from '../objects/KubeObject';
import { Collection } from './Collection';
import { StoredObject } from './StoredObject';

/** Namespaces that every cluster has from the beginning. */
export const SYSTEM_NAMESPACES = [
  'default',
  'kube-node-lease',
  'kube-public',
  'kube-system',
];

/**
 * Everything one cluster holds. There is one counter of versions for all of it, as
 * etcd has one; each resource has its own history.
 */
export class ClusterState {
  readonly registry = KindRegistry.create();
  readonly #seed: string;
  readonly #historySize: number;
  readonly #collections = new Map<string, Collection>();
  #version = 1;
  #compacted = 0;
  #created = 0;

  static create(options: { seed: string; historySize: number }): ClusterState {
    return new ClusterState(options.seed, options.historySize);
  }

  private constructor(seed: string, historySize: number) {
    this.#seed = seed;
    this.#historySize = historySize;
  }

  /** The version of the last change. */
  get version(): number {
    return this.#version;
  }

  collection(kind: { group: string; plural: string }): Collection {
    const id = qualifiedPlural(kind);
    let collection = this.#collections.get(id);
    if (!collection) {
      collection = Collection.create(this.#historySize);
      collection.forget(this.#compacted);
      this.#collections.set(id, collection);
    }
    return collection;
  }

  find(kind: Kind, namespace: string, name: string): KubeObject | undefined {
    return this.collection(kind)
      .get(namespace, name)
      ?.parse(joinApiVersion(kind.group, kind.version), kind.kind);
  }

  /** Stores an object as it is, under a new version. */
  store(kind: Kind, object: KubeObject): StoredObject {
    const stored = StoredObject.of(object, ++this.#version);
    this.collection(kind).put(stored);
    if (isDefinition(kind)) this.registry.define(object);
    return stored;
  }

  /** Removes an object, and with a namespace or a definition everything in it. */
  remove(kind: Kind, object: KubeObject): StoredObject {
    const last = StoredObject.of(object, ++this.#version);
    this.collection(kind).remove(last);
    if (kind.group === '' && kind.kind === 'Namespace') {
      this.#emptyNamespace(object.metadata.name);
    }
    if (isDefinition(kind)) {
      const [gone] = this.registry.undefine(object.metadata.name);
      if (gone) this.#removeAll(gone);
    }
    return last;
  }

  /** The same for the same seed and order of creation. */
  newUid(): string {
    const hash = createHash('sha1')
      .update(`${this.#seed}/${++this.#created}`)
      .digest('hex');
    return [
      hash.slice(0, 8),
      hash.slice(8, 12),
      `4${hash.slice(13, 16)}`,
      `a${hash.slice(17, 20)}`,
      hash.slice(20, 32),
    ].join('-');
  }

  hasNamespace(name: string): boolean {
    return (
      this.collection({ group: '', plural: 'namespaces' }).get('', name) !==
      undefined
    );
  }

  /** Forgets what happened so far: nobody can watch or page on from an older version. */
  compact(): void {
    // A version of its own, so that not even the newest one before is served.
    this.#compacted = ++this.#version;
    for (const collection of this.#collections.values()) {
      collection.forget(this.#version);
    }
  }

  #emptyNamespace(namespace: string): void {
    const kinds = new Map(
      this.registry
        .kinds()
        .filter(kind => kind.namespaced)
        .map(kind => [qualifiedPlural(kind), kind]),
    );
    for (const kind of kinds.values()) {
      this.#removeAll(kind, stored => stored.namespace === namespace);
    }
  }

  #removeAll(kind: Kind, which: (s: StoredObject) => boolean = () => true) {
    const collection = this.collection(kind);
    for (const stored of collection.all()) {
      if (!which(stored)) continue;
      const object = stored.parse(
        joinApiVersion(kind.group, kind.version),
        kind.kind,
      );
      collection.remove(StoredObject.of(object, ++this.#version));
    }
  }
}

function isDefinition(kind: Kind): boolean {
  return (
    kind.group === 'apiextensions.k8s.io' &&
    kind.kind === 'CustomResourceDefinition'
  );
}
