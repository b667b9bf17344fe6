import { ClusterFolder } from './ClusterFolder';
import { suffixFrom } from './seeded';
import { addService, addWorkload } from './workloads';

export const teamLabel = 'tidemark.example/team';

/** Labels of the namespaces that the platform team answers for. */
export const ofPlatform = { [teamLabel]: 'platform' };

/** Nodes, kube-system and the network plugin. */
export function addSystem(to: ClusterFolder) {
  const { cluster } = to;
  for (const node of to.nodes) {
    const ready = {
      lastHeartbeatTime: '2026-11-30T08:00:11Z',
      lastTransitionTime: '2026-10-28T05:41:02Z',
    };
    to.add('nodes', {
      apiVersion: 'v1',
      kind: 'Node',
      metadata: {
        name: node.name,
        labels: {
          'kubernetes.io/arch': 'amd64',
          'kubernetes.io/hostname': node.name,
          'kubernetes.io/os': 'linux',
          'node.tidemark.example/pool': node.pool,
          'topology.kubernetes.io/region': cluster.region,
          'topology.kubernetes.io/zone': node.zone,
        },
      },
      spec: {
        podCIDR: `10.${cluster.number}.${to.nodes.indexOf(node)}.0/24`,
        providerID:
          cluster.environment === 'stores'
            ? undefined
            : `aws:///${node.zone}/i-0${suffixFrom(
                `${cluster.name} ${node.name}`,
                16,
              )}`,
      },
      status: {
        addresses: [
          { type: 'InternalIP', address: node.ip },
          { type: 'Hostname', address: node.name },
        ],
        allocatable: { cpu: '7910m', memory: '30396Mi', pods: '110' },
        capacity: { cpu: '8', memory: '32Gi', pods: '110' },
        conditions: [
          {
            type: 'MemoryPressure',
            status: 'False',
            reason: 'KubeletHasSufficientMemory',
            ...ready,
          },
          {
            type: 'DiskPressure',
            status: 'False',
            reason: 'KubeletHasNoDiskPressure',
            ...ready,
          },
          {
            type: 'Ready',
            status: 'True',
            reason: 'KubeletReady',
            message: 'kubelet is posting ready status',
            ...ready,
          },
        ],
        nodeInfo: {
          architecture: 'amd64',
          bootID: '',
          containerRuntimeVersion: cluster.runtime,
          kernelVersion: cluster.kernel,
          kubeProxyVersion: '',
          kubeletVersion: node.kubelet,
          machineID: '',
          operatingSystem: 'linux',
          osImage: cluster.osImage,
          systemUUID: '',
        },
      },
    });
  }

  const file = 'kube-system';
  addNamespace(to, file, 'kube-system', ofPlatform);
  const dns = addWorkload(to, file, {
    namespace: 'kube-system',
    name: 'coredns',
    kind: 'Deployment',
    image: 'registry.k8s.io/coredns/coredns:v1.12.4',
    version: 'v1.12.4',
    system: 'kube-dns',
    replicas: 2,
    proxies: [null],
    selector: { 'k8s-app': 'kube-dns' },
    ports: [
      { name: 'dns', port: 53, protocol: 'UDP' },
      { name: 'dns-tcp', port: 53 },
      { name: 'metrics', port: 9153 },
    ],
  });
  addService(
    to,
    file,
    {
      namespace: 'kube-system',
      name: 'kube-dns',
      labels: { 'k8s-app': 'kube-dns', 'kubernetes.io/name': 'CoreDNS' },
      selector: { 'k8s-app': 'kube-dns' },
      ports: [
        { name: 'dns', port: 53, protocol: 'UDP' },
        { name: 'dns-tcp', port: 53 },
        { name: 'metrics', port: 9153 },
      ],
    },
    dns,
  );
  if (cluster.cni === 'cilium') addCilium(to);
  if (cluster.cni === 'calico') {
    to.add('calico', {
      apiVersion: 'crd.projectcalico.org/v1',
      kind: 'FelixConfiguration',
      metadata: { name: 'default' },
      spec: {
        bpfConnectTimeLoadBalancing: 'TCP',
        bpfEnabled: true,
        bpfLogLevel: '',
        floatingIPs: 'Disabled',
        logSeverityScreen: 'Info',
      },
    });
  }
}

