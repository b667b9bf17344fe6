import { createHash } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { ROOT } from './paths.mjs';

const IGNORED = new Set(['node_modules', 'dist', 'dist-types', 'coverage']);

function* filesBelow(relative) {
  const absolute = path.join(ROOT, relative);
  const stat = fs.statSync(absolute, { throwIfNoEntry: false });
  if (stat?.isFile()) {
    yield relative;
  }
  if (stat?.isDirectory()) {
    for (const name of fs.readdirSync(absolute).sort()) {
      if (!IGNORED.has(name)) {
        yield* filesBelow(path.join(relative, name));
      }
    }
  }
}

/** One hash over the contents of files and folders, tests left out. */
export function hashOf(relativePaths, extra = '') {
  const hash = createHash('sha256').update(extra);
  for (const relative of relativePaths) {
    for (const file of filesBelow(relative)) {
      if (!/\.test\.[jt]sx?$/.test(file)) {
        hash
          .update(`\0${file}\0`)
          .update(fs.readFileSync(path.join(ROOT, file)));
      }
    }
  }
  return hash.digest('hex');
}

/** Does work only where its inputs are not those of the last time. */
export async function onlyWhenChanged(stampFile, hash, work) {
  const last = fs.existsSync(stampFile)
    ? fs.readFileSync(stampFile, 'utf8').trim()
    : '';
  if (last === hash) {
    return false;
  }
  fs.rmSync(stampFile, { force: true });
  await work();
  fs.mkdirSync(path.dirname(stampFile), { recursive: true });
  fs.writeFileSync(stampFile, `${hash}\n`);
  return true;
}
