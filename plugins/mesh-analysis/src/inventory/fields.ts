import { FleetObject } from './FleetObject';

/*
 * Manifests are what people write: any field may be absent or of another type than
 * the schema says. Everything that reads a field goes through these, so that a
 * mangled object costs its own verdict and nothing else.
 */

const emptyRecord: Readonly<Record<string, any>> = Object.freeze({});

/** The value where it is a map, else an empty one. */
export function mapOf(value: unknown): Readonly<Record<string, any>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Record<string, any>)
    : emptyRecord;
}

/** The value where it is a list, else an empty one. */
export function listOf(value: unknown): readonly any[] {
  return Array.isArray(value) ? value : [];
}

/** The maps among the items of a list. */
export function mapsOf(value: unknown): ReadonlyArray<Record<string, any>> {
  return listOf(value).filter(
    item => typeof item === 'object' && item !== null && !Array.isArray(item),
  );
}

export function stringOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

/** A string that is not empty. */
export function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

export function stringsOf(value: unknown): string[] {
  return listOf(value).filter(item => typeof item === 'string');
}

export function numberOf(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value)
    ? value
    : undefined;
}

/** A map from strings to strings; entries of other types are left out. */
export function stringMapOf(value: unknown): Record<string, string> {
  const map = mapOf(value);
  for (const key in map) {
    if (typeof map[key] !== 'string') {
      return Object.fromEntries(
        Object.entries(map).filter(([, item]) => typeof item === 'string'),
      );
    }
  }
  return map as Record<string, string>;
}

/** @public */
export function labelsOf(object: FleetObject | undefined) {
  return stringMapOf(object?.metadata?.labels);
}

/** @public */
export function annotationsOf(object: FleetObject | undefined) {
  return stringMapOf(object?.metadata?.annotations);
}

/** The owner that controls the object, where it has one. */
export function controllerOf(
  object: FleetObject,
): { apiVersion?: string; kind: string; name: string } | undefined {
  const owners = mapsOf(object.metadata?.ownerReferences);
  const owner = owners.find(one => one.controller === true) ?? owners[0];
  const kind = textOf(owner?.kind);
  const name = textOf(owner?.name);
  return kind && name
    ? { apiVersion: stringOf(owner.apiVersion), kind, name }
    : undefined;
}

/** Parses JSON that somebody else wrote; undefined where it is none. */
export function parseJson(text: unknown): unknown {
  if (typeof text !== 'string') {
    return undefined;
  }
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The version in an image's tag: `istio/proxyv2:1.30.2-distroless` is `1.30.2`. */
export function versionOfImage(image: unknown): string | undefined {
  const text = stringOf(image);
  const tag = text && /:([\w][\w.-]*)(?:@|$)/.exec(text.replace(/^.*\//, ''));
  const version =
    tag && /^v?(\d+\.\d+(?:\.\d+)?(?:-(?:alpha|beta|rc)[\d.]*)?)/.exec(tag[1]);
  return version ? version[1] : undefined;
}
