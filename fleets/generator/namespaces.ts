import { ClusterFolder } from './ClusterFolder';
import { revisionOfTag } from './clusters';
import {
  DemoNamespace,
  DemoService,
  namespaces,
  Placement,
  services,
} from './company';
import { addRootCertificate } from './istio';
import { Proxy } from './sidecar';
import { addNamespace, teamLabel } from './system';
import { addService, addWorkload, PlacedPod } from './workloads';

/** The company's namespaces in one cluster, with everything in them. */
export function addNamespaces(to: ClusterFolder) {
  const inStores = to.cluster.environment === 'stores';
  for (const namespace of namespaces) {
    if (!namespace.clusters.includes(to.name)) continue;
    const labels = meshLabels(to, namespace);
    addNamespace(
      to,
      namespace.name,
      namespace.name,
      { ...(namespace.team ? { [teamLabel]: namespace.team } : {}), ...labels },
      namespace.notes?.[to.name],
      {
        'tidemark.example/description': namespace.description,
        ...(inStores ? { 'linkerd.io/inject': 'enabled' } : {}),
      },
    );
    if (
      to.cluster.istio &&
      labels['mesh.tidemark.example/discovery'] !== 'disabled'
    ) {
      // The rotation has reached the control plane, but not this copy.
      const stale =
        to.name === 'eu-north' && namespace.name === 'notifications';
      addRootCertificate(
        to,
        namespace.name,
        stale ? ['production-2022'] : undefined,
        stale
          ? 'Situation: the new root has not arrived here; the other namespaces hold both.'
          : undefined,
      );
    }
    for (const service of services) {
      const placement = service.in[to.name];
      if (service.namespace === namespace.name && placement) {
        addDemoService(to, namespace, service, placement);
      }
    }
  }
}

function meshLabels(
  to: ClusterFolder,
  namespace: DemoNamespace,
): Record<string, string> {
  return (
    namespace.mesh[to.name] ??
    (to.cluster.environment === 'production'
      ? namespace.mesh.production
      : undefined) ??
    {}
  );
}

/** The proxy that a pod of this namespace carries; null for none. */
function proxyIn(
  to: ClusterFolder,
  namespace: DemoNamespace,
  podLabels: Record<string, string>,
): Proxy | null {
  const { cluster } = to;
  if (!cluster.istio) return null;
  const of = (name: string): Proxy => {
    const revision = cluster.istio!.revisions.find(
      candidate => candidate.name === (name === 'default' ? '' : name),
    );
    if (!revision) throw new Error(`No revision ${name} in ${cluster.name}`);
    return { revision: revision.name, version: revision.version };
  };
  const running = namespace.running?.[cluster.name];
  if (running === 'none') return null;
  if (running) return of(running);
  const labels = meshLabels(to, namespace);
  if (
    podLabels['sidecar.istio.io/inject'] === 'false' ||
    labels['istio-injection'] === 'disabled'
  )
    return null;
  if (
    labels['istio-injection'] === 'enabled' ||
    (podLabels['sidecar.istio.io/inject'] === 'true' && !labels['istio.io/rev'])
  ) {
    const revision =
      revisionOfTag(cluster, 'default') ?? cluster.istio.revisions[0];
    return { revision: revision.name, version: revision.version };
  }
  const tag = labels['istio.io/rev'];
  const revision = tag && revisionOfTag(cluster, tag);
  return revision
    ? { revision: revision.name, version: revision.version }
    : null;
}

