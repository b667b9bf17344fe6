import { ManifestObject } from '../inventory/FleetObject';

/*
 * Builders for tests: the objects of small fleets, as short as they can be.
 */

type Labels = Record<string, string>;

export const now = '2026-11-30T12:00:00Z';

export function namespace(
  name: string,
  labels: Labels = {},
  annotations: Labels = {},
): ManifestObject {
  return {
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: { name, labels, annotations },
  };
}

export interface PodOptions {
  namespace?: string;
  labels?: Labels;
  annotations?: Labels;
  owner?: { kind: string; name: string; apiVersion?: string };
  /** The image of a sidecar; `native` puts it among the init containers. */
  sidecar?: string | { image: string; native: boolean };
  linkerd?: string;
  hostNetwork?: boolean;
  ready?: boolean;
  phase?: string;
}

const app = { name: 'app', image: 'registry.example/app:1' };

export function pod(name: string, options: PodOptions = {}): ManifestObject {
  const { owner, ready = true } = options;
  const sidecar =
    typeof options.sidecar === 'string'
      ? { image: options.sidecar, native: false }
      : options.sidecar;
  const proxy = sidecar && {
    name: 'istio-proxy',
    image: sidecar.image,
    ...(sidecar.native && { restartPolicy: 'Always' }),
  };
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name,
      namespace: options.namespace ?? 'shop',
      labels: options.labels ?? { app: 'web' },
      annotations: options.annotations ?? {},
      ...(owner && {
        ownerReferences: [
          { apiVersion: 'apps/v1', controller: true, ...owner },
        ],
      }),
    },
    spec: {
      containers: [
        app,
        ...(proxy && !sidecar.native ? [proxy] : []),
        ...(options.linkerd
          ? [{ name: 'linkerd-proxy', image: options.linkerd }]
          : []),
      ],
      ...(proxy && sidecar.native && { initContainers: [proxy] }),
      ...(options.hostNetwork && { hostNetwork: true }),
    },
    status: {
      phase: options.phase ?? 'Running',
      conditions: [{ type: 'Ready', status: ready ? 'True' : 'False' }],
    },
  };
}

export function deployment(
  name: string,
  options: {
    namespace?: string;
    labels?: Labels;
    annotations?: Labels;
    replicas?: number;
    hostNetwork?: boolean;
  } = {},
): ManifestObject {
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name, namespace: options.namespace ?? 'shop' },
    spec: {
      replicas: options.replicas ?? 1,
      template: {
        metadata: {
          labels: options.labels ?? { app: name },
          annotations: options.annotations ?? {},
        },
        spec: {
          containers: [app],
          ...(options.hostNetwork && { hostNetwork: true }),
        },
      },
    },
  };
}

/** A Deployment with its ReplicaSet and pods. */
export function running(
  name: string,
  options: PodOptions & { replicas?: number; template?: Labels } = {},
): ManifestObject[] {
  const space = options.namespace ?? 'shop';
  const labels = options.labels ?? { app: name };
  const replicas = options.replicas ?? 1;
  return [
    deployment(name, {
      namespace: space,
      labels: options.template ?? labels,
      replicas,
    }),
    {
      apiVersion: 'apps/v1',
      kind: 'ReplicaSet',
      metadata: {
        name: `${name}-7d9f`,
        namespace: space,
        ownerReferences: [
          { apiVersion: 'apps/v1', kind: 'Deployment', name, controller: true },
        ],
      },
    },
    ...Array.from({ length: replicas }, (_, index) =>
      pod(`${name}-7d9f-${index}`, {
        ...options,
        labels: { ...labels, 'pod-template-hash': '7d9f' },
        owner: { kind: 'ReplicaSet', name: `${name}-7d9f` },
      }),
    ),
  ];
}

export function service(
  name: string,
  options: {
    namespace?: string;
    labels?: Labels;
    annotations?: Labels;
    spec?: Record<string, unknown>;
  } = {},
): ManifestObject {
  return {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: {
      name,
      namespace: options.namespace ?? 'shop',
      labels: options.labels ?? {},
      annotations: options.annotations ?? {},
    },
    spec: {
      selector: { app: name },
      ports: [{ name: 'http', port: 80 }],
      ...options.spec,
    },
  };
}

