import {
  AuthorizeResult,
  PolicyDecision,
} from '@backstage/plugin-permission-common';
import {
  PermissionPolicy,
  PolicyQuery,
} from '@backstage/plugin-permission-node';

/** Whoever is signed in reads everything, and changes nothing. */
export class PortalPolicy implements PermissionPolicy {
  async handle({ permission }: PolicyQuery): Promise<PolicyDecision> {
    return {
      result:
        permission.attributes.action === 'read'
          ? AuthorizeResult.ALLOW
          : AuthorizeResult.DENY,
    };
  }
}
