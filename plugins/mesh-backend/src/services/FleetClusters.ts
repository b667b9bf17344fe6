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

/** How long a summary is served from memory beside services. Lists and details are always read. */
const SUMMARY_MILLISECONDS = 1_000;

class UnknownCluster extends Error {}

/** Clusters as the API shows them: rows and coverage, with what analysis made of the mesh. */
export class FleetClusters implements Clusters {
  readonly #clusters: ClusterStore;
  readonly #views: ViewStore;
  readonly #findings: FindingStore;
  #recent: { until: number; summaries: Map<string, Promise<ClusterSummary>> } =
    { until: 0, summaries: new Map() };

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

  /**
   * Summaries of some clusters, without their findings, to stand beside a service;
   * names that are not known are left out.
   */
  async summaries(names: readonly string[]): Promise<ClusterSummary[]> {
    if (Date.now() >= this.#recent.until) {
      this.#recent = {
        until: Date.now() + SUMMARY_MILLISECONDS,
        summaries: new Map(),
      };
    }
    const { summaries } = this.#recent;
    const settled = await Promise.allSettled(
      names.map(name => {
        const known = summaries.get(name) ?? this.#summary(name);
        summaries.set(name, known);
        return known;
      }),
    );
    return settled.flatMap(result => {
      if (result.status === 'fulfilled') return result.value;
      if (result.reason instanceof UnknownCluster) return [];
      throw result.reason;
    });
  }

  async #summary(name: string): Promise<ClusterSummary> {
    const cluster = await this.#clusters.get(name);
    if (!cluster) throw new UnknownCluster(name);
    const [coverage, meshes] = await Promise.all([
      this.#clusters.coverage(name),
      this.#views.meshes([name]),
    ]);
    return summarise(cluster, coverage, meshes.get(name));
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