export function slice(
  of: string,
  endpoints: Array<{
    addresses: string[];
    ready?: boolean | null;
    pod?: string;
  }>,
  options: { namespace?: string; name?: string } = {},
): ManifestObject {
  return {
    apiVersion: 'discovery.k8s.io/v1',
    kind: 'EndpointSlice',
    metadata: {
      name: options.name ?? `${of}-abcde`,
      namespace: options.namespace ?? 'shop',
      labels: { 'kubernetes.io/service-name': of },
    },
    addressType: 'IPv4',
    endpoints: endpoints.map(({ addresses, ready, pod: target }) => ({
      addresses,
      ...(ready !== undefined && { conditions: { ready } }),
      ...(target && { targetRef: { kind: 'Pod', name: target } }),
    })),
  };
}

const key = (name: string, operator: string, ...values: string[]) => ({
  key: name,
  operator,
  ...(values.length > 0 && { values }),
});

/** The webhooks of a revision (or of a tag), with the selectors that Istio's installation gives them. */
export function webhooks(options: {
  revision: string;
  tag?: string;
  /** With the hooks for `istio-injection` and for pods alone. */
  isDefault?: boolean;
  /** With the hook for namespaces that say nothing. */
  auto?: boolean;
  /** Switched off, as when another revision became the default. */
  deactivated?: boolean;
}): ManifestObject {
  const { revision, tag, isDefault, auto, deactivated } = options;
  const rev = tag ?? revision;
  const hook = (prefix: string, namespaces: unknown[], pods: unknown[]) => ({
    name: `${prefix}sidecar-injector.istio.io`,
    clientConfig: { service: { name: 'istiod', namespace: 'istio-system' } },
    namespaceSelector: deactivated
      ? { matchLabels: { 'istio.io/deactivated': 'never-match' } }
      : { matchExpressions: namespaces },
    objectSelector: deactivated
      ? { matchLabels: { 'istio.io/deactivated': 'never-match' } }
      : { matchExpressions: pods },
  });
  const unlabelled = [
    key('istio.io/rev', 'DoesNotExist'),
    key('istio-injection', 'DoesNotExist'),
  ];
  const notRefused = key('sidecar.istio.io/inject', 'NotIn', 'false');
  return {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'MutatingWebhookConfiguration',
    metadata: {
      name: tag
        ? `istio-revision-tag-${tag}`
        : `istio-sidecar-injector-${revision}`,
      labels: { 'istio.io/rev': revision, ...(tag && { 'istio.io/tag': tag }) },
    },
    webhooks: [
      hook(
        'rev.namespace.',
        [
          key('istio.io/rev', 'In', rev),
          key('istio-injection', 'DoesNotExist'),
        ],
        [notRefused],
      ),
      hook('rev.object.', unlabelled, [
        notRefused,
        key('istio.io/rev', 'In', rev),
      ]),
      ...(isDefault
        ? [
            hook(
              'namespace.',
              [key('istio-injection', 'In', 'enabled')],
              [notRefused],
            ),
            hook('object.', unlabelled, [
              key('sidecar.istio.io/inject', 'In', 'true'),
              key('istio.io/rev', 'DoesNotExist'),
            ]),
          ]
        : []),
      ...(auto
        ? [
            hook(
              'auto.',
              [
                ...unlabelled,
                key(
                  'kubernetes.io/metadata.name',
                  'NotIn',
                  'kube-system',
                  'kube-public',
                ),
              ],
              [
                key('sidecar.istio.io/inject', 'DoesNotExist'),
                key('istio.io/rev', 'DoesNotExist'),
              ],
            ),
          ]
        : []),
    ],
  };
}

