import { stringifyEntityRef } from '@backstage/catalog-model';
import { NotFoundError } from '@backstage/errors';
import type { Router } from 'express';
import { audited } from './audit';
import { RouterOptions } from './createRouter';
import { canBeNames, parseQuery } from './parameters';

export function addEntityRoutes(
  router: Router,
  { httpAuth, auditor, catalog, services }: RouterOptions,
): void {
  router.get(
    '/v1/entities/:kind/:namespace/:name/services',
    async (request, response) => {
      const credentials = await httpAuth.credentials(request, {
        allow: ['user', 'service'],
      });
      parseQuery(request, {});
      const { kind, namespace, name } = request.params;
      // A ref that is no ref names nothing; the catalog would stumble over it.
      const isRef =
        canBeNames(kind, namespace, name) &&
        [kind, namespace, name].every(part => /^[^:/\s]+$/.test(part));
      const entityRef = stringifyEntityRef({ kind, namespace, name });
      const answer = await audited(
        auditor,
        {
          eventId: 'entity-services-fetch',
          request,
          meta: { queryType: 'by-entity', entityRef },
        },
        async () => {
          const entity = isRef
            ? await catalog.getEntityByRef(entityRef, { credentials })
            : undefined;
          if (!entity) {
            throw new NotFoundError(
              `There is no entity ${entityRef} in the catalog, or you may not see it`,
            );
          }
          return services.ofEntity(entity, { credentials });
        },
      );
      response.json(answer);
    },
  );
}
