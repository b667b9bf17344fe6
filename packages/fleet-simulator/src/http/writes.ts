import { IncomingMessage } from 'node:http';
import { parse as parseYaml } from 'yaml';
import { Kind } from '../kinds/Kind';
import { isRecord, joinApiVersion, KubeObject } from '../objects/KubeObject';
import { wrongFieldType } from '../objects/fieldTypes';
import { unknownFields, withoutUnknownFields } from '../objects/unknownFields';
import { ClusterState } from '../store/ClusterState';
import { ObjectService, PatchType, Target } from '../store/ObjectService';
import { Selection } from './listOptions';
import { RequestInfo } from './RequestInfo';
import { decodeProtobuf, PROTOBUF } from './protobuf';
import { badRequest, StatusError, unsupportedMediaType } from './StatusError';

const MAX_BODY_BYTES = 3 * 1024 * 1024;

/** The answer to a write: an object, or a status, with warnings for the header. */
export interface WriteAnswer {
  code: number;
  object?: KubeObject;
  status?: Record<string, unknown>;
  list?: KubeObject[];
  warnings: string[];
}

export async function write(
  state: ClusterState,
  kind: Kind,
  info: RequestInfo,
  request: IncomingMessage,
): Promise<WriteAnswer> {
  const service = ObjectService.create(state);
  const body = await readBody(request);
  const target = targetOf(kind, info);
  switch (info.verb) {
    case 'create':
      return create(service, target, info, request, body);
    case 'update':
      return update(service, target, info, request, body);
    case 'patch':
      return patch(service, target, info, request, body);
    case 'delete':
      return remove(service, target, info, request, body);
    default:
      return removeAll(state, service, target, info);
  }
}

function create(
  service: ObjectService,
  { kind, namespace }: Target,
  info: RequestInfo,
  request: IncomingMessage,
  body: string,
): WriteAnswer {
  const options = writeOptions(info, request, 'CreateOptions');
  const { object, warnings } = decodeObject(kind, info, body);
  checkNamespaceOf(kind, object, namespace);
  return {
    code: 201,
    object: service.create(kind, namespace, object, options),
    warnings,
  };
}

function update(
  service: ObjectService,
  target: Target,
  info: RequestInfo,
  request: IncomingMessage,
  body: string,
): WriteAnswer {
  const options = writeOptions(info, request, 'UpdateOptions');
  const { object, warnings } = decodeObject(target.kind, info, body);
  const { name } = object.metadata;
  if (name !== undefined && name !== target.name) {
    throw badRequest(
      `the name of the object (${name}) does not match the name on the URL (${target.name})`,
    );
  }
  if (name === undefined) {
    throw badRequest(
      `the name of the object (${target.name} based on URL) was undeterminable: name must be provided`,
    );
  }
  checkNamespaceOf(target.kind, object, target.namespace);
  return {
    code: 200,
    object: service.update(target, object, options),
    warnings,
  };
}

const PATCH_TYPES: Record<string, PatchType> = {
  'application/json-patch+json': 'json',
  'application/merge-patch+json': 'merge',
  'application/strategic-merge-patch+json': 'strategic',
  'application/apply-patch+yaml': 'apply',
};

function patch(
  service: ObjectService,
  target: Target,
  info: RequestInfo,
  request: IncomingMessage,
  body: string,
): WriteAnswer {
  const { kind } = target;
  const type = PATCH_TYPES[mediaType(request)];
  if (!type || (type === 'strategic' && kind.origin !== 'builtin')) {
    const isBuiltin = kind.origin === 'builtin';
    throw new StatusError({
      code: 415,
      reason: 'UnsupportedMediaType',
      message: isBuiltin
        ? '415: Unsupported Media Type'
        : 'the body of the request was in an unknown format - accepted media types include: application/json-patch+json, application/merge-patch+json, application/apply-patch+yaml',
      ...(isBuiltin && { details: {} }),
    });
  }
  const options = writeOptions(info, request, 'PatchOptions');
  const force = info.query.get('force');
  if (type === 'apply' && !info.query.get('fieldManager')) {
    throw optionsInvalid(
      'PatchOptions',
      'fieldManager',
      'FieldValueRequired',
      'Required value: is required for apply patch',
    );
  }
  if (type !== 'apply' && force !== null) {
    throw optionsInvalid(
      'PatchOptions',
      'force',
      'FieldValueForbidden',
      'Forbidden: may not be specified for non-apply patch',
    );
  }
  const parsed = type === 'apply' ? decodeYaml(body) : decodeJson(kind, body);
  const warnings: string[] = [];
  let wanted = parsed;
  if (type === 'apply') {
    if (!isRecord(parsed) || !parsed.apiVersion || !parsed.kind) {
      throw badRequest(
        `failed to create typed patch object: invalid object type: missing apiVersion or kind`,
      );
    }
    checkKind(kind, parsed as KubeObject);
    wanted = checkedFields(
      kind,
      { ...parsed, metadata: parsed.metadata ?? {} } as KubeObject,
      info,
      warnings,
    );
    checkNamespaceOf(kind, wanted, target.namespace);
    if (wanted.metadata.name && wanted.metadata.name !== target.name) {
      throw badRequest(
        `the name of the object (${wanted.metadata.name}) does not match the name on the URL (${target.name})`,
      );
    }
  }
  const { object, created } = service.patch(target, type, wanted, {
    ...options,
    force: force === 'true' || force === '1',
  });
  return { code: created ? 201 : 200, object, warnings };
}

