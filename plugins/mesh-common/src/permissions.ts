import { createPermission } from '@backstage/plugin-permission-common';

/** Resource type of a service, for conditional decisions. @public */
export const RESOURCE_TYPE_MESH_SERVICE = 'mesh-service';

/** To see clusters: their state, versions and coverage. @public */
export const meshFleetReadPermission = createPermission({
  name: 'mesh.fleet.read',
  attributes: { action: 'read' },
});

/** To see services and their findings; may be granted under conditions, such as ownership. @public */
export const meshServiceReadPermission = createPermission({
  name: 'mesh.service.read',
  attributes: { action: 'read' },
  resourceType: RESOURCE_TYPE_MESH_SERVICE,
});

/** @public */
export const meshPermissions = [
  meshFleetReadPermission,
  meshServiceReadPermission,
];
