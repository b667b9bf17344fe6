import { factUnless, gapIn } from '../inventory/coverage';
import { Fact, isUnknown, unknown } from '../inventory/Fact';
import {
  annotationsOf,
  labelsOf,
  mapOf,
  stringOf,
  textOf,
} from '../inventory/fields';
import { FleetObject } from '../inventory/FleetObject';
import { Inventory } from '../inventory/Inventory';
import { readAmbient } from './ambientInstallation';
import { clusterFindings } from './clusterFindings';
import { namespacesOfWebhooks, readInjectors, readRevisions } from './istio';
import { AnalysisOptions, ClusterMesh, IstioRevision } from './mesh';
import { readNetworkGateways } from './networkGateways';
import { readCilium, readConsul, readLinkerd, readMcs } from './otherMeshes';
import { readRemoteSecrets } from './remoteSecrets';

/**
 * What one cluster says of its mesh: control planes and their settings, the webhooks
 * that inject, and the links that it declares to other clusters.
 *
 * It reads the system namespaces and a few kinds of which a cluster has a handful, so
 * that the change of a workload does not concern it.
 *
 * @public
 */
export function analyseCluster(
  inventory: Inventory,
  cluster: string,
  options: AnalysisOptions = {},
): ClusterMesh {
  const injectors = readInjectors(inventory, cluster);
  const namespaces = [
    ...new Set([
      ...(options.systemNamespaces ?? ['istio-system']),
      ...namespacesOfWebhooks(inventory, cluster),
    ]),
  ];
  const { revisions, problems } = readRevisions(
    inventory,
    cluster,
    namespaces,
    injectors,
  );
  const systemNamespace = inventory.get('Namespace', {
    cluster,
    name: revisions[0]?.namespace ?? namespaces[0],
  });
  const network = textOf(
    labelsOf(systemNamespace)['topology.istio.io/network'],
  );
  const linkerdReading = readLinkerd(inventory, cluster);
  const { linkerd } = linkerdReading;
  const cilium = readCilium(inventory, cluster);
  const consul = readConsul(inventory, cluster);
  const secrets = readRemoteSecrets(
    inventory,
    cluster,
    revisions,
    linkerd === undefined && cilium === undefined && consul === undefined,
  );

  const mesh: ClusterMesh = {
    cluster,
    clusterId: first(revisions, one => one.clusterId),
    meshId: first(revisions, one => one.meshId),
    network: factUnless(
      gapIn(inventory, 'Namespace', cluster),
      systemNamespace !== undefined,
      () => network ?? '',
    ),
    trustDomain: first(revisions, one => one.trustDomain),
    clusterDomain: clusterDomainOf(
      inventory,
      cluster,
      revisions,
      options.clusterDomains,
    ),
    revisions,
    tags: isUnknown(injectors) ? [] : tagsOf(injectors),
    injectors,
    controlPlaneClusters: controlPlaneClustersOf(systemNamespace),
    ambient: readAmbient(inventory, cluster, namespaces, revisions),
    nativeSidecarDefault: nativeSidecarDefaultOf(
      inventory,
      cluster,
      revisions[0],
    ),
    networkGateways: network
      ? readNetworkGateways(inventory, cluster, [
          ...namespaces,
          ...(options.gatewayNamespaces ?? []),
        ])
      : [],
    declaredLinks: [...secrets.links, ...linkerdReading.links],
    linksUnknown: {
      ...(secrets.unknown && { istio: secrets.unknown }),
      ...(cilium &&
        cilium.clusterMesh !== false && {
          cilium:
            'which clusters are connected stands in the Secret cilium-clustermesh, which is not read',
        }),
      ...(consul && {
        consul: 'whether a peering is connected is known to Consul alone',
      }),
    },
    ...(linkerd && { linkerd }),
    ...(cilium && { cilium }),
    mcs: readMcs(inventory, cluster),
    ...(consul && { consul }),
    findings: [],
  };
  return {
    ...mesh,
    findings: clusterFindings(mesh, problems, linkerdReading.failures),
  };
}

/** The first revision that knows, else why the first one does not. */
function first(
  revisions: readonly IstioRevision[],
  value: (revision: IstioRevision) => Fact<string>,
): Fact<string> {
  const facts = revisions.map(value);
  return (
    facts.find(fact => !isUnknown(fact)) ??
    facts[0] ??
    unknown('not-reported', 'no Istio control plane was found')
  );
}

function tagsOf(injectors: Array<{ tag?: string; revision: string }>) {
  const tags = new Map<string, string>();
  for (const { tag, revision } of injectors) {
    if (tag) {
      tags.set(tag, revision);
    }
  }
  return [...tags].map(([tag, revision]) => ({ tag, revision }));
}

function controlPlaneClustersOf(namespace: FleetObject | undefined): string[] {
  const text =
    annotationsOf(namespace)['topology.istio.io/controlPlaneClusters'];
  return (text ?? '')
    .split(',')
    .map(item => item.trim())
    .filter(item => item !== '');
}

function clusterDomainOf(
  inventory: Inventory,
  cluster: string,
  revisions: readonly IstioRevision[],
  configured: Record<string, string> = {},
): Fact<string> {
  const domain = textOf(configured[cluster]) ?? textOf(configured['*']);
  if (domain) {
    return domain;
  }
  for (const { namespace, revision } of revisions) {
    const config = inventory.get('ConfigMap', {
      cluster,
      namespace,
      name:
        revision === 'default'
          ? 'istio-sidecar-injector'
          : `istio-sidecar-injector-${revision}`,
    });
    const text = stringOf(mapOf(config?.data).values);
    const match = text && /"clusterDomain"\s*:\s*"([^"]+)"/.exec(text);
    // The chart writes `cluster.local` unless somebody sets something else, and
    // proxies are told to use it: it is what the mesh works with.
    if (match) {
      return match[1];
    }
  }
  return unknown(
    'not-reported',
    'the DNS suffix of the cluster is neither configured nor set in the mesh',
  );
}

function nativeSidecarDefaultOf(
  inventory: Inventory,
  cluster: string,
  revision: IstioRevision | undefined,
): Fact<boolean> {
  if (!revision) {
    return unknown('not-reported', 'no Istio control plane was found');
  }
  const mode = revision.nativeSidecars;
  if (isUnknown(mode) || mode !== 'auto') {
    return isUnknown(mode) ? mode : mode === 'enabled';
  }
  const nodes = inventory.list('Node', { cluster });
  const gap = gapIn(inventory, 'Node', cluster);
  if (gap && nodes.length === 0) {
    return unknown(
      gap.unknown,
      'native sidecars depend on the kubelets, and nodes cannot be read',
    );
  }
  return nodes.every(node => supportsNativeSidecars(node));
}

/** Kubernetes 1.33 made native sidecars stable; istiod asks for at least that. */
export function supportsNativeSidecars(node: FleetObject): boolean {
  const version = stringOf(mapOf(node.status?.nodeInfo).kubeletVersion);
  const match = version && /^v?(\d+)\.(\d+)/.exec(version);
  return Boolean(match && (Number(match[1]) > 1 || Number(match[2]) >= 33));
}
