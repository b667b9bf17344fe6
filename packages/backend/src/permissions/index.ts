import {
  coreServices,
  createBackendModule,
} from '@backstage/backend-plugin-api';
import { policyExtensionPoint } from '@backstage/plugin-permission-node/alpha';
import { PortalPolicy } from './PortalPolicy';

export default createBackendModule({
  pluginId: 'permission',
  moduleId: 'portal-policy',
  register(env) {
    env.registerInit({
      deps: { policy: policyExtensionPoint, config: coreServices.rootConfig },
      async init({ policy, config }) {
        policy.setPolicy(PortalPolicy.fromConfig(config));
      },
    });
  },
});
