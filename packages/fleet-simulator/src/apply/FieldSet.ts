import { Schema } from '../kinds/Kind';
import {
  fieldSchema,
  isAtomicMap,
  isSetList,
  itemSchema,
  listKeys,
} from '../kinds/schemas';
import { isRecord, sameJson } from '../objects/KubeObject';
import { resolveSchema } from '../kinds/builtinKinds';

/** Fields that the API server itself owns; no manager is recorded for them. */
const UNMANAGED = new Set([
  'f:name',
  'f:namespace',
  'f:uid',
  'f:resourceVersion',
  'f:generation',
  'f:creationTimestamp',
  'f:deletionTimestamp',
  'f:deletionGracePeriodSeconds',
  'f:selfLink',
  'f:managedFields',
]);

/**
 * A set of fields of an object, as `fieldsV1` of managed fields holds it: a tree
 * whose edges are `f:<field>`, `k:<keys of a list item>` and `v:<value of a set>`.
 * Sets are values: every operation returns a new one.
 */
export class FieldSet {
  readonly member: boolean;
  readonly children: ReadonlyMap<string, FieldSet>;

  static readonly EMPTY = new FieldSet(false, new Map());
  static readonly LEAF = new FieldSet(true, new Map());

  /** Reads `fieldsV1`. */
  static parse(fields: Record<string, any>): FieldSet {
    const keys = Object.keys(fields);
    if (keys.length === 0) return FieldSet.LEAF;
    const children = new Map<string, FieldSet>();
    for (const key of keys) {
      if (key !== '.') children.set(key, FieldSet.parse(fields[key]));
    }
    return new FieldSet('.' in fields, children);
  }

  private constructor(
    member: boolean,
    children: ReadonlyMap<string, FieldSet>,
  ) {
    this.member = member;
    this.children = children;
  }

  static of(member: boolean, children: Map<string, FieldSet>): FieldSet {
    const filled = new Map([...children].filter(([, child]) => !child.isEmpty));
    return member || filled.size > 0
      ? new FieldSet(member, filled)
      : FieldSet.EMPTY;
  }

  get isEmpty(): boolean {
    return !this.member && this.children.size === 0;
  }

  toFieldsV1(): Record<string, any> {
    const fields: Record<string, any> = {};
    if (this.member && this.children.size > 0) fields['.'] = {};
    for (const key of [...this.children.keys()].sort()) {
      fields[key] = this.children.get(key)!.toFieldsV1();
    }
    return fields;
  }

  child(key: string): FieldSet {
    return this.children.get(key) ?? FieldSet.EMPTY;
  }

  union(other: FieldSet): FieldSet {
    const children = new Map(this.children);
    for (const [key, child] of other.children) {
      const own = children.get(key);
      children.set(key, own ? own.union(child) : child);
    }
    return FieldSet.of(this.member || other.member, children);
  }

  intersection(other: FieldSet): FieldSet {
    const children = new Map<string, FieldSet>();
    for (const [key, child] of this.children) {
      children.set(key, child.intersection(other.child(key)));
    }
    return FieldSet.of(this.member && other.member, children);
  }

  difference(other: FieldSet): FieldSet {
    const children = new Map<string, FieldSet>();
    for (const [key, child] of this.children) {
      children.set(key, child.difference(other.child(key)));
    }
    return FieldSet.of(this.member && !other.member, children);
  }

  /** Without everything at or below the members of the other set. */
  without(other: FieldSet): FieldSet {
    if (other.member && other.children.size === 0) return FieldSet.EMPTY;
    const children = new Map<string, FieldSet>();
    for (const [key, child] of this.children) {
      children.set(key, child.without(other.child(key)));
    }
    return FieldSet.of(this.member && !other.member, children);
  }

  equals(other: FieldSet): boolean {
    return sameJson(this.toFieldsV1(), other.toFieldsV1());
  }

  /** Paths of all members, as messages of conflicts write them: `.spec.ports[port=80,protocol="TCP"]`. */
  paths(prefix = ''): string[] {
    const own = this.member && prefix ? [prefix] : [];
    return [
      ...own,
      ...[...this.children.keys()]
        .sort()
        .flatMap(key =>
          this.children.get(key)!.paths(`${prefix}${pathElement(key)}`),
        ),
    ];
  }
}

function pathElement(key: string): string {
  if (key.startsWith('f:')) return `.${key.slice(2)}`;
  if (key.startsWith('v:')) return `[=${key.slice(2)}]`;
  const keys = JSON.parse(key.slice(2)) as Record<string, unknown>;
  return `[${Object.entries(keys)
    .map(([name, value]) => `${name}=${JSON.stringify(value)}`)
    .join(',')}]`;
}

/** The edge to an item of a keyed list; undefined where the item lacks its keys. */
export function itemKey(
  item: unknown,
  keys: string[],
  schema: Schema | undefined,
): string | undefined {
  if (!isRecord(item)) return undefined;
  const values: Record<string, unknown> = {};
  for (const key of [...keys].sort()) {
    const value = item[key] ?? fieldSchema(schema, key)?.default;
    if (value !== undefined) values[key] = value;
  }
  return `k:${JSON.stringify(values)}`;
}

/**
 * The fields of an object. `update` marks maps and lists that exist as a whole,
 * too, as the API server records them for everything but apply.
 */
