export { Collectors } from './Collectors';
export type { CollectorsOptions, LeaseSettings } from './Collectors';
export { readCollectSettings } from './settings';
export type { CollectSettings } from './settings';
