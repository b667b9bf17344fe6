export * from './Finding';
export * from './rules';
export * from './createFinding';
