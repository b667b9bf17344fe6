import { gapIn } from '../inventory/coverage';
import { Fact, isUnknown, unknown } from '../inventory/Fact';
import { mapOf, numberOf, stringOf } from '../inventory/fields';
import { FleetObject } from '../inventory/FleetObject';
import { Inventory } from '../inventory/Inventory';
import { ambientStateOf, wantsAmbient, worstAmbientState } from './ambient';
import { decideInjection, InjectionDecision, PodTemplate } from './injection';
import { ClusterMesh } from './mesh';
import {
  dataplaneOf,
  isAlive,
  isGateway,
  isReady,
  proxyOf,
  templateOf,
  workloadOf,
} from './pods';
import { Dataplane, Workload } from './types';

const workloadKinds = [
  'Deployment.apps',
  'StatefulSet.apps',
  'DaemonSet.apps',
] as const;

/** A workload while it is being judged: with the pods and the template it was read from. */
export interface JudgedWorkload {
  workload: Workload;
  /** What a pod created now would look like. */
  template: PodTemplate;
  pods: FleetObject[];
  injection?: InjectionDecision;
  /** Label sets of its pods, and of its template. */
  labelSets: Array<Readonly<Record<string, string>>>;
}

/** Everything that runs, or should run, in one namespace. */
export function readWorkloads(
  inventory: Inventory,
  mesh: ClusterMesh | undefined,
  namespace: {
    cluster: string;
    name: string;
    labels: Readonly<Record<string, string>>;
    annotations: Readonly<Record<string, string>>;
  },
): JudgedWorkload[] {
  const { cluster } = namespace;
  const scope = { cluster, namespace: namespace.name };
  const podsGap = gapIn(inventory, 'Pod', cluster);
  const found = new Map<
    string,
    { kind: string; name: string; object?: FleetObject; pods: FleetObject[] }
  >();
  for (const id of workloadKinds) {
    for (const object of inventory.list(id, scope)) {
      const { name } = object.metadata;
      found.set(`${object.kind}/${name}`, {
        kind: object.kind,
        name,
        object,
        pods: [],
      });
    }
  }
  for (const pod of inventory.list('Pod', scope)) {
    if (!isAlive(pod)) {
      continue;
    }
    const owner = workloadOf(inventory, pod);
    const key = `${owner.kind}/${owner.name}`;
    const known = found.get(key);
    if (known) {
      known.pods.push(pod);
    } else {
      found.set(key, { ...owner, pods: [pod] });
    }
  }
  return [...found.values()].map(({ kind, name, object, pods }) =>
    judge({ mesh, namespace, kind, name, object, pods, podsGap }),
  );
}

function judge({
  mesh,
  namespace,
  kind,
  name,
  object,
  pods,
  podsGap,
}: {
  mesh: ClusterMesh | undefined;
  namespace: {
    cluster: string;
    name: string;
    labels: Readonly<Record<string, string>>;
    annotations: Readonly<Record<string, string>>;
  };
  kind: string;
  name: string;
  object?: FleetObject;
  pods: FleetObject[];
  podsGap: ReturnType<typeof gapIn>;
}): JudgedWorkload {
  const podTemplate = mapOf(object?.spec?.template);
  const template = object
    ? templateOf(podTemplate.metadata, podTemplate.spec)
    : withoutWhatTheInjectorWrote(templateOf(pods[0].metadata, pods[0].spec));
  const spec = object ? mapOf(podTemplate.spec) : mapOf(pods[0].spec);

  const injection = mesh && decideInjection(mesh, namespace, template);
  const judged = pods.map(pod => ({ pod, ...dataplaneOf(pod) }));
  const ambient = worstAmbientState(
    pods.map(pod =>
      ambientStateOf(mesh, namespace, templateOf(pod.metadata, pod.spec)),
    ),
  );
  const serviceAccount =
    stringOf(spec.serviceAccountName) ?? stringOf(spec.serviceAccount);

  const workload: Workload = {
    cluster: namespace.cluster,
    namespace: namespace.name,
    kind,
    name,
    ...(serviceAccount !== undefined && { serviceAccount }),
    labels: { ...template.labels },
    pods: podCount(kind, object, pods, podsGap),
    dataplane: combine(
      judged.map(one => one.dataplane),
      podsGap && pods.length === 0
        ? podsGap
        : unknown('not-reported', 'there are no pods'),
    ),
    requested: requestedOf(mesh, namespace, template, injection),
    actual: actualOf(mesh, judged),
    ...(ambient && { ambient }),
  };
  return {
    workload,
    template,
    pods,
    ...(injection && { injection }),
    labelSets: [
      ...new Map(
        [template, ...pods.map(pod => templateOf(pod.metadata, undefined))].map(
          ({ labels }) => [JSON.stringify(labels), labels],
        ),
      ).values(),
    ],
  };
}

