import { StoredObject } from './StoredObject';

/** What happened to an object, in the words of a watch. */
export type ChangeType = 'ADDED' | 'MODIFIED' | 'DELETED';

/** One change. `texts` keeps its serialised forms, so that any number of watchers costs one serialisation a form. */
export interface Change {
  type: ChangeType;
  version: number;
  object: StoredObject;
  previous?: StoredObject;
  texts: Map<string, string>;
}

export type ChangeListener = (change: Change) => void;

/** The version that was asked for lies before the oldest one that is remembered. */
export class VersionForgotten extends Error {
  readonly oldest: number;

  constructor(oldest: number) {
    super('version is no longer remembered');
    this.oldest = oldest;
  }
}

const KEPT_SNAPSHOTS = 8;

/**
 * The objects of one resource (all versions of its kind), what happened to them
 * recently, and who watches.
 */
export class Collection {
  readonly #objects = new Map<string, StoredObject>();
  readonly #listeners = new Set<ChangeListener>();
  readonly #snapshots = new Map<number, readonly StoredObject[]>();
  readonly #historySize: number;
  /** In order, once somebody asked for it; then kept in order, and copied before a change where others hold it. */
  #sorted: StoredObject[] | undefined;
  #isShared = false;
  #history: Change[] = [];
  #forgotten = 0;
  #lastChange = 0;

  static create(historySize: number): Collection {
    return new Collection(historySize);
  }

  private constructor(historySize: number) {
    this.#historySize = historySize;
  }

  get size(): number {
    return this.#objects.size;
  }

  get watchers(): number {
    return this.#listeners.size;
  }

  get(namespace: string, name: string): StoredObject | undefined {
    return this.#objects.get(namespace ? `${namespace}/${name}` : name);
  }

  /** All objects in the order of namespace and name. */
  all(): readonly StoredObject[] {
    this.#sorted ??= [...this.#objects.values()].sort(byKey);
    this.#isShared = true;
    return this.#sorted;
  }

  /** Objects whose `namespace/name` begins so. */
  withPrefix(prefix: string): StoredObject[] {
    const all = this.all();
    const found: StoredObject[] = [];
    for (let i = positionOf(all, prefix); i < all.length; i++) {
      if (!all[i].key.startsWith(prefix)) break;
      found.push(all[i]);
    }
    return found;
  }

  /** All objects as they were at a version. */
  at(version: number): readonly StoredObject[] {
    const kept = this.#snapshots.get(version);
    if (kept) return kept;
    if (version < this.#forgotten) throw new VersionForgotten(this.#forgotten);
    if (version >= this.#lastChange) return this.all();

    const objects = new Map(this.#objects);
    for (let i = this.#history.length - 1; i >= 0; i--) {
      const change = this.#history[i];
      if (change.version <= version) break;
      if (change.previous) objects.set(change.object.key, change.previous);
      else objects.delete(change.object.key);
    }
    const snapshot = [...objects.values()].sort(byKey);
    this.#snapshots.set(version, snapshot);
    if (this.#snapshots.size > KEPT_SNAPSHOTS) {
      this.#snapshots.delete(this.#snapshots.keys().next().value!);
    }
    return snapshot;
  }

  /** The changes after a version, the oldest first. */
  since(version: number): Change[] {
    if (version < this.#forgotten) throw new VersionForgotten(this.#forgotten);
    let first = this.#history.length;
    while (first > 0 && this.#history[first - 1].version > version) first--;
    return this.#history.slice(first);
  }

  put(object: StoredObject): void {
    const previous = this.#objects.get(object.key);
    this.#objects.set(object.key, object);
    this.#record({
      type: previous ? 'MODIFIED' : 'ADDED',
      version: object.version,
      object,
      previous,
      texts: new Map(),
    });
  }

  /** Removes an object; `last` is its last state, with the version of the removal. */
  remove(last: StoredObject): void {
    const previous = this.#objects.get(last.key);
    if (!previous) return;
    this.#objects.delete(last.key);
    this.#record({
      type: 'DELETED',
      version: last.version,
      object: last,
      previous,
      texts: new Map(),
    });
  }

  listen(listener: ChangeListener): () => void {
    this.#listeners.add(listener);
    return () => {
      this.#listeners.delete(listener);
    };
  }

  /** Forgets what happened up to and including a version. */
  forget(version: number): void {
    this.#history = this.#history.filter(change => change.version > version);
    this.#forgotten = Math.max(this.#forgotten, version);
    this.#snapshots.clear();
  }

  #record(change: Change): void {
    this.#keepSorted(change);
    this.#lastChange = change.version;
    this.#history.push(change);
    // Dropped by the half, so that remembering costs the same for each change.
    if (this.#history.length > this.#historySize * 2) {
      this.#forgotten =
        this.#history[this.#history.length - this.#historySize - 1].version;
      this.#history = this.#history.slice(-this.#historySize);
    }
    for (const listener of this.#listeners) listener(change);
  }

  #keepSorted({ type, object }: Change): void {
    if (!this.#sorted) return;
    if (this.#isShared) this.#sorted = [...this.#sorted];
    this.#isShared = false;
    const index = positionOf(this.#sorted, object.key);
    if (type === 'ADDED') this.#sorted.splice(index, 0, object);
    else if (type === 'DELETED') this.#sorted.splice(index, 1);
    else this.#sorted[index] = object;
  }
}

/** Where a key is in a sorted list, or where it would be. */
function positionOf(sorted: readonly StoredObject[], key: string): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if (sorted[middle].key < key) low = middle + 1;
    else high = middle;
  }
  return low;
}

function byKey(left: StoredObject, right: StoredObject): number {
  const a = left.key;
  const b = right.key;
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
