import {
  Fact,
  Finding,
  isUnknown,
  linkedClusters,
  mergeService,
  NamespacePresence,
  ServiceView,
  unknown,
} from '@mesh-for-backstage/mesh-analysis';
import type { ServiceRow } from '@mesh-for-backstage/plugin-mesh-common';
import { serviceUnit, Unit } from '../store/buckets';
import { FindingStore, FoundFinding, identify } from '../store/FindingStore';
import {
  InstanceBody,
  InstanceStore,
  ServiceName,
} from '../store/InstanceStore';
import {
  ServiceBody,
  serviceId,
  ServiceRecord,
  ServiceStore,
} from '../store/ServiceStore';
import { countSeverities, worstOf } from '../store/severity';
import { hashOf, ViewStore } from '../store/ViewStore';
import { Batch } from './Batch';
import { Drawing } from './drawCluster';
import { StoredPresence } from './drawNamespace';

export interface ServiceStores {
  views: ViewStore;
  findings: FindingStore;
  instances: InstanceStore;
  services: ServiceStore;
}

/** Who owns a service, and which entities name it. */
export interface Ownership {
  entities: string[];
  owner?: string;
  ownerBy?: string;
  /** That nobody owns it, where that is worth saying. */
  finding?: Finding;
}

/** Tells who owns a service, from the catalog and from labels. */
export interface Owners {
  /** Reads what is known by now; the answer judges services without asking anybody. */
  prepare(): Promise<JudgeOwner>;
}

export type JudgeOwner = (
  view: ServiceView,
  instances: readonly InstanceBody[],
) => Ownership;

/**
 * Draws logical services: the instances of one name in all clusters. Many at once,
 * since what they read is small and lies together.
 */
export async function drawServices(
  names: readonly ServiceName[],
  batch: Batch,
  stores: ServiceStores,
  { owners, ownerLabels }: { owners: Owners; ownerLabels: readonly string[] },
): Promise<Drawing> {
  const { views, findings, instances, services } = stores;
  const byService = new Map<string, InstanceBody[]>();
  for (const { service, body } of await instances.ofServices(names)) {
    const key = serviceUnit(service.namespace, service.name);
    const bodies = byService.get(key);
    if (bodies) bodies.push(body);
    else byService.set(key, [body]);
  }
  const presences = await readPresences(names, batch, views);
  const surroundings = {
    meshes: await batch.meshes(),
    known: await batch.known(),
    clusters: [...(await batch.clusters()).keys()],
  };

  const judgeOwner = await owners.prepare();

  const records: ServiceRecord[] = [];
  const found = new Map<Unit, FoundFinding[]>();
  for (const name of names) {
    const unit = serviceUnit(name.namespace, name.name);
    const bodies = byService.get(unit) ?? [];
    const ofUnit: FoundFinding[] = [];
    found.set(unit, ofUnit);
    if (bodies.length === 0) continue;
    const merged = mergeService({
      ...name,
      instances: bodies,
      meshes: surroundings.meshes,
      namespaces: relevantPresences(
        bodies,
        presences.get(name.namespace) ?? [],
      ),
      unknownClusters: unknownClusters(bodies, surroundings),
      ...(ownerLabels.length > 0 && { ownerLabels }),
    });
    for (const view of merged) {
      const members = bodiesOf(view, bodies);
      const { finding, ...ownership } = judgeOwner(view, members);
      const own = identify(
        unit,
        [...view.findings, ...(finding ? [finding] : [])],
        {
          id: serviceId(view),
          ...(ownership.owner && { owner: ownership.owner }),
        },
      );
      ofUnit.push(...own);
      records.push(toRecord(view, ownership, own, members));
    }
  }

  return async (trx, effects) => {
    const { written, gone } = await services.replace(
      trx,
      names,
      records,
      batch.now,
    );
    const { changed } = await findings.replace(trx, found, batch.now);
    await findings.assign(
      trx,
      written.map(({ body }) => ({
        id: serviceId(body),
        ...(body.owner && { owner: body.owner }),
        findingIds: body.findingIds,
      })),
      gone,
    );
    if (written.length + gone.length > 0) effects.topics.add('services');
    if (changed) effects.topics.add('findings');
  };
}

