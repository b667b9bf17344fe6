import { Kind } from '../kinds/Kind';
import { KindRegistry } from '../kinds/KindRegistry';
import { joinApiVersion } from '../objects/KubeObject';

const AGGREGATED =
  /application\/json;\s*(?=.*as=APIGroupDiscoveryList)(?=.*g=apidiscovery\.k8s\.io)(?=.*v=(v2(?:beta1)?))/;

/** The version of aggregated discovery that a client prefers, if it knows any. */
export function aggregatedVersion(
  accept: string | undefined,
): string | undefined {
  for (const choice of (accept ?? '').split(',')) {
    const match = AGGREGATED.exec(choice);
    if (match) return match[1];
    if (/^\s*application\/json\s*$/.test(choice)) return undefined;
  }
  return undefined;
}

/** Discovery of everything at once, for `/api` (the core group) or `/apis` (all others). */
export function aggregatedDiscovery(
  registry: KindRegistry,
  isCore: boolean,
  version: string,
) {
  const groups = isCore ? [{ name: '', versions: ['v1'] }] : registry.groups();
  return {
    kind: 'APIGroupDiscoveryList',
    apiVersion: `apidiscovery.k8s.io/${version}`,
    metadata: {},
    items: groups.map(group => ({
      metadata: { ...(group.name && { name: group.name }) },
      versions: group.versions.map(groupVersion => ({
        version: groupVersion,
        resources: registry.kindsOf(group.name, groupVersion).map(kind => ({
          resource: kind.plural,
          responseKind: responseKind(kind, kind),
          scope: kind.namespaced ? 'Namespaced' : 'Cluster',
          singularResource: kind.singular,
          verbs: kind.verbs,
          ...(kind.shortNames?.length && { shortNames: kind.shortNames }),
          ...(kind.categories?.length && { categories: kind.categories }),
          ...(kind.subresources.length > 0 && {
            subresources: kind.subresources.map(subresource => ({
              subresource: subresource.name,
              responseKind: responseKind(kind, subresource),
              verbs: subresource.verbs,
            })),
          }),
        })),
        freshness: 'Current',
      })),
    })),
  };
}

function responseKind(
  owner: Kind,
  { kind, group, version }: { kind: string; group?: string; version?: string },
) {
  // For their own kinds, built-in groups name neither group nor version here.
  const isBuiltin = owner.origin === 'builtin';
  return {
    group: group ?? (isBuiltin ? '' : owner.group),
    version: version ?? (isBuiltin ? '' : owner.version),
    kind,
  };
}

export function apiVersions(address: string) {
  return {
    kind: 'APIVersions',
    versions: ['v1'],
    serverAddressByClientCIDRs: [
      { clientCIDR: '0.0.0.0/0', serverAddress: address },
    ],
  };
}

export function groupList(registry: KindRegistry) {
  return {
    kind: 'APIGroupList',
    apiVersion: 'v1',
    groups: registry.groups().map(group => groupEntry(group)),
  };
}

export function groupDocument(registry: KindRegistry, name: string) {
  const found = registry.groups().find(entry => entry.name === name);
  return found && { kind: 'APIGroup', apiVersion: 'v1', ...groupEntry(found) };
}

function groupEntry({ name, versions }: { name: string; versions: string[] }) {
  const entries = versions.map(version => ({
    groupVersion: `${name}/${version}`,
    version,
  }));
  return { name, versions: entries, preferredVersion: entries[0] };
}

export function resourceList(
  registry: KindRegistry,
  groupName: string,
  version: string,
) {
  if (!registry.hasGroupVersion(groupName, version)) return undefined;
  return {
    kind: 'APIResourceList',
    ...(groupName && { apiVersion: 'v1' }),
    groupVersion: joinApiVersion(groupName, version),
    resources: registry.kindsOf(groupName, version).flatMap(kind => [
      {
        name: kind.plural,
        singularName: kind.singular,
        namespaced: kind.namespaced,
        kind: kind.kind,
        verbs: kind.verbs,
        ...(kind.shortNames?.length && { shortNames: kind.shortNames }),
        ...(kind.categories?.length && { categories: kind.categories }),
        ...(kind.storageVersionHash && {
          storageVersionHash: kind.storageVersionHash,
        }),
      },
      ...kind.subresources.map(subresource => ({
        name: `${kind.plural}/${subresource.name}`,
        singularName: '',
        namespaced: kind.namespaced,
        ...(subresource.group && {
          group: subresource.group,
          version: subresource.version,
        }),
        kind: subresource.kind,
        verbs: subresource.verbs,
      })),
    ]),
  };
}
