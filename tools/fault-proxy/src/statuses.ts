import { Fault, SeenRequest } from './faults';

/** An answer that stands in for the API server's. */
export interface StandIn {
  code: number;
  headers: Record<string, string>;
  body: string;
}

const TOO_OLD = 'too old resource version: 1 (2)';

/** The answer of a fault that is an answer; undefined for the others. */
export function standIn(
  fault: Fault,
  request: SeenRequest,
): StandIn | undefined {
  switch (fault.type) {
    case 'unauthorized':
    case 'rotatedToken':
      return status(401, 'Unauthorized', 'Unauthorized');
    case 'forbidden':
      return forbidden(fault.user ?? 'reader', request);
    case 'notFound':
      return {
        code: 404,
        headers: { 'Content-Type': 'text/plain; charset=utf-8' },
        body: '404 page not found\n',
      };
    case 'tooManyRequests':
      return status(
        429,
        'TooManyRequests',
        'Too many requests, please try again later.',
        { 'Retry-After': String(fault.retryAfterSeconds) },
        { retryAfterSeconds: fault.retryAfterSeconds },
      );
    case 'serverError':
      return status(
        fault.code ?? 500,
        'InternalError',
        'Internal error occurred: injected fault',
      );
    case 'expired':
      return fault.as === 'status'
        ? status(410, 'Expired', TOO_OLD)
        : undefined;
    case 'malformedJson':
      return request.verb === 'watch'
        ? undefined
        : {
            code: 200,
            headers: { 'Content-Type': 'application/json' },
            body: '{"kind":"List","apiVersion":"v1","items":[{"metadata":',
          };
    default:
      return undefined;
  }
}

/** The ERROR event by which a running watch learns that its version is too old. */
export const EXPIRED_EVENT = `${JSON.stringify({
  type: 'ERROR',
  object: JSON.parse(status(410, 'Expired', TOO_OLD).body),
})}\n`;

function forbidden(user: string, request: SeenRequest): StandIn {
  const { group = '', resource, verb, path } = request;
  if (!resource) {
    return status(
      403,
      'Forbidden',
      `forbidden: User "${user}" cannot ${verb} path "${path.split('?')[0]}"`,
      {},
      {},
    );
  }
  const plural = resource.split('.')[0];
  return status(
    403,
    'Forbidden',
    `${resource} is forbidden: User "${user}" cannot ${verb} resource "${plural}" in API group "${group}" at the cluster scope`,
    {},
    { ...(group && { group }), kind: plural },
  );
}

function status(
  code: number,
  reason: string,
  message: string,
  headers: Record<string, string> = {},
  details?: Record<string, unknown>,
): StandIn {
  return {
    code,
    headers: { 'Content-Type': 'application/json', ...headers },
    body: `${JSON.stringify({
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Failure',
      message,
      reason,
      ...(details && { details }),
      code,
    })}\n`,
  };
}
