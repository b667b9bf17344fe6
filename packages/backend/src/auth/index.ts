import {
  coreServices,
  createBackendModule,
} from '@backstage/backend-plugin-api';
import {
  authProvidersExtensionPoint,
  createProxyAuthProviderFactory,
} from '@backstage/plugin-auth-node';
import { demoAuthenticator, signInAsDemoUser } from './demoAuthenticator';

/** Sign-in as one of the named users of the demonstration. */
export default createBackendModule({
  pluginId: 'auth',
  moduleId: 'demo-provider',
  register(env) {
    env.registerInit({
      deps: {
        providers: authProvidersExtensionPoint,
        config: coreServices.rootConfig,
        logger: coreServices.logger,
      },
      async init({ providers, config, logger }) {
        if (!config.has('auth.providers.demo')) {
          return;
        }
        if (
          process.env.NODE_ENV === 'production' ||
          config.getOptionalString('auth.environment') !== 'development'
        ) {
          logger.warn(
            'auth.providers.demo is ignored: it needs auth.environment: development, and NODE_ENV must not be production',
          );
          return;
        }
        providers.registerProvider({
          providerId: 'demo',
          factory: createProxyAuthProviderFactory({
            authenticator: demoAuthenticator,
            signInResolver: signInAsDemoUser,
          }),
        });
      },
    });
  },
});
