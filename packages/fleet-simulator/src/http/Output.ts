import { StoredObject } from '../store/StoredObject';
import { joinApiVersion } from '../objects/KubeObject';
import { Kind } from '../kinds/Kind';
import { tableOf, tableRow, tableColumns, IncludeObject } from './table';

/** In which form a client wants objects: as they are, as metadata only, or as a table for people. */
export type Form = 'object' | 'metadata' | 'table';

/** Turns stored objects into the JSON of answers, in the form that the client accepts. */
export class Output {
  readonly form: Form;
  readonly #kind: Kind;
  readonly #apiVersion: string;
  readonly #includeObject: IncludeObject;

  static create(
    kind: Kind,
    accept: string | undefined,
    includeObject: string | null,
  ): Output {
    return new Output(kind, formOf(accept), includeObject);
  }

  private constructor(kind: Kind, form: Form, includeObject: string | null) {
    this.#kind = kind;
    this.form = form;
    this.#apiVersion = joinApiVersion(kind.group, kind.version);
    this.#includeObject =
      includeObject === 'None' || includeObject === 'Object'
        ? includeObject
        : 'Metadata';
  }

  /** Under which the text of a change is kept for other watchers. */
  get id(): string {
    return this.form === 'table'
      ? `${this.#apiVersion}/table/${this.#includeObject}`
      : `${this.#apiVersion}/${this.form}`;
  }

  get contentType(): string {
    return 'application/json';
  }

  object(stored: StoredObject): string {
    if (this.form === 'metadata') return partialMetadata(stored);
    if (this.form === 'table') {
      return tableOf(
        this.#kind,
        [tableRow(this.#kind, stored, this.#includeObject)],
        `{"resourceVersion":"${stored.version}"}`,
      );
    }
    return stored.json(this.#apiVersion, this.#kind.kind);
  }

  list(
    items: readonly StoredObject[],
    metadata: Record<string, unknown>,
  ): string {
    const meta = JSON.stringify(metadata);
    if (this.form === 'metadata') {
      return `{"kind":"PartialObjectMetadataList","apiVersion":"meta.k8s.io/v1","metadata":${meta},"items":[${items
        .map(partialMetadata)
        .join(',')}]}\n`;
    }
    if (this.form === 'table') {
      return tableOf(
        this.#kind,
        items.map(item => tableRow(this.#kind, item, this.#includeObject)),
        meta,
      );
    }
    // Items of built-in lists carry neither kind nor version, those of custom resources do.
    const text =
      this.#kind.origin === 'builtin'
        ? (item: StoredObject) => item.bareJson()
        : (item: StoredObject) => item.json(this.#apiVersion, this.#kind.kind);
    return `{"kind":"${this.#kind.kind}List","apiVersion":"${
      this.#apiVersion
    }","metadata":${meta},"items":[${items.map(text).join(',')}]}\n`;
  }

  bookmark(version: number, isEndOfInitialEvents: boolean): string {
    const metadata = {
      resourceVersion: String(version),
      ...(isEndOfInitialEvents && {
        annotations: { 'k8s.io/initial-events-end': 'true' },
      }),
    };
    const object =
      this.form === 'table'
        ? {
            kind: 'Table',
            apiVersion: 'meta.k8s.io/v1',
            metadata: { resourceVersion: String(version) },
            columnDefinitions: tableColumns(this.#kind),
            rows: [],
          }
        : {
            kind:
              this.form === 'metadata'
                ? 'PartialObjectMetadata'
                : this.#kind.kind,
            apiVersion:
              this.form === 'metadata' ? 'meta.k8s.io/v1' : this.#apiVersion,
            metadata,
          };
    return `{"type":"BOOKMARK","object":${JSON.stringify(object)}}\n`;
  }
}

function partialMetadata(stored: StoredObject): string {
  return `{"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/v1","metadata":${stored.metadataJson()}}`;
}

function formOf(accept: string | undefined): Form {
  for (const choice of (accept ?? '').split(',')) {
    if (/;\s*as=Table\b/.test(choice)) return 'table';
    if (/;\s*as=PartialObjectMetadata(List)?\b/.test(choice)) return 'metadata';
    if (/application\/json\s*($|;)/.test(choice)) return 'object';
  }
  return 'object';
}
