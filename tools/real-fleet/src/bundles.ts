import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseAllDocuments } from 'yaml';
import { KubeObject } from './ApiClient';
import { manifestFiles } from './controllers';
import { moduleFolder } from './modules';
import { pinnedVersion } from './programs';

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
