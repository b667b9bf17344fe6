import type { Entity } from '@backstage/catalog-model';
import type {
  ClusterDetail,
  ClusterList,
  EntityServices,
  FindingPage,
  FleetState,
  ServiceDetail,
  ServiceFacets,
  ServiceRow,
  StoredFinding,
} from '@mesh-for-backstage/plugin-mesh-common';
import { ServiceCriteria } from '../store/criteria';
import { FindingListOptions, FindingVisibility } from '../store/FindingStore';
import { KeysetPosition } from '../store/keyset';
import { ServiceListOptions } from '../store/ServiceStore';

/** What a reader of services may see. */
export interface ServiceVisibility {
  /** Services that may be seen; all of them where it is left out. */
  criteria?: ServiceCriteria;
  /** Whether the clusters may be seen too, beyond what the services tell of them. */
  fleet: boolean;
}

export type ServicesQuery = Omit<ServiceListOptions, 'criteria'>;
export type FindingsQuery = Omit<FindingListOptions, 'visibility'>;

/** A page before its position has become a cursor. */
export interface Page<T> {
  items: T[];
  totalItems: number;
  next?: KeysetPosition;
  fleet: FleetState;
}

/** Answers about clusters. */
export interface Clusters {
  list(): Promise<ClusterList>;
  get(name: string): Promise<ClusterDetail | undefined>;
}

/** Answers about services. */
export interface Services {
  list(
    query: ServicesQuery,
    visibility: ServiceVisibility,
  ): Promise<Page<ServiceRow>>;
  /** A page without counts, for those who read them all. */
  listRows(
    query: ServicesQuery,
    visibility: ServiceVisibility,
  ): Promise<Pick<Page<ServiceRow>, 'items' | 'next'>>;
  facets(visibility: ServiceVisibility): Promise<ServiceFacets>;
  get(
    id: string,
    visibility: ServiceVisibility,
  ): Promise<ServiceDetail | undefined>;
  ofEntity(
    entity: Entity,
    visibility: ServiceVisibility,
  ): Promise<EntityServices>;
}

/** Answers about findings. */
export interface Findings {
  list(
    query: FindingsQuery,
    visibility: FindingVisibility,
  ): Promise<Page<StoredFinding> & Pick<FindingPage, 'rules'>>;
  /** A page without counts, for those who read them all. */
  listRows(
    query: FindingsQuery,
    visibility: FindingVisibility,
  ): Promise<Pick<Page<StoredFinding>, 'items' | 'next'>>;
}
