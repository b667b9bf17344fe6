import { Kind, Schema } from '../kinds/Kind';
import { resolveSchema } from '../kinds/builtinKinds';
import { fieldSchema, itemSchema, schemaOfKind } from '../kinds/schemas';
import { isRecord, KubeObject } from './KubeObject';

/**
 * The first field of a built-in kind whose value is of another type than the schema
 * says, as the decoder of an API server puts it. Custom resources are held against
 * their schemas when they are validated.
 */
export function wrongFieldType(
  kind: Kind,
  object: KubeObject,
): string | undefined {
  if (kind.origin !== 'builtin' || !kind.schema) return undefined;
  const found = firstWrong(object, schemaOfKind(kind), '');
  return (
    found &&
    `json: cannot unmarshal ${found.actual} into Go struct field ${kind.kind}.${found.path} of type ${found.wanted}`
  );
}

interface Wrong {
  path: string;
  actual: string;
  wanted: string;
}

function firstWrong(
  value: unknown,
  schema: Schema | undefined,
  path: string,
): Wrong | undefined {
  const resolved = resolveSchema(schema);
  // Null stands for a field that is not set.
  if (!resolved || value === undefined || value === null) return undefined;
  const { type } = resolved;
  const actual = jsonType(value);
  if (
    type &&
    !resolved['x-kubernetes-int-or-string'] &&
    actual !== (type === 'integer' ? 'number' : type)
  ) {
    return { path, actual, wanted: type };
  }
  const children: Array<[string, unknown, Schema | undefined]> = Array.isArray(
    value,
  )
    ? value.map(item => [path, item, itemSchema(resolved)])
    : Object.entries(isRecord(value) ? value : {}).map(([field, child]) => [
        path ? `${path}.${field}` : field,
        child,
        fieldSchema(resolved, field),
      ]);
  for (const [at, child, childSchema] of children) {
    const wrong = firstWrong(child, childSchema, at);
    if (wrong) return wrong;
  }
  return undefined;
}

function jsonType(value: unknown): string {
  return Array.isArray(value) ? 'array' : typeof value;
}
