/**
 * A Kubernetes object as manifests and API answers hold it.
 *
 * @public
 */
export interface KubeObject {
  apiVersion: string;
  kind: string;
  metadata: KubeMetadata;
  [field: string]: any;
}

/** @public */
export interface KubeMetadata {
  name: string;
  namespace?: string;
  generateName?: string;
  uid?: string;
  resourceVersion?: string;
  generation?: number;
  creationTimestamp?: string;
  deletionTimestamp?: string;
  labels?: Record<string, string>;
  annotations?: Record<string, string>;
  finalizers?: string[];
  ownerReferences?: Array<Record<string, any>>;
  managedFields?: ManagedFields[];
  [field: string]: any;
}

/** @public */
export interface ManagedFields {
  manager: string;
  operation: 'Apply' | 'Update';
  apiVersion: string;
  time?: string;
  fieldsType: 'FieldsV1';
  fieldsV1: Record<string, any>;
  subresource?: string;
}

/** Splits `apps/v1` into group and version; the core group is the empty string. */
export function splitApiVersion(apiVersion: string): {
  group: string;
  version: string;
} {
  const slash = apiVersion.indexOf('/');
  return slash < 0
    ? { group: '', version: apiVersion }
    : {
        group: apiVersion.slice(0, slash),
        version: apiVersion.slice(slash + 1),
      };
}

export function joinApiVersion(group: string, version: string): string {
  return group ? `${group}/${version}` : version;
}

export function isRecord(value: unknown): value is Record<string, any> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A copy that shares nothing with the original. Kubernetes objects are plain JSON. */
export function copy<T>(value: T): T {
  return value === undefined ? value : JSON.parse(JSON.stringify(value));
}

/** Deep equality of JSON values; the order of keys does not matter. */
export function sameJson(left: unknown, right: unknown): boolean {
  if (left === right) return true;
  if (Array.isArray(left) && Array.isArray(right)) {
    return (
      left.length === right.length &&
      left.every((item, index) => sameJson(item, right[index]))
    );
  }
  if (isRecord(left) && isRecord(right)) {
    const keys = Object.keys(left).filter(key => left[key] !== undefined);
    const others = Object.keys(right).filter(key => right[key] !== undefined);
    return (
      keys.length === others.length &&
      keys.every(key => key in right && sameJson(left[key], right[key]))
    );
  }
  return false;
}
