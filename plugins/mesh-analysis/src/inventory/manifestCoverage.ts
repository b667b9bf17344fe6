import { mapOf, mapsOf, stringOf, textOf } from './fields';
import { ManifestObject } from './FleetObject';
import { Coverage } from './Inventory';
import { KindId, kindIdOf, watchedKinds } from './kinds';

/**
 * What manifests are no evidence of. Pods and endpoints come about in the cluster,
 * secrets are kept out of repositories, and control planes are installed by other
 * means; that a folder holds none of these says nothing.
 */
const notInManifests: readonly KindId[] = [
  'Pod',
  'Node',
  'Secret',
  'ConfigMap',
  'EndpointSlice.discovery.k8s.io',
  'ReplicaSet.apps',
  'Job.batch',
  'Namespace',
  'MutatingWebhookConfiguration.admissionregistration.k8s.io',
];

/**
 * How completely a folder of manifests describes a cluster, kind by kind: kinds that
 * it holds are taken as all there is; custom kinds of which it holds neither objects
 * nor a definition are not served; and what never stands in manifests is not known.
 *
 * @public
 */
export function manifestCoverage(
  objects: readonly ManifestObject[],
): Record<KindId, Coverage> {
  const present = new Set<KindId>(objects.filter(isEvidence).map(kindIdOf));
  for (const object of objects) {
    if (object.kind === 'CustomResourceDefinition') {
      const kind = textOf(mapOf(object.spec?.names).kind);
      const group = textOf(object.spec?.group);
      if (kind && group) {
        present.add(`${kind}.${group}`);
      }
    }
  }
  const coverage: Record<KindId, Coverage> = {};
  for (const { id, group } of watchedKinds) {
    if (present.has(id)) {
      continue;
    }
    if (notInManifests.includes(id)) {
      coverage[id] = {
        state: 'unreachable',
        message: `the manifests hold no ${id}; a live cluster would tell`,
      };
    } else if (group.includes('.') && !isBuiltIn(group)) {
      coverage[id] = { state: 'absent-api' };
    }
  }
  return coverage;
}

/** Secrets and webhooks of other software say nothing of the mesh's. */
function isEvidence(object: ManifestObject): boolean {
  switch (object.kind) {
    case 'Secret':
      return mapOf(object.metadata?.labels)['istio/multiCluster'] === 'true';
    case 'MutatingWebhookConfiguration':
      return mapsOf(object.webhooks).some(webhook =>
        stringOf(webhook.name)?.endsWith('sidecar-injector.istio.io'),
      );
    default:
      return true;
  }
}

function isBuiltIn(group: string): boolean {
  return /^(discovery|networking|admissionregistration|apiextensions|certificates|storagemigration)\.k8s\.io$/.test(
    group,
  );
}
