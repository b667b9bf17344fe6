import { ClusterFolder, emptyToUndefined } from './ClusterFolder';
import { injectLinkerd, injectSidecar, Proxy } from './sidecar';
import {
  dateBetween,
  numberFrom,
  plusSeconds,
  suffixFrom,
  timeOn,
  uidFrom,
} from './seeded';

export interface Port {
  name: string;
  port: number;
  target?: number;
  appProtocol?: string;
  protocol?: 'TCP' | 'UDP';
}

export type WorkloadKind =
  | 'Deployment'
  | 'StatefulSet'
  | 'DaemonSet'
  | 'CronJob';

/** A workload in one cluster, with everything that differs there already decided. */
export interface PlacedWorkload {
  namespace: string;
  name: string;
  kind: WorkloadKind;
  image: string;
  version: string;
  system: string;
  ports: Port[];
  replicas: number;
  /** Pods that are not ready. */
  unready?: number;
  /** Why they are not: the reason of the container's waiting state. */
  waiting?: string;
  /** The proxy of each pod in turn; a shorter list repeats its last entry. `null` is a pod without one. */
  proxies: Array<Proxy | null>;
  native?: boolean;
  linkerd?: string;
  podLabels?: Record<string, string>;
  podAnnotations?: Record<string, string>;
  workloadLabels?: Record<string, string>;
  hostNetwork?: boolean;
  pool?: string;
  /** When the pods were made; the newest roll-out by default. */
  rolledOut?: string;
  /** Annotations of single pods, by index: what an agent has written on them. */
  perPodAnnotations?: (index: number) => Record<string, string>;
  serviceName?: string;
  schedule?: string;
  /** The last job is still at work. */
  jobRuns?: boolean;
  note?: string;
  /** Environment of the first container, names and plain values only. */
  env?: Array<{ name: string; value: string }>;
  args?: string[];
  containerName?: string;
  serviceAccount?: string;
  selector?: Record<string, string>;
}

export interface PlacedPod {
  name: string;
  ip: string;
  ready: boolean;
  node: string;
  zone: string;
  uid: string;
}

