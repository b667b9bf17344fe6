import { createPermissionRule } from '@backstage/plugin-permission-node';
import { z } from 'zod';
import { meshServiceResourceRef } from './serviceResource';

const isOwner = createPermissionRule({
  name: 'IS_OWNER',
  description: 'Allow services whose owner is among the claims of the user',
  resourceRef: meshServiceResourceRef,
  paramsSchema: z.object({
    claims: z
      .array(z.string())
      .describe('Entity refs: the user and the groups it belongs to'),
  }),
  apply: ({ owner }, { claims }) =>
    owner !== undefined && lowerCased(claims).includes(owner.toLowerCase()),
  toQuery: ({ claims }) => ({
    key: 'owner' as const,
    values: lowerCased(claims),
  }),
});

const inNamespace = createPermissionRule({
  name: 'IN_NAMESPACE',
  description: 'Allow services in one of the namespaces',
  resourceRef: meshServiceResourceRef,
  paramsSchema: z.object({
    namespaces: z.array(z.string()).describe('Names of Kubernetes namespaces'),
  }),
  apply: ({ namespace }, { namespaces }) => namespaces.includes(namespace),
  toQuery: ({ namespaces }) => ({
    key: 'namespace' as const,
    values: namespaces,
  }),
});

const inCluster = createPermissionRule({
  name: 'IN_CLUSTER',
  description: 'Allow services that have an instance in one of the clusters',
  resourceRef: meshServiceResourceRef,
  paramsSchema: z.object({
    clusters: z.array(z.string()).describe('Names of clusters in the portal'),
  }),
  apply: (service, { clusters }) =>
    service.clusters.some(cluster => clusters.includes(cluster)),
  toQuery: ({ clusters }) => ({ key: 'cluster' as const, values: clusters }),
});

const hasOwner = createPermissionRule({
  name: 'HAS_OWNER',
  description: 'Allow services that have an owner, whoever that is',
  resourceRef: meshServiceResourceRef,
  apply: ({ owner }) => owner !== undefined,
  toQuery: () => ({ key: 'owned' as const }),
});

/** Entity refs are compared without regard to case; owners are stored in lower case. */
function lowerCased(refs: string[]): string[] {
  return refs.map(ref => ref.toLowerCase());
}

/**
 * The rules by which `mesh.service.read` can be granted for some services only.
 *
 * @public
 */
export const meshServicePermissionRules = {
  isOwner,
  inNamespace,
  inCluster,
  hasOwner,
};
