/**
 * Watches all clusters, stores and judges what they hold, and serves it.
 *
 * @packageDocumentation
 */
export { meshPlugin as default } from './plugin';
