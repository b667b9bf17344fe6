import { Fact, isUnknown } from '../inventory/Fact';
import { selects } from '../inventory/selectors';
import { createFinding, FindingDetails } from '../rules/createFinding';
import { Finding } from '../rules/Finding';
import { RuleId } from '../rules/rules';
import { ambientAbsent, wantsAmbient } from './ambient';
import { InjectorWebhook, ClusterMesh } from './mesh';
import { dataplaneOf, isGateway } from './pods';
import { ServiceInstance, Waypoint, Workload } from './types';
import { JudgedWorkload } from './workloads';

export interface NamespaceFacts {
  mesh: ClusterMesh | undefined;
  namespace: {
    cluster: string;
    name: string;
    labels: Readonly<Record<string, string>>;
    annotations: Readonly<Record<string, string>>;
  };
  exists: Fact<boolean>;
  discovered: Fact<boolean>;
  workloads: JudgedWorkload[];
  services: ServiceInstance[];
}

type Report = (
  rule: RuleId,
  details: Omit<FindingDetails, 'clusters' | 'namespace'>,
) => void;

/** What is wrong in one namespace of one cluster. */
export function namespaceFindings(facts: NamespaceFacts): Finding[] {
  const { cluster, name } = facts.namespace;
  const findings: Finding[] = [];
  const report: Report = (rule, details) =>
    findings.push(
      createFinding(rule, {
        ...details,
        clusters: [cluster],
        ...(details.kind !== 'Namespace' && { namespace: name }),
      }),
    );
  if (facts.mesh) {
    namespaceLabels(facts, facts.mesh, report);
  }
  notDiscovered(facts, report);
  for (const judged of facts.workloads) {
    injection(facts, judged, report);
    ambient(facts, judged, report);
  }
  waypoints(facts, report);
  return findings;
}

/** The evidence that stands in a label of the namespace. */
function labelEvidence(
  { cluster, name, labels }: NamespaceFacts['namespace'],
  ...keys: string[]
) {
  return keys
    .filter(key => Object.hasOwn(labels, key))
    .map(key => ({
      cluster,
      kind: 'Namespace',
      name,
      field: `metadata.labels["${key}"]`,
      value: labels[key],
    }));
}

function workloadEvidence({ workload, template }: JudgedWorkload, key: string) {
  const { cluster, namespace, name } = workload;
  const at = workload.kind === 'Pod' ? '' : 'spec.template.';
  return [
    {
      cluster,
      kind: kindIdOf(workload),
      namespace,
      name,
      field: `${at}metadata.labels["${key}"]`,
      ...(template.labels[key] !== undefined && {
        value: template.labels[key],
      }),
    },
  ];
}

const groups: Record<string, string> = {
  Deployment: 'apps',
  StatefulSet: 'apps',
  DaemonSet: 'apps',
  ReplicaSet: 'apps',
  Job: 'batch',
  CronJob: 'batch',
};

function kindIdOf({ kind }: Workload): string {
  return groups[kind] ? `${kind}.${groups[kind]}` : kind;
}

/** Webhooks that would take a pod without labels in this namespace. */
function namespaceWebhooks(
  injectors: InjectorWebhook[],
  { name, labels }: NamespaceFacts['namespace'],
): InjectorWebhook[] {
  const all = { 'kubernetes.io/metadata.name': name, ...labels };
  return injectors.filter(
    ({ namespaceSelector, objectSelector }) =>
      selects(namespaceSelector, all, 'everything') &&
      selects(objectSelector, {}, 'everything'),
  );
}

function resolve(mesh: ClusterMesh, revision: string): string {
  return mesh.tags.find(({ tag }) => tag === revision)?.revision ?? revision;
}

