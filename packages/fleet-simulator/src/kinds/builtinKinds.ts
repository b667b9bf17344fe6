import kubernetes from '../data/kubernetes.json';
import { Kind, Schema } from './Kind';

const data = kubernetes as unknown as {
  gitVersion: string;
  groups: string[];
  kinds: Array<Omit<Kind, 'origin' | 'schema'>>;
  schemas: Record<string, Schema>;
};

/** The Kubernetes release whose built-in kinds are served. */
export const kubernetesVersion = data.gitVersion;

/** Built-in API groups in the order of discovery. */
export const builtinGroups: readonly string[] = data.groups;

export const builtinSchemas: Readonly<Record<string, Schema>> = data.schemas;

const schemaOf = new Map<string, Schema>();
for (const schema of Object.values(data.schemas)) {
  const names = schema['x-kubernetes-group-version-kind'] as
    | Array<{ group: string; version: string; kind: string }>
    | undefined;
  for (const { group, version, kind } of names ?? []) {
    schemaOf.set(`${group}/${version}/${kind}`, schema);
  }
}

/** Every built-in kind; data from a real API server (see `scripts/captureKubernetes.mjs`). */
export const builtinKinds: readonly Kind[] = data.kinds.map(kind => ({
  ...kind,
  // Subresources that need a kubelet or a controller are not served, and not promised.
  subresources: kind.subresources.filter(({ name }) => name === 'status'),
  schema: schemaOf.get(`${kind.group}/${kind.version}/${kind.kind}`),
  origin: 'builtin',
}));

/** Follows a reference to one of the built-in schemas. */
export function resolveSchema(schema: Schema | undefined): Schema | undefined {
  if (!schema?.$ref) return schema;
  return data.schemas[schema.$ref.slice('#/components/schemas/'.length)];
}
