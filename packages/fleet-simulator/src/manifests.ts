import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join, relative } from 'node:path';
import { LineCounter, parseAllDocuments } from 'yaml';
import { isRecord, KubeObject } from './objects/KubeObject';

/**
 * What is wrong with a manifest. The rest of the folder is served all the same.
 *
 * @public
 */
export interface ManifestProblem {
  cluster: string;
  /** Path below the folder that was read. */
  file: string;
  /** Number of the YAML document in the file, counted from 1. */
  document: number;
  line: number;
  message: string;
}

export interface LoadedObject {
  object: KubeObject;
  file: string;
  document: number;
  line: number;
}

/** The sub-folders of a folder, one a cluster, by name. Folders without any manifest of a cluster (`catalog`) are left out. */
export function clusterFolders(
  dir: string,
): Array<{ name: string; dir: string }> {
  return readdirSync(dir, { withFileTypes: true })
    .filter(entry => entry.isDirectory() && !/^[._]/.test(entry.name))
    .map(entry => ({ name: entry.name, dir: join(dir, entry.name) }))
    .filter(({ name }) => name !== 'catalog')
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** Reads the manifests of one cluster: nested folders, several documents a file, `List`s. */
export function loadManifests(
  cluster: string,
  dir: string,
): { objects: LoadedObject[]; problems: ManifestProblem[] } {
  const objects: LoadedObject[] = [];
  const problems: ManifestProblem[] = [];
  for (const file of manifestFiles(dir)) {
    const read = parseManifests(readFileSync(file, 'utf8'));
    const name = relative(dir, file);
    for (const item of read.objects) objects.push({ ...item, file: name });
    for (const problem of read.problems) {
      problems.push({ cluster, file: name, ...problem });
    }
  }
  return { objects, problems };
}

function manifestFiles(dir: string): string[] {
  return readdirSync(dir)
    .filter(name => !name.startsWith('.'))
    .sort()
    .flatMap(name => {
      const path = join(dir, name);
      if (statSync(path).isDirectory()) return manifestFiles(path);
      return /\.(ya?ml|json)$/.test(name) ? [path] : [];
    });
}

/** Parses the text of one file. Every document that is not an object of Kubernetes becomes a problem. */
export function parseManifests(text: string): {
  objects: Array<Omit<LoadedObject, 'file'>>;
  problems: Array<Omit<ManifestProblem, 'cluster' | 'file'>>;
} {
  const objects: Array<Omit<LoadedObject, 'file'>> = [];
  const problems: Array<Omit<ManifestProblem, 'cluster' | 'file'>> = [];
  const lines = new LineCounter();
  const documents = parseAllDocuments(text, {
    lineCounter: lines,
    merge: true,
    uniqueKeys: true,
  });
  if (!Array.isArray(documents)) return { objects, problems };

  documents.forEach((parsed, index) => {
    const document = index + 1;
    const start = lines.linePos(
      parsed.contents?.range?.[0] ?? parsed.range?.[0] ?? 0,
    ).line;
    const error = parsed.errors[0];
    if (error) {
      problems.push({
        document,
        line: error.linePos?.[0].line ?? start,
        message: `not valid YAML: ${error.message.split('\n')[0]}`,
      });
      return;
    }
    let value: unknown;
    try {
      value = parsed.toJS({ maxAliasCount: 1000 });
    } catch (e) {
      problems.push({
        document,
        line: start,
        message: `not valid YAML: ${(e as Error).message}`,
      });
      return;
    }
    if (value === null || value === undefined) return;
    for (const item of flatten(value)) {
      const wrong = whatIsWrong(item);
      if (wrong) problems.push({ document, line: start, message: wrong });
      else objects.push({ object: item as KubeObject, document, line: start });
    }
  });
  return { objects, problems };
}

function flatten(value: unknown): unknown[] {
  if (
    isRecord(value) &&
    typeof value.kind === 'string' &&
    value.kind.endsWith('List') &&
    Array.isArray(value.items)
  ) {
    return value.items.flatMap(flatten);
  }
  return [value];
}

function whatIsWrong(value: unknown): string | undefined {
  if (!isRecord(value))
    return 'not an object of Kubernetes: expected a mapping';
  if (typeof value.apiVersion !== 'string' || !value.apiVersion) {
    return 'apiVersion is missing';
  }
  if (typeof value.kind !== 'string' || !value.kind) return 'kind is missing';
  if (!isRecord(value.metadata)) return 'metadata is missing';
  if (typeof value.metadata.name !== 'string' || !value.metadata.name) {
    return 'metadata.name is missing';
  }
  for (const field of ['labels', 'annotations']) {
    const map = value.metadata[field];
    if (map === undefined || map === null) continue;
    if (!isRecord(map)) return `metadata.${field} must be a mapping`;
    const key = Object.keys(map).find(k => typeof map[k] !== 'string');
    if (key) {
      return `metadata.${field}["${key}"] must be a string; quote the value`;
    }
  }
  return undefined;
}