function namespaceLabels(
  { namespace, workloads }: NamespaceFacts,
  mesh: ClusterMesh,
  report: Report,
): void {
  const { name, labels } = namespace;
  const legacy = labels['istio-injection'];
  const rev = labels['istio.io/rev'];
  const mode = labels['istio.io/dataplane-mode'];

  const contradicting = [
    legacy === 'enabled' && `istio-injection=${legacy}`,
    rev !== undefined && `istio.io/rev=${rev}`,
    mode !== undefined && mode !== 'none' && `istio.io/dataplane-mode=${mode}`,
  ].filter(item => item !== false);
  if (
    contradicting.length > 1 &&
    (legacy === undefined || legacy === 'enabled')
  ) {
    report('NamespaceMultipleInjectionLabels', {
      kind: 'Namespace',
      name,
      message: `The labels ${contradicting.join(
        ', ',
      )} ask for different things. Which one holds depends on the webhooks; pods may be treated otherwise than their owner expects.`,
      fix: `Keep one of them, for example: kubectl label namespace ${name} ${
        legacy === 'enabled' ? 'istio-injection-' : 'istio.io/rev-'
      }`,
      evidence: labelEvidence(
        namespace,
        'istio-injection',
        'istio.io/rev',
        'istio.io/dataplane-mode',
      ),
    });
  }

  const { injectors } = mesh;
  if (isUnknown(injectors)) {
    return;
  }
  const matching = namespaceWebhooks(injectors, namespace);
  const revisions = [...new Set(matching.map(one => one.revision))];

  if (legacy === 'enabled' && rev !== undefined) {
    const wanted = resolve(mesh, rev);
    if (revisions.length > 0 && !revisions.includes(wanted)) {
      report('RevLabelShadowed', {
        kind: 'Namespace',
        name,
        message: `istio-injection=enabled goes before istio.io/rev=${rev}: new pods get their sidecar from revision ${revisions.join(
          ', ',
        )}, and the revision label has no effect.`,
        fix: `kubectl label namespace ${name} istio-injection-`,
        evidence: labelEvidence(namespace, 'istio-injection', 'istio.io/rev'),
      });
    }
  }

  if (matching.length === 0 && legacy === 'enabled') {
    report('RevisionNotInstalled', {
      kind: 'Namespace',
      name,
      message:
        'The namespace asks for a sidecar from the default revision, and no webhook of the cluster answers to istio-injection=enabled. Pods are created without a sidecar, and nothing complains.',
      fix: 'Set the default tag (istioctl tag set default --revision <revision>), or label the namespace with istio.io/rev of an installed revision.',
      evidence: labelEvidence(namespace, 'istio-injection'),
    });
  } else if (
    matching.length === 0 &&
    legacy === undefined &&
    rev !== undefined
  ) {
    const known = [
      ...new Set(injectors.map(one => one.tag ?? one.revision)),
    ].sort();
    report('RevisionNotInstalled', {
      kind: 'Namespace',
      name,
      message: `No webhook of the cluster answers to istio.io/rev=${rev}. Pods are created without a sidecar, and nothing complains.`,
      fix: `Use a revision or tag that is installed (${
        known.length > 0 ? known.join(', ') : 'there is none'
      }): kubectl label namespace ${name} istio.io/rev=<revision> --overwrite`,
      evidence: labelEvidence(namespace, 'istio.io/rev'),
    });
  }

  if (revisions.length > 1) {
    report('DoubleInjectionRisk', {
      kind: 'Namespace',
      name,
      message: `Webhooks of ${revisions.length} revisions (${revisions.join(
        ', ',
      )}) would take the same new pod. Which one injects it depends on the order of the webhooks.`,
      fix: `Keep one: remove the label that is left over, or the webhooks of the revision that is going (${matching
        .map(one => one.configuration)
        .join(', ')}).`,
      evidence: matching.map(({ configuration, name: webhook }) => ({
        cluster: namespace.cluster,
        kind: 'MutatingWebhookConfiguration.admissionregistration.k8s.io',
        name: configuration,
        field: `webhooks[${webhook}].namespaceSelector`,
      })),
    });
  }

  const silent =
    legacy === undefined &&
    rev === undefined &&
    mode === undefined &&
    namespace.annotations['linkerd.io/inject'] === undefined;
  if (
    silent &&
    matching.length === 0 &&
    mesh.revisions.length > 0 &&
    !isSystemNamespace(mesh, name) &&
    workloads.length > 0 &&
    workloads.every(
      ({ workload }) =>
        workload.requested.dataplane === 'none' &&
        (workload.dataplane === 'none' || isUnknown(workload.dataplane)),
    )
  ) {
    report('NamespaceNotInjected', {
      kind: 'Namespace',
      name,
      message:
        'Nothing says whether the workloads of this namespace belong to the mesh, so they do not. Calls to them are not encrypted by it, and its policies do not apply.',
      fix: `Take it in (kubectl label namespace ${name} istio-injection=enabled, or istio.io/rev=<revision>), or say that it stays out (istio-injection=disabled).`,
      evidence: [
        {
          cluster: namespace.cluster,
          kind: 'Namespace',
          name,
          field: 'metadata.labels',
        },
      ],
    });
  }
}

