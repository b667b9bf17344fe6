import { createApiRef } from '@backstage/core-plugin-api';
import type { MeshClient } from '@mesh-for-backstage/plugin-mesh-common';

/** What the pages ask the mesh backend for. @public */
export type MeshApi = Pick<MeshClient, keyof MeshClient>;

/** The API through which all pages of the plugin ask. @public */
export const meshApiRef = createApiRef<MeshApi>({ id: 'plugin.mesh.client' });
