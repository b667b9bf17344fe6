import type { Entity } from '@backstage/catalog-model';
import type { FilterPredicate } from '@backstage/filter-predicates';
import { SERVICE_ANNOTATIONS } from '@mesh-for-backstage/plugin-mesh-common';

/** Whether an entity says which services are its own. @public */
export const isMeshAvailable = (entity: Entity): boolean =>
  SERVICE_ANNOTATIONS.some(
    annotation => entity.metadata.annotations?.[annotation],
  );

/** The same as a predicate, for components; an app can read and replace it in its configuration. */
export const meshEntityFilter: FilterPredicate = {
  $all: [
    { kind: 'component' },
    {
      $any: SERVICE_ANNOTATIONS.map(
        annotation =>
          ({
            [`metadata.annotations.${annotation}`]: { $exists: true },
          } as FilterPredicate),
      ),
    },
  ],
};
