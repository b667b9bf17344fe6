import { watchedKinds, WatchedKind } from '@mesh-for-backstage/mesh-analysis';
import { stringify } from 'yaml';
import { defaultCollectSettings } from './settings';

const VERBS = ['get', 'list', 'watch'];
const NAME = 'mesh-for-backstage';
const subjects = [{ kind: 'ServiceAccount', name: NAME, namespace: NAME }];

/**
 * The manifest that grants what is read, and nothing beyond: `docs/clusterrole.yaml`.
 * Written from the list of watched kinds, so that neither can go without the other.
 */
export function clusterRoleManifest(): string {
  const everywhere = watchedKinds.filter(
    kind => !kind.systemNamespacesOnly && !kind.optIn,
  );
  const inSystemNamespaces = watchedKinds.filter(
    kind => kind.systemNamespacesOnly && !kind.optIn,
  );
  const optional = watchedKinds.filter(kind => kind.optIn);
  const namespaces = defaultCollectSettings.systemNamespaces;
  return [
    `# What Mesh for Backstage reads in a cluster, and nothing beyond. Written by
# \`yarn workspace @mesh-for-backstage/plugin-mesh-backend clusterrole\`.
#
# Leaving something out is allowed: what cannot be read is shown as not permitted,
# with the missing permission by name, and all else works.
`,
    documents([
      {
        apiVersion: 'v1',
        kind: 'ServiceAccount',
        metadata: { name: NAME, namespace: NAME },
      },
      {
        apiVersion: 'rbac.authorization.k8s.io/v1',
        kind: 'ClusterRole',
        metadata: { name: NAME },
        rules: rulesFor(everywhere),
      },
      {
        apiVersion: 'rbac.authorization.k8s.io/v1',
        kind: 'ClusterRoleBinding',
        metadata: { name: NAME },
        roleRef: roleRef('ClusterRole'),
        subjects,
      },
    ]),
    `---
# ConfigMaps are read in the namespaces of mesh and CNI only (mesh.collect.systemNamespaces),
# and of those only the mesh's own by name. One Role and binding for each namespace.
`,
    documents(
      namespaces.flatMap(namespace => [
        {
          apiVersion: 'rbac.authorization.k8s.io/v1',
          kind: 'Role',
          metadata: { name: NAME, namespace },
          rules: rulesFor(inSystemNamespaces),
        },
        {
          apiVersion: 'rbac.authorization.k8s.io/v1',
          kind: 'RoleBinding',
          metadata: { name: NAME, namespace },
          roleRef: roleRef('Role'),
          subjects,
        },
      ]),
    ),
    `---
# Only with mesh.collect.remoteSecretMetadata: true. The backend asks for metadata of
# secrets with the label istio/multiCluster=true and for nothing else, but no role can
# grant only that: this account could read every secret of the namespace.
`,
    commented(
      documents([
        {
          apiVersion: 'rbac.authorization.k8s.io/v1',
          kind: 'Role',
          metadata: {
            name: `${NAME}-remote-secrets`,
            namespace: 'istio-system',
          },
          rules: rulesFor(optional),
        },
        {
          apiVersion: 'rbac.authorization.k8s.io/v1',
          kind: 'RoleBinding',
          metadata: {
            name: `${NAME}-remote-secrets`,
            namespace: 'istio-system',
          },
          roleRef: { ...roleRef('Role'), name: `${NAME}-remote-secrets` },
          subjects,
        },
      ]),
    ),
  ].join('');
}

function roleRef(kind: 'Role' | 'ClusterRole') {
  return { apiGroup: 'rbac.authorization.k8s.io', kind, name: NAME };
}

/** One rule for each API group, in the order of the list. */
function rulesFor(kinds: readonly WatchedKind[]) {
  const groups = new Map<string, Set<string>>();
  for (const { group, plural } of kinds) {
    groups.set(group, (groups.get(group) ?? new Set()).add(plural));
  }
  return [...groups].map(([group, plurals]) => ({
    apiGroups: [group],
    resources: [...plurals],
    verbs: VERBS,
  }));
}

function documents(objects: object[]): string {
  return objects
    .map(object =>
      stringify(object, {
        aliasDuplicateObjects: false,
        lineWidth: 0,
        singleQuote: true,
      }),
    )
    .join('---\n');
}

function commented(text: string): string {
  return text
    .split('\n')
    .map(line => (line === '' ? '' : `# ${line}`))
    .join('\n');
}
