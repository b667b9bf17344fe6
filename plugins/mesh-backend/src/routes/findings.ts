import type { StoredFinding } from '@mesh-for-backstage/plugin-mesh-common';
import type { Router } from 'express';
import { z } from 'zod';
import { FindingsQuery } from '../services/types';
import { findingSorts, isFindingPosition } from '../store/FindingStore';
import { audited } from './audit';
import { RouterOptions } from './createRouter';
import { Columns } from './csv';
import { decodeCursor } from './cursor';
import { list, listParameters, name, owner, parseQuery } from './parameters';
import { sendList } from './sendList';

const parameters = {
  ...listParameters,
  rule: list(z.string().max(100)),
  severity: list(z.enum(['error', 'warning', 'info', 'none'])),
  cluster: list(name),
  namespace: list(name),
  owner: list(owner),
  state: z.enum(['open', 'resolved', 'all']).default('open'),
  sort: z.enum(findingSorts).default('severity'),
};

const columns: Columns<StoredFinding> = {
  severity: finding => finding.severity,
  rule: finding => finding.rule,
  title: finding => finding.title,
  kind: finding => finding.kind,
  clusters: finding => finding.clusters.join(' '),
  namespace: finding => finding.namespace,
  name: finding => finding.name,
  owner: finding => finding.owner,
  service: ({ service }) =>
    service && `${service.scope}/${service.namespace}/${service.name}`,
  message: finding => finding.message,
  fix: finding => finding.fix,
  actor: finding => finding.actor,
  firstSeen: finding => finding.firstSeen,
  lastSeen: finding => finding.lastSeen,
  resolvedAt: finding => finding.resolvedAt,
  id: finding => finding.id,
};

export function addFindingRoutes(
  router: Router,
  { httpAuth, auditor, findings }: RouterOptions,
): void {
  router.get('/v1/findings', async (request, response) => {
    const credentials = await httpAuth.credentials(request, {
      allow: ['user', 'service'],
    });
    const { cursor, format, ...rest } = parseQuery(request, parameters);
    const { sort, order, limit } = rest;
    const filter = {
      search: rest.search,
      rules: rest.rule,
      severities: rest.severity,
      clusters: rest.cluster,
      namespaces: rest.namespace,
      owners: rest.owner,
      state: rest.state,
    };
    const question = { sort, order, filter };
    const query: FindingsQuery = {
      ...question,
      limit,
      ...(cursor && {
        after: decodeCursor(question, cursor, position =>
          isFindingPosition(sort, position),
        ),
      }),
    };

    await audited(
      auditor,
      {
        eventId: 'finding-fetch',
        request,
        meta: { queryType: format === 'csv' ? 'export' : 'list' },
      },
      () =>
        sendList(response, {
          of: findings,
          credentials,
          query,
          format,
          fileName: 'findings.csv',
          columns,
        }),
    );
  });
}
