/**
 * What the service mesh does with every service, across all clusters: pages, and
 * the tab and card of a component. For the new frontend system; the old one finds
 * the same under `/legacy`.
 *
 * @packageDocumentation
 */
export { meshPlugin as default } from './plugin';
export { meshApiRef } from './api';
export type { MeshApi } from './api';
export { isMeshAvailable } from './catalog/isMeshAvailable';
