import { DemoCluster } from './clusters';

/** What the injector adds to a pod: as istiod's own sidecar template writes it. */
export interface Proxy {
  revision: string;
  version: string;
}

interface PodParts {
  labels: Record<string, string>;
  annotations: Record<string, string>;
  containers: any[];
  initContainers: any[];
}

const volumes = [
  'workload-socket',
  'credential-socket',
  'workload-certs',
  'istio-envoy',
  'istio-data',
  'istio-podinfo',
  'istio-token',
  'istiod-ca-cert',
  'istio-ca-crl',
];

export function injectSidecar(
  pod: PodParts,
  proxy: Proxy,
  of: {
    cluster: DemoCluster;
    namespace: string;
    workload: string;
    owner: string;
    canonicalName: string;
    canonicalRevision: string;
    native?: boolean;
  },
): PodParts {
  const { cluster } = of;
  const istio = cluster.istio!;
  const native = of.native ?? istio.nativeSidecars;
  const revision = proxy.revision || 'default';
  const image = `registry.istio.io/release/proxyv2:${proxy.version}`;
  const app = pod.containers[0].name;
  const service = proxy.revision ? `istiod-${proxy.revision}` : 'istiod';
  const resources = {
    limits: { cpu: '2', memory: '1Gi' },
    requests: { cpu: '100m', memory: '128Mi' },
  };

  const init = {
    name: 'istio-init',
    image,
    args: [
      'istio-iptables',
      '-p',
      '15001',
      '-z',
      '15006',
      '-u',
      '1337',
      '-m',
      'REDIRECT',
      '-i',
      '*',
      '-x',
      '',
      '-b',
      '*',
      '-d',
      '15090,15021,15020',
      '--log_output_level=default:info',
    ],
  };
  const sidecar = {
    name: 'istio-proxy',
    image,
    restartPolicy: native ? 'Always' : undefined,
    args: [
      'proxy',
      'sidecar',
      '--domain',
      '$(POD_NAMESPACE).svc.cluster.local',
      '--proxyLogLevel=warning',
      '--proxyComponentLogLevel=misc:error',
      '--log_output_level=default:info',
    ],
    ports: [{ containerPort: 15090, name: 'http-envoy-prom', protocol: 'TCP' }],
    env: [
      { name: 'PILOT_CERT_PROVIDER', value: 'istiod' },
      { name: 'CA_ADDR', value: `${service}.istio-system.svc:15012` },
      { name: 'ISTIO_META_APP_CONTAINERS', value: app },
      { name: 'ISTIO_META_CLUSTER_ID', value: cluster.name },
      { name: 'ISTIO_META_INTERCEPTION_MODE', value: 'REDIRECT' },
      { name: 'ISTIO_META_NETWORK', value: cluster.name },
      { name: 'ISTIO_META_WORKLOAD_NAME', value: of.workload },
      { name: 'ISTIO_META_OWNER', value: of.owner },
      { name: 'ISTIO_META_MESH_ID', value: istio.meshId },
      { name: 'TRUST_DOMAIN', value: istio.trustDomain },
    ],
    resources,
  };

  return {
    labels: {
      ...pod.labels,
      'security.istio.io/tlsMode': 'istio',
      'service.istio.io/canonical-name': of.canonicalName,
      'service.istio.io/canonical-revision': of.canonicalRevision,
    },
    annotations: {
      ...pod.annotations,
      'istio.io/rev': revision,
      'kubectl.kubernetes.io/default-container': app,
      'kubectl.kubernetes.io/default-logs-container': app,
      'prometheus.io/path': '/stats/prometheus',
      'prometheus.io/port': '15020',
      'prometheus.io/scrape': 'true',
      'sidecar.istio.io/status': JSON.stringify({
        initContainers: native ? ['istio-init', 'istio-proxy'] : ['istio-init'],
        containers: native ? null : ['istio-proxy'],
        volumes,
        imagePullSecrets: null,
        revision,
      }),
    },
    initContainers: native
      ? [init, sidecar, ...pod.initContainers]
      : [init, ...pod.initContainers],
    containers: native ? pod.containers : [...pod.containers, sidecar],
  };
}

/** What Linkerd's injector adds. */
export function injectLinkerd(pod: PodParts, version: string): PodParts {
  return {
    labels: {
      ...pod.labels,
      'linkerd.io/control-plane-ns': 'linkerd',
    },
    annotations: {
      ...pod.annotations,
      'linkerd.io/created-by': `linkerd/proxy-injector ${version}`,
      'linkerd.io/inject': 'enabled',
      'linkerd.io/proxy-version': version,
    },
    initContainers: [
      {
        name: 'linkerd-init',
        image: 'cr.l5d.io/linkerd/proxy-init:v2.4.4',
        args: [
          '--incoming-proxy-port',
          '4143',
          '--outgoing-proxy-port',
          '4140',
          '--proxy-uid',
          '2102',
        ],
      },
      ...pod.initContainers,
    ],
    containers: [
      {
        name: 'linkerd-proxy',
        image: `cr.l5d.io/linkerd/proxy:${version}`,
        ports: [
          { containerPort: 4143, name: 'linkerd-proxy', protocol: 'TCP' },
          { containerPort: 4191, name: 'linkerd-admin', protocol: 'TCP' },
        ],
      },
      ...pod.containers,
    ],
  };
}
