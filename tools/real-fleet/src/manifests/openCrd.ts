import { KubeObject } from '../ApiClient';
import { groupOf } from './order';

/**
 * A CRD that takes any content, for custom kinds of a folder that neither bring
 * their CRD nor belong to a bundle (Cilium's or Linkerd's, for example).
 */
export function openCrd(objects: KubeObject[], plural: string): KubeObject {
  const [{ kind, apiVersion }] = objects;
  const group = groupOf({ apiVersion });
  const versions = [...new Set(objects.map(o => o.apiVersion.split('/')[1]))];
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${group}`, ...approval(group) },
    spec: {
      group,
      scope: objects.some(o => o.metadata.namespace) ? 'Namespaced' : 'Cluster',
      names: {
        kind,
        listKind: `${kind}List`,
        plural,
        singular: kind.toLowerCase(),
      },
      versions: versions.map((name, index) => ({
        name,
        served: true,
        storage: index === 0,
        subresources: { status: {} },
        schema: {
          openAPIV3Schema: {
            type: 'object',
            'x-kubernetes-preserve-unknown-fields': true,
          },
        },
      })),
    },
  };
}

/** Groups under k8s.io are protected: the server asks for a word about their review. */
function approval(group: string) {
  return /(^|\.)(k8s|kubernetes)\.io$/.test(group)
    ? {
        annotations: {
          'api-approved.kubernetes.io': 'unapproved, stands in for its bundle',
        },
      }
    : {};
}

/** English plural as API resources form it. A kind that is one already stays (`ServiceIntentions`). */
export function pluralOf(kind: string): string {
  const lower = kind.toLowerCase();
  if (/[^s]s$/.test(lower)) {
    return lower;
  }
  if (/(s|x|ch|sh)$/.test(lower)) {
    return `${lower}es`;
  }
  return /[^aeiou]y$/.test(lower) ? `${lower.slice(0, -1)}ies` : `${lower}s`;
}