function addDemoService(
  to: ClusterFolder,
  namespace: DemoNamespace,
  service: DemoService,
  placement: Placement,
) {
  const { cluster } = to;
  const file = namespace.name;
  const ports = placement.ports ?? service.ports ?? [];
  const team = placement.team ?? namespace.team;
  const labels = {
    'app.kubernetes.io/name': service.name,
    'app.kubernetes.io/part-of': service.system,
    ...(team ? { [teamLabel]: team } : {}),
  };
  const kubernetesId = { 'backstage.io/kubernetes-id': service.name };
  const podLabels: Record<string, string> = {
    ...(team ? { [teamLabel]: team } : {}),
    ...(service.entity === 'none' ? {} : kubernetesId),
    ...service.podLabels,
    ...placement.podLabels,
  };
  const selector = { 'app.kubernetes.io/name': service.name };

  let pods: PlacedPod[] | undefined;
  if (!service.externalName && !placement.stub) {
    const namespaceLabels = meshLabels(to, namespace);
    const sidecar = placement.bare ? null : proxyIn(to, namespace, podLabels);
    const enrolled =
      namespaceLabels['istio.io/dataplane-mode'] === 'ambient' && !sidecar;
    pods = addWorkload(to, file, {
      namespace: namespace.name,
      name: service.name,
      kind: service.kind ?? 'Deployment',
      image: imageOf(service),
      version: service.version,
      system: service.system,
      ports,
      replicas:
        placement.replicas ?? (cluster.environment === 'production' ? 2 : 1),
      unready: placement.unready,
      waiting: placement.waiting,
      proxies:
        placement.versions && sidecar
          ? placement.versions.map(version => ({ ...sidecar, version }))
          : [sidecar],
      linkerd:
        cluster.environment === 'stores' ? cluster.linkerd?.version : undefined,
      podLabels,
      workloadLabels: {
        ...(team ? { [teamLabel]: team } : {}),
        ...(service.entity === 'none' ? {} : kubernetesId),
      },
      hostNetwork: service.hostNetwork,
      pool: service.pool,
      rolledOut: placement.rolledOut,
      schedule: service.schedule,
      jobRuns: placement.jobRuns,
      perPodAnnotations: () =>
        enrolled && !placement.note
          ? { 'ambient.istio.io/redirection': 'enabled' }
          : ({} as Record<string, string>),
      note: placement.note,
    });
  }
  if (service.kind === 'CronJob') return;

  addService(
    to,
    file,
    {
      namespace: namespace.name,
      name: service.name,
      ports,
      selector: placement.stub || service.externalName ? undefined : selector,
      headless: placement.headless ?? service.headless,
      type: service.externalName ? 'ExternalName' : undefined,
      externalName: service.externalName,
      labels: {
        ...labels,
        ...(service.entity === 'none' ? {} : kubernetesId),
        ...service.serviceLabels,
        ...placement.serviceLabels,
      },
      annotations: placement.serviceAnnotations,
      note: placement.serviceNote,
      status: waypointStatus(to, namespace),
    },
    pods?.filter(() => !placement.waiting),
  );
}

/** What istiod writes on a Service that an ambient namespace's waypoint label covers. */
function waypointStatus(to: ClusterFolder, namespace: DemoNamespace) {
  const waypoint = meshLabels(to, namespace)['istio.io/use-waypoint'];
  if (!waypoint || waypoint !== 'waypoint') return undefined;
  return {
    conditions: [
      {
        type: 'istio.io/WaypointBound',
        status: 'True',
        reason: 'WaypointAccepted',
        message: `Successfully attached to waypoint ${namespace.name}/${waypoint}`,
        lastTransitionTime: '2026-10-29T10:02:51Z',
      },
    ],
    loadBalancer: {},
  };
}

function imageOf(service: DemoService): string {
  switch (service.tech) {
    case 'redis':
      return `docker.io/library/redis:8.2.3`;
    case 'valkey':
      return `docker.io/valkey/valkey:${service.version}`;
    case 'postgresql':
      return `docker.io/library/postgres:${service.version}`;
    case 'kafka':
      return `docker.io/apache/kafka:4.1.1`;
    case 'grafana':
      return `docker.io/grafana/grafana:${service.version}`;
    case 'prometheus':
      return `quay.io/prometheus/prometheus:v${service.version}`;
    case 'vector':
      return `docker.io/timberio/vector:${service.version}-debian`;
    case 'opensearch':
      return `docker.io/opensearchproject/opensearch:3.3.2`;
    default:
      return `registry.tidemark.example/${service.namespace}/${service.name}:${service.version}`;
  }
}