function isSystemNamespace(mesh: ClusterMesh, name: string): boolean {
  return (
    /^(kube-.*|istio-.*|local-path-storage|linkerd.*|cilium.*)$/.test(name) ||
    mesh.revisions.some(one => one.namespace === name)
  );
}

function notDiscovered(facts: NamespaceFacts, report: Report): void {
  const { mesh, namespace, discovered, workloads } = facts;
  if (discovered !== false) {
    return;
  }
  const { labels, name } = namespace;
  const withProxy = workloads.filter(
    ({ workload }) => workload.actual.length > 0,
  );
  const asks =
    mesh && isUnknown(mesh.injectors)
      ? labels['istio-injection'] === 'enabled' ||
        (labels['istio.io/rev'] !== undefined &&
          labels['istio-injection'] === undefined)
      : workloads.some(
          ({ injection: decision }) => decision?.inject === true,
        ) ||
        (mesh !== undefined &&
          !isUnknown(mesh.injectors) &&
          namespaceWebhooks(mesh.injectors, namespace).length > 0);
  const sidecars = withProxy.filter(
    ({ workload }) =>
      workload.dataplane === 'sidecar' || workload.dataplane === 'mixed',
  );
  if (!asks && sidecars.length === 0) {
    return;
  }
  report('InjectedButNotDiscovered', {
    kind: 'Namespace',
    name,
    message:
      'Pods here get a sidecar, but the discoverySelectors of the control plane leave the namespace out: it is outside the mesh. Its proxies get no root certificate, and new pods hang while they are created.',
    fix: `Give the namespace the label that discoverySelectors ask for, or switch injection off: kubectl label namespace ${name} istio-injection=disabled --overwrite`,
    evidence: [
      ...(mesh?.revisions ?? [])
        .filter(({ discoverySelectors }) => !isUnknown(discoverySelectors))
        .map(({ namespace: system, revision }) => ({
          cluster: namespace.cluster,
          kind: 'ConfigMap',
          namespace: system,
          name: revision === 'default' ? 'istio' : `istio-${revision}`,
          field: 'data.mesh: discoverySelectors',
        })),
      ...labelEvidence(namespace, 'istio-injection', 'istio.io/rev'),
    ],
  });
}

