/** A control plane of Istio in one cluster. */
export interface Revision {
  /** Empty for the default revision. */
  name: string;
  version: string;
  installed: string;
  tags: string[];
}

export interface DemoCluster {
  name: string;
  region: string;
  zones: string[];
  environment: 'production' | 'staging' | 'stores';
  kubernetes: string;
  nodes: Array<{ pool: string; count: number; kubelet: string }>;
  kernel: string;
  osImage: string;
  runtime: string;
  cni: 'cilium' | 'calico' | 'kindnet';
  /** Second and third number of the pods' and services' addresses. */
  number: number;
  created: string;
  istio?: {
    meshId: string;
    trustDomain: string;
    revisions: Revision[];
    /** Roots in `istio-ca-root-cert`, by file name. */
    roots: string[];
    ambient: boolean;
    /** All kubelets are 1.33 or later, so istiod injects native sidecars. */
    nativeSidecars: boolean;
    /** Clusters whose remote secret istiod holds. */
    remotes: string[];
  };
  linkerd?: { version: string; root: string };
}

const canaryInstalled = '2026-11-09';

export const clusters: DemoCluster[] = [
  {
    name: 'eu-west',
    region: 'eu-west-1',
    zones: ['eu-west-1a', 'eu-west-1b', 'eu-west-1c'],
    environment: 'production',
    kubernetes: 'v1.34.6',
    nodes: [
      { pool: 'general', count: 4, kubelet: 'v1.34.6' },
      { pool: 'data', count: 2, kubelet: 'v1.34.6' },
    ],
    kernel: '6.12.41-63.114.amzn2023.x86_64',
    osImage: 'Amazon Linux 2023.9.20261019',
    runtime: 'containerd://2.1.5',
    cni: 'cilium',
    number: 10,
    created: '2024-03-12',
    istio: {
      meshId: 'tidemark',
      trustDomain: 'tidemark.example',
      revisions: [
        {
          name: '1-29',
          version: '1.29.6',
          installed: '2026-08-12',
          tags: ['default', 'stable'],
        },
        {
          name: '1-30',
          version: '1.30.3',
          installed: canaryInstalled,
          tags: ['canary'],
        },
      ],
      roots: ['production-2022', 'production-2026'],
      ambient: false,
      nativeSidecars: true,
      remotes: ['eu-north', 'us-east'],
    },
    // For the stores alone: their link ends here.
    linkerd: { version: 'edge-26.9.2', root: 'edge' },
  },
  {
    name: 'eu-north',
    region: 'eu-north-1',
    zones: ['eu-north-1a', 'eu-north-1b', 'eu-north-1c'],
    environment: 'production',
    kubernetes: 'v1.34.6',
    nodes: [
      { pool: 'general', count: 3, kubelet: 'v1.34.6' },
      { pool: 'data', count: 2, kubelet: 'v1.34.4' },
    ],
    kernel: '6.12.41-63.114.amzn2023.x86_64',
    osImage: 'Amazon Linux 2023.9.20261019',
    runtime: 'containerd://2.1.5',
    cni: 'cilium',
    number: 20,
    created: '2024-09-03',
    istio: {
      meshId: 'tidemark',
      trustDomain: 'tidemark.example',
      revisions: [
        {
          name: '1-29',
          version: '1.29.6',
          installed: '2026-08-13',
          tags: ['default', 'stable'],
        },
        {
          name: '1-30',
          version: '1.30.3',
          installed: canaryInstalled,
          tags: ['canary'],
        },
      ],
      roots: ['production-2022', 'production-2026'],
      ambient: false,
      nativeSidecars: true,
      remotes: ['eu-west', 'us-east'],
    },
  },
  {
    name: 'us-east',
    region: 'us-east-1',
    zones: ['us-east-1a', 'us-east-1b', 'us-east-1d'],
    environment: 'production',
    kubernetes: 'v1.33.9',
    nodes: [
      { pool: 'general', count: 3, kubelet: 'v1.33.9' },
      { pool: 'data', count: 2, kubelet: 'v1.32.11' },
    ],
    kernel: '5.15.196-135.197.amzn2.x86_64',
    osImage: 'Amazon Linux 2',
    runtime: 'containerd://1.7.28',
    cni: 'calico',
    number: 30,
    created: '2023-06-27',
    istio: {
      meshId: 'tidemark',
      trustDomain: 'tidemark.example',
      // The upgrade has not reached this region: the tag is there, and still means 1-29.
      revisions: [
        {
          name: '1-29',
          version: '1.29.6',
          installed: '2026-08-19',
          tags: ['default', 'stable', 'canary'],
        },
      ],
      roots: ['production-2022'],
      ambient: false,
      nativeSidecars: false,
      // eu-north is missing: the way there was never set up.
      remotes: ['eu-west'],
    },
  },
  {
    name: 'staging',
    region: 'eu-west-1',
    zones: ['eu-west-1a', 'eu-west-1b'],
    environment: 'staging',
    kubernetes: 'v1.36.3',
    nodes: [{ pool: 'general', count: 3, kubelet: 'v1.36.3' }],
    kernel: '6.12.55-74.119.amzn2023.x86_64',
    osImage: 'Amazon Linux 2023.9.20261109',
    runtime: 'containerd://2.2.1',
    cni: 'kindnet',
    number: 40,
    created: '2025-05-19',
    istio: {
      meshId: 'tidemark-staging',
      trustDomain: 'staging.tidemark.example',
      revisions: [
        { name: '', version: '1.31.1', installed: '2026-10-27', tags: [] },
      ],
      roots: ['staging'],
      ambient: true,
      nativeSidecars: true,
      remotes: [],
    },
  },
  {
    name: 'edge',
    region: 'stores',
    zones: ['hamburg', 'malmo'],
    environment: 'stores',
    kubernetes: 'v1.33.7+k3s1',
    nodes: [{ pool: 'store', count: 2, kubelet: 'v1.33.7+k3s1' }],
    kernel: '6.1.0-41-amd64',
    osImage: 'Debian GNU/Linux 12 (bookworm)',
    runtime: 'containerd://2.1.5-k3s1',
    cni: 'kindnet',
    number: 50,
    created: '2025-08-25',
    linkerd: { version: 'edge-26.9.2', root: 'edge' },
  },
];

export function clusterNamed(name: string): DemoCluster {
  const cluster = clusters.find(candidate => candidate.name === name);
  if (!cluster) throw new Error(`No cluster ${name}`);
  return cluster;
}

/** The revision that a tag stands for in a cluster. */
export function revisionOfTag(
  cluster: DemoCluster,
  tag: string,
): Revision | undefined {
  return cluster.istio?.revisions.find(revision => revision.tags.includes(tag));
}
