import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { ClusterFolder } from './ClusterFolder';
import { Revision } from './clusters';
import { timeOn } from './seeded';
import { addNamespace, ofPlatform } from './system';
import { addService, addWorkload } from './workloads';

const file = 'istio-system';
const namespace = 'istio-system';
const platform = 'mesh';

/** Istio's control planes in a cluster, with what its charts and istiod itself write. */
export function addIstio(to: ClusterFolder) {
  const { cluster } = to;
  const istio = cluster.istio!;
  addNamespace(to, file, namespace, {
    'topology.istio.io/network': cluster.name,
    ...ofPlatform,
  });
  for (const revision of istio.revisions) {
    addRevision(to, revision);
    for (const tag of revision.tags) addTag(to, revision, tag);
  }
  addRootCertificate(to, namespace);
  for (const remote of istio.remotes) {
    to.add(
      file,
      {
        apiVersion: 'v1',
        kind: 'Secret',
        metadata: {
          name: `istio-remote-secret-${remote}`,
          namespace,
          labels: { 'istio/multiCluster': 'true' },
          annotations: { 'networking.istio.io/cluster': remote },
        },
        type: 'Opaque',
      },
      {
        note:
          cluster.name === 'us-east'
            ? 'Situation: the only remote secret here. eu-north reads this cluster, this one does not read eu-north.'
            : 'The kubeconfig inside is left out here: nothing of ours reads it.',
      },
    );
  }
  if (istio.remotes.length) addEastWestGateway(to);
  if (istio.ambient) addAmbient(to);
}

function chartLabels(revision: Revision) {
  return {
    'app.kubernetes.io/instance': release(revision),
    'app.kubernetes.io/managed-by': 'Helm',
    'app.kubernetes.io/name': 'istiod',
    'app.kubernetes.io/part-of': 'istio',
    'app.kubernetes.io/version': revision.version,
    'helm.sh/chart': `istiod-${revision.version}`,
    'install.operator.istio.io/owning-resource': 'unknown',
    'istio.io/rev': revision.name || 'default',
    'operator.istio.io/component': 'Pilot',
    release: release(revision),
  };
}

const release = (revision: Revision) =>
  revision.name ? `istiod-${revision.name}` : 'istiod';
const suffixed = (name: string, revision: Revision) =>
  revision.name ? `${name}-${revision.name}` : name;

