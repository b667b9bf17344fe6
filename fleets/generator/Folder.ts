import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Document, isMap, isScalar, isSeq, Scalar, visit } from 'yaml';

/** A manifest, in the order in which it shall be written. */
export interface Manifest {
  apiVersion: string;
  kind: string;
  metadata: {
    name: string;
    namespace?: string;
    [field: string]: unknown;
  };
  [field: string]: unknown;
}

/** One folder of YAML files, with a comment above every object that shows something. */
export class Folder {
  readonly #files = new Map<
    string,
    Array<{ manifest: Manifest; note?: string }>
  >();
  readonly #keys = new Set<string>();

  add(file: string, manifest: Manifest, note?: string) {
    const { namespace = '', name } = manifest.metadata;
    const key = `${manifest.apiVersion} ${manifest.kind} ${namespace}/${name}`;
    if (this.#keys.has(key)) {
      throw new Error(`Twice in one cluster: ${key}`);
    }
    this.#keys.add(key);
    const entries = this.#files.get(file) ?? [];
    entries.push({ manifest, note });
    this.#files.set(file, entries);
  }

  write(directory: string, heading: (file: string) => string) {
    rmSync(directory, { recursive: true, force: true });
    mkdirSync(directory, { recursive: true });
    for (const [file, entries] of this.#files) {
      const documents = entries.map(
        ({ manifest, note }) =>
          `${note ? comment(note) : ''}${toYaml(manifest)}`,
      );
      writeFileSync(
        join(directory, `${file}.yaml`),
        `${comment(heading(file))}---\n${documents.join('---\n')}`,
      );
    }
  }
}

function comment(text: string): string {
  return text
    .split('\n')
    .map(line => `# ${line}\n`)
    .join('');
}

const timestamp = /^\d{4}-\d{2}-\d{2}T/;
const inOneLine = 100;

/**
 * Block style, but for what reads better in one line: lists of plain values, and
 * small maps in lists (an environment variable, a port, a condition).
 */
function toYaml(manifest: Manifest): string {
  const document = new Document(JSON.parse(JSON.stringify(manifest)), {
    aliasDuplicateObjects: false,
  });
  visit(document, {
    Scalar(_, node) {
      // YAML 1.1 readers would make a date of it.
      if (typeof node.value === 'string' && timestamp.test(node.value)) {
        node.type = Scalar.QUOTE_SINGLE;
      }
    },
    Seq(_, node) {
      if (
        node.items.every(isScalar) &&
        JSON.stringify(node).length < 2 * inOneLine
      ) {
        node.flow = true;
      }
      for (const item of node.items) {
        if (isMap(item) && JSON.stringify(item).length < inOneLine) {
          item.flow = true;
        }
      }
    },
    Map(_, node) {
      for (const { key, value } of node.items) {
        const small =
          isScalar(key) &&
          ['limits', 'requests', 'state', 'matchLabels'].includes(
            String(key.value),
          );
        if (
          small &&
          (isMap(value) || isSeq(value)) &&
          JSON.stringify(value).length < inOneLine
        ) {
          value.flow = true;
        }
      }
    },
  });
  return document.toString({
    lineWidth: 0,
    flowCollectionPadding: true,
    singleQuote: true,
  });
}
