import { gapIn } from '../inventory/coverage';
import { isUnknown } from '../inventory/Fact';
import {
  annotationsOf,
  labelsOf,
  stringsOf,
  textOf,
} from '../inventory/fields';
import { FleetObject } from '../inventory/FleetObject';
import { Inventory } from '../inventory/Inventory';
import { DeclaredLink, IstioRevision } from './mesh';

const prefix = 'istio-remote-secret-';

/**
 * Cluster ids that a remote secret gives access to. Each key of its data is one. The
 * data itself is never read: the backend sees nothing but metadata, and a manifest's
 * is cut down to the names of its keys (`dataKeys`) when it is parsed.
 */
function targetsOf(secret: FleetObject): string[] {
  const keys = stringsOf(secret.dataKeys);
  if (keys.length > 0) {
    return keys;
  }
  const annotated = textOf(
    annotationsOf(secret)['networking.istio.io/cluster'],
  );
  if (annotated) {
    return [annotated];
  }
  return secret.metadata.name.startsWith(prefix)
    ? [secret.metadata.name.slice(prefix.length)]
    : [];
}

/** Which other clusters the control planes of this one read, as far as it can be known. */
export function readRemoteSecrets(
  inventory: Inventory,
  cluster: string,
  revisions: readonly IstioRevision[],
  /** True where no other mesh was found either, so that the cluster may be part of any. */
  isBare: boolean,
): { links: DeclaredLink[]; unknown?: string } {
  const controlPlanes = revisions.filter(one => one.controlPlane);
  const namespaces = [...new Set(controlPlanes.map(one => one.namespace))];
  const links: DeclaredLink[] = [];
  for (const namespace of namespaces) {
    const readers = controlPlanes
      .filter(one => one.namespace === namespace)
      .map(one => one.revision);
    for (const secret of inventory.list('Secret', { cluster, namespace })) {
      if (labelsOf(secret)['istio/multiCluster'] !== 'true') {
        continue;
      }
      for (const target of targetsOf(secret)) {
        links.push({
          mechanism: 'istio',
          target,
          state: 'active',
          by: { kind: 'Secret', namespace, name: secret.metadata.name },
          revisions: readers,
        });
      }
    }
  }
  const gap = gapIn(inventory, 'Secret', cluster);
  if (gap && isUnknown(gap) && controlPlanes.length > 0) {
    return {
      links,
      unknown: `which clusters the control plane reads stands in remote secrets, and these are not read here (${gap.unknown})`,
    };
  }
  const { state, pending } = inventory.coverage(
    'MutatingWebhookConfiguration.admissionregistration.k8s.io',
    cluster,
  );
  // What is still being read is no mesh that nothing is known of: services that are
  // taken for one now would be two again in a moment, under other names.
  if (isBare && revisions.length === 0 && state === 'unreachable' && !pending) {
    return {
      links,
      unknown:
        'nothing is known of a control plane, so neither is whether the clusters are linked',
    };
  }
  return controlPlanes.some(one => one.credentialsElsewhere)
    ? {
        links,
        unknown:
          'the control plane takes credentials for other clusters from elsewhere than Secrets',
      }
    : { links };
}
