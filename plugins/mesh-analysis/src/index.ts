/**
 * The knowledge: pure functions from an inventory of Kubernetes objects to verdicts.
 *
 * @packageDocumentation
 */
export * from './topics';
export * from './inventory';
export * from './rules';
export * from './catalog';
