import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

/** The Go modules that pin the versions; one a folder, since their dependencies do not fit into one. */
export type ModuleName = 'etcd' | 'kubernetes' | 'kwok' | 'istio';

/**
 * A program of a control plane, by the name of its file in the folder of binaries.
 *
 * @public
 */
export type ProgramName =
  | 'etcd'
  | 'kube-apiserver'
  | 'kube-controller-manager'
  | 'kube-scheduler'
  | 'kwok'
  | 'istioctl'
  | 'pilot-discovery';

/**
 * How much of a cluster is wanted: only the API server, the controllers with
 * nodes and pods too, or the mesh as well.
 *
 * @public
 */
export type Need = 'api' | 'cluster' | 'mesh';

export interface Program {
  module: ModuleName;
  package: string;
}

export const PROGRAMS: Record<ProgramName, Program> = {
  etcd: { module: 'etcd', package: 'go.etcd.io/etcd/server/v3' },
  'kube-apiserver': {
    module: 'kubernetes',
    package: 'k8s.io/kubernetes/cmd/kube-apiserver',
  },
  'kube-controller-manager': {
    module: 'kubernetes',
    package: 'k8s.io/kubernetes/cmd/kube-controller-manager',
  },
  'kube-scheduler': {
    module: 'kubernetes',
    package: 'k8s.io/kubernetes/cmd/kube-scheduler',
  },
  kwok: { module: 'kwok', package: 'sigs.k8s.io/kwok/cmd/kwok' },
  istioctl: {
    module: 'istio',
    package: 'istio.io/istio/istioctl/cmd/istioctl',
  },
  'pilot-discovery': {
    module: 'istio',
    package: 'istio.io/istio/pilot/cmd/pilot-discovery',
  },
};

const API: ProgramName[] = ['etcd', 'kube-apiserver'];
const CLUSTER: ProgramName[] = [
  ...API,
  'kube-controller-manager',
  'kube-scheduler',
  'kwok',
];

export const NEEDS: Record<Need, ProgramName[]> = {
  api: API,
  cluster: CLUSTER,
  mesh: [...CLUSTER, 'istioctl', 'pilot-discovery'],
};

/** What `KUBEBUILDER_ASSETS` supplies by the ecosystem's convention. */
export const KUBEBUILDER_PROGRAMS: ReadonlySet<ProgramName> = new Set(API);

// This tool runs from its sources only, so the folder is always beside them.
// eslint-disable-next-line no-restricted-syntax
const MODULES_DIR = resolve(__dirname, '../modules');

export function moduleDir(module: ModuleName): string {
  return join(MODULES_DIR, module);
}

/** The version that a module folder pins for a Go module, for example `v1.36.3`. */
export function pinnedVersion(module: ModuleName, goModule: string): string {
  const text = readFileSync(join(moduleDir(module), 'go.mod'), 'utf8');
  const line = text
    .split('\n')
    .map(l => l.trim().replace(/^require\s+/, ''))
    .find(l => l.startsWith(`${goModule} v`));
  if (!line) {
    throw new Error(`${module}/go.mod does not require ${goModule}`);
  }
  return line.split(/\s+/)[1];
}

/** The version that istiod says it has; the tree it is built from carries none. */
export const ISTIO_VERSION = '1.31.0';

export function ldflags(module: ModuleName): string {
  const strip = '-s -w';
  if (module === 'kubernetes') {
    // Without these `/version` says v0.0.0-master.
    const version = pinnedVersion('kubernetes', 'k8s.io/kubernetes');
    const [major, minor] = version.slice(1).split('.');
    const variable = 'k8s.io/component-base/version';
    return `${strip} -X ${variable}.gitVersion=${version} -X ${variable}.gitMajor=${major} -X ${variable}.gitMinor=${minor}`;
  }
  if (module === 'istio') {
    const variable = 'istio.io/istio/pkg/version';
    return `${strip} -X ${variable}.buildVersion=${ISTIO_VERSION} -X ${variable}.buildTag=${ISTIO_VERSION}`;
  }
  return strip;
}

/** Changes whenever a build of the program would give another file. */
export function stampOf(program: ProgramName): string {
  const { module, package: goPackage } = PROGRAMS[program];
  const hash = createHash('sha256');
  for (const file of ['go.mod', 'go.sum']) {
    hash.update(readFileSync(join(moduleDir(module), file)));
  }
  hash.update([ldflags(module), goPackage].join('\n'));
  return hash.digest('hex').slice(0, 32);
}
