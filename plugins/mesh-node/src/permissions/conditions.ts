import { createConditionExports } from '@backstage/plugin-permission-node';
import { meshServicePermissionRules } from './rules';
import { meshServiceResourceRef } from './serviceResource';

const exported = createConditionExports({
  resourceRef: meshServiceResourceRef,
  rules: meshServicePermissionRules,
});

/**
 * Conditions for a permission policy, one for each rule:
 *
 * ```ts
 * createMeshServiceConditionalDecision(permission, {
 *   anyOf: [
 *     meshServiceConditions.isOwner({ claims: user.info.ownershipEntityRefs }),
 *     meshServiceConditions.inNamespace({ namespaces: ['shared'] }),
 *   ],
 * });
 * ```
 *
 * @public
 */
export const meshServiceConditions = exported.conditions;

/**
 * The decision that grants `mesh.service.read` under conditions.
 *
 * @public
 */
export const createMeshServiceConditionalDecision =
  exported.createConditionalDecision;
