import { applyPatch, Operation } from 'fast-json-patch';
import {
  Manager,
  managedAfterUpdate,
  serverSideApply,
} from '../apply/managedFields';
import {
  alreadyExists,
  badRequest,
  conflict,
  invalid,
  notFound,
  StatusError,
} from '../http/StatusError';
import { Kind, qualifiedPlural } from '../kinds/Kind';
import { schemaOfKind } from '../kinds/schemas';
import {
  hasGeneration,
  setAllocations,
  setDefaults,
} from '../objects/defaults';
import {
  copy,
  isRecord,
  joinApiVersion,
  KubeObject,
  sameJson,
} from '../objects/KubeObject';
import { wrongFieldType } from '../objects/fieldTypes';
import { validate, validateMetadata } from '../objects/validate';
import { mergePatch } from '../patch/mergePatch';
import { strategicMergePatch } from '../patch/strategicMergePatch';
import { ClusterState } from './ClusterState';
import { StoredObject } from './StoredObject';

export interface WriteOptions {
  dryRun: boolean;
  fieldManager: string;
  force?: boolean;
}

export type PatchType = 'json' | 'merge' | 'strategic' | 'apply';

/** The object of a write: which one, and through which subresource. */
export interface Target {
  kind: Kind;
  namespace: string;
  name: string;
  subresource?: string;
}

/** Fields that cannot change once an object is there. */
const IMMUTABLE: Record<string, string> = {
  'deployments.apps': 'spec.selector',
  'daemonsets.apps': 'spec.selector',
};

/** Creates, changes and removes objects by the rules of an API server. */
export class ObjectService {
  readonly #state: ClusterState;

  static create(state: ClusterState): ObjectService {
    return new ObjectService(state);
  }

  private constructor(state: ClusterState) {
    this.#state = state;
  }

