import { isRecord, sameJson } from '../objects/KubeObject';
import { Schema } from '../kinds/Kind';
import { fieldSchema, itemSchema } from '../kinds/schemas';

type Json = Record<string, any>;

const ORDER = '$setElementOrder/';
const DELETE_PRIMITIVE = '$deleteFromPrimitiveList/';

/**
 * Kubernetes' strategic merge patch: lists of objects are merged by the key that
 * the schema names, and directives (`$patch`, `$retainKeys`, `$setElementOrder`,
 * `$deleteFromPrimitiveList`) are followed.
 */
export function strategicMergePatch(
  target: Json | undefined,
  patch: Json,
  schema: Schema | undefined,
): Json | undefined {
  const directive = patch.$patch;
  if (directive === 'delete') return undefined;
  if (directive === 'replace') {
    const { $patch, ...replacement } = patch;
    return replacement;
  }

  const result: Json = { ...target };
  if (Array.isArray(patch.$retainKeys)) {
    for (const key of Object.keys(result)) {
      if (!patch.$retainKeys.includes(key)) delete result[key];
    }
  }
  for (const [key, value] of Object.entries(patch)) {
    if (key.startsWith(DELETE_PRIMITIVE)) {
      const field = key.slice(DELETE_PRIMITIVE.length);
      result[field] = (result[field] ?? []).filter(
        (item: unknown) => !value.some((gone: unknown) => sameJson(item, gone)),
      );
    }
  }
  for (const [key, value] of Object.entries(patch)) {
    if (key.startsWith('$')) continue;
    const schemaOfField = fieldSchema(schema, key);
    if (value === null) {
      delete result[key];
    } else if (isRecord(value)) {
      const merged = strategicMergePatch(
        isRecord(result[key]) ? result[key] : undefined,
        value,
        schemaOfField,
      );
      if (merged === undefined) delete result[key];
      else result[key] = merged;
    } else if (Array.isArray(value)) {
      result[key] = mergeList(
        Array.isArray(result[key]) ? result[key] : [],
        value,
        schemaOfField,
      );
    } else {
      result[key] = value;
    }
  }
  for (const [key, order] of Object.entries(patch)) {
    if (!key.startsWith(ORDER)) continue;
    const field = key.slice(ORDER.length);
    if (Array.isArray(result[field])) {
      result[field] = inOrder(
        result[field],
        order,
        fieldSchema(schema, field)?.['x-kubernetes-patch-merge-key'],
      );
    }
  }
  return result;
}

function mergeList(
  target: any[],
  patch: any[],
  schema: Schema | undefined,
): any[] {
  const strategy = schema?.['x-kubernetes-patch-strategy'] ?? '';
  if (!strategy.split(',').includes('merge')) {
    return patch.filter(item => !(isRecord(item) && '$patch' in item));
  }
  if (patch.some(item => isRecord(item) && item.$patch === 'replace')) {
    return patch.filter(item => !(isRecord(item) && item.$patch === 'replace'));
  }
  const key = schema?.['x-kubernetes-patch-merge-key'];
  if (!key) {
    const added = patch.filter(item => !target.some(t => sameJson(t, item)));
    return [...target, ...added];
  }
  const result = [...target];
  for (const item of patch) {
    const index = result.findIndex(known => sameJson(known[key], item[key]));
    const merged = strategicMergePatch(
      index < 0 ? undefined : result[index],
      item,
      itemSchema(schema),
    );
    if (merged === undefined) {
      if (index >= 0) result.splice(index, 1);
    } else if (index >= 0) result[index] = merged;
    else result.push(merged);
  }
  return result;
}

/** Items that the order names come in that order; the others keep their place behind the item that they followed. */
function inOrder(list: any[], order: any[], key: string | undefined): any[] {
  const rank = (item: any) =>
    order.findIndex(wanted =>
      key ? sameJson(wanted?.[key], item?.[key]) : sameJson(wanted, item),
    );
  const named = list
    .filter(item => rank(item) >= 0)
    .sort((a, b) => rank(a) - rank(b));
  let next = 0;
  return list.map(item => (rank(item) >= 0 ? named[next++] : item));
}
