import { LineCounter, parseAllDocuments } from 'yaml';

import { listOf, mapOf, stringOf, textOf } from './fields';
import { ManifestObject } from './FleetObject';

/** Something in a manifest that could not be read. @public */
export interface ManifestProblem {
  /** The file, or whatever the text came from. */
  source: string;
  /** Which document of it, from 1. */
  document: number;
  line: number;
  problem: string;
}

/**
 * Reads manifests: several documents, and lists, are one object after another. A
 * document that cannot be read becomes a problem, and the others go on.
 *
 * Of a Secret nothing is kept but the names of its keys.
 *
 * @public
 */
export function parseManifests(
  text: string,
  source: string,
): { objects: ManifestObject[]; problems: ManifestProblem[] } {
  const objects: ManifestObject[] = [];
  const problems: ManifestProblem[] = [];
  const lines = new LineCounter();
  const documents = parseAllDocuments(text, {
    lineCounter: lines,
    strict: true,
    uniqueKeys: true,
  });
  for (const [index, document] of [...documents].entries()) {
    const at = (offset: number | undefined) => ({
      source,
      document: index + 1,
      line: lines.linePos(offset ?? 0).line,
    });
    const start = document.contents?.range?.[0] ?? document.range?.[0];
    if (document.errors.length > 0) {
      const [error] = document.errors;
      problems.push({
        ...at(error.pos[0]),
        problem: error.message.split('\n')[0].replace(/ at line \d+.*$/, ''),
      });
      continue;
    }
    let value: unknown;
    try {
      // Anchors are rare in manifests; a bomb made of them is not worth its memory.
      value = document.toJS({ maxAliasCount: 100 });
    } catch (error) {
      problems.push({
        ...at(start),
        problem: String((error as Error).message),
      });
      continue;
    }
    if (value !== null && value !== undefined) {
      take(value, problem => problems.push({ ...at(start), problem }));
    }
  }
  return { objects, problems };

  function take(value: unknown, report: (problem: string) => void): void {
    const object = mapOf(value);
    const kind = textOf(object.kind);
    const apiVersion = textOf(object.apiVersion);
    if (!kind || !apiVersion) {
      report(
        typeof value === 'object' && !Array.isArray(value)
          ? `${kind ? 'apiVersion' : 'kind'} is missing`
          : 'not a Kubernetes object: a map with apiVersion and kind is expected',
      );
      return;
    }
    if (Array.isArray(object.items) && kind.endsWith('List')) {
      // The items of a typed list (`PodList`) need not repeat what they are.
      const itemKind = kind === 'List' ? undefined : kind.slice(0, -4);
      listOf(object.items).forEach((item, index) =>
        take(
          itemKind && typeof item === 'object' && item !== null
            ? { apiVersion, kind: itemKind, ...item }
            : item,
          problem => report(`items[${index}]: ${problem}`),
        ),
      );
      return;
    }
    const metadata = mapOf(object.metadata);
    if (!textOf(metadata.name)) {
      report(
        stringOf(metadata.generateName) === undefined
          ? `metadata.name of a ${kind} is missing`
          : `a ${kind} with generateName has no name until it is created`,
      );
      return;
    }
    if (
      metadata.namespace !== undefined &&
      metadata.namespace !== null &&
      typeof metadata.namespace !== 'string'
    ) {
      report(
        `metadata.namespace of ${kind} ${metadata.name} has to be a string`,
      );
      return;
    }
    objects.push(
      kind === 'Secret' && apiVersion === 'v1'
        ? withoutSecretData(object)
        : (object as ManifestObject),
    );
  }
}

function withoutSecretData(secret: Record<string, any>): ManifestObject {
  const { apiVersion, kind, metadata, type, data, stringData } = secret;
  const annotations = { ...mapOf(metadata.annotations) };
  // The whole object stands in there once more.
  delete annotations['kubectl.kubernetes.io/last-applied-configuration'];
  return {
    apiVersion,
    kind,
    metadata: { ...metadata, annotations },
    type,
    dataKeys: [
      ...new Set([
        ...Object.keys(mapOf(data)),
        ...Object.keys(mapOf(stringData)),
      ]),
    ],
  };
}
