import { Config } from '@backstage/config';
import { InputError } from '@backstage/errors';
import {
  AuthorizeResult,
  isPermission,
  PolicyDecision,
} from '@backstage/plugin-permission-common';
import {
  PermissionPolicy,
  PolicyQuery,
  PolicyQueryUser,
} from '@backstage/plugin-permission-node';
import { meshServiceReadPermission } from '@mesh-for-backstage/plugin-mesh-common';
import {
  createMeshServiceConditionalDecision,
  meshServiceConditions,
} from '@mesh-for-backstage/plugin-mesh-node';

const KEY = 'portal.servicesVisibleTo';
const CHOICES = ['everyone', 'owners'];

/**
 * Whoever is signed in reads everything and changes nothing; services may be
 * kept to their owners.
 */
export class PortalPolicy implements PermissionPolicy {
  readonly #ownersOnly: boolean;

  static fromConfig(config: Config): PortalPolicy {
    const choice = config.getOptionalString(KEY) ?? 'everyone';
    if (!CHOICES.includes(choice)) {
      throw new InputError(
        `${KEY} is "${choice}"; it must be one of ${CHOICES.join(', ')}`,
      );
    }
    return new PortalPolicy(choice === 'owners');
  }

  private constructor(ownersOnly: boolean) {
    this.#ownersOnly = ownersOnly;
  }

  async handle(
    { permission }: PolicyQuery,
    user?: PolicyQueryUser,
  ): Promise<PolicyDecision> {
    if (!user || permission.attributes.action !== 'read') {
      return { result: AuthorizeResult.DENY };
    }
    if (
      this.#ownersOnly &&
      isPermission(permission, meshServiceReadPermission)
    ) {
      return createMeshServiceConditionalDecision(
        permission,
        meshServiceConditions.isOwner({
          claims: user.info.ownershipEntityRefs,
        }),
      );
    }
    return { result: AuthorizeResult.ALLOW };
  }
}
