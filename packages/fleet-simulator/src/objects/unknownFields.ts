import { resolveSchema } from '../kinds/builtinKinds';
import { Kind, Schema } from '../kinds/Kind';
import { fieldSchema, itemSchema, schemaOfKind } from '../kinds/schemas';
import { isRecord, KubeObject } from './KubeObject';

/** Paths of fields that the schema of the kind does not know. */
export function unknownFields(kind: Kind, object: KubeObject): string[] {
  const paths: string[] = [];
  if (hasClosedSchema(kind)) prune(object, rootSchema(kind), '', paths);
  return paths;
}

export function withoutUnknownFields(
  kind: Kind,
  object: KubeObject,
): KubeObject {
  return hasClosedSchema(kind)
    ? (prune(object, rootSchema(kind), '', []) as KubeObject)
    : object;
}

/** Without a schema nothing can be unknown. */
function hasClosedSchema(kind: Kind): boolean {
  return kind.schema?.properties !== undefined;
}

function rootSchema(kind: Kind): Schema {
  const schema = schemaOfKind(kind);
  return {
    ...schema,
    properties: { apiVersion: {}, kind: {}, ...schema.properties },
  };
}

function prune(
  value: any,
  schema: Schema | undefined,
  path: string,
  unknown: string[],
): any {
  const resolved = resolveSchema(schema);
  if (Array.isArray(value)) {
    const items = itemSchema(resolved);
    return items
      ? value.map((item, i) => prune(item, items, `${path}[${i}]`, unknown))
      : value;
  }
  if (!isRecord(value) || !resolved?.properties) {
    const values = resolved?.additionalProperties;
    if (!isRecord(value) || typeof values !== 'object') return value;
    return Object.fromEntries(
      Object.entries(value).map(([key, child]) => [
        key,
        prune(child, fieldSchema(resolved, key), `${path}.${key}`, unknown),
      ]),
    );
  }
  const result: Record<string, any> = {};
  for (const [field, child] of Object.entries(value)) {
    const at = path ? `${path}.${field}` : field;
    const known = fieldSchema(resolved, field);
    if (known) result[field] = prune(child, known, at, unknown);
    else if (resolved['x-kubernetes-preserve-unknown-fields']) {
      result[field] = child;
    } else unknown.push(at);
  }
  return result;
}