function addRevision(to: ClusterFolder, revision: Revision) {
  const { cluster } = to;
  const istio = cluster.istio!;
  const created = timeOn(
    revision.installed,
    `${cluster.name} ${revision.name}`,
  );
  const labels = chartLabels(revision);
  const istiod = suffixed('istiod', revision);
  const selector: Record<string, string> = revision.name
    ? { app: 'istiod', 'istio.io/rev': revision.name }
    : { istio: 'pilot' };

  const pods = addWorkload(to, file, {
    namespace,
    name: istiod,
    kind: 'Deployment',
    image: `registry.istio.io/release/pilot:${revision.version}`,
    version: revision.version,
    system: 'istio',
    containerName: 'discovery',
    replicas: cluster.environment === 'production' ? 2 : 1,
    proxies: [null],
    selector,
    rolledOut: revision.installed,
    workloadLabels: { app: 'istiod', istio: 'pilot', ...labels },
    podLabels: {
      app: 'istiod',
      ...labels,
      istio: revision.name ? 'istiod' : 'pilot',
      'istio.io/dataplane-mode': 'none',
      'sidecar.istio.io/inject': 'false',
    },
    podAnnotations: {
      'prometheus.io/port': '15014',
      'prometheus.io/scrape': 'true',
      'sidecar.istio.io/inject': 'false',
    },
    ports: [
      { name: 'http-debug', port: 8080 },
      { name: 'grpc-xds', port: 15010 },
      { name: 'tls-xds', port: 15012 },
      { name: 'https-webhooks', port: 15017 },
      { name: 'http-monitoring', port: 15014 },
    ],
    args: [
      'discovery',
      '--monitoringAddr=:15014',
      '--log_output_level=default:info',
      '--domain',
      'cluster.local',
      '--keepaliveMaxServerConnectionAge',
      '30m',
    ],
    env: [
      { name: 'REVISION', value: revision.name || 'default' },
      { name: 'PILOT_CERT_PROVIDER', value: 'istiod' },
      { name: 'CLUSTER_ID', value: cluster.name },
      { name: 'PILOT_ENABLE_ANALYSIS', value: 'false' },
      ...(istio.ambient
        ? [{ name: 'PILOT_ENABLE_AMBIENT', value: 'true' }]
        : []),
    ],
  });
  addService(
    to,
    file,
    {
      namespace,
      name: istiod,
      labels: { app: 'istiod', istio: 'pilot', ...labels },
      selector: revision.name
        ? { app: 'istiod', 'istio.io/rev': revision.name }
        : { app: 'istiod', istio: 'pilot' },
      ports: [
        { name: 'grpc-xds', port: 15010 },
        { name: 'https-dns', port: 15012 },
        { name: 'https-webhook', port: 443, target: 15017 },
        { name: 'http-monitoring', port: 15014 },
      ],
      created,
    },
    pods,
  );

  to.add(
    file,
    {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: {
        name: suffixed('istio', revision),
        namespace,
        labels: { ...labels },
      },
      data: { mesh: meshConfig(to, revision), meshNetworks: 'networks: {}' },
    },
    { created },
  );
  to.add(
    file,
    {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: {
        name: suffixed('istio-sidecar-injector', revision),
        namespace,
        labels: { ...labels },
      },
      data: {
        // The templates are left out: what they write can be seen on the pods.
        config:
          'defaultTemplates: [sidecar]\npolicy: enabled\nalwaysInjectSelector:\n  []\nneverInjectSelector:\n  []\ninjectedAnnotations:\n',
        values: injectorValues(to, revision),
      },
    },
    { created },
  );
  to.add(
    'admission-webhooks',
    {
      apiVersion: 'admissionregistration.k8s.io/v1',
      kind: 'MutatingWebhookConfiguration',
      metadata: {
        name: suffixed('istio-sidecar-injector', revision),
        labels: { app: 'sidecar-injector', ...labels },
      },
      webhooks: [
        ...revisionWebhooks(revision, revision.name || 'default'),
        ...(revision.name ? [] : defaultWebhooks(revision)),
      ],
    },
    { created },
  );
}

function addTag(to: ClusterFolder, revision: Revision, tag: string) {
  const still = to.name === 'us-east' && tag === 'canary';
  to.add(
    'admission-webhooks',
    {
      apiVersion: 'admissionregistration.k8s.io/v1',
      kind: 'MutatingWebhookConfiguration',
      metadata: {
        name: `istio-revision-tag-${tag}`,
        labels: {
          app: 'sidecar-injector',
          ...chartLabels(revision),
          'istio.io/tag': tag,
        },
      },
      webhooks: [
        ...revisionWebhooks(revision, tag),
        ...(tag === 'default' ? defaultWebhooks(revision) : []),
      ],
    },
    {
      created: timeOn(revision.installed, `${to.name} ${tag}`),
      note: still
        ? 'The upgrade has not reached this region: the canary tag still stands for 1-29.'
        : undefined,
    },
  );
}

function webhook(
  prefix: string,
  revision: Revision,
  namespaceSelector: object[],
  objectSelector: object[],
) {
  return {
    name: `${prefix}sidecar-injector.istio.io`,
    admissionReviewVersions: ['v1'],
    clientConfig: {
      service: {
        name: suffixed('istiod', revision),
        namespace,
        path: '/inject',
        port: 443,
      },
    },
    failurePolicy: 'Fail',
    matchPolicy: 'Equivalent',
    namespaceSelector: { matchExpressions: namespaceSelector },
    objectSelector: { matchExpressions: objectSelector },
    reinvocationPolicy: 'Never',
    rules: [
      {
        apiGroups: [''],
        apiVersions: ['v1'],
        operations: ['CREATE'],
        resources: ['pods'],
        scope: '*',
      },
    ],
    sideEffects: 'None',
    timeoutSeconds: 10,
  };
}

const isIn = (key: string, ...values: string[]) => ({
  key,
  operator: 'In',
  values,
});
const isNot = (key: string, ...values: string[]) => ({
  key,
  operator: 'NotIn',
  values,
});
const isAbsent = (key: string) => ({ key, operator: 'DoesNotExist' });