/** A pod without an owner is its own template, less what was added when it was created. */
function withoutWhatTheInjectorWrote(template: PodTemplate): PodTemplate {
  const annotations = { ...template.annotations };
  delete annotations['sidecar.istio.io/status'];
  delete annotations['ambient.istio.io/redirection'];
  return { ...template, annotations };
}

function podCount(
  kind: string,
  object: FleetObject | undefined,
  pods: FleetObject[],
  gap: ReturnType<typeof gapIn>,
): Workload['pods'] {
  const status = mapOf(object?.status);
  const wanted =
    kind === 'DaemonSet'
      ? numberOf(status.desiredNumberScheduled)
      : object && (numberOf(object.spec?.replicas) ?? 1);
  if (gap && pods.length === 0) {
    // The workload's own status counts its pods too.
    const ready = numberOf(
      kind === 'DaemonSet' ? status.numberReady : status.readyReplicas,
    );
    return ready === undefined
      ? gap
      : { ready, total: Math.max(wanted ?? 0, ready) };
  }
  return {
    ready: pods.filter(isReady).length,
    total: Math.max(wanted ?? 0, pods.length),
  };
}

/** One answer for several: the common one, `mixed`, or unknown. */
export function combine(
  dataplanes: ReadonlyArray<Fact<Dataplane>>,
  whenEmpty: Fact<Dataplane>,
): Fact<Dataplane> {
  if (dataplanes.length === 0) {
    return whenEmpty;
  }
  const known = new Set<Dataplane>();
  for (const dataplane of dataplanes) {
    if (!isUnknown(dataplane)) {
      known.add(dataplane);
    }
  }
  if (known.size > 1) {
    return 'mixed';
  }
  return dataplanes.find(isUnknown) ?? [...known][0];
}

function requestedOf(
  mesh: ClusterMesh | undefined,
  namespace: {
    name: string;
    labels: Readonly<Record<string, string>>;
    annotations: Readonly<Record<string, string>>;
  },
  template: PodTemplate,
  injection: InjectionDecision | undefined,
): Workload['requested'] {
  const revision = injection?.revision;
  const common = {
    ...(revision !== undefined && { revision }),
    ...(injection?.tag && { tag: injection.tag }),
  };
  if (isGateway(template)) {
    return {
      dataplane: 'gateway',
      ...common,
      ...(injection?.by && { by: injection.by }),
    };
  }
  if (injection?.inject === true) {
    return {
      dataplane: 'sidecar',
      ...common,
      ...(injection.by && { by: injection.by }),
    };
  }
  const linkerd = template.annotations['linkerd.io/inject'];
  const ofNamespace = namespace.annotations['linkerd.io/inject'];
  const asked = linkerd ?? ofNamespace;
  if (asked === 'enabled' || asked === 'ingress') {
    return {
      dataplane: 'linkerd',
      by: `${
        linkerd === undefined ? `namespace ${namespace.name}` : 'pod'
      }: linkerd.io/inject=${asked}`,
    };
  }
  const mode = 'istio.io/dataplane-mode';
  const byMode =
    template.labels[mode] === undefined
      ? `namespace ${namespace.name}: ${mode}=${namespace.labels[mode]}`
      : `pod: ${mode}=${template.labels[mode]}`;
  if (wantsAmbient(mesh, namespace.labels, template.labels)) {
    return { dataplane: 'ambient', by: byMode };
  }
  if ((template.labels[mode] ?? namespace.labels[mode]) === 'kmesh') {
    return { dataplane: 'kmesh', by: byMode };
  }
  if (!mesh) {
    return {
      dataplane: unknown(
        'not-reported',
        'the mesh of this cluster is not known',
      ),
    };
  }
  return {
    dataplane:
      injection && isUnknown(injection.inject) ? injection.inject : 'none',
    ...(injection?.by && { by: injection.by }),
  };
}

const noRevision = unknown(
  'not-reported',
  'neither annotations nor labels of the pod name a revision',
);
const noVersion = unknown(
  'not-reported',
  'the image of the proxy names no version',
);

function actualOf(
  mesh: ClusterMesh | undefined,
  judged: Array<{
    pod: FleetObject;
    proxy?: { container: Record<string, any>; native: boolean };
  }>,
): Workload['actual'] {
  const groups = new Map<string, Workload['actual'][number]>();
  for (const { pod, proxy } of judged) {
    if (!proxy) {
      continue;
    }
    const { revision, version } = proxyOf(pod, proxy.container);
    // A label may name a tag; what runs is a revision.
    const resolved =
      mesh?.tags.find(({ tag }) => tag === revision)?.revision ?? revision;
    const key = JSON.stringify([resolved, version, proxy.native]);
    const group = groups.get(key);
    if (group) {
      group.pods += 1;
    } else {
      groups.set(key, {
        revision: resolved ?? noRevision,
        version: version ?? noVersion,
        pods: 1,
        ...(proxy.native && { nativeSidecar: true }),
      });
    }
  }
  return [...groups.values()];
}
