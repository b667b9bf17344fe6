import type { Entity } from '@backstage/catalog-model';
import { createBackend } from '@backstage/backend-defaults';
import { mockServices } from '@backstage/backend-test-utils';
import { catalogServiceMock } from '@backstage/plugin-catalog-node/testUtils';
import { answerCalls } from './Child';

export interface PortalOptions {
  config: object;
  entities: Entity[];
  /** Runs the Kubernetes plugin's backend beside ours. */
  kubernetes: boolean;
}

answerCalls({
  async start({ config, entities, kubernetes }: PortalOptions) {
    const backend = createBackend();
    backend.add(mockServices.rootConfig.factory({ data: config }));
    backend.add(catalogServiceMock.factory({ entities }));
    backend.add(import('@mesh-for-backstage/plugin-mesh-backend'));
    if (kubernetes) {
      backend.add(import('@backstage/plugin-kubernetes-backend'));
    }
    await backend.start();
  },
  collectGarbage() {
    globalThis.gc?.();
  },
});
