import {
  analyseCluster,
  AnalysisOptions,
} from '@mesh-for-backstage/mesh-analysis';
import { Knex } from 'knex';
import { clusterUnit } from '../store/buckets';
import { FindingStore, identify } from '../store/FindingStore';
import { ReadStore } from '../store/ReadStore';
import { ViewStore } from '../store/ViewStore';
import { Batch, Effects, StoredKnown } from './Batch';
import { isKnown } from './RecordingInventory';

export interface ClusterStores {
  views: ViewStore;
  findings: FindingStore;
  reads: ReadStore;
}

/** What has been drawn and is to be written, in one transaction with others. */
export type Drawing = (trx: Knex, effects: Effects) => Promise<void>;

/** Draws what one cluster says of its mesh. */
export async function drawCluster(
  cluster: string,
  batch: Batch,
  { views, findings, reads }: ClusterStores,
): Promise<Drawing> {
  const unit = clusterUnit(cluster);
  const meshKey = { topic: 'mesh', cluster, namespace: '' };
  const knownKey = { topic: 'known', cluster, namespace: '' };
  const before = await reads.get(unit);
  const stored = (await batch.clusters()).get(cluster);

  if (!stored) {
    // No source names the cluster any more.
    return async (trx, effects) => {
      await reads.replace(trx, unit, before, new Set());
      const { changed } = await findings.replace(
        trx,
        new Map([[unit, []]]),
        batch.now,
      );
      const hadMesh = await views.delete(trx, meshKey);
      await views.delete(trx, knownKey);
      if (hadMesh) effects.meshes.set(cluster, undefined);
      if (changed) effects.topics.add('findings');
      effects.topics.add('clusters');
    };
  }

  const inventory = await batch.inventory();
  await inventory.loadBuckets(before);
  const options: AnalysisOptions = {
    ...(stored.systemNamespaces.length > 0 && {
      systemNamespaces: stored.systemNamespaces,
    }),
    ...(stored.clusterDomain && {
      clusterDomains: { [cluster]: stored.clusterDomain },
    }),
  };
  const { findings: found, ...mesh } = await inventory.run(source =>
    analyseCluster(source, cluster, options),
  );
  const knowledge = await batch.knowledge(cluster);
  const known: StoredKnown = {
    services: isKnown('Service', knowledge),
    namespaces: isKnown('Namespace', knowledge),
  };

  return async (trx, effects) => {
    const { added } = await reads.replace(trx, unit, before, inventory.reads);
    // A change may have come between reading and recording what was read.
    if (added) effects.units.add(unit);
    const { changed } = await findings.replace(
      trx,
      new Map([[unit, identify(unit, found)]]),
      batch.now,
    );
    if (changed) effects.topics.add('findings');
    // Findings have a table of their own; the view is what others read.
    const drawn = { ...mesh, findings: [] };
    const body = JSON.stringify(drawn);
    if (await views.put(trx, meshKey, body, batch.now)) {
      effects.meshes.set(cluster, drawn);
      effects.topics.add('clusters');
    }
    if (await views.put(trx, knownKey, JSON.stringify(known), batch.now)) {
      effects.known.add(cluster);
    }
  };
}
