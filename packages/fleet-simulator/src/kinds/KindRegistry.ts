import plurals from '../data/plurals.json';
import { KubeObject, splitApiVersion } from '../objects/KubeObject';
import { builtinGroups, builtinKinds } from './builtinKinds';
import { kindsOfDefinition } from './customResources';
import { Kind } from './Kind';

const ALL_VERBS = [
  'delete',
  'deletecollection',
  'get',
  'list',
  'patch',
  'create',
  'update',
  'watch',
];

/**
 * The kinds that one cluster serves: the built-in ones, those that its
 * CustomResourceDefinitions define, and those served because its folder holds an
 * object of them.
 */
export class KindRegistry {
  readonly #byResource = new Map<string, Kind>();
  readonly #byKind = new Map<string, Kind>();
  /** Group → versions, the preferred one first. */
  readonly #groups = new Map<string, string[]>();
  readonly #definitions = new Map<string, Kind[]>();
  #generation = 0;

  static create(): KindRegistry {
    const registry = new KindRegistry();
    for (const kind of builtinKinds) registry.#add(kind);
    return registry;
  }

  private constructor() {}

  /** Raised with each change of what is served, so that answers built from it can be kept until then. */
  get generation(): number {
    return this.#generation;
  }

  resource(group: string, version: string, plural: string): Kind | undefined {
    return this.#byResource.get(`${group}/${version}/${plural}`);
  }

  /** The kind of an object, in the version that the object names. */
  kind(apiVersion: string, kind: string): Kind | undefined {
    const { group, version } = splitApiVersion(apiVersion);
    return this.#byKind.get(`${group}/${version}/${kind}`);
  }

  kinds(): Kind[] {
    return [...this.#byResource.values()];
  }

  kindsOf(group: string, version: string): Kind[] {
    return this.kinds().filter(
      kind => kind.group === group && kind.version === version,
    );
  }

  /** Groups other than the core group, in the order of discovery. */
  groups(): Array<{ name: string; versions: string[] }> {
    const builtin = builtinGroups.filter(name => this.#groups.has(name));
    const custom = [...this.#groups.keys()]
      .filter(name => name && !builtinGroups.includes(name))
      .sort();
    return [...builtin, ...custom].map(name => ({
      name,
      versions: this.#groups.get(name)!,
    }));
  }

  hasGroupVersion(group: string, version: string): boolean {
    return this.#groups.get(group)?.includes(version) ?? false;
  }

  /** Serves what a CustomResourceDefinition defines, in place of what it defined before. */
  define(definition: KubeObject): Kind[] {
    this.undefine(definition.metadata.name);
    const kinds = kindsOfDefinition(definition);
    for (const kind of kinds) {
      const implicit = this.resource(kind.group, kind.version, kind.plural);
      if (implicit?.origin === 'builtin') continue;
      this.#add(kind);
    }
    this.#definitions.set(definition.metadata.name, kinds);
    return kinds;
  }

  undefine(name: string): Kind[] {
    const kinds = this.#definitions.get(name) ?? [];
    for (const kind of kinds) this.#remove(kind);
    this.#definitions.delete(name);
    return kinds;
  }

  /** Serves a kind without its definition, as found in an object of it. */
  defineImplicitly(object: KubeObject): Kind {
    const { group, version } = splitApiVersion(object.apiVersion);
    const namespacedPlural = pluralIn(plurals.namespaced, group, object.kind);
    const clusterPlural = pluralIn(plurals.clusterWide, group, object.kind);
    // The same kind in another version decides the scope before the object does.
    const sibling = this.kinds().find(
      kind => kind.group === group && kind.kind === object.kind,
    );
    const kind: Kind = {
      group,
      version,
      kind: object.kind,
      plural:
        sibling?.plural ??
        namespacedPlural ??
        clusterPlural ??
        guessPlural(object.kind),
      singular: object.kind.toLowerCase(),
      namespaced:
        sibling?.namespaced ??
        (namespacedPlural !== undefined ||
          (clusterPlural === undefined &&
            object.metadata.namespace !== undefined)),
      verbs: ALL_VERBS,
      subresources: [
        {
          name: 'status',
          kind: object.kind,
          verbs: ['get', 'patch', 'update'],
        },
      ],
      columns: [
        { name: 'Name', type: 'string', format: 'name', priority: 0 },
        { name: 'Age', type: 'date', format: '', priority: 0 },
      ],
      origin: 'implicit',
    };
    this.#add(kind);
    return kind;
  }

  #add(kind: Kind): void {
    this.#generation++;
    this.#byResource.set(`${kind.group}/${kind.version}/${kind.plural}`, kind);
    this.#byKind.set(`${kind.group}/${kind.version}/${kind.kind}`, kind);
    const versions = this.#groups.get(kind.group) ?? [];
    if (!versions.includes(kind.version)) {
      versions.push(kind.version);
      if (kind.origin !== 'builtin') versions.sort(byVersionPriority);
    }
    this.#groups.set(kind.group, versions);
  }

  #remove(kind: Kind): void {
    this.#generation++;
    this.#byResource.delete(`${kind.group}/${kind.version}/${kind.plural}`);
    this.#byKind.delete(`${kind.group}/${kind.version}/${kind.kind}`);
    const versions = (this.#groups.get(kind.group) ?? []).filter(
      version => this.kindsOf(kind.group, version).length > 0,
    );
    if (versions.length > 0) this.#groups.set(kind.group, versions);
    else this.#groups.delete(kind.group);
  }
}

function pluralIn(
  table: Record<string, Record<string, string>>,
  group: string,
  kind: string,
): string | undefined {
  return table[group]?.[kind];
}

/** English plural as code generators form it, for kinds that the table does not hold. */
export function guessPlural(kind: string): string {
  const name = kind.toLowerCase();
  if (/(s|x|z|ch|sh)$/.test(name)) return `${name}es`;
  if (/[^aeiou]y$/.test(name)) return `${name.slice(0, -1)}ies`;
  return `${name}s`;
}

/** Kubernetes' order of versions: stable before beta before alpha, higher numbers first. */
export function byVersionPriority(left: string, right: string): number {
  const a = rank(left);
  const b = rank(right);
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return b[i] - a[i];
  return left < right ? -1 : 1;
}

function rank(version: string): number[] {
  const match = /^v(\d+)(?:(alpha|beta)(\d+))?$/.exec(version);
  if (!match) return [0, 0, 0];
  const stage = { alpha: 1, beta: 2 }[match[2]] ?? 3;
  return [stage, Number(match[1]), Number(match[3] ?? 0)];
}
