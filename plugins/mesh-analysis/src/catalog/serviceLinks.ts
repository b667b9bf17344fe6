import { isUnknown } from '../inventory/Fact';
import { hostMatches } from '../inventory/hosts';
import { ClusterLink } from './clusterLinks';
import { ClusterMesh } from './mesh';
import { LinkMechanism, ServiceInstance, ServiceLink } from './types';

type Judgement = {
  mechanism: LinkMechanism;
  state: ServiceLink['state'];
  reason?: string;
};

/**
 * What a link between two clusters carries for one service; undefined where the
 * service takes no part in that mechanism.
 */
export function judgeLink(
  link: ClusterLink,
  from: { instance: ServiceInstance; mesh: ClusterMesh | undefined },
  to: { instance: ServiceInstance; mesh: ClusterMesh | undefined },
): Judgement | undefined {
  switch (link.mechanism) {
    case 'istio':
      return judgeIstio(link, from, to);
    case 'cilium':
      return judgeCilium(link, from.instance, to.instance);
    case 'mcs':
      return judgeMcs(link, from.instance, to);
    case 'consul':
      return judgeConsul(link, from, to);
    default:
      // Linkerd links only what is mirrored: the mirror itself is the link.
      return undefined;
  }
}

function judgeIstio(
  link: ClusterLink,
  from: { instance: ServiceInstance; mesh: ClusterMesh | undefined },
  to: { instance: ServiceInstance; mesh: ClusterMesh | undefined },
): Judgement | undefined {
  const mechanism = 'istio' as const;
  if (link.state === 'broken') {
    // Two meshes: the link is reported with the clusters, and joins no service.
    return undefined;
  }
  const local = clusterLocal(from.mesh, from.instance);
  if (local) {
    return { mechanism, state: 'suppressed', reason: local };
  }
  const mcs = from.mesh?.revisions[0]?.mcs;
  if (mcs && !isUnknown(mcs) && mcs.serviceDiscovery) {
    const exported = to.instance.reach?.exported;
    if (exported === true) {
      return withState('istio-mcs', link);
    }
    return exported !== undefined && isUnknown(exported)
      ? {
          mechanism: 'istio-mcs',
          state: 'unknown',
          reason: 'whether the service is exported there is not known',
        }
      : {
          mechanism: 'istio-mcs',
          state: 'suppressed',
          reason:
            'ENABLE_MCS_SERVICE_DISCOVERY is on, and the service is not exported there',
        };
  }
  if (to.instance.dataplane === 'ambient') {
    const scope = to.instance.reach?.ambientScope ?? 'local';
    if (isUnknown(scope)) {
      return {
        mechanism,
        state: 'unknown',
        reason: 'the scope of the service in ambient is not known',
      };
    }
    if (scope === 'local') {
      return {
        mechanism,
        state: 'suppressed',
        reason:
          'in ambient a service stays in its cluster unless serviceScopeConfigs makes it GLOBAL',
      };
    }
  }
  return withState(mechanism, link);
}

function withState(mechanism: LinkMechanism, link: ClusterLink): Judgement {
  return {
    mechanism,
    state: link.state,
    ...(link.reason && { reason: link.reason }),
  };
}

/** Why a service never leaves its cluster, or undefined. */
export function clusterLocal(
  mesh: ClusterMesh | undefined,
  { namespace, name }: { namespace: string; name: string },
): string | undefined {
  const domain =
    mesh && !isUnknown(mesh.clusterDomain)
      ? mesh.clusterDomain
      : 'cluster.local';
  const host = `${name}.${namespace}.svc.${domain}`;
  const revision = mesh?.revisions[0];
  const taken = revision?.notClusterLocalHosts.some(pattern =>
    hostMatches(pattern, host),
  );
  if (
    !taken &&
    (namespace === 'kube-system' ||
      (namespace === 'default' && name === 'kubernetes'))
  ) {
    return 'system services stay in their cluster';
  }
  const hosts = revision?.clusterLocalHosts ?? [];
  const pattern = isUnknown(hosts)
    ? undefined
    : hosts.find(one => hostMatches(one, host));
  return pattern === undefined
    ? undefined
    : `serviceSettings of the mesh keeps ${pattern} in its cluster`;
}

function ciliumAnnotation(instance: ServiceInstance, name: string) {
  return (
    instance.annotations[`service.cilium.io/${name}`] ??
    instance.annotations[`io.cilium/${name}-service`]
  );
}

export function isCiliumGlobal(instance: ServiceInstance): boolean {
  return (
    ciliumAnnotation(instance, 'global') === 'true' &&
    instance.reach?.ciliumNamespaceGlobal !== false
  );
}

function isCiliumShared(instance: ServiceInstance): boolean {
  return (ciliumAnnotation(instance, 'shared') ?? 'true') === 'true';
}

function judgeCilium(
  link: ClusterLink,
  from: ServiceInstance,
  to: ServiceInstance,
): Judgement | undefined {
  const mechanism = 'cilium-global' as const;
  const [here, there] = [isCiliumGlobal(from), isCiliumGlobal(to)];
  if (!here && !there) {
    return undefined;
  }
  if (!here || !there) {
    return {
      mechanism,
      state: 'broken',
      reason: `the service is global in ${
        here ? from.cluster : to.cluster
      } only; it has to be in both clusters`,
    };
  }
  if (!isCiliumShared(to)) {
    return {
      mechanism,
      state: 'suppressed',
      reason: `${to.cluster} does not share its backends (service.cilium.io/shared=false)`,
    };
  }
  return withState(mechanism, link);
}

function judgeMcs(
  link: ClusterLink,
  from: ServiceInstance,
  to: { instance: ServiceInstance; mesh: ClusterMesh | undefined },
): Judgement | undefined {
  const mechanism = 'mcs' as const;
  if (from.reach?.imported !== true || to.instance.reach?.exported !== true) {
    return undefined;
  }
  const reported = from.reach.importedFrom;
  if (reported) {
    const names = [
      to.mesh?.mcs.clusterProperty,
      to.mesh?.cluster,
      to.mesh && !isUnknown(to.mesh.clusterId) ? to.mesh.clusterId : undefined,
    ];
    return names.some(name => name !== undefined && reported.includes(name))
      ? { mechanism, state: 'active' }
      : {
          mechanism,
          state: 'broken',
          reason: `the ServiceImport does not name ${to.instance.cluster} among its clusters`,
        };
  }
  return withState(mechanism, link);
}

function judgeConsul(
  link: ClusterLink,
  from: { instance: ServiceInstance; mesh: ClusterMesh | undefined },
  to: { instance: ServiceInstance; mesh: ClusterMesh | undefined },
): Judgement | undefined {
  const exported = to.mesh?.consul?.exports.some(
    ({ service, peers }) =>
      (service === to.instance.name || service === '*') &&
      peers.includes(from.instance.cluster),
  );
  return exported ? withState('consul', link) : undefined;
}
