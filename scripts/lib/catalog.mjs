import fs from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { readAsGuest } from './guest.mjs';
import { ROOT } from './paths.mjs';
import { say } from './progress.mjs';

const FILLED_MS = 120_000;

/** How many entities of each kind the fleet's catalog files hold. */
function entitiesIn(folder) {
  const { parseAllDocuments } = createRequire(
    path.join(ROOT, 'e2e/package.json'),
  )('yaml');
  const counts = new Map();
  for (const name of fs.readdirSync(folder)) {
    const text = fs.readFileSync(path.join(folder, name), 'utf8');
    for (const document of parseAllDocuments(text)) {
      const kind = document.toJS()?.kind;
      if (kind) {
        counts.set(kind, (counts.get(kind) ?? 0) + 1);
      }
    }
  }
  return counts;
}

/**
 * Waits until the catalog has read the fleet's files. The backend is ready
 * before that, but nobody whose user is not there yet can sign in.
 */
export async function untilCatalogFilled(portal, fleetDir) {
  const wanted = entitiesIn(path.join(fleetDir, 'catalog'));
  const deadline = Date.now() + FILLED_MS;
  while (Date.now() < deadline) {
    const answer = await readAsGuest(
      portal,
      '/api/catalog/entity-facets?facet=kind',
    ).catch(() => undefined);
    const found = new Map(
      answer?.facets.kind.map(({ value, count }) => [value, count]),
    );
    if ([...wanted].every(([kind, count]) => found.get(kind) >= count)) {
      return;
    }
    await sleep(300);
  }
  say(
    `  The catalog has not read ${fleetDir}/catalog in ${
      FILLED_MS / 1000
    } s; signing in may not work yet`,
  );
}
