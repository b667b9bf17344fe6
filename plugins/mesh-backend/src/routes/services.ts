import { NotFoundError } from '@backstage/errors';
import type { ServiceRow } from '@mesh-for-backstage/plugin-mesh-common';
import type { Router } from 'express';
import { z } from 'zod';
import { ServicesQuery } from '../services/types';
import {
  isServicePosition,
  serviceId,
  serviceSorts,
} from '../store/ServiceStore';
import { audited } from './audit';
import { RouterOptions } from './createRouter';
import { Columns } from './csv';
import { decodeCursor } from './cursor';
import {
  canBeNames,
  list,
  listParameters,
  name,
  owner,
  parseQuery,
} from './parameters';
import { sendList } from './sendList';

const parameters = {
  ...listParameters,
  cluster: list(name),
  namespace: list(name),
  owner: list(owner),
  dataplane: list(
    z.enum([
      'sidecar',
      'ambient',
      'gateway',
      'linkerd',
      'kmesh',
      'none',
      'mixed',
      'unknown',
    ]),
  ),
  severity: list(z.enum(['error', 'warning', 'info', 'none'])),
  sort: z.enum(serviceSorts).default('name'),
};

const columns: Columns<ServiceRow> = {
  scope: row => row.scope,
  namespace: row => row.namespace,
  name: row => row.name,
  owner: row => row.owner,
  entities: row => row.entities?.join(' '),
  clusters: row => row.clusters.join(' '),
  dataplane: ({ dataplane }) =>
    typeof dataplane === 'string' ? dataplane : `unknown: ${dataplane.unknown}`,
  endpointsReady: ({ endpoints }) =>
    'ready' in endpoints ? endpoints.ready : `unknown: ${endpoints.unknown}`,
  endpointsTotal: ({ endpoints }) =>
    'ready' in endpoints ? endpoints.total : `unknown: ${endpoints.unknown}`,
  revisions: row => row.revisions?.join(' '),
  errors: row => row.findings.error,
  warnings: row => row.findings.warning,
  infos: row => row.findings.info,
  partial: row => row.partial,
};

export function addServiceRoutes(
  router: Router,
  { httpAuth, auditor, services }: RouterOptions,
): void {
  router.get('/v1/services', async (request, response) => {
    const credentials = await httpAuth.credentials(request, {
      allow: ['user', 'service'],
    });
    const { cursor, format, ...rest } = parseQuery(request, parameters);
    const { sort, order, limit } = rest;
    const filter = {
      search: rest.search,
      clusters: rest.cluster,
      namespaces: rest.namespace,
      owners: rest.owner,
      dataplanes: rest.dataplane,
      severities: rest.severity,
    };
    const question = { sort, order, filter };
    const query: ServicesQuery = {
      ...question,
      limit,
      ...(cursor && {
        after: decodeCursor(question, cursor, position =>
          isServicePosition(sort, position),
        ),
      }),
    };

    await audited(
      auditor,
      {
        eventId: 'service-fetch',
        request,
        meta: { queryType: format === 'csv' ? 'export' : 'list' },
      },
      () =>
        sendList(response, {
          of: services,
          credentials,
          query,
          format,
          fileName: 'services.csv',
          columns,
        }),
    );
  });

  router.get('/v1/services/facets', async (request, response) => {
    const credentials = await httpAuth.credentials(request, {
      allow: ['user', 'service'],
    });
    parseQuery(request, {});
    const facets = await audited(
      auditor,
      { eventId: 'service-fetch', request, meta: { queryType: 'facets' } },
      () => services.facets({ credentials }),
    );
    response.json(facets);
  });

  router.get(
    '/v1/services/:scope/:namespace/:name',
    async (request, response) => {
      const credentials = await httpAuth.credentials(request, {
        allow: ['user', 'service'],
      });
      parseQuery(request, {});
      const id = serviceId(request.params);
      const service = await audited(
        auditor,
        {
          eventId: 'service-fetch',
          request,
          meta: { queryType: 'by-name', service: id },
        },
        async () => {
          const found = canBeNames(id)
            ? await services.get(id, { credentials })
            : undefined;
          if (!found) {
            throw new NotFoundError(
              `There is no service ${id} (scope/namespace/name), or you may not see it`,
            );
          }
          return found;
        },
      );
      response.json(service);
    },
  );
}