/** Writes a workload with the objects that controllers make of it, down to its pods. */
export function addWorkload(
  to: ClusterFolder,
  file: string,
  workload: PlacedWorkload,
): PlacedPod[] {
  const { namespace, name, kind } = workload;
  const key = `${namespace}/${name}`;
  const selector = workload.selector ?? { 'app.kubernetes.io/name': name };
  const templateLabels = {
    ...selector,
    'app.kubernetes.io/part-of': workload.system,
    'app.kubernetes.io/version': workload.version,
    ...workload.podLabels,
  };
  const serviceAccount = workload.serviceAccount ?? name;
  const container = {
    name: workload.containerName ?? name,
    image: workload.image,
    args: workload.args,
    ports: workload.ports.map(port => ({
      name: port.name,
      containerPort: port.target ?? port.port,
      protocol: port.protocol ?? 'TCP',
    })),
    env: workload.env,
    resources: { requests: { cpu: '100m', memory: '192Mi' } },
  };
  const template = {
    metadata: {
      labels: templateLabels,
      annotations: emptyToUndefined(workload.podAnnotations),
    },
    spec: {
      serviceAccountName: serviceAccount,
      hostNetwork: workload.hostNetwork,
      containers: [container],
    },
  };
  const labels = {
    ...selector,
    'app.kubernetes.io/part-of': workload.system,
    ...workload.workloadLabels,
  };
  const rolledOut =
    workload.rolledOut ??
    dateBetween('2026-11-11', '2026-11-27', `${to.name} ${key}`);
  const ready = workload.replicas - (workload.unready ?? 0);

  if (workload.serviceAccount === undefined) {
    to.add(file, {
      apiVersion: 'v1',
      kind: 'ServiceAccount',
      metadata: { name, namespace, labels },
    });
  }

  if (kind === 'CronJob') {
    return addCronJob(to, file, workload, template, labels);
  }

  const replicas = kind === 'DaemonSet' ? to.nodes.length : workload.replicas;
  const spec: any = {
    ...(kind === 'DaemonSet' ? {} : { replicas }),
    selector: { matchLabels: selector },
    ...(kind === 'StatefulSet'
      ? { serviceName: workload.serviceName ?? name }
      : {}),
    template,
  };
  const status =
    kind === 'DaemonSet'
      ? {
          observedGeneration: 3,
          currentNumberScheduled: replicas,
          desiredNumberScheduled: replicas,
          numberMisscheduled: 0,
          numberReady: replicas,
          numberAvailable: replicas,
          updatedNumberScheduled: replicas,
        }
      : {
          observedGeneration: 3,
          replicas,
          readyReplicas: ready || undefined,
          ...(kind === 'Deployment'
            ? {
                availableReplicas: ready || undefined,
                updatedReplicas: replicas,
              }
            : {
                availableReplicas: ready,
                currentReplicas: replicas,
                updatedReplicas: replicas,
              }),
        };
  to.add(
    file,
    {
      apiVersion: 'apps/v1',
      kind,
      metadata: { name, namespace, labels, generation: 3 },
      spec,
      status,
    },
    { note: workload.note },
  );

  const hash = suffixFrom(`template ${to.name} ${key} ${workload.version}`, 9);
  let ownerKind: string = kind;
  let ownerName = name;
  let podLabels: Record<string, string> = templateLabels;
  if (kind === 'Deployment') {
    ownerKind = 'ReplicaSet';
    ownerName = `${name}-${hash}`;
    podLabels = { ...templateLabels, 'pod-template-hash': hash };
    to.add(
      file,
      {
        apiVersion: 'apps/v1',
        kind: 'ReplicaSet',
        metadata: {
          name: ownerName,
          namespace,
          labels: podLabels,
          ownerReferences: [
            controller(to, 'apps/v1', 'Deployment', namespace, name),
          ],
        },
        spec: {
          replicas,
          selector: { matchLabels: { ...selector, 'pod-template-hash': hash } },
          template: {
            ...template,
            metadata: { ...template.metadata, labels: podLabels },
          },
        },
        status: {
          observedGeneration: 1,
          replicas,
          fullyLabeledReplicas: replicas,
          readyReplicas: ready || undefined,
          availableReplicas: ready || undefined,
        },
      },
      { created: timeOn(rolledOut, `${to.name} ${key}`) },
    );
  } else {
    podLabels = {
      ...templateLabels,
      'controller-revision-hash':
        kind === 'StatefulSet' ? `${name}-${hash}` : hash,
    };
  }

  const pods: PlacedPod[] = [];
  for (let i = 0; i < replicas; i++) {
    const podName =
      kind === 'StatefulSet'
        ? `${name}-${i}`
        : `${ownerName}-${suffixFrom(`${to.name} ${key} ${i}`, 5)}`;
    const proxy =
      workload.proxies[Math.min(i, workload.proxies.length - 1)] ?? null;
    pods.push(
      addPod(to, file, workload, {
        name: podName,
        index: i,
        labels:
          kind === 'StatefulSet'
            ? {
                ...podLabels,
                'apps.kubernetes.io/pod-index': `${i}`,
                'statefulset.kubernetes.io/pod-name': podName,
              }
            : podLabels,
        container,
        proxy,
        owner: controller(to, 'apps/v1', ownerKind, namespace, ownerName),
        serviceAccount,
        ready: i < ready || kind === 'DaemonSet',
        started: plusSeconds(
          timeOn(rolledOut, `${to.name} ${key}`),
          2 + i * 37,
        ),
        node: kind === 'DaemonSet' ? to.nodes[i] : undefined,
      }),
    );
  }
  return pods;
}

