import {
  analyseNamespace,
  namespacePresence,
  NamespaceView,
} from '@mesh-for-backstage/mesh-analysis';
import { namespaceUnit, serviceUnit } from '../store/buckets';
import { FindingStore, FoundFinding, identify } from '../store/FindingStore';
import { InstanceBody, InstanceStore } from '../store/InstanceStore';
import { ReadStore } from '../store/ReadStore';
import { ViewStore } from '../store/ViewStore';
import { Batch } from './Batch';
import { Drawing } from './drawCluster';

export interface NamespaceStores {
  views: ViewStore;
  findings: FindingStore;
  instances: InstanceStore;
  reads: ReadStore;
}

/** What services of other clusters read of a namespace: that it is there, and whether its workloads could call them. */
export interface StoredPresence {
  readers: boolean;
}

/** Draws one namespace of one cluster. */
export async function drawNamespace(
  { cluster, namespace }: { cluster: string; namespace: string },
  batch: Batch,
  stores: NamespaceStores,
): Promise<Drawing> {
  const { views, findings, instances, reads } = stores;
  const scope = { cluster, namespace };
  const unit = namespaceUnit(cluster, namespace);
  const catalogKey = { topic: 'catalog', ...scope };
  const presenceKey = { topic: 'presence', ...scope };
  const before = await reads.get(unit);
  const inventory = await batch.inventory();
  const objects = await inventory.loadNamespace(cluster, namespace);
  await inventory.loadBuckets(before);
  const meshes = await batch.meshes();
  const mesh = meshes.find(one => one.cluster === cluster);
  const { exists, view } = await inventory.run(source => ({
    exists:
      objects > 0 ||
      source.get('Namespace', { cluster, name: namespace }) !== undefined,
    view: analyseNamespace(source, mesh, scope),
  }));

  const found = exists ? identify(unit, view.findings) : [];
  const bodies = exists ? instanceBodies(view, found) : [];
  const presence: StoredPresence = {
    readers: namespacePresence(view).readers === true,
  };

  return async (trx, effects) => {
    const { added } = await reads.replace(
      trx,
      unit,
      before,
      exists ? inventory.reads : new Set(),
    );
    if (added) effects.units.add(unit);
    const { changed } = await findings.replace(
      trx,
      new Map([[unit, found]]),
      batch.now,
    );
    if (changed) effects.topics.add('findings');

    const concerned = await instances.replace(trx, scope, bodies);
    for (const { namespace: of, name } of concerned) {
      effects.units.add(serviceUnit(of, name));
    }

    let appearedOrWent: boolean;
    if (exists) {
      await views.put(trx, catalogKey, catalogBody(view), batch.now);
      appearedOrWent = await views.put(
        trx,
        presenceKey,
        JSON.stringify(presence),
        batch.now,
      );
    } else {
      await views.delete(trx, catalogKey);
      appearedOrWent = await views.delete(trx, presenceKey);
    }
    if (appearedOrWent) {
      for (const { name } of await instances.names(trx, { namespace })) {
        effects.units.add(serviceUnit(namespace, name));
      }
    }
  };
}

/** Services have rows of their own, and so do findings. */
function catalogBody({
  services,
  findings: _findings,
  ...view
}: NamespaceView): string {
  return JSON.stringify({
    ...view,
    services: services.map(({ name }) => name),
  });
}

function instanceBodies(
  view: NamespaceView,
  found: readonly FoundFinding[],
): InstanceBody[] {
  const workloads = new Map(
    view.workloads.map(workload => [
      `${workload.kind}/${workload.name}`,
      workload,
    ]),
  );
  const byObject = new Map<string, Array<InstanceBody['findings'][number]>>();
  for (const { id, finding } of found) {
    const key = `${kindOf(finding.kind)}/${finding.name}`;
    const of = byObject.get(key);
    const one = { id, severity: finding.severity };
    if (of) of.push(one);
    else byObject.set(key, [one]);
  }
  return view.services.map(instance => ({
    instance,
    workloads: instance.workloads.flatMap(key => workloads.get(key) ?? []),
    namespaceLabels: view.labels,
    findings: [`Service/${instance.name}`, ...instance.workloads].flatMap(
      key => byObject.get(key) ?? [],
    ),
  }));
}

/** `Deployment.apps` and `Deployment` are the same kind of workload. */
function kindOf(kindId: string): string {
  return kindId.split('.')[0];
}
