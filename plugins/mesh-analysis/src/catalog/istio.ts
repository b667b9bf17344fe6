import { parse } from 'yaml';

import { factUnless, gapIn } from '../inventory/coverage';
import { Fact, isUnknown, unknown, Unknown } from '../inventory/Fact';
import {
  labelsOf,
  mapOf,
  mapsOf,
  numberOf,
  stringOf,
  stringsOf,
  textOf,
  versionOfImage,
} from '../inventory/fields';
import { FleetObject } from '../inventory/FleetObject';
import { Inventory } from '../inventory/Inventory';
import { InjectorWebhook, IstioRevision } from './mesh';

/** What could not be read, and why. */
export interface ConfigProblem {
  object: FleetObject;
  field: string;
  problem: string;
}

/** The revision without a name is called `default` everywhere. */
export function revisionName(revision: string | undefined): string {
  return revision === undefined || revision === '' ? 'default' : revision;
}

/** `istio-canary` is the `canary` of `istio`; `istio` the default. */
function suffixOf(name: string, stem: string): string | undefined {
  if (name === stem) {
    return 'default';
  }
  return name.startsWith(`${stem}-`) ? name.slice(stem.length + 1) : undefined;
}

/** Webhooks that add sidecars, from every configuration on the cluster. */
export function readInjectors(
  inventory: Inventory,
  cluster: string,
): Fact<InjectorWebhook[]> {
  const kind = 'MutatingWebhookConfiguration.admissionregistration.k8s.io';
  const injectors: InjectorWebhook[] = [];
  for (const configuration of inventory.list(kind, { cluster })) {
    const labels = labelsOf(configuration);
    for (const webhook of mapsOf(configuration.webhooks)) {
      const name = stringOf(webhook.name);
      if (!name?.endsWith('sidecar-injector.istio.io')) {
        continue;
      }
      const service = stringOf(mapOf(mapOf(webhook.clientConfig).service).name);
      injectors.push({
        configuration: configuration.metadata.name,
        name,
        revision: revisionName(
          labels['istio.io/rev'] ?? (service && suffixOf(service, 'istiod')),
        ),
        ...(textOf(labels['istio.io/tag']) && { tag: labels['istio.io/tag'] }),
        ...(webhook.namespaceSelector && {
          namespaceSelector: webhook.namespaceSelector,
        }),
        ...(webhook.objectSelector && {
          objectSelector: webhook.objectSelector,
        }),
      });
    }
  }
  return factUnless(
    gapIn(inventory, kind, cluster),
    injectors.length > 0,
    () => injectors,
  );
}

/** Namespaces of control planes that the webhooks call. */
export function namespacesOfWebhooks(
  inventory: Inventory,
  cluster: string,
): string[] {
  return inventory
    .list('MutatingWebhookConfiguration.admissionregistration.k8s.io', {
      cluster,
    })
    .flatMap(configuration => mapsOf(configuration.webhooks))
    .filter(webhook =>
      stringOf(webhook.name)?.endsWith('sidecar-injector.istio.io'),
    )
    .map(webhook =>
      textOf(mapOf(mapOf(webhook.clientConfig).service).namespace),
    )
    .filter(namespace => namespace !== undefined);
}

function environmentOf(deployment: FleetObject): Map<string, string> {
  const containers = mapsOf(
    mapOf(mapOf(deployment.spec?.template).spec).containers,
  );
  return new Map(
    containers
      .flatMap(container => mapsOf(container.env))
      .filter(variable => stringOf(variable.name) !== undefined)
      .map(variable => [variable.name, stringOf(variable.value) ?? '']),
  );
}

function flag(
  environment: Map<string, string>,
  name: string,
  byDefault: boolean,
) {
  const value = environment.get(name);
  return value === undefined || value === '' ? byDefault : value === 'true';
}

function versionOfControlPlane(deployment: FleetObject): Fact<string> {
  const containers = mapsOf(
    mapOf(mapOf(deployment.spec?.template).spec).containers,
  );
  const discovery =
    containers.find(container => container.name === 'discovery') ??
    containers[0];
  const version =
    versionOfImage(discovery?.image) ??
    textOf(labelsOf(deployment)['app.kubernetes.io/version']);
  return (
    version ??
    unknown(
      'not-reported',
      'neither the image of istiod nor its labels name a version',
    )
  );
}