function addCronJob(
  to: ClusterFolder,
  file: string,
  workload: PlacedWorkload,
  template: any,
  labels: Record<string, string>,
): PlacedPod[] {
  const { namespace, name } = workload;
  const jobTemplate = {
    spec: {
      backoffLimit: 2,
      template: {
        ...template,
        spec: { ...template.spec, restartPolicy: 'Never' },
      },
    },
  };
  const started = '2026-11-30T02:15:00Z';
  const ended = workload.jobRuns ? undefined : plusSeconds(started, 412);
  // The controller names a job by the minute for which it was scheduled.
  const jobName = `${name}-${Date.parse(started) / 60_000}`;
  to.add(
    file,
    {
      apiVersion: 'batch/v1',
      kind: 'CronJob',
      metadata: { name, namespace, labels },
      spec: {
        schedule: workload.schedule,
        concurrencyPolicy: 'Forbid',
        jobTemplate,
      },
      status: {
        active: ended
          ? undefined
          : [
              {
                apiVersion: 'batch/v1',
                kind: 'Job',
                namespace,
                name: jobName,
                uid: to.uid('Job', namespace, jobName),
              },
            ],
        lastScheduleTime: started,
        lastSuccessfulTime: ended ?? '2026-11-29T02:21:40Z',
      },
    },
    { note: workload.note },
  );
  const controllerUid = to.uid('Job', namespace, jobName);
  const jobLabels = {
    'batch.kubernetes.io/controller-uid': controllerUid,
    'batch.kubernetes.io/job-name': jobName,
    'controller-uid': controllerUid,
    'job-name': jobName,
  };
  to.add(
    file,
    {
      apiVersion: 'batch/v1',
      kind: 'Job',
      metadata: {
        name: jobName,
        namespace,
        labels,
        ownerReferences: [
          controller(to, 'batch/v1', 'CronJob', namespace, name),
        ],
      },
      spec: {
        ...jobTemplate.spec,
        selector: {
          matchLabels: { 'batch.kubernetes.io/controller-uid': controllerUid },
        },
        template: {
          ...jobTemplate.spec.template,
          metadata: {
            ...template.metadata,
            labels: { ...template.metadata.labels, ...jobLabels },
          },
        },
      },
      status: ended
        ? {
            startTime: started,
            completionTime: ended,
            succeeded: 1,
            conditions: [
              {
                type: 'Complete',
                status: 'True',
                lastProbeTime: ended,
                lastTransitionTime: ended,
                reason: 'CompletionsReached',
                message: 'Reached expected number of succeeded pods',
              },
            ],
          }
        : { startTime: started, active: 1, ready: 1 },
    },
    { created: started },
  );
  return [
    addPod(to, file, workload, {
      name: `${jobName}-${suffixFrom(`${to.name} ${namespace}/${name}`, 5)}`,
      index: 0,
      labels: { ...template.metadata.labels, ...jobLabels },
      container: template.spec.containers[0],
      proxy: workload.proxies[0] ?? null,
      owner: controller(to, 'batch/v1', 'Job', namespace, jobName),
      serviceAccount: template.spec.serviceAccountName,
      ready: !ended,
      completed: ended !== undefined,
      started,
    }),
  ];
}

