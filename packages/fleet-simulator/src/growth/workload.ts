import { KubeObject } from '../objects/KubeObject';
import { Injection } from './grow';
import { Random } from './Random';

interface WorkloadPlan {
  cluster: string;
  clusterIndex: number;
  number: number;
  namespace: string;
  name: string;
  injection: Injection;
  random: Random;
}

const PORTS = [
  { name: 'http', port: 80, targetPort: 8080 },
  { name: 'grpc', port: 9090, targetPort: 9090 },
  { name: 'https', port: 443, targetPort: 8443 },
  { name: 'tcp', port: 5432, targetPort: 5432 },
];

/** A Service with its Deployment, Pods and EndpointSlice. */
export function* workload(plan: WorkloadPlan): Generator<KubeObject> {
  const { namespace, name, random } = plan;
  const version = `v${1 + random.below(4)}`;
  const replicas = 1 + random.below(3);
  const ports = [random.pick(PORTS)];
  if (random.chance(0.3)) {
    ports.push({ name: 'http-metrics', port: 9100, targetPort: 9100 });
  }
  const labels = { app: name };
  const podLabels = { app: name, version };

  yield {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name, namespace, labels },
    spec: { selector: labels, ports },
  };
  const hash = random.suffix(9);
  const pods = Array.from({ length: replicas }, (_, index) =>
    pod(plan, index, `${name}-${hash}-${random.suffix(5)}`, podLabels),
  );
  const ready = pods.filter(isReady).length;
  yield {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name, namespace, labels },
    spec: {
      replicas,
      selector: { matchLabels: labels },
      template: {
        metadata: { labels: podLabels },
        spec: {
          containers: [
            {
              name: 'app',
              image: `registry.company.example/${name}:${version}`,
              ports: ports.map(({ targetPort }) => ({
                containerPort: targetPort,
              })),
            },
          ],
        },
      },
    },
    status: { replicas, updatedReplicas: replicas, readyReplicas: ready },
  };
  yield* pods;
  yield {
    apiVersion: 'discovery.k8s.io/v1',
    kind: 'EndpointSlice',
    metadata: {
      name: `${name}-${random.suffix(5)}`,
      namespace,
      labels: {
        'kubernetes.io/service-name': name,
        'endpointslice.kubernetes.io/managed-by':
          'endpointslice-controller.k8s.io',
      },
    },
    addressType: 'IPv4',
    ports: ports.map(({ name: portName, targetPort }) => ({
      name: portName,
      port: targetPort,
      protocol: 'TCP',
    })),
    endpoints: pods.map(endpointOf),
  };
}

function pod(
  { namespace, injection, random, clusterIndex, number }: WorkloadPlan,
  index: number,
  name: string,
  labels: Record<string, string>,
): KubeObject {
  const { revision } = injection;
  // Now and then a pod is older than its namespace's label, and has no sidecar.
  const isInjected = revision !== undefined && !random.chance(0.03);
  const ready = !random.chance(0.02);
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name,
      namespace,
      labels: isInjected
        ? {
            ...labels,
            'security.istio.io/tlsMode': 'istio',
            'service.istio.io/canonical-name': labels.app,
          }
        : labels,
      ...(isInjected && {
        annotations: {
          'istio.io/rev': revision,
          'sidecar.istio.io/status': JSON.stringify({
            initContainers: ['istio-init', 'istio-proxy'],
            revision,
          }),
        },
      }),
      ownerReferences: [
        {
          apiVersion: 'apps/v1',
          kind: 'ReplicaSet',
          name: name.slice(0, name.lastIndexOf('-')),
          uid: `00000000-0000-4000-a000-${String(number).padStart(12, '0')}`,
          controller: true,
        },
      ],
    },
    spec: {
      nodeName: `node-${1 + random.below(50)}`,
      serviceAccountName: 'default',
      ...(isInjected && {
        initContainers: [
          {
            name: 'istio-proxy',
            image: `docker.io/istio/proxyv2:${revision.replace(/-/g, '.')}`,
            restartPolicy: 'Always',
          },
        ],
      }),
      containers: [
        {
          name: 'app',
          image: `registry.company.example/${labels.app}:${labels.version}`,
        },
      ],
    },
    status: {
      phase: 'Running',
      podIP: `10.${10 + (clusterIndex % 200)}.${
        Math.floor(number / 80) % 250
      }.${1 + (number % 80) * 3 + index}`,
      conditions: [{ type: 'Ready', status: ready ? 'True' : 'False' }],
      containerStatuses: [{ name: 'app', ready, restartCount: 0 }],
    },
  };
}

export function isReady({ status }: KubeObject): boolean {
  return (status?.conditions ?? []).some(
    (condition: any) =>
      condition.type === 'Ready' && condition.status === 'True',
  );
}

export function endpointOf(endpoint: KubeObject) {
  const { metadata, spec, status } = endpoint;
  const ready = isReady(endpoint);
  return {
    addresses: [status?.podIP ?? '10.0.0.1'],
    conditions: { ready, serving: ready, terminating: false },
    nodeName: spec?.nodeName,
    targetRef: {
      kind: 'Pod',
      namespace: metadata.namespace,
      name: metadata.name,
    },
  };
}
