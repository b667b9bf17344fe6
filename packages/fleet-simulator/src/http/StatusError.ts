import { Kind, qualifiedPlural } from '../kinds/Kind';

export interface StatusCause {
  reason?: string;
  message?: string;
  field?: string;
}

interface StatusDetails {
  name?: string;
  group?: string;
  kind?: string;
  uid?: string;
  causes?: StatusCause[];
  retryAfterSeconds?: number;
}

/** What an API server answers when it does not do what it was asked for. */
export class StatusError extends Error {
  readonly code: number;
  readonly reason: string;
  readonly details?: StatusDetails;
  /** Where a list that expired can go on, inconsistently. */
  readonly continueToken?: string;

  constructor(options: {
    code: number;
    reason: string;
    message: string;
    details?: StatusDetails;
    continueToken?: string;
  }) {
    super(options.message);
    this.code = options.code;
    this.reason = options.reason;
    this.details = options.details;
    this.continueToken = options.continueToken;
  }

  status(): Record<string, unknown> {
    return {
      kind: 'Status',
      apiVersion: 'v1',
      metadata: this.continueToken ? { continue: this.continueToken } : {},
      status: 'Failure',
      message: this.message,
      ...(this.reason && { reason: this.reason }),
      ...(this.details && { details: this.details }),
      code: this.code,
    };
  }
}

type Named = { group: string; plural: string };

function detailsOf(kind: Named, name?: string): StatusDetails {
  return {
    ...(name && { name }),
    ...(kind.group && { group: kind.group }),
    kind: kind.plural,
  };
}

export function badRequest(message: string): StatusError {
  return new StatusError({ code: 400, reason: 'BadRequest', message });
}

export function unauthorized(): StatusError {
  return new StatusError({
    code: 401,
    reason: 'Unauthorized',
    message: 'Unauthorized',
  });
}

export function notFound(kind: Named, name: string): StatusError {
  return new StatusError({
    code: 404,
    reason: 'NotFound',
    message: `${qualifiedPlural(kind)} "${name}" not found`,
    details: detailsOf(kind, name),
  });
}

export function noSuchResource(): StatusError {
  return new StatusError({
    code: 404,
    reason: 'NotFound',
    message: 'the server could not find the requested resource',
    details: {},
  });
}

export function alreadyExists(kind: Named, name: string): StatusError {
  return new StatusError({
    code: 409,
    reason: 'AlreadyExists',
    message: `${qualifiedPlural(kind)} "${name}" already exists`,
    details: detailsOf(kind, name),
  });
}

export function conflict(
  kind: Named,
  name: string,
  why = 'the object has been modified; please apply your changes to the latest version and try again',
): StatusError {
  return new StatusError({
    code: 409,
    reason: 'Conflict',
    message: `Operation cannot be fulfilled on ${qualifiedPlural(
      kind,
    )} "${name}": ${why}`,
    details: detailsOf(kind, name),
  });
}

export function invalid(
  kind: { group: string; kind: string },
  name: string,
  causes: Required<StatusCause>[],
): StatusError {
  const errors = causes.map(cause => `${cause.field}: ${cause.message}`);
  const text = errors.length === 1 ? errors[0] : `[${errors.join(', ')}]`;
  return new StatusError({
    code: 422,
    reason: 'Invalid',
    message: `${
      kind.group ? `${kind.kind}.${kind.group}` : kind.kind
    } "${name}" is invalid: ${text}`,
    details: {
      ...(name && { name }),
      ...(kind.group && { group: kind.group }),
      kind: kind.kind,
      causes,
    },
  });
}

export function expired(message: string, continueToken?: string): StatusError {
  return new StatusError({
    code: 410,
    reason: 'Expired',
    message,
    continueToken,
  });
}

export function methodNotAllowed(kind?: Kind): StatusError {
  return new StatusError({
    code: 405,
    reason: 'MethodNotAllowed',
    message: 'the server does not allow this method on the requested resource',
    details: kind ? {} : undefined,
  });
}

export function unsupportedMediaType(supported: string[]): StatusError {
  return new StatusError({
    code: 415,
    reason: 'UnsupportedMediaType',
    message: `the body of the request was in an unknown format - accepted media types include: ${supported.join(
      ', ',
    )}`,
  });
}