function addPod(
  to: ClusterFolder,
  file: string,
  workload: PlacedWorkload,
  pod: {
    name: string;
    index: number;
    labels: Record<string, string>;
    container: any;
    proxy: Proxy | null;
    owner: any;
    serviceAccount: string;
    ready: boolean;
    completed?: boolean;
    started: string;
    node?: { name: string; ip: string; zone: string };
  },
): PlacedPod {
  const { namespace } = workload;
  const node =
    pod.node ?? to.nodeFor(`${namespace}/${pod.name}`, workload.pool);
  const ip = workload.hostNetwork
    ? node.ip
    : to.podIp(`${namespace}/${pod.name}`);
  const api = workload.kind === 'CronJob' ? 'batch/v1' : 'apps/v1';
  let parts = {
    labels: pod.labels,
    annotations: {
      ...workload.podAnnotations,
      ...workload.perPodAnnotations?.(pod.index),
    } as Record<string, string>,
    containers: [pod.container],
    initContainers: [] as any[],
  };
  if (pod.proxy) {
    parts = injectSidecar(parts, pod.proxy, {
      cluster: to.cluster,
      namespace,
      workload: workload.name,
      owner: `kubernetes://apis/${api}/namespaces/${namespace}/${workload.kind.toLocaleLowerCase(
        'en',
      )}s/${workload.name}`,
      canonicalName: workload.name,
      canonicalRevision: workload.version,
      native: workload.native,
    });
  }
  if (workload.linkerd) {
    parts = injectLinkerd(parts, workload.linkerd);
  }
  // Of the init containers only a native sidecar goes on running.
  const lasting = parts.initContainers.filter(
    one => one.restartPolicy === 'Always',
  );
  const phase = pod.completed
    ? 'Succeeded'
    : workload.waiting && !pod.ready
    ? 'Pending'
    : 'Running';
  const conditionTime = plusSeconds(pod.started, 14);
  const condition = (type: string, ok: boolean, reason?: string) => ({
    type,
    status: ok ? 'True' : 'False',
    lastTransitionTime: conditionTime,
    reason: ok ? undefined : reason,
  });
  const notReady = pod.completed ? 'PodCompleted' : 'ContainersNotReady';
  const state = (name: string) => {
    if (pod.completed)
      return {
        terminated: {
          exitCode: 0,
          reason: 'Completed',
          startedAt: pod.started,
          finishedAt: plusSeconds(pod.started, 410),
        },
      };
    if (!pod.ready && workload.waiting)
      return { waiting: { reason: workload.waiting } };
    return name === 'istio-init' || name === 'linkerd-init'
      ? {
          terminated: {
            exitCode: 0,
            reason: 'Completed',
            startedAt: pod.started,
            finishedAt: plusSeconds(pod.started, 1),
          },
        }
      : { running: { startedAt: plusSeconds(pod.started, 3) } };
  };
  const statusOf = (container: any) => ({
    name: container.name,
    image: container.image,
    imageID: '',
    ready:
      pod.ready ||
      (!workload.waiting && !pod.completed && container.name !== workload.name),
    restartCount:
      !pod.ready &&
      !pod.completed &&
      !workload.waiting &&
      container.name === workload.name
        ? 11
        : 0,
    state: state(container.name),
  });
  to.add(
    file,
    {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: {
        name: pod.name,
        namespace,
        labels: parts.labels,
        annotations: parts.annotations,
        ownerReferences: [pod.owner],
      },
      spec: {
        serviceAccountName: pod.serviceAccount,
        nodeName: node.name,
        hostNetwork: workload.hostNetwork,
        restartPolicy: pod.completed ? 'Never' : 'Always',
        initContainers: parts.initContainers.length
          ? parts.initContainers
          : undefined,
        containers: parts.containers,
      },
      status: {
        phase,
        conditions: [
          condition('PodScheduled', true),
          condition(
            'Initialized',
            phase !== 'Pending',
            'ContainersNotInitialized',
          ),
          condition('ContainersReady', pod.ready, notReady),
          condition('Ready', pod.ready, notReady),
        ],
        hostIP: node.ip,
        podIP: phase === 'Pending' ? undefined : ip,
        podIPs: phase === 'Pending' ? undefined : [{ ip }],
        startTime: pod.started,
        initContainerStatuses: lasting.length
          ? lasting.map(statusOf)
          : undefined,
        containerStatuses: parts.containers.map(statusOf),
      },
    },
    { created: pod.started },
  );
  return {
    name: pod.name,
    ip,
    ready: pod.ready,
    node: node.name,
    zone: node.zone,
    uid: to.uid('Pod', namespace, pod.name),
  };
}

