export * from './Finding';
