import { builtinSchemas, kubernetesVersion } from '../kinds/builtinKinds';
import { Kind, Schema } from '../kinds/Kind';
import { KindRegistry } from '../kinds/KindRegistry';
import { schemaOfKind } from '../kinds/schemas';

const QUERY = ['dryRun', 'fieldManager', 'fieldValidation'].map(name => ({
  name,
  in: 'query',
  schema: { type: 'string', uniqueItems: true },
}));

/** `/openapi/v3`: where the document of each group and version is. */
export function openapiIndex(registry: KindRegistry) {
  const roots = [
    'api/v1',
    ...registry
      .groups()
      .flatMap(({ name, versions }) =>
        versions.map(version => `apis/${name}/${version}`),
      ),
  ];
  return {
    paths: Object.fromEntries(
      roots.map(root => [
        root,
        {
          serverRelativeURL: `/openapi/v3/${root}?hash=${registry.generation}`,
        },
      ]),
    ),
  };
}

/** The schemas and write operations of one group and version: what kubectl needs to apply, explain and validate. */
export function openapiDocument(
  registry: KindRegistry,
  group: string,
  version: string,
) {
  const kinds = registry.kindsOf(group, version);
  const schemas: Record<string, Schema> = {};
  const paths: Record<string, unknown> = {};
  for (const kind of kinds) {
    const { id, schema } = named(kind);
    schemas[id] = schema;
    collectReferences(schema, schemas);
    const root = group ? `/apis/${group}/${version}` : `/api/${version}`;
    const scope = kind.namespaced ? '/namespaces/{namespace}' : '';
    const gvk = { group, version, kind: kind.kind };
    if (kind.verbs.includes('patch')) {
      paths[`${root}${scope}/${kind.plural}/{name}`] = {
        get: operation('get', gvk, id),
        put: { ...operation('put', gvk, id), parameters: QUERY },
        patch: {
          ...operation('patch', gvk, id),
          parameters: [
            ...QUERY,
            { name: 'force', in: 'query', schema: { type: 'boolean' } },
          ],
        },
        delete: operation('delete', gvk, id),
      };
    }
    if (kind.verbs.includes('create')) {
      paths[`${root}${scope}/${kind.plural}`] = {
        post: { ...operation('post', gvk, id), parameters: QUERY },
      };
    }
  }
  return {
    openapi: '3.0.0',
    info: { title: 'Kubernetes', version: kubernetesVersion },
    paths,
    components: { schemas },
  };
}

function operation(
  action: string,
  gvk: { group: string; version: string; kind: string },
  id: string,
) {
  return {
    responses: {
      200: {
        description: 'OK',
        content: {
          'application/json': {
            schema: { $ref: `#/components/schemas/${id}` },
          },
        },
      },
    },
    'x-kubernetes-action': action,
    'x-kubernetes-group-version-kind': gvk,
  };
}

function named(kind: Kind): { id: string; schema: Schema } {
  const builtin = Object.entries(builtinSchemas).find(
    ([, schema]) => schema === kind.schema,
  );
  if (builtin) return { id: builtin[0], schema: builtin[1] };
  const domain = kind.group.split('.').reverse().join('.');
  return {
    id: `${domain}.${kind.version}.${kind.kind}`,
    schema: {
      ...withReferences(schemaOfKind(kind)),
      'x-kubernetes-group-version-kind': [
        { group: kind.group, version: kind.version, kind: kind.kind },
      ],
    },
  };
}

/** The metadata of a custom resource, as a reference instead of a copy. */
function withReferences(schema: Schema): Schema {
  return {
    ...schema,
    properties: {
      apiVersion: { type: 'string' },
      kind: { type: 'string' },
      ...schema.properties,
      metadata: {
        $ref: '#/components/schemas/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta',
      },
    },
  };
}

function collectReferences(
  value: unknown,
  schemas: Record<string, Schema>,
): void {
  if (typeof value !== 'object' || value === null) return;
  const reference = (value as Schema).$ref;
  if (typeof reference === 'string') {
    const id = reference.slice('#/components/schemas/'.length);
    if (!schemas[id] && builtinSchemas[id]) {
      schemas[id] = builtinSchemas[id];
      collectReferences(builtinSchemas[id], schemas);
    }
  }
  for (const child of Object.values(value)) collectReferences(child, schemas);
}

export const OPENAPI_V2_TYPE =
  'application/com.github.proto-openapi.spec.v2.v1.0+protobuf';

/**
 * An OpenAPI v2 document without types, in the only form in which kubectl reads it.
 * kubectl asks for it where it validates a `List`; types that it does not find it
 * leaves to the server.
 */
export function emptyOpenapiV2(): Buffer {
  const field = (number: number, content: Buffer) =>
    Buffer.concat([Buffer.from([number * 8 + 2, content.length]), content]);
  const info = Buffer.concat([
    field(1, Buffer.from('Kubernetes')),
    field(2, Buffer.from(kubernetesVersion)),
  ]);
  return Buffer.concat([field(1, Buffer.from('2.0')), field(2, info)]);
}

export function groupVersionOf(
  path: string,
): { group: string; version: string } | undefined {
  const match = /^\/openapi\/v3\/(?:api\/(v1)|apis\/([^/]+)\/([^/]+))\/?$/.exec(
    path,
  );
  if (!match) return undefined;
  return match[1]
    ? { group: '', version: match[1] }
    : { group: match[2], version: match[3] };
}
