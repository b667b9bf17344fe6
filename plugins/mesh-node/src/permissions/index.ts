export { meshServiceResourceRef } from './serviceResource';
export type { MeshServiceFilter, MeshServiceResource } from './serviceResource';
export { meshServicePermissionRules } from './rules';
export {
  createMeshServiceConditionalDecision,
  meshServiceConditions,
} from './conditions';
