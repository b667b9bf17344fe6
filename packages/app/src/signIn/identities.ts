import { ConfigApi } from '@backstage/frontend-plugin-api';

/** Somebody that a reader can sign in as, and how the backend is asked for it. */
export interface Identity {
  id: string;
  name: string;
  description: string;
  provider: 'guest' | 'demo';
  headers?: Record<string, string>;
}

/** Read by the `demo` provider of the backend. */
const DEMO_USER_HEADER = 'x-mesh-demo-user';

/**
 * What app-config offers for sign-in. Both kinds are for development and
 * demonstrations: outside of `auth.environment: development` there are none,
 * and the backend refuses them there as well.
 */
export function readIdentities(config: ConfigApi): Identity[] {
  if (config.getOptionalString('auth.environment') !== 'development') {
    return [];
  }

  const guest: Identity[] = config.has('auth.providers.guest')
    ? [
        {
          id: 'guest',
          name: 'guest',
          description: 'Look around without a name of your own.',
          provider: 'guest',
        },
      ]
    : [];

  const users =
    config.getOptionalConfigArray('auth.providers.demo.development.users') ??
    [];
  const demo = users.map((user): Identity => {
    const entityRef = user.getString('entityRef');
    return {
      id: entityRef,
      name: user.getOptionalString('displayName') ?? entityRef,
      description: user.getOptionalString('description') ?? entityRef,
      provider: 'demo',
      headers: { [DEMO_USER_HEADER]: entityRef },
    };
  });

  return [...guest, ...demo];
}
