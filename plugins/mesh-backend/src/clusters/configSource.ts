import { createHash } from 'node:crypto';
import { Config } from '@backstage/config';
import { KubeConfig } from '@kubernetes/client-node';
import {
  MeshCluster,
  MeshClusterProblem,
  MeshClusterSource,
} from '@mesh-for-backstage/plugin-mesh-node';
import { authProviderProblem } from './authProviders';
import { caProblem, urlProblem } from './problems';

const AUTH_PROVIDER = 'kubernetes.io/auth-provider';

/** The clusters that the Kubernetes plugin has in app-config: `kubernetes.clusterLocatorMethods` of type `config`. */
export function createConfigSource(
  methods: readonly Config[],
): MeshClusterSource[] {
  const clusters: MeshCluster[] = [];
  methods.forEach((method, methodIndex) => {
    if (method.getOptionalString('type') !== 'config') return;
    const listed = method.getOptionalConfigArray('clusters') ?? [];
    listed.forEach((cluster, index) => {
      clusters.push(
        readCluster(
          cluster,
          `kubernetes.clusterLocatorMethods[${methodIndex}].clusters[${index}]`,
        ),
      );
    });
  });
  if (clusters.length === 0) return [];
  return [{ id: 'kubernetes.config', listClusters: async () => clusters }];
}

function readCluster(config: Config, key: string): MeshCluster {
  const text = (name: string) => {
    const value = config.getOptional(name);
    return typeof value === 'string' && value !== '' ? value : undefined;
  };
  const name = text('name') ?? key;
  const url = text('url');
  const title = text('title');
  const caData = text('caData');
  const caFile = text('caFile');
  const token = text('serviceAccountToken');
  const skipTLSVerify = config.getOptionalBoolean('skipTLSVerify') ?? false;
  const problem =
    (text('name') ? undefined : wrong(`${key}.name is missing`)) ??
    urlProblem(url, `${key}.url`, { skipTLSVerify }) ??
    authProviderProblem(authProviderOf(config), `${key}.authProvider`) ??
    (token
      ? undefined
      : wrong(
          `${key}.serviceAccountToken is missing or empty; an environment variable that it stands for may not be set`,
        )) ??
    caProblem(caData, `${key}.caData`);
  return {
    name,
    title,
    server: url,
    ...(problem ? { problem } : {}),
    fingerprint: createHash('sha256')
      .update(JSON.stringify([url, caData, caFile, token, skipTLSVerify]))
      .digest('base64'),
    createKubeConfig: () => {
      const kubeConfig = new KubeConfig();
      kubeConfig.loadFromClusterAndUser(
        { name, server: url!, caData, caFile, skipTLSVerify },
        { name: `${name}-service-account`, token },
      );
      return kubeConfig;
    },
  };
}

/** As the Kubernetes plugin reads it: the block of metadata wins. */
function authProviderOf(config: Config): string | undefined {
  const metadata = config.getOptional<Record<string, unknown>>('authMetadata');
  const fromMetadata = metadata?.[AUTH_PROVIDER];
  return typeof fromMetadata === 'string'
    ? fromMetadata
    : config.getOptionalString('authProvider');
}

function wrong(message: string): MeshClusterProblem {
  return { state: 'misconfigured', message };
}
