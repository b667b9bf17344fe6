/**
 * What both sides of the mesh plugin share.
 *
 * @packageDocumentation
 */
export * from './api';
export * from './annotations';
export * from './permissions';
export * from './signals';
export { MeshClient } from './MeshClient';
export type {
  MeshClientOptions,
  ServicesQuery,
  FindingsQuery,
} from './MeshClient';
