import { Schema } from '../kinds/Kind';
import {
  fieldSchema,
  isAtomicMap,
  isSetList,
  itemSchema,
  listKeys,
} from '../kinds/schemas';
import { StatusError } from '../http/StatusError';
import {
  copy,
  isRecord,
  KubeObject,
  ManagedFields,
  sameJson,
} from '../objects/KubeObject';
import {
  changedFields,
  FieldSet,
  fieldsOf,
  itemKey,
  withoutFields,
} from './FieldSet';

export interface Manager {
  name: string;
  operation: 'Apply' | 'Update';
  subresource?: string;
  apiVersion: string;
  time: string;
}

/** Who owns what after a write that is not an apply: the writer owns what it changed, and what is gone is nobody's. */
export function managedAfterUpdate(
  before: KubeObject | undefined,
  after: KubeObject,
  manager: Manager,
  schema: Schema,
): ManagedFields[] | undefined {
  const old = scope(before ?? ({} as KubeObject), manager.subresource);
  const now = scope(after, manager.subresource);
  const oldFields = fieldsOf(old, schema, 'update');
  const newFields = fieldsOf(now, schema, 'update');
  const changed = changedFields(
    old,
    now,
    oldFields.intersection(newFields),
    schema,
  );
  const gone = oldFields.difference(newFields);
  const gained = newFields.difference(oldFields).union(changed);

  const entries = (after.metadata.managedFields ?? []).flatMap(entry => {
    if (isSame(entry, manager)) return [entry];
    const fields = FieldSet.parse(entry.fieldsV1)
      .difference(changed)
      .difference(gone);
    return fields.isEmpty ? [] : [{ ...entry, fieldsV1: fields.toFieldsV1() }];
  });
  const own = entries.find(entry => isSame(entry, manager));
  const others = entries.filter(entry => entry !== own);
  const fields = (own ? FieldSet.parse(own.fieldsV1) : FieldSet.EMPTY)
    .difference(gone)
    .union(gained);
  if (!fields.isEmpty) {
    others.push(
      own && gained.isEmpty && gone.isEmpty ? own : entryOf(manager, fields),
    );
  }
  return others.length > 0 ? inOrder(others) : undefined;
}

/**
 * Server-side apply: merges what a manager wants into the live object, removes what
 * the manager applied before and no longer wants, and tells who else owns what it
 * would change. The result carries the new `managedFields`.
 */
export function serverSideApply(
  live: KubeObject,
  wanted: KubeObject,
  manager: Manager,
  schema: Schema,
  force: boolean,
): KubeObject {
  const managed = live.metadata.managedFields ?? beforeFirstApply(live, schema);
  const applied = fieldsOf(scope(wanted, manager.subresource), schema, 'apply');
  const own = managed.find(entry => isSame(entry, manager));
  const others = managed.filter(entry => entry !== own);
  const ownedByOthers = others.reduce(
    (set, entry) => set.union(FieldSet.parse(entry.fieldsV1)),
    FieldSet.EMPTY,
  );
  const dropped = (own ? FieldSet.parse(own.fieldsV1) : FieldSet.EMPTY)
    .difference(applied)
    .difference(ownedByOthers);

  const { managedFields, ...metadata } = live.metadata;
  const current: KubeObject = { ...live, metadata };
  const merged = withoutFields(
    mergeApplied(current, scope(wanted, manager.subresource), schema),
    dropped,
    schema,
  ) as KubeObject;

  const liveFields = fieldsOf(current, schema, 'update');
  const mergedFields = fieldsOf(merged, schema, 'update');
  const touched = changedFields(
    current,
    merged,
    liveFields.intersection(mergedFields),
    schema,
  ).union(mergedFields.difference(liveFields));
  const gone = liveFields.difference(mergedFields);

  const conflicts = others
    .map(entry => ({
      entry,
      fields: FieldSet.parse(entry.fieldsV1).intersection(touched),
    }))
    .filter(({ fields }) => !fields.isEmpty);
  if (conflicts.length > 0 && !force) throw applyConflict(conflicts);

  const kept = others.flatMap(entry => {
    const fields = FieldSet.parse(entry.fieldsV1)
      .difference(touched)
      .difference(gone);
    return fields.isEmpty ? [] : [{ ...entry, fieldsV1: fields.toFieldsV1() }];
  });
  const isUnchanged =
    own !== undefined && FieldSet.parse(own.fieldsV1).equals(applied);
  const entries = inOrder(
    applied.isEmpty
      ? kept
      : [...kept, isUnchanged ? own : entryOf(manager, applied)],
  );
  // Where nothing but the time would differ, nothing is written at all.
  const isSameAsBefore =
    isUnchanged && sameJson(merged, current) && kept.length === others.length;
  return {
    ...merged,
    metadata: {
      ...merged.metadata,
      managedFields: isSameAsBefore ? managed : entries,
    },
  };
}

