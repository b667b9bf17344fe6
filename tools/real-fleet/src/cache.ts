import { homedir } from 'node:os';
import { join } from 'node:path';

/**
 * The folder of everything that is fetched or built once, outside the checkout.
 *
 * @public
 */
export function cacheDir(env: NodeJS.ProcessEnv = process.env): string {
  if (env.MESH_CACHE) {
    return env.MESH_CACHE;
  }
  const base = env.XDG_CACHE_HOME || join(homedir(), '.cache');
  return join(base, 'mesh-for-backstage');
}

/** The folder of binaries within the cache. */
export function binDir(env: NodeJS.ProcessEnv = process.env): string {
  return join(cacheDir(env), 'bin');
}
