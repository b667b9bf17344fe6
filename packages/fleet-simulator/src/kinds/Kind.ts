/** A structural schema, as OpenAPI describes it; only what merging and validation need. */
export interface Schema {
  type?: string;
  format?: string;
  $ref?: string;
  properties?: Record<string, Schema>;
  items?: Schema;
  additionalProperties?: Schema | boolean;
  required?: string[];
  default?: unknown;
  enum?: unknown[];
  'x-kubernetes-list-type'?: 'atomic' | 'set' | 'map';
  'x-kubernetes-list-map-keys'?: string[];
  'x-kubernetes-map-type'?: 'atomic' | 'granular';
  'x-kubernetes-patch-merge-key'?: string;
  'x-kubernetes-patch-strategy'?: string;
  'x-kubernetes-preserve-unknown-fields'?: boolean;
  'x-kubernetes-int-or-string'?: boolean;
  'x-kubernetes-embedded-resource'?: boolean;
  [key: string]: unknown;
}

export interface TableColumn {
  name: string;
  type: string;
  format?: string;
  priority?: number;
  description?: string;
  /** For custom resources: where the cell's value is found. */
  jsonPath?: string;
}

export interface Subresource {
  name: string;
  kind: string;
  group?: string;
  version?: string;
  verbs: string[];
}

/** One kind in one version, as the API server serves it. */
export interface Kind {
  group: string;
  version: string;
  kind: string;
  plural: string;
  singular: string;
  namespaced: boolean;
  verbs: string[];
  shortNames?: string[];
  categories?: string[];
  storageVersionHash?: string;
  subresources: Subresource[];
  columns?: TableColumn[];
  schema?: Schema;
  /** Built in, defined by a CustomResourceDefinition, or served because an object of it was found. */
  origin: 'builtin' | 'crd' | 'implicit';
}

/** `pods`, `deployments.apps`: how the API server names a resource in its messages. */
export function qualifiedPlural(kind: {
  group: string;
  plural: string;
}): string {
  return kind.group ? `${kind.plural}.${kind.group}` : kind.plural;
}
