import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

/** The checkout. */
export const ROOT = path.resolve(
  path.dirname(fileURLToPath(import.meta.url)),
  '../..',
);

/** The Yarn that the checkout brings along. */
export const YARN = path.join(ROOT, '.yarn/releases/yarn-4.13.0.cjs');

/** Loads TypeScript on the fly, as the Backstage CLI does. */
export const NODE_TRANSFORM = '@backstage/cli/config/nodeTransform.cjs';

/** What is fetched or built once for all checkouts. */
export function cacheDir() {
  const { MESH_CACHE, XDG_CACHE_HOME } = process.env;
  return (
    MESH_CACHE ||
    path.join(
      XDG_CACHE_HOME || path.join(os.homedir(), '.cache'),
      'mesh-for-backstage',
    )
  );
}

/** What a running portal writes: databases, logs, the fleet's kubeconfig. */
export function defaultStateDir() {
  return process.env.MESH_STATE_DIR || path.join(ROOT, 'state');
}
