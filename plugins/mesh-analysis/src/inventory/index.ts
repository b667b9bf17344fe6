export * from './Fact';
export * from './FleetObject';
export * from './Inventory';
export * from './kinds';
export * from './createInventory';
export * from './selectors';
export * from './order';
export * from './hosts';
export { labelsOf, annotationsOf } from './fields';
