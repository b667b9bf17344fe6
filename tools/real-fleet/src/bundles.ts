import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseAllDocuments } from 'yaml';
import { KubeObject } from './ApiClient';
import { moduleFolder } from './modules';
import { Need, pinnedVersion } from './programs';

/** @public */
export interface GatewayApiBundle {
  version: string;
  channel: 'standard' | 'experimental';
}

export const DEFAULT_GATEWAY_API: GatewayApiBundle = {
  version: 'v1.6.3',
  channel: 'standard',
};
export const DEFAULT_MCS_API = 'v0.5.2';

/** What plays the kubelet, folder by folder of kwok's own stages. */
const STAGES = [
  'node/fast/node-initialize.yaml',
  'node/heartbeat-with-lease/node-heartbeat-with-lease.yaml',
  'pod/fast/pod-ready.yaml',
  'pod/fast/pod-complete.yaml',
  'pod/fast/pod-delete.yaml',
];

/** The stages of kwok, as files. */
export async function kwokStages(): Promise<string[]> {
  const folder = await moduleFolder(
    'sigs.k8s.io/kwok',
    pinnedVersion('kwok', 'sigs.k8s.io/kwok'),
    'kustomize/stage',
  );
  return STAGES.map(stage => join(folder, stage));
}

/** CRDs and the upgrade policy of a Gateway API bundle, as upstream publishes them. */
export async function gatewayApiObjects(
  bundle: GatewayApiBundle,
): Promise<KubeObject[]> {
  const folder = await moduleFolder(
    'sigs.k8s.io/gateway-api',
    bundle.version,
    'config/crd',
  );
  return readObjects(await manifestFiles(join(folder, bundle.channel)));
}

export async function mcsApiObjects(version: string): Promise<KubeObject[]> {
  const folder = await moduleFolder(
    'sigs.k8s.io/mcs-api',
    version,
    'config/crd',
  );
  return readObjects(await manifestFiles(folder));
}

export async function istioCrds(): Promise<KubeObject[]> {
  const folder = await moduleFolder(
    'istio.io/istio',
    pinnedVersion('istio', 'istio.io/istio'),
    'manifests/charts/base/files',
  );
  return readObjects([join(folder, 'crd-all.gen.yaml')]);
}

/** Fetches what a fleet of that extent reads at its start, so that it needs no network then. */
export async function fetchBundles(need: Need): Promise<void> {
  if (need !== 'api') {
    await kwokStages();
  }
  if (need === 'mesh') {
    await gatewayApiObjects(DEFAULT_GATEWAY_API);
    await mcsApiObjects(DEFAULT_MCS_API);
    await istioCrds();
  }
}

async function readObjects(files: string[]): Promise<KubeObject[]> {
  const objects: KubeObject[] = [];
  for (const file of files) {
    for (const document of parseAllDocuments(await readFile(file, 'utf8'))) {
      const object = document.toJS({ maxAliasCount: -1 }) as KubeObject | null;
      if (object?.kind) {
        objects.push(object);
      }
    }
  }
  return objects;
}

/** The files of a folder of CRDs, in a fixed order. */
async function manifestFiles(folder: string): Promise<string[]> {
  const names = await readdir(folder);
  return names
    .filter(name => /\.ya?ml$/.test(name) && name !== 'kustomization.yaml')
    .sort()
    .map(name => join(folder, name));
}