/** Core kinds whose removal is answered with the object instead of a status. */
const ANSWER_WITH_OBJECT = [
  'Namespace',
  'PersistentVolume',
  'PersistentVolumeClaim',
  'Pod',
  'PodTemplate',
  'ResourceQuota',
  'Service',
  'ServiceAccount',
];

function remove(
  service: ObjectService,
  target: Target,
  info: RequestInfo,
  request: IncomingMessage,
  body: string,
): WriteAnswer {
  const { dryRun } = writeOptions(info, request, 'DeleteOptions');
  const options = body.trim() ? decodeJson(target.kind, body) : {};
  const { object, isGone } = service.remove(target, {
    dryRun: dryRun || (options.dryRun ?? []).includes('All'),
    preconditions: options.preconditions,
  });
  const answersWithObject = ANSWER_WITH_OBJECT.includes(target.kind.kind);
  if (!isGone || (answersWithObject && target.kind.group === '')) {
    return { code: 200, object, warnings: [] };
  }
  const { kind, name } = target;
  return {
    code: 200,
    warnings: [],
    status: {
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Success',
      details: {
        name,
        ...(kind.group && { group: kind.group }),
        kind: kind.plural,
        uid: object.metadata.uid,
      },
    },
  };
}

function removeAll(
  state: ClusterState,
  service: ObjectService,
  { kind }: Target,
  info: RequestInfo,
): WriteAnswer {
  const selection = Selection.create(kind, info);
  const dryRun = isDryRun(info, 'DeleteOptions');
  const removed = state
    .collection(kind)
    .all()
    .filter(stored => selection.includes(stored))
    .map(
      ({ namespace, name }) =>
        service.remove({ kind, namespace, name }, { dryRun }).object,
    );
  return { code: 200, list: removed, warnings: [] };
}

function targetOf(kind: Kind, info: RequestInfo): Target {
  const { namespace, name, subresource } = info.resource!;
  return {
    kind,
    namespace: kind.namespaced ? namespace ?? '' : '',
    name: name ?? '',
    subresource,
  };
}

function writeOptions(
  info: RequestInfo,
  request: IncomingMessage,
  type: string,
) {
  const agent = request.headers['user-agent'] ?? '';
  const validation = info.query.get('fieldValidation');
  if (validation && !['Ignore', 'Warn', 'Strict'].includes(validation)) {
    throw optionsInvalid(
      type,
      'fieldValidation',
      'FieldValueNotSupported',
      `Unsupported value: ${JSON.stringify(
        validation,
      )}: supported values: "", "Ignore", "Strict", "Warn"`,
    );
  }
  return {
    dryRun: isDryRun(info, type),
    // Without a name for the manager, the name of the program stands in.
    fieldManager:
      info.query.get('fieldManager') || agent.split('/')[0] || 'unknown',
  };
}

function isDryRun(info: RequestInfo, type: string): boolean {
  const values = info.query.getAll('dryRun').filter(Boolean);
  const wrong = values.filter(value => value !== 'All');
  if (wrong.length > 0) {
    throw optionsInvalid(
      type,
      'dryRun',
      'FieldValueNotSupported',
      `Unsupported value: ${JSON.stringify(values)}: supported values: "All"`,
    );
  }
  return values.length > 0;
}

function optionsInvalid(
  kind: string,
  field: string,
  reason: string,
  message: string,
): StatusError {
  return new StatusError({
    code: 422,
    reason: 'Invalid',
    message: `${kind}.meta.k8s.io "" is invalid: ${field}: ${message}`,
    details: {
      group: 'meta.k8s.io',
      kind,
      causes: [{ reason, message, field }],
    },
  });
}

