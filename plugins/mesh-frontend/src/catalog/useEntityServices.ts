import { Entity, stringifyEntityRef } from '@backstage/catalog-model';
import { useApi } from '@backstage/core-plugin-api';
import type { EntityServices } from '@mesh-for-backstage/plugin-mesh-common';
import { meshApiRef } from '../api';
import { Live, useLive } from '../live/useLive';

/** The services of a catalog entity. */
export function useEntityServices(entity: Entity): Live<EntityServices> {
  const api = useApi(meshApiRef);
  return useLive(
    `entity ${stringifyEntityRef(entity)}`,
    () =>
      api.getEntityServices({
        kind: entity.kind,
        namespace: entity.metadata.namespace ?? 'default',
        name: entity.metadata.name,
      }),
    ['services', 'findings'],
  );
}