  create(
    kind: Kind,
    namespace: string,
    given: KubeObject,
    options: WriteOptions,
  ): KubeObject {
    const object = copy(given);
    const { metadata } = object;
    if (!metadata.name && metadata.generateName) {
      metadata.name = this.#generatedName(
        kind,
        namespace,
        metadata.generateName,
      );
    }
    if (metadata.resourceVersion) {
      throw new StatusError({
        code: 500,
        reason: '',
        message: 'resourceVersion should not be set on objects to be created',
      });
    }
    delete metadata.managedFields;
    delete metadata.deletionTimestamp;
    if (kind.namespaced) metadata.namespace = namespace;
    else delete metadata.namespace;
    // What a status subresource holds is not for a create to set.
    if (hasStatus(kind)) delete object.status;
    metadata.uid = this.#state.newUid();
    metadata.creationTimestamp = now();
    if (hasGeneration(kind)) metadata.generation = 1;
    else delete metadata.generation;
    setDefaults(kind, object);
    validate(kind, object);
    if (kind.namespaced) this.#checkNamespace(namespace, kind, metadata.name);
    if (this.#state.collection(kind).get(namespace, metadata.name)) {
      throw alreadyExists(kind, metadata.name);
    }
    metadata.managedFields = managedAfterUpdate(
      undefined,
      object,
      this.#manager(kind, options, 'Update'),
      schemaOfKind(kind),
    );
    setAllocations(kind, object);
    return this.#store(kind, object, options);
  }

  update(target: Target, given: KubeObject, options: WriteOptions): KubeObject {
    const live = this.#live(target);
    this.#checkPreconditions(target, live, given.metadata);
    return this.#write(target, live, copy(given), options);
  }

  patch(
    target: Target,
    type: PatchType,
    patch: any,
    options: WriteOptions,
  ): { object: KubeObject; created: boolean } {
    if (type === 'apply') return this.#apply(target, patch, options);
    const live = this.#live(target);
    const patched = this.#patched(target, live, type, patch);
    if (patched.metadata?.name !== live.metadata.name) {
      throw badRequest(
        `the name of the object (${
          patched.metadata?.name ?? ''
        }) does not match the name on the URL (${live.metadata.name})`,
      );
    }
    this.#checkPreconditions(target, live, patched.metadata);
    return {
      object: this.#write(target, live, patched, options),
      created: false,
    };
  }

  /** Returns the last state of the object, or the object itself where finalizers hold it. */
  remove(
    target: Target,
    options: {
      dryRun: boolean;
      preconditions?: { uid?: string; resourceVersion?: string };
    },
  ): { object: KubeObject; isGone: boolean } {
    const { kind, name } = target;
    const live = this.#live(target);
    const { uid, resourceVersion } = options.preconditions ?? {};
    if (uid && uid !== live.metadata.uid) {
      throw conflict(
        kind,
        name,
        `Precondition failed: UID in precondition: ${uid}, UID in object meta: ${live.metadata.uid}`,
      );
    }
    if (resourceVersion && resourceVersion !== live.metadata.resourceVersion) {
      throw conflict(
        kind,
        name,
        `Precondition failed: ResourceVersion in precondition: ${resourceVersion}, ResourceVersion in object meta: ${live.metadata.resourceVersion}`,
      );
    }
    if ((live.metadata.finalizers ?? []).length > 0) {
      if (!live.metadata.deletionTimestamp) {
        live.metadata.deletionTimestamp = now();
        live.metadata.deletionGracePeriodSeconds = 0;
        if (hasGeneration(kind)) {
          live.metadata.generation = (live.metadata.generation ?? 0) + 1;
        }
        if (!options.dryRun) {
          return { object: this.#committed(kind, live), isGone: false };
        }
      }
      return { object: live, isGone: false };
    }
    if (kind.group === '' && kind.kind === 'Namespace') {
      live.metadata.deletionTimestamp = now();
      live.status = { ...live.status, phase: 'Terminating' };
    }
    if (options.dryRun) return { object: live, isGone: true };
    const last = this.#state.remove(kind, live);
    return {
      object: last.parse(live.apiVersion, live.kind),
      isGone: true,
    };
  }

  /**
   * Stores an object as it is given, status and all, in place of what was there. For
   * manifests and for those who steer the simulator; no client can do this.
   */
  put(kind: Kind, given: KubeObject): StoredObject {
    const wrongType = wrongFieldType(kind, given);
    if (wrongType) throw badRequest(wrongType);
    const object = copy(given);
    const { metadata } = object;
    if (kind.namespaced) metadata.namespace ??= 'default';
    else delete metadata.namespace;
    const stored = this.#state
      .collection(kind)
      .get(metadata.namespace ?? '', metadata.name);
    const live = stored?.parse(object.apiVersion, object.kind);
    metadata.uid = live?.metadata.uid ?? metadata.uid ?? this.#state.newUid();
    metadata.creationTimestamp =
      live?.metadata.creationTimestamp ?? metadata.creationTimestamp ?? now();
    setDefaults(kind, object);
    setAllocations(kind, object);
    validateMetadata(kind, object);
    if (hasGeneration(kind)) {
      metadata.generation = live
        ? nextGeneration(live, object)
        : metadata.generation ?? 1;
    }
    return this.#state.store(kind, object);
  }

  #apply(target: Target, patch: KubeObject, options: WriteOptions) {
    const { kind, namespace, name } = target;
    if (patch.metadata?.managedFields !== undefined) {
      throw badRequest('metadata.managedFields must be nil');
    }
    const stored = this.#state.collection(kind).get(namespace, name);
    const apiVersion = joinApiVersion(kind.group, kind.version);
    const live = stored?.parse(apiVersion, kind.kind);
    const manager = this.#manager(kind, options, 'Apply', target.subresource);
    const wanted: KubeObject = {
      ...copy(patch),
      metadata: { ...copy(patch.metadata), name },
    };
    if (kind.namespaced) wanted.metadata.namespace = namespace;
    if (live) {
      if (patch.metadata?.resourceVersion) {
        this.#checkPreconditions(target, live, patch.metadata);
      }
      const applied = serverSideApply(
        live,
        wanted,
        manager,
        schemaOfKind(kind),
        options.force ?? false,
      );
      return {
        object: this.#write(target, live, applied, options, true),
        created: false,
      };
    }
    if (target.subresource) throw notFound(kind, name);
    if (kind.namespaced) this.#checkNamespace(namespace, kind, name);
    const fresh: KubeObject = {
      apiVersion,
      kind: kind.kind,
      metadata: { name },
    };
    const object = serverSideApply(
      fresh,
      wanted,
      manager,
      schemaOfKind(kind),
      true,
    );
    if (hasStatus(kind)) delete object.status;
    object.metadata.uid = this.#state.newUid();
    object.metadata.creationTimestamp = now();
    if (kind.namespaced) object.metadata.namespace = namespace;
    if (hasGeneration(kind)) object.metadata.generation = 1;
    setDefaults(kind, object);
    validate(kind, object);
    setAllocations(kind, object);
    return { object: this.#store(kind, object, options), created: true };
  }

  #patched(
    target: Target,
    live: KubeObject,
    type: PatchType,
    patch: any,
  ): KubeObject {
    if (type === 'json') {
      if (!Array.isArray(patch)) {
        throw badRequest(
          'error decoding patch: json: cannot unmarshal object into Go value of type jsonpatch.Patch',
        );
      }
      try {
        return applyPatch(copy(live), patch as Operation[], true, true)
          .newDocument;
      } catch {
        throw new StatusError({
          code: 422,
          reason: 'Invalid',
          message:
            'the server rejected our request due to an error in our request',
          details: {},
        });
      }
    }
    if (!isRecord(patch)) {
      throw badRequest(
        'error decoding patch: json: cannot unmarshal array into Go value of type map[string]interface {}',
      );
    }
    if (type === 'merge') return mergePatch(live, patch) as KubeObject;
    return strategicMergePatch(
      live,
      patch,
      schemaOfKind(target.kind),
    ) as KubeObject;
  }

  /** The common end of every change of an object that exists. */
  #write(
    target: Target,
    live: KubeObject,
    given: KubeObject,
    options: WriteOptions,
    isApply = false,
  ): KubeObject {
    const { kind, subresource } = target;
    const object = subresource
      ? { ...copy(live), status: given.status }
      : { ...given };
    if (subresource && object.status === undefined) delete object.status;
    object.apiVersion = live.apiVersion;
    object.kind = live.kind;
    object.metadata = {
      ...(subresource ? live.metadata : given.metadata),
      name: live.metadata.name,
      uid: live.metadata.uid,
      creationTimestamp: live.metadata.creationTimestamp,
      managedFields: isApply
        ? given.metadata.managedFields
        : live.metadata.managedFields,
    };
    setOrDelete(object.metadata, 'namespace', live.metadata.namespace);
    setOrDelete(
      object.metadata,
      'deletionTimestamp',
      live.metadata.deletionTimestamp,
    );
    if (!subresource && hasStatus(kind)) {
      setOrDelete(object, 'status', live.status);
    }
    setDefaults(kind, object);
    if (hasGeneration(kind)) {
      object.metadata.generation = nextGeneration(live, object);
    } else {
      setOrDelete(object.metadata, 'generation', live.metadata.generation);
    }
    this.#checkImmutable(kind, live, object);
    validate(kind, object);

    const isUnchanged = sameJson(withoutVersion(object), withoutVersion(live));
    if (isUnchanged) return live;
    if (!isApply) {
      object.metadata.managedFields = managedAfterUpdate(
        live,
        object,
        this.#manager(kind, options, 'Update', subresource),
        schemaOfKind(kind),
      );
      if (!object.metadata.managedFields) delete object.metadata.managedFields;
    }
    const isReleased =
      object.metadata.deletionTimestamp &&
      (object.metadata.finalizers ?? []).length === 0;
    if (isReleased && !options.dryRun) {
      return this.#state
        .remove(kind, object)
        .parse(object.apiVersion, object.kind);
    }
    return this.#store(kind, object, options);
  }

  #store(kind: Kind, object: KubeObject, options: WriteOptions): KubeObject {
    if (options.dryRun) return object;
    return this.#committed(kind, object);
  }

  #committed(kind: Kind, object: KubeObject): KubeObject {
    return this.#state
      .store(kind, object)
      .parse(object.apiVersion, object.kind);
  }

  #live(target: Target): KubeObject {
    const { kind, namespace, name } = target;
    const live = this.#state.find(kind, namespace, name);
    if (!live) throw notFound(kind, name);
    return live;
  }

  #checkPreconditions(
    target: Target,
    live: KubeObject,
    metadata: KubeObject['metadata'],
  ): void {
    const { kind, name } = target;
    const { resourceVersion, uid } = metadata;
    if (uid && uid !== live.metadata.uid) {
      throw conflict(
        kind,
        name,
        `Precondition failed: UID in precondition: ${uid}, UID in object meta: ${live.metadata.uid}`,
      );
    }
    if (resourceVersion && resourceVersion !== live.metadata.resourceVersion) {
      throw conflict(kind, name);
    }
    // Custom resources cannot be replaced without saying which version was read.
    if (resourceVersion === undefined && kind.origin !== 'builtin') {
      const named = { group: kind.group, kind: kind.plural };
      throw invalid(named, name, [
        {
          reason: 'FieldValueInvalid',
          message: 'Invalid value: 0: must be specified for an update',
          field: 'metadata.resourceVersion',
        },
      ]);
    }
  }

  #checkImmutable(kind: Kind, live: KubeObject, object: KubeObject): void {
    const path = IMMUTABLE[qualifiedPlural(kind)];
    if (!path) return;
    const [before, after] = [live, object].map(o =>
      path.split('.').reduce<any>((part, field) => part?.[field], o),
    );
    if (sameJson(before, after)) return;
    throw invalid(kind, object.metadata.name, [
      {
        reason: 'FieldValueInvalid',
        message: `Invalid value: ${JSON.stringify(after)}: field is immutable`,
        field: path,
      },
    ]);
  }

  #checkNamespace(namespace: string, kind: Kind, name: string): void {
    if (!this.#state.hasNamespace(namespace)) {
      throw notFound({ group: '', plural: 'namespaces' }, namespace);
    }
    const live = this.#state
      .collection({ group: '', plural: 'namespaces' })
      .get('', namespace)!;
    if (live.metadata().deletionTimestamp) {
      throw new StatusError({
        code: 403,
        reason: 'Forbidden',
        message: `${qualifiedPlural(
          kind,
        )} "${name}" is forbidden: unable to create new content in namespace ${namespace} because it is being terminated`,
        details: { name, kind: kind.plural },
      });
    }
  }

  #manager(
    kind: Kind,
    options: WriteOptions,
    operation: Manager['operation'],
    subresource?: string,
  ): Manager {
    return {
      name: options.fieldManager,
      operation,
      subresource,
      apiVersion: joinApiVersion(kind.group, kind.version),
      time: now(),
    };
  }

  #generatedName(kind: Kind, namespace: string, prefix: string): string {
    const letters = 'bcdfghjklmnpqrstvwxz2456789';
    for (;;) {
      const suffix = Array.from(
        { length: 5 },
        () => letters[Math.floor(Math.random() * letters.length)],
      ).join('');
      const name = `${prefix.slice(0, 58)}${suffix}`;
      if (!this.#state.collection(kind).get(namespace, name)) return name;
    }
  }
}

function hasStatus(kind: Kind): boolean {
  return (
    kind.subresources.some(({ name }) => name === 'status') &&
    kind.origin !== 'implicit'
  );
}

function nextGeneration(live: KubeObject, object: KubeObject): number {
  const [before, after] = [live, object].map(
    ({ metadata, status, ...rest }) => rest,
  );
  const generation = live.metadata.generation ?? 1;
  return sameJson(before, after) ? generation : generation + 1;
}

function withoutVersion(object: KubeObject): KubeObject {
  const { resourceVersion, ...metadata } = object.metadata;
  return { ...object, metadata } as KubeObject;
}

function setOrDelete(target: any, field: string, value: unknown): void {
  if (value === undefined) delete target[field];
  else target[field] = value;
}

function now(): string {
  return `${new Date().toISOString().slice(0, 19)}Z`;
}
