import { KubeMetadata, KubeObject } from '../objects/KubeObject';

/**
 * One version of one object. It is kept as text: a fleet of hundreds of thousands
 * of objects then costs little more than its JSON, and answers are put together
 * from slices instead of being serialised again.
 *
 * The text begins with `"metadata":{…}` and ends with the closing brace, without
 * `kind` and `apiVersion`, which differ by the version that is asked for.
 */
export class StoredObject {
  readonly namespace: string;
  readonly name: string;
  readonly version: number;
  readonly #text: string;
  readonly #metadataLength: number;

  static of(object: KubeObject, version: number): StoredObject {
    const { apiVersion, kind, metadata, ...rest } = object;
    const meta = JSON.stringify({
      ...metadata,
      resourceVersion: String(version),
    });
    const tail = JSON.stringify(rest);
    return new StoredObject(
      metadata.namespace ?? '',
      metadata.name,
      version,
      `"metadata":${meta}${tail === '{}' ? '}' : `,${tail.slice(1)}`}`,
      meta.length,
    );
  }

  private constructor(
    namespace: string,
    name: string,
    version: number,
    text: string,
    metadataLength: number,
  ) {
    this.namespace = namespace;
    this.name = name;
    this.version = version;
    this.#text = text;
    this.#metadataLength = metadataLength;
  }

  /** Namespace and name in the order in which the API server lists. */
  get key(): string {
    return this.namespace ? `${this.namespace}/${this.name}` : this.name;
  }

  /** The object as JSON, with the kind and version that the client asked for. */
  json(apiVersion: string, kind: string): string {
    return `{"kind":"${kind}","apiVersion":"${apiVersion}",${this.#text}`;
  }

  /** The object as an item of a list of a built-in kind, which carries neither kind nor version. */
  bareJson(): string {
    return `{${this.#text}`;
  }

  metadataJson(): string {
    return this.#text.slice(11, 11 + this.#metadataLength);
  }

  metadata(): KubeMetadata {
    return JSON.parse(this.metadataJson());
  }

  /** The same object under another version. */
  withVersion(version: number): StoredObject {
    const metadata = JSON.stringify({
      ...this.metadata(),
      resourceVersion: String(version),
    });
    return new StoredObject(
      this.namespace,
      this.name,
      version,
      `"metadata":${metadata}${this.#text.slice(11 + this.#metadataLength)}`,
      metadata.length,
    );
  }

  parse(apiVersion: string, kind: string): KubeObject {
    return JSON.parse(this.json(apiVersion, kind));
  }
}
