import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';

import { InventoryCluster } from '../inventory/createInventory';
import { ManifestObject } from '../inventory/FleetObject';
import { kindIdOf, watchedKinds } from '../inventory/kinds';
import { manifestCoverage } from '../inventory/manifestCoverage';
import { ManifestProblem, parseManifests } from '../inventory/parseManifests';

function filesIn(path: string): string[] {
  if (!statSync(path).isDirectory()) {
    return [path];
  }
  return readdirSync(path, { withFileTypes: true })
    .filter(entry => !entry.name.startsWith('.'))
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap(entry => {
      const full = join(path, entry.name);
      if (entry.isDirectory()) {
        return filesIn(full);
      }
      return /\.(ya?ml|json)$/i.test(entry.name) ? [full] : [];
    });
}

/** A cluster as a folder of manifests, or one file, describes it. */
export function readFolder(
  name: string,
  path: string,
): {
  cluster: InventoryCluster;
  problems: ManifestProblem[];
  /** Kinds of objects that no topic looks at. */
  otherKinds: string[];
} {
  const objects: ManifestObject[] = [];
  const problems: ManifestProblem[] = [];
  for (const file of filesIn(path)) {
    const parsed = parseManifests(readFileSync(file, 'utf8'), file);
    // One by one: a spread of a hundred thousand arguments overflows the stack.
    parsed.objects.forEach(object => objects.push(object));
    parsed.problems.forEach(problem => problems.push(problem));
  }
  return {
    cluster: { name, objects, coverage: manifestCoverage(objects) },
    problems,
    otherKinds: [...new Set(objects.map(kindIdOf))]
      .filter(kind => !watchedKinds.some(({ id }) => id === kind))
      .sort(),
  };
}