/** What a manager wants, merged into what there is, by the types of lists and maps. */
export function mergeApplied(
  live: any,
  wanted: any,
  schema: Schema | undefined,
): any {
  if (isRecord(wanted) && isRecord(live) && !isAtomicMap(schema)) {
    const result: Record<string, any> = { ...live };
    for (const [field, value] of Object.entries(wanted)) {
      if (value === null) continue;
      result[field] = mergeApplied(
        result[field],
        value,
        fieldSchema(schema, field),
      );
    }
    return result;
  }
  if (Array.isArray(wanted) && Array.isArray(live)) {
    const items = itemSchema(schema);
    const keys = listKeys(schema);
    if (keys) {
      const byKey = new Map(
        live.map(item => [itemKey(item, keys, items), item]),
      );
      const wantedKeys = new Set(
        wanted.map(item => itemKey(item, keys, items)),
      );
      const merged = wanted.map(item => {
        const known = byKey.get(itemKey(item, keys, items));
        return known ? mergeApplied(known, item, items) : copy(item);
      });
      return mergeOrder(live, merged, item =>
        wantedKeys.has(itemKey(item, keys, items)),
      );
    }
    if (isSetList(schema)) {
      const added = wanted.filter(item => !live.some(l => sameJson(l, item)));
      return [...live, ...added];
    }
  }
  return copy(wanted);
}

/** Items of the live list that are not wanted keep their place; the wanted ones come in the order that is wanted. */
function mergeOrder(
  live: any[],
  merged: any[],
  isWanted: (item: any) => boolean,
): any[] {
  const rest = live.filter(item => !isWanted(item));
  if (rest.length === 0) return merged;
  let next = 0;
  const result = live.map(item => (isWanted(item) ? merged[next++] : item));
  return [...result, ...merged.slice(next)];
}

/** An apply to the status sees only the status, any other one everything else. */
function scope(object: KubeObject, subresource: string | undefined) {
  const { status, ...rest } = object;
  if (!subresource) return rest;
  return {
    apiVersion: object.apiVersion,
    kind: object.kind,
    ...(status !== undefined && { status }),
  };
}

/** Fields that were there before anybody applied are owned by a manager of that name. */
function beforeFirstApply(live: KubeObject, schema: Schema): ManagedFields[] {
  const fields = fieldsOf(live, schema, 'update');
  if (fields.isEmpty || live.metadata.resourceVersion === undefined) return [];
  return [
    {
      manager: 'before-first-apply',
      operation: 'Update',
      apiVersion: live.apiVersion,
      time: live.metadata.creationTimestamp,
      fieldsType: 'FieldsV1',
      fieldsV1: fields.toFieldsV1(),
    },
  ];
}

function entryOf(manager: Manager, fields: FieldSet): ManagedFields {
  return {
    manager: manager.name,
    operation: manager.operation,
    apiVersion: manager.apiVersion,
    time: manager.time,
    fieldsType: 'FieldsV1',
    fieldsV1: fields.toFieldsV1(),
    ...(manager.subresource && { subresource: manager.subresource }),
  };
}

function isSame(entry: ManagedFields, manager: Manager): boolean {
  return (
    entry.manager === manager.name &&
    entry.operation === manager.operation &&
    (entry.subresource ?? '') === (manager.subresource ?? '') &&
    (manager.operation === 'Apply' || entry.apiVersion === manager.apiVersion)
  );
}

function inOrder(entries: ManagedFields[]): ManagedFields[] {
  const rank = (entry: ManagedFields) =>
    `${entry.operation}|${entry.time ?? ''}|${entry.manager}`;
  return [...entries].sort((a, b) => (rank(a) < rank(b) ? -1 : 1));
}

function applyConflict(
  conflicts: Array<{ entry: ManagedFields; fields: FieldSet }>,
): StatusError {
  const byManager = conflicts.map(({ entry, fields }) => {
    let who = `"${entry.manager}"`;
    if (entry.subresource) who += ` with subresource "${entry.subresource}"`;
    if (entry.operation === 'Update') who += ` using ${entry.apiVersion}`;
    return { who, paths: fields.paths() };
  });
  byManager.sort((a, b) => (a.who < b.who ? -1 : 1));
  const count = byManager.reduce((sum, { paths }) => sum + paths.length, 0);
  const texts = byManager.map(({ who, paths }) =>
    paths.length === 1
      ? `conflict with ${who}: ${paths[0]}`
      : `conflicts with ${who}:\n${paths.map(path => `- ${path}`).join('\n')}`,
  );
  return new StatusError({
    code: 409,
    reason: 'Conflict',
    message: `Apply failed with ${count} conflict${
      count === 1 ? '' : 's'
    }: ${texts.join('\n')}`,
    details: {
      causes: byManager.flatMap(({ who, paths }) =>
        paths.map(field => ({
          reason: 'FieldManagerConflict',
          message: `conflict with ${who}`,
          field,
        })),
      ),
    },
  });
}