/** The instances that one of several services of a name consists of. */
function bodiesOf(
  view: ServiceView,
  bodies: readonly InstanceBody[],
): InstanceBody[] {
  const members = new Set(view.instances);
  return bodies.filter(({ instance }) => members.has(instance));
}

function toRecord(
  view: ServiceView,
  ownership: Ownership,
  own: readonly FoundFinding[],
  bodies: readonly InstanceBody[],
): ServiceRecord {
  const { findings: _findings, ...shown } = view;
  const all = new Map(
    [
      ...own.map(({ id, finding }) => ({ id, severity: finding.severity })),
      ...bodies.flatMap(body => body.findings),
    ].map(one => [one.id, one]),
  );
  const counts = countSeverities(all.values());
  const worst = worstOf(counts);
  const body: ServiceBody = {
    ...shown,
    // What only merging needs stays behind.
    instances: view.instances.map(({ reach: _reach, ...instance }) => instance),
    ...ownership,
    findingIds: [...all.keys()].sort(),
  };
  const row: ServiceRow = {
    scope: view.scope,
    namespace: view.namespace,
    name: view.name,
    ...(ownership.owner && { owner: ownership.owner }),
    entities: ownership.entities,
    clusters: [...new Set(view.instances.map(({ cluster }) => cluster))].sort(),
    dataplane: view.dataplane,
    endpoints: view.endpoints,
    revisions: revisionsOf(view),
    findings: counts,
    ...(worst && { worst }),
    partial: view.partial,
  };
  return { row, body, hash: hashOf(JSON.stringify([row, body])) };
}

function revisionsOf(view: ServiceView): string[] {
  const revisions = new Set<string>();
  for (const { actual } of view.workloads) {
    for (const { revision } of actual) {
      if (!isUnknown(revision)) revisions.add(revision);
    }
  }
  return [...revisions].sort();
}

async function readPresences(
  names: readonly ServiceName[],
  batch: Batch,
  views: ViewStore,
): Promise<Map<string, NamespacePresence[]>> {
  const namespaces = [...new Set(names.map(({ namespace }) => namespace))];
  const stored = await views.inNamespaces<StoredPresence>(
    'presence',
    namespaces,
  );
  const clusters = [...(await batch.clusters()).keys()];
  const known = await batch.known();
  const presences = new Map<string, NamespacePresence[]>();
  for (const namespace of namespaces) {
    const there = new Map(
      stored
        .filter(row => row.namespace === namespace)
        .map(row => [row.cluster, row.body]),
    );
    presences.set(
      namespace,
      clusters.map(cluster => {
        const presence = there.get(cluster);
        if (presence) {
          return { cluster, present: true, readers: presence.readers };
        }
        const present: Fact<boolean> = known.get(cluster)?.namespaces
          ? false
          : unknown('unreachable', `namespaces of ${cluster} are not known`);
        return { cluster, present };
      }),
    );
  }
  return presences;
}

/**
 * Of hundreds of clusters those that a finding can come from: where workloads could
 * call the service, and, for one that is exported, where its namespace is missing.
 */
function relevantPresences(
  bodies: readonly InstanceBody[],
  presences: readonly NamespacePresence[],
): NamespacePresence[] {
  const exported = bodies.some(
    ({ instance }) => instance.reach?.exported === true,
  );
  return presences.filter(
    ({ present, readers }) => readers || (exported && present === false),
  );
}

/** Clusters that are linked to one of the service's, and whose own services are not known. */
function unknownClusters(
  bodies: readonly InstanceBody[],
  {
    meshes,
    known,
    clusters,
  }: {
    meshes: Awaited<ReturnType<Batch['meshes']>>;
    known: Awaited<ReturnType<Batch['known']>>;
    clusters: readonly string[];
  },
): string[] {
  const unknowns = clusters.filter(name => !known.get(name)?.services);
  if (unknowns.length === 0) return [];
  const linked = bodies.map(({ instance }) =>
    linkedClusters(meshes, instance.cluster),
  );
  return unknowns.filter(name => linked.some(others => others.has(name)));
}