function isControlPlane(deployment: FleetObject): boolean {
  return (
    labelsOf(deployment).app === 'istiod' ||
    /^istiod(-|$)/.test(deployment.metadata.name)
  );
}

/** Pieces of one revision, before they are put together. */
interface Pieces {
  deployment?: FleetObject;
  mesh?: FleetObject;
  injector?: FleetObject;
}

function parseConfig(
  object: FleetObject | undefined,
  field: string,
  problems: ConfigProblem[],
): Record<string, any> | undefined {
  const text = stringOf(mapOf(object?.data)[field]);
  if (!object || text === undefined) {
    return undefined;
  }
  try {
    return mapOf(field === 'values' ? JSON.parse(text) : parse(text));
  } catch (error) {
    problems.push({
      object,
      field: `data.${field}`,
      problem: String((error as Error).message).split('\n')[0],
    });
    return undefined;
  }
}

const noConfig = (namespace: string) =>
  unknown(
    'not-reported',
    `no mesh configuration was found in namespace ${namespace}`,
  );

function readRevision(
  revision: string,
  namespace: string,
  { deployment, mesh, injector }: Pieces,
  gap: Unknown | undefined,
  problems: ConfigProblem[],
): IstioRevision {
  const config = parseConfig(mesh, 'mesh', problems);
  const values = parseConfig(injector, 'values', problems);
  const injection = parseConfig(injector, 'config', problems);
  const global = mapOf(values?.global);
  const environment = deployment ? environmentOf(deployment) : new Map();
  const missing = gap ?? noConfig(namespace);
  const fromConfig = <T>(value: (config: Record<string, any>) => T): Fact<T> =>
    config ? value(config) : missing;
  const elsewhere = unknown(
    'not-reported',
    'the control plane does not run in this cluster',
  );

  const clusterId =
    textOf(environment.get('CLUSTER_ID')) ??
    textOf(mapOf(global.multiCluster).clusterName);
  const proxyMetadata = mapOf(mapOf(config?.defaultConfig).proxyMetadata);
  const settings = mapsOf(config?.serviceSettings);
  const hostsWith = (clusterLocal: boolean) =>
    settings
      .filter(
        setting =>
          (mapOf(setting.settings).clusterLocal === true) === clusterLocal,
      )
      .flatMap(setting => stringsOf(setting.hosts));
  const native = environment.get('ENABLE_NATIVE_SIDECARS');
  const version = deployment && versionOfControlPlane(deployment);

  return {
    revision,
    namespace,
    ...(deployment && {
      controlPlane: {
        name: deployment.metadata.name,
        version: version!,
        pods: {
          ready: numberOf(deployment.status?.readyReplicas) ?? 0,
          total: numberOf(deployment.spec?.replicas) ?? 1,
        },
      },
    }),
    clusterId: clusterId ?? (deployment || values ? 'Kubernetes' : missing),
    meshId:
      textOf(global.meshID) ??
      textOf(mapOf(mapOf(config?.defaultConfig)).meshId) ??
      (values ? unknown('not-reported', 'global.meshID is not set') : missing),
    trustDomain: fromConfig(
      ({ trustDomain }) => textOf(trustDomain) ?? 'cluster.local',
    ),
    discoverySelectors: fromConfig(
      ({ discoverySelectors }) => mapsOf(discoverySelectors) as any[],
    ),
    clusterLocalHosts: fromConfig(() => hostsWith(true)),
    notClusterLocalHosts: hostsWith(false),
    serviceScopes: fromConfig(({ serviceScopeConfigs }) =>
      mapsOf(serviceScopeConfigs).map(scope => ({
        scope:
          scope.scope === 'GLOBAL' ? ('GLOBAL' as const) : ('LOCAL' as const),
        ...(scope.namespaceSelector && {
          namespaceSelector: scope.namespaceSelector,
        }),
        ...((scope.servicesSelector ?? scope.serviceSelector) && {
          servicesSelector: scope.servicesSelector ?? scope.serviceSelector,
        }),
      })),
    ),
    dnsCapture: fromConfig(() =>
      [true, 'true'].includes(proxyMetadata.ISTIO_META_DNS_CAPTURE),
    ),
    injection: injection
      ? {
          policy: injection.policy === 'disabled' ? 'disabled' : 'enabled',
          neverInjectSelector: mapsOf(injection.neverInjectSelector) as any[],
          alwaysInjectSelector: mapsOf(injection.alwaysInjectSelector) as any[],
        }
      : missing,
    nativeSidecars: deployment
      ? nativeSidecarMode(native, version!)
      : elsewhere,
    ambient: deployment
      ? flag(environment, 'PILOT_ENABLE_AMBIENT', false)
      : elsewhere,
    mcs: deployment
      ? {
          serviceDiscovery: flag(
            environment,
            'ENABLE_MCS_SERVICE_DISCOVERY',
            false,
          ),
          host: flag(environment, 'ENABLE_MCS_HOST', false),
          clusterLocal: flag(environment, 'ENABLE_MCS_CLUSTER_LOCAL', false),
          autoExport: flag(environment, 'ENABLE_MCS_AUTO_EXPORT', false),
        }
      : elsewhere,
    networksWithGateways: Object.entries(
      mapOf(parseConfig(mesh, 'meshNetworks', problems)?.networks),
    )
      .filter(([, network]) => mapsOf(mapOf(network).gateways).length > 0)
      .map(([network]) => network),
    credentialsElsewhere:
      textOf(environment.get('PILOT_MULTICLUSTER_KUBECONFIG_PATH')) !==
        undefined ||
      flag(environment, 'PILOT_ENABLE_REMOTE_CREDENTIALS_CONTROLLER', false),
  };
}