function decodeObject(
  kind: Kind,
  info: RequestInfo,
  body: string,
): { object: KubeObject; warnings: string[] } {
  const parsed = decodeJson(kind, body);
  if (!isRecord(parsed)) {
    throw badRequest(
      `the object provided is unrecognized (must be of type ${kind.kind}): couldn't get version/kind; json parse error`,
    );
  }
  const object = {
    ...parsed,
    metadata: isRecord(parsed.metadata) ? parsed.metadata : {},
  } as KubeObject;
  checkKind(kind, object);
  const warnings: string[] = [];
  return { object: checkedFields(kind, object, info, warnings), warnings };
}

/** Kind and version may be absent for built-in kinds; where they are given, they must be right. */
function checkKind(kind: Kind, object: KubeObject): void {
  const apiVersion = joinApiVersion(kind.group, kind.version);
  if (kind.origin === 'builtin') {
    object.apiVersion ??= apiVersion;
    object.kind ??= kind.kind;
  }
  if (!object.kind) {
    throw badRequest(`Object 'Kind' is missing in '${JSON.stringify(object)}'`);
  }
  if (object.apiVersion === apiVersion && object.kind === kind.kind) return;
  if (object.kind === kind.kind) {
    throw badRequest(
      `the API version in the data (${object.apiVersion}) does not match the expected API version (${apiVersion})`,
    );
  }
  const version = object.apiVersion?.split('/').pop();
  throw badRequest(
    `${object.kind} in version ${JSON.stringify(
      version,
    )} cannot be handled as a ${kind.kind}`,
  );
}

/** Drops fields that the schema does not know; says so, or refuses, as the client asked. */
function checkedFields(
  kind: Kind,
  object: KubeObject,
  info: RequestInfo,
  warnings: string[],
): KubeObject {
  const wrongType = wrongFieldType(kind, object);
  if (wrongType) {
    throw badRequest(
      `${kind.kind} in version ${JSON.stringify(
        kind.version,
      )} cannot be handled as a ${kind.kind}: ${wrongType}`,
    );
  }
  const unknown = unknownFields(kind, object);
  if (unknown.length === 0) return object;
  const errors = unknown.map(path => `unknown field ${JSON.stringify(path)}`);
  const validation = info.query.get('fieldValidation') || 'Warn';
  if (validation === 'Strict') {
    throw badRequest(
      `${kind.kind} in version ${JSON.stringify(
        kind.version,
      )} cannot be handled as a ${
        kind.kind
      }: strict decoding error: ${errors.join(', ')}`,
    );
  }
  if (validation === 'Warn') warnings.push(...errors);
  return withoutUnknownFields(kind, object);
}

function checkNamespaceOf(
  kind: Kind,
  object: KubeObject,
  namespace: string,
): void {
  const own = object.metadata.namespace;
  if (kind.namespaced && own && own !== namespace) {
    throw badRequest(
      'the namespace of the provided object does not match the namespace sent on the request',
    );
  }
}

/** Parses a body; the wording of errors is the API server's. */
export function decodeJson(kind: Kind, body: string): any {
  try {
    return JSON.parse(body);
  } catch (error) {
    throw badRequest(
      `the object provided is unrecognized (must be of type ${
        kind.kind
      }): couldn't get version/kind; json parse error: ${
        (error as Error).message
      }`,
    );
  }
}

function decodeYaml(body: string): any {
  try {
    return body.trimStart().startsWith('{')
      ? JSON.parse(body)
      : parseYaml(body);
  } catch (error) {
    throw badRequest(`error decoding YAML: ${(error as Error).message}`);
  }
}

function mediaType(request: IncomingMessage): string {
  return (request.headers['content-type'] ?? '').split(';')[0].trim();
}

/** The body as text. What kubectl sends as protobuf is turned into JSON. */
export async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request) {
    size += chunk.length;
    if (size > MAX_BODY_BYTES) {
      throw new StatusError({
        code: 413,
        reason: 'RequestEntityTooLarge',
        message: `Request entity too large: limit is ${MAX_BODY_BYTES}`,
      });
    }
    chunks.push(chunk);
  }
  const body = Buffer.concat(chunks);
  if (mediaType(request) !== PROTOBUF) return body.toString('utf8');
  const decoded = decodeProtobuf(body);
  if (!decoded)
    throw unsupportedMediaType(['application/json', 'application/yaml']);
  return JSON.stringify(decoded);
}