export function fieldsOf(
  object: Record<string, any>,
  schema: Schema | undefined,
  mode: 'apply' | 'update',
): FieldSet {
  const { apiVersion, kind, ...rest } = object;
  const root = fieldsOfMap(rest, schema, mode, false);
  const metadata = root.children.get('f:metadata');
  if (!metadata) return root;
  const managed = new Map(
    [...metadata.children].filter(([key]) => !UNMANAGED.has(key)),
  );
  return FieldSet.of(
    false,
    new Map(root.children).set('f:metadata', FieldSet.of(false, managed)),
  );
}

function fieldsOfValue(
  value: unknown,
  schema: Schema | undefined,
  mode: 'apply' | 'update',
  isAlwaysThere: boolean,
): FieldSet {
  if (isRecord(value)) {
    if (isAtomicMap(schema) || Object.keys(value).length === 0) {
      return FieldSet.LEAF;
    }
    return fieldsOfMap(
      value,
      schema,
      mode,
      mode === 'update' && !isAlwaysThere,
    );
  }
  if (Array.isArray(value) && value.length > 0) {
    const children = new Map<string, FieldSet>();
    const keys = listKeys(schema);
    if (keys) {
      for (const item of value) {
        const key = itemKey(item, keys, itemSchema(schema));
        if (key === undefined) return FieldSet.LEAF;
        children.set(key, fieldsOfMap(item, itemSchema(schema), mode, true));
      }
      return FieldSet.of(mode === 'update' && !isAlwaysThere, children);
    }
    if (isSetList(schema)) {
      for (const item of value) {
        children.set(`v:${JSON.stringify(item)}`, FieldSet.LEAF);
      }
      return FieldSet.of(mode === 'update' && !isAlwaysThere, children);
    }
  }
  return FieldSet.LEAF;
}

function fieldsOfMap(
  value: Record<string, any>,
  schema: Schema | undefined,
  mode: 'apply' | 'update',
  member: boolean,
): FieldSet {
  const children = new Map<string, FieldSet>();
  const resolved = resolveSchema(schema);
  for (const [field, child] of Object.entries(value)) {
    if (child === undefined || child === null) continue;
    const schemaOfField = fieldSchema(schema, field);
    // Structs that the API server always writes (`spec: {}`) are nobody's as a whole.
    const isAlwaysThere =
      sameJson(resolved?.properties?.[field]?.default, {}) ||
      (resolved?.required?.includes(field) ?? false) ||
      (field === 'metadata' && schemaOfField !== undefined);
    children.set(
      `f:${field}`,
      fieldsOfValue(child, schemaOfField, mode, isAlwaysThere),
    );
  }
  return FieldSet.of(member, children);
}

/** Members of both sets whose values differ between two states of an object. */
export function changedFields(
  before: Record<string, any>,
  after: Record<string, any>,
  fields: FieldSet,
  schema: Schema | undefined,
): FieldSet {
  const children = new Map<string, FieldSet>();
  for (const [key, child] of fields.children) {
    const [left, leftSchema] = step(before, key, schema);
    const [right] = step(after, key, schema);
    if (left === undefined || right === undefined) continue;
    if (child.children.size === 0) {
      if (!sameJson(left, right)) children.set(key, FieldSet.LEAF);
    } else {
      children.set(key, changedFields(left, right, child, leftSchema));
    }
  }
  return FieldSet.of(false, children);
}

/** The value behind an edge, with its schema. */
export function step(
  value: any,
  key: string,
  schema: Schema | undefined,
): [any, Schema | undefined] {
  if (key.startsWith('f:')) {
    const field = key.slice(2);
    return [value?.[field], fieldSchema(schema, field)];
  }
  const items = itemSchema(schema);
  if (!Array.isArray(value)) return [undefined, items];
  if (key.startsWith('v:')) {
    const wanted = JSON.parse(key.slice(2));
    return [value.find(item => sameJson(item, wanted)), items];
  }
  const keys = listKeys(schema) ?? Object.keys(JSON.parse(key.slice(2)));
  return [value.find(item => itemKey(item, keys, items) === key), items];
}

/** A copy of an object without the members of a set. Parents that become empty stay, unless they are members themselves. */
export function withoutFields(
  value: any,
  fields: FieldSet,
  schema: Schema | undefined,
): any {
  if (isRecord(value)) {
    const result: Record<string, any> = {};
    for (const [field, child] of Object.entries(value)) {
      const gone = fields.child(`f:${field}`);
      if (gone.isEmpty) result[field] = child;
      else if (gone.children.size > 0) {
        const left = withoutFields(child, gone, fieldSchema(schema, field));
        if (!isHollow(left)) result[field] = left;
      }
    }
    return result;
  }
  if (Array.isArray(value)) {
    const items = itemSchema(schema);
    const keys = listKeys(schema);
    return value.flatMap(item => {
      const key = keys
        ? itemKey(item, keys, items) ?? ''
        : `v:${JSON.stringify(item)}`;
      const gone = fields.child(key);
      if (gone.isEmpty) return [item];
      if (gone.member) return [];
      return [withoutFields(item, gone, items)];
    });
  }
  return value;
}

function isHollow(value: unknown): boolean {
  return (
    (isRecord(value) && Object.keys(value).length === 0) ||
    (Array.isArray(value) && value.length === 0)
  );
}
