import { setTimeout as sleep } from 'node:timers/promises';
import { ApiClient, ApiError, KubeObject } from '../ApiClient';
import { inParallel } from '../parallel';
import { inWaves, titleOf } from './order';
import { Treatment } from './treat';

/** What a folder became on a real control plane. Nothing is lost without a word. */
export interface ApplyReport {
  cluster: string;
  applied: number;
  /** Applied, but not quite as written. */
  changed: ObjectNote[];
  /** Left to a controller that runs here. */
  left: ObjectNote[];
  /** Refused by the server, with its words. */
  refused: ObjectNote[];
}

/** @public */
export interface ObjectNote {
  /** `Kind.group namespace/name`. */
  object: string;
  file?: string;
  why: string;
}

export interface FolderObject {
  object: KubeObject;
  file?: string;
}

interface Planned extends FolderObject {
  source: KubeObject;
  status?: unknown;
}

const PARALLEL = 8;

/**
 * Applies the objects of one cluster in an order in which each finds what it
 * needs, statuses after their objects, owners before what they own.
 */
export async function applyFolder(options: {
  cluster: string;
  client: ApiClient;
  objects: FolderObject[];
  treat: (object: KubeObject) => Treatment;
}): Promise<ApplyReport> {
  const { cluster, client } = options;
  const report: ApplyReport = {
    cluster,
    applied: 0,
    changed: [],
    left: [],
    refused: [],
  };
  const planned: Planned[] = [];
  for (const { object: source, file } of options.objects) {
    const note = (why: string) => ({ object: titleOf(source), file, why });
    const treatment = options.treat(source);
    if (treatment.action === 'leave') {
      report.left.push(note(treatment.why));
      continue;
    }
    if (treatment.changed) {
      report.changed.push(note(treatment.changed));
    }
    planned.push({
      source,
      file,
      object: treatment.object,
      status: treatment.status,
    });
  }

  const uids = new Map<string, string>();
  for (const wave of inWaves(planned)) {
    const owned = (item: Planned) => ownersOf(item.source).length > 0;
    // Within a wave an owner may come with what it owns, a ServiceImport for example.
    for (const items of [
      wave.filter(item => !owned(item)),
      wave.filter(owned),
    ]) {
      await inParallel(PARALLEL, items, async item => {
        try {
          const written = await patiently(() =>
            client.apply(withOwners(item, uids)),
          );
          uids.set(keyOf(item.object), String(written.metadata.uid));
          report.applied += 1;
          await applyStatus(client, item);
        } catch (error) {
          report.refused.push({
            object: titleOf(item.source),
            file: item.file,
            why:
              error instanceof ApiError
                ? error.message
                : (error as Error).message,
          });
        }
      });
    }
    if (wave[0].object.kind === 'CustomResourceDefinition') {
      await untilEstablished(
        client,
        wave.map(item => item.object),
      );
    }
  }
  return report;
}

/** Applies objects that must be accepted, such as the CRDs of a bundle. */
export async function applyAll(
  client: ApiClient,
  objects: KubeObject[],
): Promise<void> {
  for (const wave of inWaves(objects.map(object => ({ object })))) {
    await inParallel(PARALLEL, wave, async ({ object }) => {
      await client.apply(object);
    });
    if (wave[0].object.kind === 'CustomResourceDefinition') {
      await untilEstablished(
        client,
        wave.map(item => item.object),
      );
    }
  }
}

async function applyStatus(client: ApiClient, item: Planned): Promise<void> {
  if (item.status === undefined) {
    return;
  }
  const { apiVersion, kind, metadata } = item.object;
  const info = await client.resource(apiVersion, kind);
  if (!info?.hasStatus) {
    return;
  }
  await client.apply(
    {
      apiVersion,
      kind,
      metadata: { name: metadata.name, namespace: metadata.namespace },
      status: item.status,
    },
    { subresource: 'status' },
  );
}

interface OwnerReference {
  apiVersion: string;
  kind: string;
  name: string;
}

function ownersOf(object: KubeObject): OwnerReference[] {
  return (object.metadata.ownerReferences ?? []) as OwnerReference[];
}

/** The folder's ids of owners mean nothing here; an owner that is not here is left out, or the garbage collector would take the object. */
function withOwners(item: Planned, uids: Map<string, string>): KubeObject {
  const owners = ownersOf(item.source).flatMap(owner => {
    const { namespace } = item.object.metadata;
    const uid =
      uids.get(
        keyOf({ ...owner, metadata: { name: owner.name, namespace } }),
      ) ?? uids.get(keyOf({ ...owner, metadata: { name: owner.name } }));
    return uid ? [{ ...owner, uid }] : [];
  });
  return owners.length === 0
    ? item.object
    : {
        ...item.object,
        metadata: { ...item.object.metadata, ownerReferences: owners },
      };
}

function keyOf(object: {
  apiVersion: string;
  kind: string;
  metadata: { name: string; namespace?: string };
}): string {
  const { name, namespace = '' } = object.metadata;
  return `${object.apiVersion} ${object.kind} ${namespace}/${name}`;
}

/** A CRD is served a moment after it was accepted. */
async function untilEstablished(
  client: ApiClient,
  crds: KubeObject[],
): Promise<void> {
  const until = Date.now() + 60_000;
  let waiting = crds.map(crd => crd.metadata.name);
  while (waiting.length > 0 && Date.now() < until) {
    const served = new Set(
      (
        await client.list<any>(
          '/apis/apiextensions.k8s.io/v1/customresourcedefinitions',
        )
      )
        .filter(crd =>
          crd.status?.conditions?.some(
            (c: any) => c.type === 'Established' && c.status === 'True',
          ),
        )
        .map(crd => crd.metadata.name),
    );
    waiting = waiting.filter(name => !served.has(name));
    if (waiting.length > 0) {
      await sleep(200);
    }
  }
}

/** Some things come a moment later: the account of a new namespace, or a webhook's listener. */
async function patiently<T>(work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work();
    } catch (error) {
      const temporary =
        error instanceof ApiError &&
        /error looking up service account|failed calling webhook|try again/.test(
          error.message,
        );
      if (!temporary || attempt === 20) {
        throw error;
      }
      await sleep(500);
    }
  }
}
