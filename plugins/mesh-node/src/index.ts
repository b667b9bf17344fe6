/**
 * Extension points of the mesh backend.
 *
 * @packageDocumentation
 */
export * from './clusterSources';
