import { createPermissionResourceRef } from '@backstage/plugin-permission-node';
import { RESOURCE_TYPE_MESH_SERVICE } from '@mesh-for-backstage/plugin-mesh-common';

/**
 * A service as permission rules see it.
 *
 * @public
 */
export interface MeshServiceResource {
  scope: string;
  namespace: string;
  name: string;
  /** Entity ref of the owner, where there is one. */
  owner?: string;
  /** Clusters that hold an instance of it. */
  clusters: string[];
}

/**
 * What a rule asks of the store: services for which a column holds one of the
 * values, or which have an owner at all.
 *
 * @public
 */
export type MeshServiceFilter =
  | { key: 'owner' | 'namespace' | 'cluster'; values: string[] }
  | { key: 'owned' };

/** @public */
export const meshServiceResourceRef = createPermissionResourceRef<
  MeshServiceResource,
  MeshServiceFilter
>().with({
  pluginId: 'mesh',
  resourceType: RESOURCE_TYPE_MESH_SERVICE,
});
