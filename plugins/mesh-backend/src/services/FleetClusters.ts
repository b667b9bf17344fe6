import { ClusterMesh } from '@mesh-for-backstage/mesh-analysis';
import type {
  ClusterDetail,
  ClusterList,
  ClusterSummary,
} from '@mesh-for-backstage/plugin-mesh-common';
import {
  ClusterStore,
  StoredCluster,
  StoredCoverage,
  summariseCluster,
  toKindCoverage,
} from '../store/ClusterStore';
import { FindingStore } from '../store/FindingStore';
import { ViewStore } from '../store/ViewStore';
import { Clusters } from './types';

/** Clusters as the API shows them: rows and coverage, with what analysis made of the mesh. */
export class FleetClusters implements Clusters {
  readonly #clusters: ClusterStore;
  readonly #views: ViewStore;
  readonly #findings: FindingStore;

  static create(options: {
    clusters: ClusterStore;
    views: ViewStore;
    findings: FindingStore;
  }): FleetClusters {
    return new FleetClusters(options);
  }

  private constructor(options: {
    clusters: ClusterStore;
    views: ViewStore;
    findings: FindingStore;
  }) {
    this.#clusters = options.clusters;
    this.#views = options.views;
    this.#findings = options.findings;
  }

  async list(): Promise<ClusterList> {
    const [clusters, coverage, meshes, findings] = await Promise.all([
      this.#clusters.list(),
      this.#clusters.coverage(),
      this.#views.meshes(),
      this.#findings.countByCluster(),
    ]);
    const byCluster = new Map<string, StoredCoverage[]>();
    for (const row of coverage) {
      const rows = byCluster.get(row.cluster);
      if (rows) rows.push(row);
      else byCluster.set(row.cluster, [row]);
    }
    return {
      items: clusters.map(cluster => ({
        ...summarise(
          cluster,
          byCluster.get(cluster.name) ?? [],
          meshes.get(cluster.name),
        ),
        findings: findings.get(cluster.name) ?? noFindings(),
      })),
    };
  }

  async get(name: string): Promise<ClusterDetail | undefined> {
    const cluster = await this.#clusters.get(name);
    if (!cluster) return undefined;
    const [coverage, meshes, findings] = await Promise.all([
      this.#clusters.coverage(name),
      this.#views.meshes([name]),
      this.#findings.countByCluster(name),
    ]);
    return {
      ...summarise(cluster, coverage, meshes.get(name)),
      findings: findings.get(name) ?? noFindings(),
      kinds: coverage.map(toKindCoverage),
    };
  }
}

function summarise(
  cluster: StoredCluster,
  coverage: StoredCoverage[],
  mesh: ClusterMesh | undefined,
): ClusterSummary {
  const summary = summariseCluster(cluster, coverage);
  if (!mesh) return summary;
  return {
    ...summary,
    mesh: {
      meshId: mesh.meshId,
      clusterId: mesh.clusterId,
      network: mesh.network,
      trustDomain: mesh.trustDomain,
      tags: mesh.tags.map(({ tag, revision }) => ({ tag, revision })),
    },
    versions: {
      ...summary.versions,
      istio: mesh.revisions.flatMap(({ revision, controlPlane }) =>
        controlPlane ? [{ revision, version: controlPlane.version }] : [],
      ),
    },
  };
}

function noFindings() {
  return { error: 0, warning: 0, info: 0 };
}