/** The two webhooks of every revision and every tag, as the chart writes them. */
function revisionWebhooks(revision: Revision, value: string) {
  return [
    webhook(
      'rev.namespace.',
      revision,
      [isIn('istio.io/rev', value), isAbsent('istio-injection')],
      [isNot('sidecar.istio.io/inject', 'false')],
    ),
    webhook(
      'rev.object.',
      revision,
      [isAbsent('istio.io/rev'), isAbsent('istio-injection')],
      [isNot('sidecar.istio.io/inject', 'false'), isIn('istio.io/rev', value)],
    ),
  ];
}

/** The two more of the default revision and of the tag `default`. */
function defaultWebhooks(revision: Revision) {
  return [
    webhook(
      'namespace.',
      revision,
      [isIn('istio-injection', 'enabled')],
      [isNot('sidecar.istio.io/inject', 'false')],
    ),
    webhook(
      'object.',
      revision,
      [isAbsent('istio-injection'), isAbsent('istio.io/rev')],
      [isIn('sidecar.istio.io/inject', 'true'), isAbsent('istio.io/rev')],
    ),
  ];
}

function meshConfig(to: ClusterFolder, revision: Revision): string {
  const istio = to.cluster.istio!;
  return stringify({
    defaultConfig: {
      discoveryAddress: `${suffixed(
        'istiod',
        revision,
      )}.${namespace}.svc:15012`,
      meshId: istio.meshId,
      ...(to.cluster.environment === 'production'
        ? { proxyMetadata: { ISTIO_META_DNS_CAPTURE: 'true' } }
        : {}),
    },
    defaultProviders: { metrics: ['prometheus'] },
    discoverySelectors: [
      {
        matchExpressions: [
          {
            key: 'mesh.tidemark.example/discovery',
            operator: 'NotIn',
            values: ['disabled'],
          },
        ],
      },
    ],
    enablePrometheusMerge: true,
    rootNamespace: namespace,
    trustDomain: istio.trustDomain,
    ...(istio.trustDomain === 'tidemark.example'
      ? { trustDomainAliases: ['cluster.local'] }
      : {}),
  });
}

function injectorValues(to: ClusterFolder, revision: Revision): string {
  const istio = to.cluster.istio!;
  return JSON.stringify(
    {
      gateways: { seccompProfile: {}, securityContext: {} },
      global: {
        caAddress: '',
        configValidation: true,
        hub: 'registry.istio.io/release',
        istioNamespace: namespace,
        meshID: istio.meshId,
        multiCluster: { clusterName: to.name },
        network: to.name,
        pilotCertProvider: 'istiod',
        proxy: {
          autoInject: 'enabled',
          clusterDomain: 'cluster.local',
          image: 'proxyv2',
          statusPort: 15020,
        },
        proxy_init: { image: 'proxyv2' },
        tag: revision.version,
      },
      pilot: { cni: { enabled: istio.ambient, provider: 'default' }, env: {} },
      revision: revision.name,
      sidecarInjectorWebhook: {
        alwaysInjectSelector: [],
        defaultTemplates: [],
        enableNamespacesByDefault: false,
        injectedAnnotations: {},
        neverInjectSelector: [],
        rewriteAppHTTPProbe: true,
        templates: {},
      },
    },
    null,
    2,
  );
}

/** The roots that istiod hands to workloads: one ConfigMap in every namespace it looks at. */
export function addRootCertificate(
  to: ClusterFolder,
  inNamespace: string,
  roots = to.cluster.istio!.roots,
  note?: string,
) {
  const pem = roots
    .map(root => readFileSync(join(__dirname, 'roots', `${root}.pem`), 'utf8'))
    .join('');
  to.add(
    inNamespace,
    {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: {
        name: 'istio-ca-root-cert',
        namespace: inNamespace,
        labels: { 'istio.io/config': 'true' },
      },
      data: { 'root-cert.pem': pem },
    },
    { note },
  );
}

