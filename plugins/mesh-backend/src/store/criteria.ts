import {
  AllOfCriteria,
  AnyOfCriteria,
  NotCriteria,
  PermissionCriteria,
} from '@backstage/plugin-permission-common';
import { MeshServiceFilter } from '@mesh-for-backstage/plugin-mesh-node';
import { Knex } from 'knex';

/** Which services a reader may see; undefined stands for all of them. */
export type ServiceCriteria = PermissionCriteria<MeshServiceFilter>;

/** Adds criteria to a query on `services`. */
export function whereMeets(
  query: Knex.QueryBuilder,
  criteria: ServiceCriteria,
): void {
  if (isAllOf(criteria)) {
    query.where(all => {
      for (const one of criteria.allOf) {
        all.andWhere(inner => whereMeets(inner, one));
      }
    });
  } else if (isAnyOf(criteria)) {
    query.where(any => {
      for (const one of criteria.anyOf) {
        any.orWhere(inner => whereMeets(inner, one));
      }
    });
  } else if (isNot(criteria)) {
    // Nulls make `not` neither true nor false; a filter has to be one of them.
    query.whereNot(inner => whereMeets(inner, criteria.not));
  } else {
    whereFilter(query, criteria);
  }
}

function whereFilter(query: Knex.QueryBuilder, filter: MeshServiceFilter) {
  switch (filter.key) {
    case 'owner':
      query
        .whereNotNull('services.owner')
        .whereIn('services.owner', filter.values);
      break;
    case 'namespace':
      query.whereIn('services.namespace', filter.values);
      break;
    case 'cluster':
      whereInClusters(query, filter.values);
      break;
    case 'owned':
      query.whereNotNull('services.owner');
      break;
    default:
      throw new Error(
        `Unknown filter of a permission rule: ${JSON.stringify(filter)}`,
      );
  }
}

/** Services that have an instance in one of the clusters. */
export function whereInClusters(
  query: Knex.QueryBuilder,
  clusters: string[],
): void {
  query.whereIn('services.id', inner =>
    inner
      .select('service_id')
      .from('service_clusters')
      .whereIn('cluster', clusters),
  );
}

function isAllOf<T>(
  criteria: PermissionCriteria<T>,
): criteria is AllOfCriteria<T> {
  return Object.prototype.hasOwnProperty.call(criteria, 'allOf');
}

function isAnyOf<T>(
  criteria: PermissionCriteria<T>,
): criteria is AnyOfCriteria<T> {
  return Object.prototype.hasOwnProperty.call(criteria, 'anyOf');
}

function isNot<T>(criteria: PermissionCriteria<T>): criteria is NotCriteria<T> {
  return Object.prototype.hasOwnProperty.call(criteria, 'not');
}
