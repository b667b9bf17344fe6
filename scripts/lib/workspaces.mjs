import fs from 'node:fs';
import path from 'node:path';
import { ROOT } from './paths.mjs';

const readJson = file =>
  JSON.parse(fs.readFileSync(path.join(ROOT, file), 'utf8'));

/** The packages of the checkout: name, folder relative to it, package.json. */
export function workspaces() {
  return readJson('package.json').workspaces.flatMap(pattern => {
    const folder = pattern.replace(/\/\*$/, '');
    const folders =
      folder === pattern
        ? [folder]
        : fs.readdirSync(path.join(ROOT, folder)).map(n => `${folder}/${n}`);
    return folders
      .filter(dir => fs.existsSync(path.join(ROOT, dir, 'package.json')))
      .sort()
      .map(dir => ({ dir, manifest: readJson(`${dir}/package.json`) }));
  });
}

/** The folders of a package and of all packages of ours that it builds on. */
export function foldersBehind(name) {
  const all = new Map(workspaces().map(w => [w.manifest.name, w]));
  const found = new Map();
  const visit = each => {
    const workspace = all.get(each);
    if (workspace && !found.has(each)) {
      found.set(each, workspace.dir);
      Object.keys(workspace.manifest.dependencies ?? {}).forEach(visit);
    }
  };
  visit(name);
  return [...found.values()].sort();
}
