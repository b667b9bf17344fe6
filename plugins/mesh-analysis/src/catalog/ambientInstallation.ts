import { parse } from 'yaml';

import { factUnless, gapIn } from '../inventory/coverage';
import { mapOf, mapsOf, stringOf } from '../inventory/fields';
import { Inventory } from '../inventory/Inventory';
import { ClusterMesh, IstioRevision } from './mesh';
import { imageVersion } from './otherMeshes';

/** Whether the node agents of ambient run here, and which pods they take. */
export function readAmbient(
  inventory: Inventory,
  cluster: string,
  systemNamespaces: readonly string[],
  revisions: readonly IstioRevision[],
): ClusterMesh['ambient'] {
  const namespaces = [...new Set([...systemNamespaces, 'kube-system'])];
  const daemonSet = (name: string) =>
    namespaces
      .map(namespace =>
        inventory.get('DaemonSet.apps', { cluster, namespace, name }),
      )
      .find(found => found !== undefined);
  const ztunnel = daemonSet('ztunnel');
  const cni = daemonSet('istio-cni-node');
  const gap = gapIn(inventory, 'DaemonSet.apps', cluster);
  const config = mapOf(
    namespaces
      .map(namespace =>
        inventory.get('ConfigMap', {
          cluster,
          namespace,
          name: 'istio-cni-config',
        }),
      )
      .find(found => found !== undefined)?.data,
  );
  const selectors = parseList(config.AMBIENT_ENABLEMENT_SELECTOR);
  const excluded = parseList(config.EXCLUDE_NAMESPACES);

  return {
    installed: factUnless(
      gap,
      ztunnel !== undefined,
      () =>
        ztunnel !== undefined || revisions.some(one => one.ambient === true),
    ),
    cni: factUnless(gap, cni !== undefined, () => cni !== undefined),
    ...(cni && { cniVersion: imageVersion(cni, 'install-cni') }),
    ...(ztunnel && { ztunnelVersion: imageVersion(ztunnel, 'istio-proxy') }),
    ...(selectors && {
      enablementSelectors: mapsOf(selectors).map(
        ({ podSelector, namespaceSelector }) => ({
          ...(podSelector && { podSelector }),
          ...(namespaceSelector && { namespaceSelector }),
        }),
      ),
    }),
    excludedNamespaces: (excluded ?? ['kube-system']).filter(
      (item): item is string => typeof item === 'string',
    ),
  };
}

/** A list in YAML, or words separated by commas, as the chart writes them. */
function parseList(value: unknown): unknown[] | undefined {
  const text = stringOf(value);
  if (text === undefined || text.trim() === '') {
    return undefined;
  }
  try {
    const parsed = parse(text);
    return Array.isArray(parsed)
      ? parsed
      : text.split(',').map(item => item.trim());
  } catch {
    return undefined;
  }
}