function injection(
  facts: NamespaceFacts,
  judged: JudgedWorkload,
  report: Report,
): void {
  const { mesh, namespace } = facts;
  const { workload, template, pods, injection: decision } = judged;
  const subject = { kind: kindIdOf(workload), name: workload.name };
  const label = 'sidecar.istio.io/inject';
  const asked = template.labels[label] ?? template.annotations[label];

  if (asked !== undefined && asked !== 'true' && asked !== 'false') {
    report('InjectLabelInvalid', {
      ...subject,
      message: `${label}="${asked}" means nothing: only "true" and "false" are read. The namespace and the default policy decide instead.`,
      fix: `Set ${label}: "true" or "false" on the pod template, in quotes.`,
      evidence: workloadEvidence(judged, label),
    });
  }
  if (!mesh || !decision || isUnknown(mesh.injectors)) {
    return;
  }

  const legacy = namespace.labels['istio-injection'];
  if (
    template.labels[label] === 'true' &&
    legacy !== undefined &&
    legacy !== 'enabled' &&
    decision.inject === false
  ) {
    report('InjectionBlockedByNamespace', {
      ...subject,
      message: `The pods ask for a sidecar, and istio-injection=${legacy} on the namespace goes before that: they get none.`,
      fix: `Remove the label of the namespace (kubectl label namespace ${namespace.name} istio-injection-), or that of the pods.`,
      evidence: [
        ...workloadEvidence(judged, label),
        ...labelEvidence(namespace, 'istio-injection'),
      ],
    });
  }

  const ofPod = template.labels['istio.io/rev'];
  if (
    ofPod !== undefined &&
    decision.inject === false &&
    decision.matches.length === 0 &&
    asked !== 'false' &&
    !template.hostNetwork &&
    legacy === undefined &&
    namespace.labels['istio.io/rev'] === undefined
  ) {
    report('RevisionNotInstalled', {
      ...subject,
      message: `No webhook of the cluster answers to istio.io/rev=${ofPod}, which the pods name. They are created without a sidecar, and nothing complains.`,
      fix: 'Name a revision or tag that is installed.',
      evidence: workloadEvidence(judged, 'istio.io/rev'),
    });
  }

  const revisions = [...new Set(decision.matches.map(one => one.revision))];
  if (
    revisions.length > 1 &&
    // Where every pod of the namespace is concerned, the namespace says it once.
    new Set(
      namespaceWebhooks(mesh.injectors, namespace).map(one => one.revision),
    ).size < 2
  ) {
    report('DoubleInjectionRisk', {
      ...subject,
      message: `Webhooks of ${revisions.length} revisions (${revisions.join(
        ', ',
      )}) would take the same new pod. Which one injects it depends on the order of the webhooks.`,
      fix: 'Leave one revision label, on the namespace or on the pods.',
      evidence: workloadEvidence(judged, 'istio.io/rev'),
    });
  }

  const withProxy = pods.filter(pod => dataplaneOf(pod).proxy !== undefined);
  const without = pods.length - withProxy.length;
  if (decision.inject === true && without > 0) {
    report('NeedsRestart', {
      ...subject,
      message: `${without} of ${pods.length} pods have no sidecar, though a pod created now would get one (${decision.by}). They may be older than the label, or the webhook could not be called.`,
      fix:
        workload.kind === 'Pod'
          ? 'Create the pod anew; if it still has no sidecar, look at the webhook and at istiod.'
          : `kubectl -n ${
              namespace.name
            } rollout restart ${workload.kind.toLowerCase()} ${
              workload.name
            }; if the new pods have no sidecar, look at the webhook and at istiod.`,
      evidence: pods
        .filter(pod => !withProxy.includes(pod))
        .slice(0, 3)
        .map(pod => ({
          cluster: namespace.cluster,
          kind: 'Pod',
          namespace: namespace.name,
          name: pod.metadata.name,
          field: 'spec.containers',
          value: 'no istio-proxy',
        })),
    });
  }
  if (
    decision.inject === false &&
    workload.dataplane === 'sidecar' &&
    workload.ambient !== 'blocked-by-sidecar' &&
    workload.actual.some(({ revision }) => !isUnknown(revision))
  ) {
    report('SidecarNotExpected', {
      ...subject,
      message: `The pods have a sidecar that a pod created now would not get${
        decision.by ? ` (${decision.by})` : ''
      }. The next rollout takes them out of the mesh.`,
      fix: 'If they should stay in the mesh, label the namespace or the pod template accordingly; else restart them.',
      evidence: labelEvidence(namespace, 'istio-injection', 'istio.io/rev'),
    });
  }

  const running = workload.actual
    .map(one => one.revision)
    .filter((revision): revision is string => !isUnknown(revision));
  if (
    decision.inject === true &&
    decision.revision !== undefined &&
    running.some(revision => revision !== decision.revision)
  ) {
    report('RevisionOutdated', {
      ...subject,
      message: `The pods run revision ${[...new Set(running)].join(
        ', ',
      )}; a pod created now would get ${decision.revision} (${decision.by}).`,
      fix:
        workload.kind === 'Pod'
          ? 'Create the pod anew.'
          : `kubectl -n ${
              namespace.name
            } rollout restart ${workload.kind.toLowerCase()} ${workload.name}`,
      evidence: pods.slice(0, 1).map(pod => ({
        cluster: namespace.cluster,
        kind: 'Pod',
        namespace: namespace.name,
        name: pod.metadata.name,
        field: 'metadata.annotations["istio.io/rev"]',
        value: running[0],
      })),
    });
  }
}

