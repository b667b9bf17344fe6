import { parseEntityRef, stringifyEntityRef } from '@backstage/catalog-model';
import { AuthenticationError, InputError } from '@backstage/errors';
import {
  createProxyAuthenticator,
  SignInResolver,
} from '@backstage/plugin-auth-node';

/** The header in which the sign-in page says who was chosen. */
export const DEMO_USER_HEADER = 'x-mesh-demo-user';

export interface DemoUser {
  entityRef: string;
  displayName?: string;
}

/**
 * No password and no proof: whoever reaches the portal may be any of the users
 * that app-config lists, and nobody else. The header cannot be sent across
 * origins without a preflight request, which the portal's CORS rules refuse.
 */
export const demoAuthenticator = createProxyAuthenticator<
  Map<string, DemoUser>,
  DemoUser,
  undefined
>({
  defaultProfileTransform: async user => ({
    profile: { displayName: user.displayName },
  }),
  initialize({ config }) {
    const users = config.getConfigArray('development.users');
    return new Map(
      users.map(user => {
        const entityRef = stringifyEntityRef(
          parseEntityRef(user.getString('entityRef'), {
            defaultKind: 'User',
            defaultNamespace: 'default',
          }),
        );
        return [
          entityRef,
          { entityRef, displayName: user.getOptionalString('displayName') },
        ];
      }),
    );
  },
  async authenticate({ req }, users) {
    const wanted = req.header(DEMO_USER_HEADER);
    if (!wanted) {
      throw new InputError(
        `The header ${DEMO_USER_HEADER} is missing; it names the demo user to sign in as`,
      );
    }
    const user = users.get(wanted.toLowerCase());
    if (!user) {
      throw new AuthenticationError(
        'Not a demo user; auth.providers.demo.development.users lists them',
      );
    }
    return { result: user };
  },
});

/** The groups come from the catalog, so that ownership is the entity's. */
export const signInAsDemoUser: SignInResolver<DemoUser> = ({ result }, ctx) =>
  ctx.signInWithCatalogUser({ entityRef: result.entityRef });
