import { builtinSchemas, resolveSchema } from './builtinKinds';
import { Kind, Schema } from './Kind';

const OBJECT_META =
  builtinSchemas['io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta'];

/** The schema of a kind's objects. Of a custom resource without a schema only the metadata is known. */
export function schemaOfKind(kind: Kind): Schema {
  if (kind.origin === 'builtin' && kind.schema) return kind.schema;
  return {
    ...kind.schema,
    type: 'object',
    properties: { ...kind.schema?.properties, metadata: OBJECT_META },
  };
}

/** The schema of a field of an object; undefined where nothing is known of it. */
export function fieldSchema(
  schema: Schema | undefined,
  field: string,
): Schema | undefined {
  const resolved = resolveSchema(schema);
  const property = resolved?.properties?.[field];
  if (property) return withReference(property);
  const additional = resolved?.additionalProperties;
  return typeof additional === 'object' ? withReference(additional) : undefined;
}

export function itemSchema(schema: Schema | undefined): Schema | undefined {
  const items = resolveSchema(schema)?.items;
  return items && withReference(items);
}

/** What a reference points to, with what stands beside it (list types, defaults). */
function withReference(schema: Schema): Schema {
  if (!schema.$ref) return schema;
  const { $ref, ...own } = schema;
  return { ...resolveSchema(schema), ...own };
}

/** Keys by which the items of a list are told apart; undefined where the list is one value. */
export function listKeys(schema: Schema | undefined): string[] | undefined {
  return schema?.['x-kubernetes-list-type'] === 'map'
    ? schema['x-kubernetes-list-map-keys']
    : undefined;
}

export function isSetList(schema: Schema | undefined): boolean {
  return schema?.['x-kubernetes-list-type'] === 'set';
}

export function isAtomicMap(schema: Schema | undefined): boolean {
  return schema?.['x-kubernetes-map-type'] === 'atomic';
}
