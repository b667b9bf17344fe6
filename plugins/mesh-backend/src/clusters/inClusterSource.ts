import { KubeConfig } from '@kubernetes/client-node';
import {
  MeshCluster,
  MeshClusterSource,
} from '@mesh-for-backstage/plugin-mesh-node';

/** The cluster in which this backend runs, by the service account of its pod. */
export function createInClusterSource(options: {
  name: string;
}): MeshClusterSource {
  return {
    id: 'in-cluster',
    async listClusters(): Promise<MeshCluster[]> {
      const host = process.env.KUBERNETES_SERVICE_HOST;
      if (!host) {
        return [
          {
            name: options.name,
            problem: {
              state: 'misconfigured',
              message:
                'mesh.clusterSources.inCluster is set, and this backend does not run in a pod (KUBERNETES_SERVICE_HOST is not set); remove the key',
            },
          },
        ];
      }
      return [
        {
          name: options.name,
          server: `https://${host.includes(':') ? `[${host}]` : host}:${
            process.env.KUBERNETES_SERVICE_PORT ?? '443'
          }`,
          fingerprint: host,
          createKubeConfig: () => {
            const kubeConfig = new KubeConfig();
            kubeConfig.loadFromCluster();
            return kubeConfig;
          },
        },
      ];
    },
  };
}