function ambient(
  { mesh, namespace }: NamespaceFacts,
  judged: JudgedWorkload,
  report: Report,
): void {
  const { workload, template, pods } = judged;
  const subject = { kind: kindIdOf(workload), name: workload.name };
  const mode = 'istio.io/dataplane-mode';
  const labelled = [
    ...labelEvidence(namespace, mode),
    ...(template.labels[mode] === undefined
      ? []
      : workloadEvidence(judged, mode)),
  ];
  const wanted = wantsAmbient(mesh, namespace.labels, template.labels);
  const isAlone = isGateway(template);

  if (
    !isAlone &&
    (workload.ambient === 'blocked-by-sidecar' ||
      (wanted && workload.requested.dataplane === 'sidecar'))
  ) {
    report('SidecarAndAmbient', {
      ...subject,
      message:
        'Labels ask for ambient and for a sidecar at once. The sidecar wins: these pods are not part of ambient.',
      fix: 'Remove the injection label and restart the workload, or set istio.io/dataplane-mode: none on it.',
      evidence: labelled,
    });
  } else if (
    workload.ambient === 'wanted-not-enrolled' &&
    !isAlone &&
    workload.dataplane !== 'sidecar'
  ) {
    report('AmbientNotEnrolled', {
      ...subject,
      message: ambientAbsent(mesh)
        ? 'Labels ask for ambient, and ambient is not installed in this cluster: the pods are outside the mesh.'
        : 'Labels ask for ambient, and the pods are not enrolled: their traffic bypasses ztunnel, and policies of the mesh do not apply to it.',
      fix: ambientAbsent(mesh)
        ? 'Install ztunnel and the istio-cni node agent with ambient enabled, or remove the label.'
        : 'Look at the istio-cni-node pod on their nodes: kubectl -n istio-system logs ds/istio-cni-node',
      evidence: [
        ...labelled,
        ...pods.slice(0, 1).map(pod => ({
          cluster: namespace.cluster,
          kind: 'Pod',
          namespace: namespace.name,
          name: pod.metadata.name,
          field: 'metadata.annotations["ambient.istio.io/redirection"]',
          value: 'absent',
        })),
      ],
    });
  } else if (workload.ambient === 'blocked' && template.hostNetwork) {
    report('AmbientBlocked', {
      ...subject,
      message:
        'Labels ask for ambient, and pods on the host network cannot take part in it.',
      fix: 'Set istio.io/dataplane-mode: none on the workload to say so.',
      evidence: labelled,
    });
  } else if (workload.ambient === 'not-wanted-but-enrolled') {
    report('AmbientStillEnrolled', {
      ...subject,
      message:
        'Nothing asks for ambient any more, and the pods are still enrolled: the node agent has not caught up.',
      fix: 'Look at the istio-cni-node pod on their nodes, or restart the workload.',
      evidence: pods.slice(0, 1).map(pod => ({
        cluster: namespace.cluster,
        kind: 'Pod',
        namespace: namespace.name,
        name: pod.metadata.name,
        field: 'metadata.annotations["ambient.istio.io/redirection"]',
      })),
    });
  }

  const ownWaypoint = template.labels['istio.io/use-waypoint'];
  if (
    ownWaypoint !== undefined &&
    ownWaypoint !== 'none' &&
    !wanted &&
    !isUnknown(workload.dataplane) &&
    workload.dataplane !== 'ambient'
  ) {
    report('WaypointWithoutAmbient', {
      ...subject,
      message: `istio.io/use-waypoint=${ownWaypoint} on the pods has no effect: they are not part of ambient.`,
      fix: 'Label them for ambient (istio.io/dataplane-mode: ambient), or remove the waypoint label.',
      evidence: workloadEvidence(judged, 'istio.io/use-waypoint'),
    });
  }
}

