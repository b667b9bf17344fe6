import { MeshClusterProblem } from '@mesh-for-backstage/plugin-mesh-node';

/** Sign-in that needs the token of the person who looks. */
const needsUser = new Set(['google', 'oidc', 'aks']);

/** Sign-in that a backend can do by itself, and this one does not know yet. */
const notYet = new Set([
  'aws',
  'azure',
  'googleServiceAccount',
  'localKubectlProxy',
]);

/** Why a cluster with this `authProvider` cannot be watched; undefined where it can. */
export function authProviderProblem(
  authProvider: string | undefined,
  key: string,
): MeshClusterProblem | undefined {
  if (authProvider === 'serviceAccount') return undefined;
  if (authProvider === undefined || authProvider === '') {
    return {
      state: 'misconfigured',
      message: `${key} is missing; set it to serviceAccount and give a serviceAccountToken`,
    };
  }
  if (needsUser.has(authProvider)) {
    return {
      state: 'needs-user',
      message: `${key} is ${authProvider}: it signs in with the token of whoever looks at a page, so that nothing can be watched in the background. To watch this cluster, name it with a service account as well, in a kubeconfig under mesh.clusterSources.kubeconfig`,
    };
  }
  if (notYet.has(authProvider)) {
    return {
      state: 'misconfigured',
      message: `${key} is ${authProvider}, which this plugin cannot sign in with yet; use serviceAccount, or a kubeconfig with a sign-in command (exec) under mesh.clusterSources.kubeconfig`,
    };
  }
  return {
    state: 'misconfigured',
    message: `${key} is ${authProvider}, which this plugin does not know; use serviceAccount`,
  };
}