/** A control plane with its configuration and webhooks. */
export function istio(
  options: {
    revision?: string;
    clusterId?: string;
    meshId?: string;
    network?: string;
    version?: string;
    /** YAML of the mesh configuration. */
    mesh?: string;
    /** YAML of the injector's configuration. */
    injector?: string;
    environment?: Labels;
    systemLabels?: Labels;
    systemAnnotations?: Labels;
    ready?: number;
    clusterDomain?: string;
    meshNetworks?: string;
    remotes?: string[];
    auto?: boolean;
    withoutWebhooks?: boolean;
  } = {},
): ManifestObject[] {
  const {
    revision = 'default',
    clusterId = 'east',
    meshId = 'mesh1',
    network,
    version = '1.30.2',
    environment = {},
  } = options;
  const suffix = revision === 'default' ? '' : `-${revision}`;
  return [
    namespace(
      'istio-system',
      {
        ...(network && { 'topology.istio.io/network': network }),
        ...options.systemLabels,
      },
      options.systemAnnotations,
    ),
    {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: {
        name: `istiod${suffix}`,
        namespace: 'istio-system',
        labels: { app: 'istiod', 'istio.io/rev': revision },
      },
      spec: {
        replicas: 1,
        template: {
          spec: {
            containers: [
              {
                name: 'discovery',
                image: `docker.io/istio/pilot:${version}-distroless`,
                env: [
                  { name: 'CLUSTER_ID', value: clusterId },
                  ...Object.entries(environment).map(([name, value]) => ({
                    name,
                    value,
                  })),
                ],
              },
            ],
          },
        },
      },
      status: { readyReplicas: options.ready ?? 1 },
    },
    {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: `istio${suffix}`, namespace: 'istio-system' },
      data: {
        mesh: options.mesh ?? 'trustDomain: corp.example\n',
        ...(options.meshNetworks && { meshNetworks: options.meshNetworks }),
      },
    },
    {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: {
        name: `istio-sidecar-injector${suffix}`,
        namespace: 'istio-system',
      },
      data: {
        config: options.injector ?? 'policy: enabled\n',
        values: JSON.stringify({
          global: {
            ...(meshId && { meshID: meshId }),
            multiCluster: { clusterName: clusterId },
            ...(options.clusterDomain && {
              proxy: { clusterDomain: options.clusterDomain },
            }),
          },
        }),
      },
    },
    ...(options.withoutWebhooks
      ? []
      : [
          webhooks({
            revision,
            isDefault: revision === 'default',
            auto: options.auto,
          }),
        ]),
    ...(options.remotes ?? []).map(remoteSecret),
  ];
}

export function remoteSecret(target: string): ManifestObject {
  return {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: {
      name: `istio-remote-secret-${target}`,
      namespace: 'istio-system',
      labels: { 'istio/multiCluster': 'true' },
      annotations: { 'networking.istio.io/cluster': target },
    },
  };
}

/** A Gateway of Gateway API that is a waypoint. */
export function waypoint(
  name: string,
  options: {
    namespace?: string;
    labels?: Labels;
    programmed?: 'True' | 'False';
    from?: Record<string, unknown>;
  } = {},
): ManifestObject {
  return {
    apiVersion: 'gateway.networking.k8s.io/v1',
    kind: 'Gateway',
    metadata: {
      name,
      namespace: options.namespace ?? 'shop',
      labels: options.labels ?? {},
    },
    spec: {
      gatewayClassName: 'istio-waypoint',
      listeners: [
        {
          name: 'mesh',
          port: 15008,
          protocol: 'HBONE',
          ...(options.from && {
            allowedRoutes: { namespaces: options.from },
          }),
        },
      ],
    },
    ...(options.programmed && {
      status: {
        conditions: [{ type: 'Programmed', status: options.programmed }],
      },
    }),
  };
}

/** The node agents of ambient. */
export function ambient(): ManifestObject[] {
  return ['ztunnel', 'istio-cni-node'].map(name => ({
    apiVersion: 'apps/v1',
    kind: 'DaemonSet',
    metadata: { name, namespace: 'istio-system' },
    spec: {
      template: {
        spec: {
          containers: [
            {
              name: name === 'ztunnel' ? 'istio-proxy' : 'install-cni',
              image: `istio/${name}:1.30.2`,
            },
          ],
        },
      },
    },
  }));
}