export function addNamespace(
  to: ClusterFolder,
  file: string,
  name: string,
  labels: Record<string, string>,
  note?: string,
  annotations?: Record<string, string>,
) {
  to.add(
    file,
    {
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: {
        name,
        labels: { 'kubernetes.io/metadata.name': name, ...labels },
        annotations,
      },
      spec: { finalizers: ['kubernetes'] },
      status: { phase: 'Active' },
    },
    { note },
  );
}

function addCilium(to: ClusterFolder) {
  const { cluster } = to;
  const version = cluster.name === 'eu-west' ? 'v1.20.2' : 'v1.19.11';
  to.add('kube-system', {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'cilium-config', namespace: 'kube-system' },
    data: {
      'bpf-lb-acceleration': 'disabled',
      // In eu-north pods still use the socket load balancer, which bypasses sidecars.
      ...(cluster.name === 'eu-west'
        ? { 'bpf-lb-sock-hostns-only': 'true' }
        : {}),
      'cluster-id': `${cluster.number / 10}`,
      'cluster-name': cluster.name,
      // Unset would be 0s: keep the backends of a lost cluster for ever.
      'clustermesh-cache-ttl': cluster.name === 'eu-west' ? '5m0s' : '0s',
      'clustermesh-enable-endpoint-sync': 'false',
      'clustermesh-enable-mcs-api': 'true',
      'cni-exclusive': 'false',
      'datapath-mode': cluster.name === 'eu-west' ? 'netkit' : 'veth',
      'enable-bpf-masquerade': 'true',
      'enable-ipv4': 'true',
      'enable-ipv4-masquerade': 'true',
      'enable-ipv6': 'false',
      'enable-l7-proxy': 'true',
      ipam: 'cluster-pool',
      'kube-proxy-replacement': 'true',
      'max-connected-clusters': '255',
      'routing-mode': 'native',
    },
  });
  for (const [name, value] of [
    ['cluster.clusterset.k8s.io', cluster.name],
    ['clusterset.k8s.io', 'tidemark-europe'],
  ]) {
    to.add('cluster-properties', {
      apiVersion: 'about.k8s.io/v1beta1',
      kind: 'ClusterProperty',
      metadata: { name },
      spec: { value },
    });
  }
  addWorkload(to, 'kube-system', {
    namespace: 'kube-system',
    name: 'cilium',
    kind: 'DaemonSet',
    image: `quay.io/cilium/cilium:${version}`,
    version,
    system: 'cilium',
    containerName: 'cilium-agent',
    replicas: 0,
    proxies: [null],
    hostNetwork: true,
    selector: { 'k8s-app': 'cilium' },
    ports: [{ name: 'prometheus', port: 9962 }],
  });
  const mesh = addWorkload(to, 'kube-system', {
    namespace: 'kube-system',
    name: 'clustermesh-apiserver',
    kind: 'Deployment',
    image: `quay.io/cilium/clustermesh-apiserver:${version}`,
    version,
    system: 'cilium',
    containerName: 'apiserver',
    replicas: 1,
    proxies: [null],
    selector: { 'k8s-app': 'clustermesh-apiserver' },
    ports: [{ name: 'etcd', port: 2379 }],
  });
  addService(
    to,
    'kube-system',
    {
      namespace: 'kube-system',
      name: 'clustermesh-apiserver',
      type: 'LoadBalancer',
      loadBalancer: `198.51.100.${100 + cluster.number}`,
      labels: { 'k8s-app': 'clustermesh-apiserver' },
      selector: { 'k8s-app': 'clustermesh-apiserver' },
      ports: [{ name: 'apiserv', port: 2379 }],
    },
    mesh,
  );
}
