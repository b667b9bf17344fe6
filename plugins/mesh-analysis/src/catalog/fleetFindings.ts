import { isUnknown } from '../inventory/Fact';
import { createFinding } from '../rules/createFinding';
import { Finding } from '../rules/Finding';
import { ClusterLinks, hasControlPlane } from './clusterLinks';
import { ClusterMesh } from './mesh';

/**
 * What is wrong between clusters, whatever runs in them. With `only`, what concerns
 * that cluster and would be reported with it: each finding is reported with the
 * first of its clusters.
 *
 * @public
 */
export function fleetFindings(
  meshes: readonly ClusterMesh[],
  only?: string,
): Finding[] {
  const findings = [
    ...collisions(meshes),
    ...asymmetries(meshes),
    ...differingMeshIds(meshes),
  ];
  return only === undefined
    ? findings
    : findings.filter(one => one.clusters[0] === only);
}

function configEvidence({ cluster, revisions }: ClusterMesh, value: string) {
  const [revision] = revisions;
  return {
    cluster,
    kind: revision?.controlPlane ? 'Deployment.apps' : 'ConfigMap',
    namespace: revision?.namespace ?? 'istio-system',
    name: revision?.controlPlane?.name ?? 'istio-sidecar-injector',
    field: revision?.controlPlane
      ? 'spec.template.spec.containers[discovery].env[CLUSTER_ID]'
      : 'data.values: global',
    value,
  };
}

/** True where two clusters are certainly of one mesh. */
function sameMesh(a: ClusterMesh, b: ClusterMesh, links: ClusterLinks) {
  return (
    (!isUnknown(a.meshId) && a.meshId === b.meshId) ||
    [a, b].some(
      (one, index) =>
        links.between('istio', one.cluster, [b, a][index].cluster)?.state ===
        'active',
    )
  );
}

function collisions(meshes: readonly ClusterMesh[]): Finding[] {
  const links = ClusterLinks.of(meshes);
  const byId = new Map<string, ClusterMesh[]>();
  for (const mesh of meshes) {
    if (!isUnknown(mesh.clusterId)) {
      byId.set(mesh.clusterId, [...(byId.get(mesh.clusterId) ?? []), mesh]);
    }
  }
  return [...byId].flatMap(([id, same]) => {
    const colliding = same.filter(one =>
      same.some(
        other =>
          other !== one &&
          (sameMesh(one, other, links) || isReadByOne(one, other, id, meshes)),
      ),
    );
    if (colliding.length < 2) {
      return [];
    }
    const clusters = colliding.map(one => one.cluster);
    return [
      createFinding('ClusterIdCollision', {
        kind: 'Cluster',
        clusters,
        name: id,
        message: `${clusters.join(
          ' and ',
        )} both call themselves "${id}" in the mesh. Control planes take one for the other: endpoints of one of them are missing or go astray.`,
        fix: 'Give each cluster an id of its own: global.multiCluster.clusterName, for control plane and gateways alike.',
        evidence: colliding.map(one => configEvidence(one, id)),
      }),
    ];
  });
}

/** True where a third cluster reads their common id. */
function isReadByOne(
  a: ClusterMesh,
  b: ClusterMesh,
  id: string,
  meshes: readonly ClusterMesh[],
): boolean {
  return meshes.some(
    mesh =>
      mesh !== a &&
      mesh !== b &&
      mesh.declaredLinks.some(
        link => link.mechanism === 'istio' && link.target === id,
      ),
  );
}

function asymmetries(meshes: readonly ClusterMesh[]): Finding[] {
  const links = ClusterLinks.of(meshes);
  const declared = new Map(
    meshes.map(mesh => [mesh, istioTargetsOf(mesh)] as const),
  );
  return meshes.filter(hasControlPlane).flatMap(reader =>
    reader.declaredLinks
      .filter(link => link.mechanism === 'istio')
      .flatMap(link => {
        const targets = links.withId(link.target);
        return targets
          .filter(
            target =>
              target !== reader &&
              hasControlPlane(target) &&
              target.linksUnknown.istio === undefined &&
              !isUnknown(reader.clusterId) &&
              !declared.get(target)!.has(reader.clusterId),
          )
          .map(target =>
            createFinding('AsymmetricDiscovery', {
              kind: 'Secret',
              clusters: [reader.cluster, target.cluster],
              ...(link.by.namespace && { namespace: link.by.namespace }),
              name: link.by.name,
              message: `The control plane of ${reader.cluster} reads ${target.cluster}, and that of ${target.cluster} does not read ${reader.cluster}. Calls fail over in one direction only.`,
              fix: `istioctl create-remote-secret --name ${String(
                reader.clusterId,
              )} in ${reader.cluster}, and apply it in ${target.cluster}.`,
              evidence: [
                {
                  cluster: reader.cluster,
                  kind: link.by.kind,
                  ...(link.by.namespace && { namespace: link.by.namespace }),
                  name: link.by.name,
                },
                {
                  cluster: target.cluster,
                  kind: 'Secret',
                  namespace: target.revisions[0].namespace,
                  name: `istio-remote-secret-${String(reader.clusterId)}`,
                  value: 'absent',
                },
              ],
            }),
          );
      }),
  );
}

function istioTargetsOf({ declaredLinks }: ClusterMesh): Set<string> {
  return new Set(
    declaredLinks
      .filter(link => link.mechanism === 'istio')
      .map(link => link.target),
  );
}

function differingMeshIds(meshes: readonly ClusterMesh[]): Finding[] {
  const links = ClusterLinks.of(meshes);
  return meshes.flatMap(reader =>
    reader.declaredLinks
      .filter(link => link.mechanism === 'istio')
      .flatMap(link =>
        links
          .withId(link.target)
          .filter(
            target =>
              target !== reader &&
              !isUnknown(reader.meshId) &&
              !isUnknown(target.meshId) &&
              target.meshId !== reader.meshId,
          )
          .map(target =>
            createFinding('MeshIdDiffers', {
              kind: 'Secret',
              clusters: [reader.cluster, target.cluster],
              ...(link.by.namespace && { namespace: link.by.namespace }),
              name: link.by.name,
              message: `${reader.cluster} reads ${
                target.cluster
              }, and their mesh ids differ (${String(
                reader.meshId,
              )} and ${String(
                target.meshId,
              )}). They count as two meshes here: their services are kept apart.`,
              fix: 'Set the same global.meshID in both, or remove the remote secret.',
              evidence: [
                configEvidence(reader, String(reader.meshId)),
                configEvidence(target, String(target.meshId)),
              ],
            }),
          ),
      ),
  );
}
