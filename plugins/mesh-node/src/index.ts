/**
 * Extension points of the mesh backend, and the rules of its permissions.
 *
 * @packageDocumentation
 */
export * from './clusterSources';
export * from './permissions';