/** `auto` is the default since 1.27; before, native sidecars had to be switched on. */
function nativeSidecarMode(
  setting: string | undefined,
  version: Fact<string>,
): Fact<'enabled' | 'disabled' | 'auto'> {
  switch (setting) {
    case 'true':
      return 'enabled';
    case 'auto':
      return 'auto';
    case undefined:
    case '': {
      if (isUnknown(version)) {
        return version;
      }
      const [major, minor] = version.split('.').map(Number);
      return major > 1 || minor >= 27 ? 'auto' : 'disabled';
    }
    default:
      return 'disabled';
  }
}

/** All revisions of one cluster, the default one first. */
export function readRevisions(
  inventory: Inventory,
  cluster: string,
  namespaces: readonly string[],
  injectors: Fact<InjectorWebhook[]>,
): { revisions: IstioRevision[]; problems: ConfigProblem[] } {
  const problems: ConfigProblem[] = [];
  const revisions: IstioRevision[] = [];
  for (const namespace of namespaces) {
    const pieces = new Map<string, Pieces>();
    const piecesOf = (revision: string) => {
      const found = pieces.get(revision) ?? {};
      pieces.set(revision, found);
      return found;
    };
    for (const deployment of inventory.list('Deployment.apps', {
      cluster,
      namespace,
    })) {
      if (isControlPlane(deployment)) {
        piecesOf(
          revisionName(
            labelsOf(deployment)['istio.io/rev'] ??
              suffixOf(deployment.metadata.name, 'istiod'),
          ),
        ).deployment = deployment;
      }
    }
    for (const map of inventory.list('ConfigMap', { cluster, namespace })) {
      const { name } = map.metadata;
      const injector = suffixOf(name, 'istio-sidecar-injector');
      if (injector !== undefined) {
        piecesOf(injector).injector = map;
        continue;
      }
      const mesh = suffixOf(name, 'istio');
      if (mesh !== undefined && stringOf(mapOf(map.data).mesh) !== undefined) {
        piecesOf(mesh).mesh = map;
      }
    }
    const gap = gapIn(inventory, 'ConfigMap', cluster);
    for (const [revision, found] of pieces) {
      revisions.push(readRevision(revision, namespace, found, gap, problems));
    }
  }
  // A cluster whose control plane runs elsewhere may hold nothing but webhooks.
  if (!isUnknown(injectors)) {
    for (const { revision, tag } of injectors) {
      if (!tag && !revisions.some(known => known.revision === revision)) {
        revisions.push(
          readRevision(
            revision,
            namespaces[0],
            {},
            gapIn(inventory, 'ConfigMap', cluster),
            problems,
          ),
        );
      }
    }
  }
  const rank = ({ revision }: IstioRevision) =>
    revision === 'default' ? 0 : 1;
  revisions.sort(
    (a, b) => rank(a) - rank(b) || (a.revision < b.revision ? -1 : 1),
  );
  return { revisions, problems };
}