const waypointRules: Partial<Record<Waypoint['state'], RuleId>> = {
  missing: 'WaypointMissing',
  'not-ready': 'WaypointNotReady',
  denied: 'WaypointDenied',
  unsupported: 'WaypointUnsupported',
};

/** One finding for each object whose label names a waypoint that does not serve. */
function waypoints(
  { namespace, services, workloads }: NamespaceFacts,
  report: Report,
): void {
  const users = [
    ...services.map(service => service.waypoint),
    ...workloads.map(({ workload }) => workload.waypoint),
  ];
  const reported = new Set<string>();
  for (const waypoint of users) {
    const rule = waypoint && waypointRules[waypoint.state];
    if (!waypoint || !rule || reported.has(`${rule} ${waypoint.by}`)) {
      continue;
    }
    reported.add(`${rule} ${waypoint.by}`);
    const [kind, name] = waypoint.by.split('/');
    const concerned = users.filter(
      one => one?.by === waypoint.by && one.state === waypoint.state,
    ).length;
    report(rule, {
      kind: groups[kind] ? `${kind}.${groups[kind]}` : kind,
      name,
      message: `${consequence(rule)} (${waypoint.reason ?? waypoint.state}).${
        kind === 'Namespace' && concerned > 1
          ? ` It concerns ${concerned} services and workloads here.`
          : ''
      }`,
      fix: waypointFix(rule, waypoint, namespace.name),
      evidence: [
        {
          cluster: namespace.cluster,
          kind: groups[kind] ? `${kind}.${groups[kind]}` : kind,
          ...(kind !== 'Namespace' && { namespace: namespace.name }),
          name,
          field: 'metadata.labels["istio.io/use-waypoint"]',
          value: waypoint.name,
        },
        {
          cluster: namespace.cluster,
          kind: 'Gateway.gateway.networking.k8s.io',
          namespace: waypoint.namespace,
          name: waypoint.name,
        },
      ],
    });
  }
}

function consequence(rule: RuleId): string {
  switch (rule) {
    case 'WaypointMissing':
      return 'The waypoint that the label names does not exist; there is no way back to another one, so rules for HTTP are not applied';
    case 'WaypointNotReady':
      return 'The waypoint does not serve yet, so traffic that should pass it fails or goes without its rules';
    case 'WaypointDenied':
      return 'The waypoint does not admit this namespace, so its rules are not applied';
    default:
      return 'The waypoint does not serve this kind of traffic, so its rules are not applied';
  }
}

function waypointFix(
  rule: RuleId,
  { namespace, name }: Waypoint,
  user: string,
): string {
  switch (rule) {
    case 'WaypointMissing':
      return `istioctl waypoint apply -n ${namespace} --name ${name}, or correct the label.`;
    case 'WaypointNotReady':
      return `kubectl -n ${namespace} describe gateway ${name}`;
    case 'WaypointDenied':
      return `Admit namespace ${user} in spec.listeners[].allowedRoutes.namespaces of Gateway ${namespace}/${name}.`;
    default:
      return `Label the Gateway ${namespace}/${name} with istio.io/waypoint-for: all, or name another waypoint.`;
  }
}
