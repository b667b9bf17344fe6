import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { KubeConfig } from '@kubernetes/client-node';
import {
  MeshCluster,
  MeshClusterProblem,
  MeshClusterSource,
} from '@mesh-for-backstage/plugin-mesh-node';
import { parse } from 'yaml';
import { caProblem, urlProblem } from './problems';

const KEY = 'mesh.clusterSources.kubeconfig';

/**
 * The contexts of a kubeconfig file, each a cluster. The file is read again with
 * every listing, so that contexts come and go; a context that is broken stops
 * only itself.
 */
export function createKubeconfigSource(options: {
  path: string;
  contexts?: string[];
}): MeshClusterSource {
  return {
    id: 'kubeconfig',
    async listClusters() {
      const file = await readKubeconfig(options.path);
      const named = file.contexts.map(entry => entry.name);
      const wanted = options.contexts ?? named;
      return wanted.map(name => readContext(name, file, options.path));
    },
  };
}

/** The parts of a kubeconfig that are looked at, before they are trusted. */
interface KubeconfigFile {
  contexts: Entry[];
  clusters: Entry[];
  users: Entry[];
}

interface Entry {
  name: string;
  context?: any;
  cluster?: any;
  user?: any;
}

async function readKubeconfig(file: string): Promise<KubeconfigFile> {
  const text = await readFile(file, 'utf8').catch(error => {
    throw new Error(
      `${KEY}.path: ${file} cannot be read (${
        (error as NodeJS.ErrnoException).code
      })`,
    );
  });
  let document: any;
  try {
    document = parse(text);
  } catch {
    // The parser's message quotes lines, and lines of a kubeconfig hold tokens.
    throw new Error(`${KEY}.path: ${file} is not YAML`);
  }
  const entries = (key: string): Entry[] =>
    (Array.isArray(document?.[key]) ? document[key] : []).filter(
      (entry: any) => typeof entry?.name === 'string' && entry.name !== '',
    );
  if (!Array.isArray(document?.contexts)) {
    throw new Error(`${KEY}.path: ${file} is not a kubeconfig: no contexts`);
  }
  return {
    contexts: entries('contexts'),
    clusters: entries('clusters'),
    users: entries('users'),
  };
}

function readContext(
  name: string,
  file: KubeconfigFile,
  location: string,
): MeshCluster {
  const context = file.contexts.find(entry => entry.name === name)?.context;
  const cluster = file.clusters.find(
    entry => entry.name === context?.cluster,
  )?.cluster;
  const user = file.users.find(entry => entry.name === context?.user)?.user;
  const problem = contextProblem(name, file, { context, cluster, user });
  return {
    name,
    server: typeof cluster?.server === 'string' ? cluster.server : undefined,
    ...(problem ? { problem } : {}),
    fingerprint: createHash('sha256')
      .update(JSON.stringify([location, context, cluster, user]))
      .digest('base64'),
    // The file is read anew: when credentials are refused, it may hold newer ones.
    createKubeConfig: async () => {
      const now = await readKubeconfig(location);
      return createKubeConfig(name, now, path.dirname(location));
    },
  };
}

function contextProblem(
  name: string,
  file: KubeconfigFile,
  found: { context?: any; cluster?: any; user?: any },
): MeshClusterProblem | undefined {
  const wrong = (message: string): MeshClusterProblem => ({
    state: 'misconfigured',
    message,
  });
  const { context, cluster, user } = found;
  if (!context) {
    return wrong(
      `${KEY}: there is no context ${name}; there are ${
        file.contexts.map(entry => entry.name).join(', ') || 'none'
      }`,
    );
  }
  const where = `${KEY}: context ${name}`;
  if (!cluster) {
    return wrong(
      `${where} names the cluster ${String(
        context.cluster,
      )}, which the file does not have`,
    );
  }
  if (!user) {
    return wrong(
      `${where} names the user ${String(
        context.user,
      )}, whom the file does not have`,
    );
  }
  return (
    urlProblem(cluster.server, `${where}: cluster.server`, {
      skipTLSVerify: cluster['insecure-skip-tls-verify'] === true,
    }) ??
    proxyProblem(cluster['proxy-url'], `${where}: cluster.proxy-url`) ??
    caProblem(
      cluster['certificate-authority-data'],
      `${where}: cluster.certificate-authority-data`,
    )
  );
}

function proxyProblem(
  url: unknown,
  key: string,
): MeshClusterProblem | undefined {
  if (url === undefined) return undefined;
  const isUsable =
    typeof url === 'string' && /^(https?|socks[45]?[ah]?):\/\/[^/]/.test(url);
  return isUsable
    ? undefined
    : {
        state: 'misconfigured',
        message: `${key} has to begin with http://, https:// or socks5://`,
      };
}

/**
 * A `KubeConfig` of one context and nothing else: it holds neither the servers nor
 * the users of the others, so that no credential can reach another cluster.
 */
function createKubeConfig(
  name: string,
  file: KubeconfigFile,
  directory: string,
): KubeConfig {
  const { context } = file.contexts.find(entry => entry.name === name) ?? {};
  const cluster = file.clusters.find(entry => entry.name === context?.cluster);
  const user = file.users.find(entry => entry.name === context?.user);
  if (!context || !cluster || !user) {
    throw new Error(`${KEY}: context ${name} is gone`);
  }
  const kubeConfig = new KubeConfig();
  kubeConfig.loadFromString(
    JSON.stringify({
      apiVersion: 'v1',
      kind: 'Config',
      clusters: [cluster],
      users: [{ name: user.name, user: withTokenFile(user.user, directory) }],
      contexts: [{ name, context }],
      'current-context': name,
    }),
  );
  kubeConfig.makePathsAbsolute(directory);
  return kubeConfig;
}

/** The client reads `tokenFile` once; as an auth provider it is read again as it rotates. */
function withTokenFile(user: any, directory: string): unknown {
  if (typeof user?.tokenFile !== 'string') return user;
  const { tokenFile, token, ...rest } = user;
  return {
    ...rest,
    'auth-provider': {
      name: 'tokenFile',
      config: { tokenFile: path.resolve(directory, tokenFile) },
    },
  };
}
