import { isUnknown } from '../inventory/Fact';
import { selects } from '../inventory/selectors';
import { ClusterMesh } from './mesh';
import { Workload } from './types';
import { PodTemplate } from './injection';

const modeLabel = 'istio.io/dataplane-mode';

/** Whether labels ask for ambient. */
export function wantsAmbient(
  mesh: ClusterMesh | undefined,
  namespaceLabels: Readonly<Record<string, string>>,
  podLabels: Readonly<Record<string, string>>,
): boolean {
  const selectors = mesh?.ambient.enablementSelectors;
  if (selectors) {
    return selectors.some(
      ({ podSelector, namespaceSelector }) =>
        selects(podSelector, podLabels, 'everything') &&
        selects(namespaceSelector, namespaceLabels, 'everything'),
    );
  }
  return (
    podLabels[modeLabel] === 'ambient' ||
    (namespaceLabels[modeLabel] === 'ambient' &&
      podLabels[modeLabel] !== 'none')
  );
}

/** What keeps a pod out of ambient, whatever its labels ask for. */
function obstacle(
  mesh: ClusterMesh | undefined,
  namespace: string,
  pod: PodTemplate,
): 'blocked-by-sidecar' | 'blocked' | undefined {
  if (pod.annotations['sidecar.istio.io/status'] !== undefined) {
    return 'blocked-by-sidecar';
  }
  return pod.hostNetwork ||
    (mesh?.ambient.excludedNamespaces ?? ['kube-system']).includes(namespace)
    ? 'blocked'
    : undefined;
}

/** Where one pod stands between asking for ambient and being in it. */
export function ambientStateOf(
  mesh: ClusterMesh | undefined,
  namespace: { name: string; labels: Readonly<Record<string, string>> },
  pod: PodTemplate,
): Workload['ambient'] {
  const wanted = wantsAmbient(mesh, namespace.labels, pod.labels);
  const redirection = pod.annotations['ambient.istio.io/redirection'];
  if (!wanted) {
    return redirection === 'enabled' || redirection === 'pending'
      ? 'not-wanted-but-enrolled'
      : undefined;
  }
  const blocked = obstacle(mesh, namespace.name, pod);
  if (blocked) {
    return blocked;
  }
  if (redirection === 'enabled') {
    return 'enrolled';
  }
  return redirection === 'pending' ? 'pending' : 'wanted-not-enrolled';
}

/** The states in the order in which one of them speaks for a workload whose pods differ. */
const worstFirst = [
  'blocked-by-sidecar',
  'wanted-not-enrolled',
  'blocked',
  'pending',
  'not-wanted-but-enrolled',
  'enrolled',
] as const;

export function worstAmbientState(
  states: ReadonlyArray<Workload['ambient']>,
): Workload['ambient'] {
  return worstFirst.find(state => states.includes(state));
}

/** Whether ambient is certainly not installed, so that its labels do nothing. */
export function ambientAbsent(mesh: ClusterMesh | undefined): boolean {
  return (
    mesh !== undefined &&
    !isUnknown(mesh.ambient.installed) &&
    !mesh.ambient.installed
  );
}
