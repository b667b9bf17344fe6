import { badRequest, StatusError } from './StatusError';
import {
  checkFieldSelector,
  FieldRequirement,
  isMetadataOnly,
  matchesFields,
  matchesLabels,
  parseFieldSelector,
  parseLabelSelector,
  Requirement,
} from '../selectors';
import { Kind } from '../kinds/Kind';
import { joinApiVersion, KubeObject } from '../objects/KubeObject';
import { StoredObject } from '../store/StoredObject';
import { RequestInfo } from './RequestInfo';

/** Which objects of a resource a list or watch is about. */
export class Selection {
  readonly hasSelectors: boolean;
  readonly #kind: Kind;
  readonly #namespace: string | undefined;
  readonly #labels: Requirement[];
  readonly #fields: FieldRequirement[];

  static create(kind: Kind, info: RequestInfo): Selection {
    const labels = parseLabelSelector(info.query.get('labelSelector') ?? '');
    const fields = parseFieldSelector(info.query.get('fieldSelector') ?? '');
    checkFieldSelector(kind, fields);
    const name = info.resource!.name;
    if (name) fields.push({ field: 'metadata.name', equal: true, value: name });
    return new Selection(
      kind,
      kind.namespaced ? info.resource!.namespace : undefined,
      labels,
      fields,
    );
  }

  private constructor(
    kind: Kind,
    namespace: string | undefined,
    labels: Requirement[],
    fields: FieldRequirement[],
  ) {
    this.#kind = kind;
    this.#namespace = namespace;
    this.#labels = labels;
    this.#fields = fields;
    this.hasSelectors = labels.length + fields.length > 0;
  }

  includes(stored: StoredObject): boolean {
    if (this.#namespace !== undefined && stored.namespace !== this.#namespace) {
      return false;
    }
    if (!this.hasSelectors) return true;
    const { name, namespace } = stored;
    const isSimple = isMetadataOnly(this.#fields);
    if (
      isSimple &&
      !matchesFields(this.#fields, { metadata: { name, namespace } })
    ) {
      return false;
    }
    if (
      this.#labels.length > 0 &&
      !matchesLabels(this.#labels, stored.metadata().labels)
    ) {
      return false;
    }
    return isSimple || matchesFields(this.#fields, this.#parse(stored));
  }

  #parse(stored: StoredObject): KubeObject {
    return stored.parse(
      joinApiVersion(this.#kind.group, this.#kind.version),
      this.#kind.kind,
    );
  }
}

export interface ListOptions {
  limit: number;
  continueToken?: { version: number; start: string };
  version?: number;
  match?: 'Exact' | 'NotOlderThan';
}

const MATCHES = ['Exact', 'NotOlderThan'];

export function readListOptions(info: RequestInfo): ListOptions {
  const { query } = info;
  const token = query.get('continue') || undefined;
  const versionText = query.get('resourceVersion') || undefined;
  const match = query.get('resourceVersionMatch') || undefined;
  const isWatch = info.verb === 'watch';
  const sendInitialEvents = query.get('sendInitialEvents');

  if (match !== undefined && isWatch && sendInitialEvents === null) {
    throw forbiddenOption(
      'resourceVersionMatch',
      'resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided',
    );
  }
  if (sendInitialEvents !== null && !isWatch) {
    throw forbiddenOption(
      'sendInitialEvents',
      'sendInitialEvents is forbidden for list',
    );
  }
  if (sendInitialEvents !== null && match !== 'NotOlderThan') {
    throw forbiddenOption(
      'resourceVersionMatch',
      'sendInitialEvents requires setting resourceVersionMatch to NotOlderThan',
    );
  }
  if (match !== undefined && !isWatch) {
    if (versionText === undefined) {
      throw forbiddenOption(
        'resourceVersionMatch',
        'resourceVersionMatch is forbidden unless resourceVersion is provided',
      );
    }
    if (token) {
      throw forbiddenOption(
        'resourceVersionMatch',
        'resourceVersionMatch is forbidden when continue is provided',
      );
    }
    if (match === 'Exact' && versionText === '0') {
      throw forbiddenOption(
        'resourceVersionMatch',
        'resourceVersionMatch "exact" is forbidden for resourceVersion "0"',
      );
    }
    if (!MATCHES.includes(match)) {
      throw new StatusError({
        ...optionError(
          'resourceVersionMatch',
          'FieldValueNotSupported',
          `Unsupported value: ${JSON.stringify(
            match,
          )}: supported values: "Exact", "NotOlderThan"`,
        ),
      });
    }
  }
  const limit = Number(query.get('limit') ?? 0);
  return {
    limit: Number.isFinite(limit) && limit > 0 ? Math.floor(limit) : 0,
    continueToken: token ? decodeContinue(token) : undefined,
    version: readVersion(versionText),
    match: match as ListOptions['match'],
  };
}

function readVersion(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (!/^\d+$/.test(text)) {
    throw badRequest(
      `invalid resource version: resourceVersion: Invalid value: ${JSON.stringify(
        text,
      )}: strconv.ParseUint: parsing ${JSON.stringify(text)}: invalid syntax`,
    );
  }
  return Number(text);
}

export function encodeContinue(version: number, start: string): string {
  return Buffer.from(
    JSON.stringify({ v: 'meta.k8s.io/v1', rv: version, start }),
  ).toString('base64url');
}

function decodeContinue(token: string): { version: number; start: string } {
  try {
    const { v, rv, start } = JSON.parse(
      Buffer.from(token, 'base64url').toString(),
    );
    if (v === 'meta.k8s.io/v1' && typeof rv === 'number' && start) {
      return { version: rv, start };
    }
  } catch {
    // Answered below, as everything else that is not a token.
  }
  throw badRequest(
    'invalid continue token: continue key is not valid: it was not made by this server',
  );
}

function forbiddenOption(field: string, text: string): StatusError {
  return new StatusError(
    optionError(field, 'FieldValueForbidden', `Forbidden: ${text}`),
  );
}

function optionError(field: string, reason: string, message: string) {
  return {
    code: 422,
    reason: 'Invalid',
    message: `ListOptions.meta.k8s.io "" is invalid: ${field}: ${message}`,
    details: {
      group: 'meta.k8s.io',
      kind: 'ListOptions',
      causes: [{ reason, message, field }],
    },
  };
}