function addEastWestGateway(to: ClusterFolder) {
  const { cluster } = to;
  const stable = cluster.istio!.revisions.find(revision =>
    revision.tags.includes('stable'),
  )!;
  const selector = {
    app: 'istio-eastwestgateway',
    istio: 'eastwestgateway',
    'topology.istio.io/network': cluster.name,
  };
  const pods = addWorkload(to, file, {
    namespace,
    name: 'istio-eastwestgateway',
    kind: 'Deployment',
    image: `registry.istio.io/release/proxyv2:${stable.version}`,
    version: stable.version,
    system: platform,
    containerName: 'istio-proxy',
    replicas: 2,
    proxies: [null],
    selector,
    ports: [
      { name: 'status-port', port: 15021 },
      { name: 'tls', port: 15443 },
      { name: 'tls-istiod', port: 15012 },
      { name: 'tls-webhook', port: 15017 },
    ],
    podLabels: {
      'istio.io/rev': stable.name,
      'sidecar.istio.io/inject': 'true',
      'service.istio.io/canonical-name': 'istio-eastwestgateway',
      'service.istio.io/canonical-revision': 'latest',
    },
    podAnnotations: {
      'inject.istio.io/templates': 'gateway',
      'istio.io/rev': stable.name,
      'sidecar.istio.io/status': JSON.stringify({
        initContainers: null,
        containers: ['istio-proxy'],
        volumes: [
          'workload-socket',
          'credential-socket',
          'workload-certs',
          'istio-envoy',
          'istio-data',
          'istio-podinfo',
          'istio-token',
          'istiod-ca-cert',
        ],
        imagePullSecrets: null,
        revision: stable.name,
      }),
    },
    args: ['proxy', 'router', '--domain', '$(POD_NAMESPACE).svc.cluster.local'],
    env: [
      { name: 'ISTIO_META_REQUESTED_NETWORK_VIEW', value: cluster.name },
      { name: 'ISTIO_META_CLUSTER_ID', value: cluster.name },
      { name: 'ISTIO_META_NETWORK', value: cluster.name },
    ],
  });
  addService(
    to,
    file,
    {
      namespace,
      name: 'istio-eastwestgateway',
      type: 'LoadBalancer',
      loadBalancer: `198.51.100.${cluster.number}`,
      labels: selector,
      selector: { app: 'istio-eastwestgateway', istio: 'eastwestgateway' },
      ports: [
        { name: 'status-port', port: 15021 },
        { name: 'tls', port: 15443 },
        { name: 'tls-istiod', port: 15012 },
        { name: 'tls-webhook', port: 15017 },
      ],
    },
    pods,
  );
  if (cluster.name === 'eu-north') {
    addService(
      to,
      file,
      {
        namespace,
        name: 'istio-eastwestgateway-internal',
        type: 'LoadBalancer',
        loadBalancer: '10.0.20.9',
        labels: selector,
        selector: { app: 'istio-eastwestgateway', istio: 'eastwestgateway' },
        ports: [{ name: 'status-port', port: 15021 }],
        note: 'Situation: carries the label of a network gateway but neither 15443 nor 15008, so istiod ignores it.',
      },
      pods,
    );
  }
  to.add(file, {
    apiVersion: 'networking.istio.io/v1',
    kind: 'Gateway',
    metadata: { name: 'cross-network-gateway', namespace },
    spec: {
      selector: { istio: 'eastwestgateway' },
      servers: [
        {
          port: { number: 15443, name: 'tls', protocol: 'TLS' },
          tls: { mode: 'AUTO_PASSTHROUGH' },
          hosts: ['*.local'],
        },
      ],
    },
  });
}

function addAmbient(to: ClusterFolder) {
  const { version } = to.cluster.istio!.revisions[0];
  for (const [name, container, image] of [
    ['istio-cni-node', 'install-cni', 'install-cni'],
    ['ztunnel', 'istio-proxy', 'ztunnel'],
  ]) {
    addWorkload(to, file, {
      namespace,
      name,
      kind: 'DaemonSet',
      image: `registry.istio.io/release/${image}:${version}`,
      version,
      system: platform,
      containerName: container,
      replicas: 0,
      proxies: [null],
      selector:
        name === 'ztunnel'
          ? { app: 'ztunnel' }
          : { 'k8s-app': 'istio-cni-node' },
      podLabels: {
        'istio.io/dataplane-mode': 'none',
        'sidecar.istio.io/inject': 'false',
      },
      ports: name === 'ztunnel' ? [{ name: 'ztunnel-stats', port: 15020 }] : [],
    });
  }
  to.add(file, {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'istio-cni-config', namespace },
    data: {
      AMBIENT_DNS_CAPTURE: 'true',
      AMBIENT_ENABLED: 'true',
      AMBIENT_IPV6: 'true',
      CHAINED_CNI_PLUGIN: 'true',
      CURRENT_AGENT_VERSION: version,
      EXCLUDED_NAMESPACES: 'kube-system',
      REPAIR_ENABLED: 'true',
    },
  });
}
