import type { components } from './openapi.generated';

type Schemas = components['schemas'];

/** @public */ export type Unknown = Schemas['Unknown'];
/** @public */ export type ClusterState = Schemas['ClusterState'];
/** @public */ export type ClusterSummary = Schemas['ClusterSummary'];
/** @public */ export type ClusterDetail = Schemas['ClusterDetail'];
/** @public */ export type ClusterList = Schemas['ClusterList'];
/** @public */ export type KindCoverage = Schemas['KindCoverage'];
/** @public */ export type ServiceRow = Schemas['ServiceRow'];
/** @public */ export type ServicePage = Schemas['ServicePage'];
/** @public */ export type ServiceFacets = Schemas['ServiceFacets'];
/** @public */ export type ServiceDetail = Schemas['ServiceDetail'];
/** @public */ export type ServiceInstance = Schemas['ServiceInstance'];
/** @public */ export type ServiceLink = Schemas['ServiceLink'];
/** @public */ export type ServicePort = Schemas['ServicePort'];
/** @public */ export type Workload = Schemas['Workload'];
/** @public */ export type Waypoint = Schemas['Waypoint'];
/** @public */ export type EntityServices = Schemas['EntityServices'];
/** @public */ export type Evidence = Schemas['Evidence'];
/** @public */ export type Finding = Schemas['Finding'];
/** @public */ export type StoredFinding = Schemas['StoredFinding'];
/** @public */ export type FindingPage = Schemas['FindingPage'];
/** @public */ export type Severity = Schemas['Severity'];
/** @public */ export type SeverityCounts = Schemas['SeverityCounts'];
/** @public */ export type Dataplane = Schemas['Dataplane'];
/** @public */ export type DataplaneFilter = Schemas['DataplaneFilter'];
/** @public */ export type FleetState = Schemas['Partial'];
