import { createHash } from 'node:crypto';
import { lookup } from 'node:dns/promises';
import { AuthService } from '@backstage/backend-plugin-api';
import { CATALOG_FILTER_EXISTS } from '@backstage/catalog-client';
import { Entity } from '@backstage/catalog-model';
import { Config } from '@backstage/config';
import { CatalogService } from '@backstage/plugin-catalog-node';
import {
  MeshCluster,
  MeshClusterProblem,
  MeshClusterSource,
} from '@mesh-for-backstage/plugin-mesh-node';
import ipaddr from 'ipaddr.js';
import { authProviderProblem } from './authProviders';
import { urlProblem } from './problems';

const annotation = {
  server: 'kubernetes.io/api-server',
  authority: 'kubernetes.io/api-server-certificate-authority',
  authProvider: 'kubernetes.io/auth-provider',
};

/**
 * Clusters that the catalog names: Resources of type `kubernetes-cluster`.
 *
 * Whoever may register an entity decides what is in it. So the catalog may not
 * bring credentials, and may not make this backend call addresses inside its own
 * network; both as the Kubernetes plugin has it, and with its exceptions.
 */
export function createCatalogSource(
  methods: readonly Config[],
  options: { catalog: CatalogService; auth: AuthService },
): MeshClusterSource[] {
  const method = methods.find(
    one => one.getOptionalString('type') === 'catalog',
  );
  if (!method) return [];
  const allowedHosts =
    method.getOptionalStringArray('dangerouslyAllowClusterUrls') ?? [];
  return [
    {
      id: 'kubernetes.catalog',
      async listClusters() {
        const { items } = await options.catalog.getEntities(
          {
            filter: {
              kind: 'Resource',
              'spec.type': 'kubernetes-cluster',
              [`metadata.annotations.${annotation.server}`]:
                CATALOG_FILTER_EXISTS,
            },
            fields: ['kind', 'metadata', 'spec.type'],
          },
          { credentials: await options.auth.getOwnServiceCredentials() },
        );
        return Promise.all(
          items.map(entity => readEntity(entity, allowedHosts)),
        );
      },
    },
  ];
}

async function readEntity(
  entity: Entity,
  allowedHosts: readonly string[],
): Promise<MeshCluster> {
  const { name, title, annotations = {} } = entity.metadata;
  const where = `Resource ${name}`;
  const url = annotations[annotation.server];
  return {
    name,
    ...(title && { title }),
    server: url,
    problem:
      urlProblem(url, `${where}: annotation ${annotation.server}`, {
        skipTLSVerify: isAllowed(url, allowedHosts),
      }) ??
      (await hostProblem(url, where, allowedHosts)) ??
      signInProblem(annotations[annotation.authProvider], where),
    fingerprint: createHash('sha256')
      .update(JSON.stringify(annotations))
      .digest('base64'),
  };
}

/** A token in the catalog could be read by everyone who may read the catalog; so there is none, and no sign-in by one. */
function signInProblem(
  authProvider: string | undefined,
  where: string,
): MeshClusterProblem {
  const key = `${where}: annotation ${annotation.authProvider}`;
  return (
    authProviderProblem(authProvider, key) ?? {
      state: 'misconfigured',
      message: `${key} is serviceAccount, which the catalog may not use, since it holds no tokens; name this cluster in kubernetes.clusterLocatorMethods of type config, or in a kubeconfig under mesh.clusterSources.kubeconfig`,
    }
  );
}

async function hostProblem(
  url: string,
  where: string,
  allowedHosts: readonly string[],
): Promise<MeshClusterProblem | undefined> {
  if (isAllowed(url, allowedHosts)) return undefined;
  const host = new URL(url).hostname.replace(/^\[|\]$/g, '');
  const addresses = ipaddr.isValid(host)
    ? [host]
    : await lookup(host, { all: true }).then(
        found => found.map(({ address }) => address),
        // A name that does not resolve now is no danger; the connection will say so.
        () => [],
      );
  if (addresses.every(isPublic)) return undefined;
  return {
    state: 'misconfigured',
    message: `${where}: annotation ${annotation.server} leads to an address that is not public; name the host in dangerouslyAllowClusterUrls of the locator method of type catalog if that is meant`,
  };
}

function isPublic(address: string): boolean {
  try {
    // An IPv4 address in IPv6 clothes is what it is underneath.
    return ipaddr.process(address).range() === 'unicast';
  } catch {
    return false;
  }
}

function isAllowed(
  url: string | undefined,
  patterns: readonly string[],
): boolean {
  if (!url || !URL.canParse(url)) return false;
  const host = new URL(url).hostname.toLowerCase();
  return patterns.some(pattern => {
    const wanted = pattern.toLowerCase();
    return wanted.startsWith('*.')
      ? host.endsWith(wanted.slice(1)) || host === wanted.slice(2)
      : host === wanted;
  });
}
