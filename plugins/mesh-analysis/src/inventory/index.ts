export * from './Fact';
export * from './FleetObject';
export * from './Inventory';
export * from './kinds';
