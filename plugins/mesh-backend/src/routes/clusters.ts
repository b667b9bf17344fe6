import { NotFoundError } from '@backstage/errors';
import type { Router } from 'express';
import { audited } from './audit';
import { canBeNames, parseQuery } from './parameters';
import { RouterOptions } from './createRouter';

export function addClusterRoutes(
  router: Router,
  { httpAuth, auditor, clusters }: RouterOptions,
): void {
  router.get('/v1/clusters', async (request, response) => {
    const credentials = await httpAuth.credentials(request, {
      allow: ['user', 'service'],
    });
    parseQuery(request, {});
    const list = await audited(
      auditor,
      { eventId: 'cluster-fetch', request, meta: { queryType: 'all' } },
      () => clusters.list({ credentials }),
    );
    response.json(list);
  });

  router.get('/v1/clusters/:name', async (request, response) => {
    const credentials = await httpAuth.credentials(request, {
      allow: ['user', 'service'],
    });
    parseQuery(request, {});
    const { name } = request.params;
    const cluster = await audited(
      auditor,
      {
        eventId: 'cluster-fetch',
        request,
        meta: { queryType: 'by-name', name },
      },
      async () => {
        const found = canBeNames(name)
          ? await clusters.get(name, { credentials })
          : undefined;
        if (!found) {
          throw new NotFoundError(`There is no cluster named ${name}`);
        }
        return found;
      },
    );
    response.json(cluster);
  });
}
