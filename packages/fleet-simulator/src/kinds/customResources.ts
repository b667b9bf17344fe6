import { KubeObject } from '../objects/KubeObject';
import { Kind, Schema, Subresource, TableColumn } from './Kind';

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

interface DefinedVersion {
  name: string;
  served: boolean;
  storage: boolean;
  schema?: { openAPIV3Schema?: Schema };
  subresources?: { status?: object; scale?: object };
  additionalPrinterColumns?: TableColumn[];
}

/** The kinds that a CustomResourceDefinition serves, one for each served version. */
export function kindsOfDefinition(definition: KubeObject): Kind[] {
  const { group, names, scope, versions } = definition.spec as {
    group: string;
    names: {
      plural: string;
      singular?: string;
      kind: string;
      shortNames?: string[];
      categories?: string[];
    };
    scope: 'Namespaced' | 'Cluster';
    versions: DefinedVersion[];
  };
  return versions
    .filter(version => version.served)
    .map(version => ({
      group,
      version: version.name,
      kind: names.kind,
      plural: names.plural,
      singular: names.singular || names.kind.toLowerCase(),
      namespaced: scope === 'Namespaced',
      verbs: ALL_VERBS,
      shortNames: names.shortNames,
      categories: names.categories,
      subresources: subresourcesOf(version, names.kind),
      columns: columnsOf(version),
      schema: version.schema?.openAPIV3Schema,
      origin: 'crd',
    }));
}

function subresourcesOf(version: DefinedVersion, kind: string): Subresource[] {
  const subresources: Subresource[] = [];
  if (version.subresources?.status) {
    subresources.push({
      name: 'status',
      kind,
      verbs: ['get', 'patch', 'update'],
    });
  }
  return subresources;
}

function columnsOf(version: DefinedVersion): TableColumn[] {
  const own = version.additionalPrinterColumns ?? [
    { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' },
  ];
  return [
    { name: 'Name', type: 'string', format: 'name', priority: 0 },
    ...own.map(column => ({ format: '', priority: 0, ...column })),
  ];
}
