import { FleetObject, ManifestObject } from './FleetObject';
import { Coverage, Inventory } from './Inventory';
import { KindId, kindIdOf } from './kinds';
import { byName } from './order';

/** @public */
export interface InventoryCluster {
  name: string;
  /** Objects in the form in which an API server writes them; `cluster` is set here. */
  objects: readonly ManifestObject[];
  /** States that differ from `synced`, by kind id; `*` for every kind that is not named. */
  coverage?: Record<KindId, Coverage | Coverage['state']>;
}

const none: readonly FleetObject[] = Object.freeze([]);

interface KindIndex {
  all: FleetObject[];
  byNamespace: Map<string, FleetObject[]>;
  byKey: Map<string, FleetObject>;
}

function isNamed(object: any): object is FleetObject {
  return (
    typeof object === 'object' &&
    object !== null &&
    typeof object.kind === 'string' &&
    typeof object.apiVersion === 'string' &&
    typeof object.metadata === 'object' &&
    object.metadata !== null &&
    typeof object.metadata.name === 'string' &&
    ['string', 'undefined'].includes(typeof object.metadata.namespace)
  );
}

function indexOf(cluster: InventoryCluster): Map<KindId, KindIndex> {
  const kinds = new Map<KindId, KindIndex>();
  for (const object of cluster.objects) {
    if (!isNamed(object)) {
      continue;
    }
    const id = kindIdOf(object);
    let index = kinds.get(id);
    if (!index) {
      index = { all: [], byNamespace: new Map(), byKey: new Map() };
      kinds.set(id, index);
    }
    const { namespace = '', name } = object.metadata;
    // The same object twice (two files, two versions of its API) counts once: the
    // last one stands, as with `kubectl apply`.
    index.byKey.set(`${namespace}/${name}`, {
      ...object,
      cluster: cluster.name,
    });
  }
  for (const index of kinds.values()) {
    index.all = [...index.byKey.values()].sort(byName);
    for (const object of index.all) {
      const namespace = object.metadata.namespace ?? '';
      const siblings = index.byNamespace.get(namespace);
      if (siblings) {
        siblings.push(object);
      } else {
        index.byNamespace.set(namespace, [object]);
      }
    }
  }
  return kinds;
}

/**
 * An inventory in memory, for the command line tool and for tests. What is not
 * covered otherwise counts as read completely. Things that have no name or kind are
 * left out.
 *
 * @public
 */
export function createInventory(options: {
  now: string;
  clusters: InventoryCluster[];
}): Inventory {
  const clusters = new Map(
    options.clusters.map(cluster => [
      cluster.name,
      { kinds: indexOf(cluster), coverage: cluster.coverage ?? {} },
    ]),
  );
  const names = Object.freeze([...clusters.keys()]);

  return {
    now: options.now,
    clusters: () => names,
    list(kind, { cluster, namespace }) {
      const index = clusters.get(cluster)?.kinds.get(kind);
      return (
        (namespace === undefined
          ? index?.all
          : index?.byNamespace.get(namespace)) ?? none
      );
    },
    get(kind, { cluster, namespace = '', name }) {
      return clusters
        .get(cluster)
        ?.kinds.get(kind)
        ?.byKey.get(`${namespace}/${name}`);
    },
    coverage(kind, cluster) {
      const known = clusters.get(cluster);
      if (!known) {
        return {
          state: 'unreachable',
          message: `no cluster is named ${cluster}`,
        };
      }
      const coverage = known.coverage[kind] ?? known.coverage['*'] ?? 'synced';
      return typeof coverage === 'string' ? { state: coverage } : coverage;
    },
  };
}