export function controller(
  to: ClusterFolder,
  apiVersion: string,
  kind: string,
  namespace: string | undefined,
  name: string,
) {
  return {
    apiVersion,
    kind,
    name,
    uid: to.uid(kind, namespace, name),
    controller: true,
    blockOwnerDeletion: true,
  };
}

export interface PlacedService {
  namespace: string;
  name: string;
  ports: Port[];
  selector?: Record<string, string>;
  headless?: boolean;
  type?: 'ClusterIP' | 'NodePort' | 'LoadBalancer' | 'ExternalName';
  externalName?: string;
  labels?: Record<string, string>;
  annotations?: Record<string, string>;
  status?: any;
  loadBalancer?: string;
  note?: string;
  ownerReferences?: any[];
  created?: string;
}

/** Writes a Service, and its EndpointSlice where it selects pods. */
export function addService(
  to: ClusterFolder,
  file: string,
  service: PlacedService,
  pods: PlacedPod[] | undefined,
) {
  const { namespace, name } = service;
  const type = service.type ?? 'ClusterIP';
  const clusterIP = service.headless
    ? 'None'
    : to.serviceIp(`${namespace}/${name}`);
  const external = type === 'ExternalName';
  to.add(
    file,
    {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: {
        name,
        namespace,
        labels: service.labels,
        annotations: service.annotations,
        ownerReferences: service.ownerReferences,
      },
      spec: {
        type,
        externalName: service.externalName,
        ...(external
          ? {}
          : {
              clusterIP,
              clusterIPs: [clusterIP],
              ipFamilies: ['IPv4'],
              ipFamilyPolicy: 'SingleStack',
            }),
        selector: service.selector,
        ports: external
          ? undefined
          : service.ports.map(port => ({
              name: port.name,
              port: port.port,
              protocol: port.protocol ?? 'TCP',
              targetPort: port.target ?? port.port,
              appProtocol: port.appProtocol,
              ...(type === 'NodePort' || type === 'LoadBalancer'
                ? {
                    nodePort:
                      30000 +
                      numberFrom(
                        `nodeport ${to.name} ${namespace}/${name} ${port.port}`,
                        2767,
                      ),
                  }
                : {}),
            })),
        sessionAffinity: 'None',
        internalTrafficPolicy: external ? undefined : 'Cluster',
      },
      status:
        service.status ??
        (service.loadBalancer
          ? {
              loadBalancer: {
                ingress: [{ ip: service.loadBalancer, ipMode: 'VIP' }],
              },
            }
          : undefined),
    },
    { note: service.note, created: service.created },
  );
  if (!pods) return;
  const sliceName = `${name}-${suffixFrom(
    `slice ${to.name} ${namespace}/${name}`,
    5,
  )}`;
  to.add(file, {
    apiVersion: 'discovery.k8s.io/v1',
    kind: 'EndpointSlice',
    metadata: {
      name: sliceName,
      namespace,
      labels: {
        ...service.labels,
        'endpointslice.kubernetes.io/managed-by':
          'endpointslice-controller.k8s.io',
        'kubernetes.io/service-name': name,
        ...(service.headless ? { 'service.kubernetes.io/headless': '' } : {}),
      },
      ownerReferences: [controller(to, 'v1', 'Service', namespace, name)],
    },
    addressType: 'IPv4',
    endpoints: pods.map(pod => ({
      addresses: [pod.ip],
      conditions: { ready: pod.ready, serving: pod.ready, terminating: false },
      nodeName: pod.node,
      zone: pod.zone,
      targetRef: { kind: 'Pod', namespace, name: pod.name, uid: pod.uid },
    })),
    ports: service.ports.map(port => ({
      name: port.name,
      port: port.target ?? port.port,
      protocol: port.protocol ?? 'TCP',
      appProtocol: port.appProtocol,
    })),
  });
}

export { uidFrom };
