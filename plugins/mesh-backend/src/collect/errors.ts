/** The API server answered, and not with what was asked for. */
export class ApiStatusError extends Error {
  readonly status: number;
  readonly reason?: string;
  /** From the header Retry-After. */
  readonly retryAfterMs?: number;

  constructor(options: {
    status: number;
    message: string;
    reason?: string;
    retryAfterMs?: number;
  }) {
    super(options.message);
    this.name = 'ApiStatusError';
    this.status = options.status;
    this.reason = options.reason;
    this.retryAfterMs = options.retryAfterMs;
  }
}

/** What came is not what an API server sends: cut off, or not JSON. */
export class MalformedAnswerError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'MalformedAnswerError';
  }
}

/** The answer is larger than may be held in memory. */
export class AnswerTooLargeError extends Error {
  constructor(path: string, maxBytes: number) {
    super(
      `The answer to ${path} is larger than ${Math.round(
        maxBytes / 1024 / 1024,
      )} MiB`,
    );
    this.name = 'AnswerTooLargeError';
  }
}

/** No answer: name, connection, TLS, sign-in or time. */
export class UnreachableError extends Error {
  readonly code: string;

  constructor(message: string, code: string) {
    super(message);
    this.name = 'UnreachableError';
    this.code = code;
  }
}

/** A watch or a `continue` token is too old. Comes as HTTP status and as an event of a watch; both mean the same. */
export function isExpired(error: unknown): boolean {
  return error instanceof ApiStatusError && error.status === 410;
}

/**
 * Says what went wrong with a connection, naming the host and, for TLS, what to
 * do. Nothing of the request goes into it, since that holds credentials.
 */
export function toUnreachable(error: unknown, host: string): UnreachableError {
  if (error instanceof UnreachableError) return error;
  const cause = rootCause(error);
  const code = String(
    (cause as { code?: unknown })?.code ??
      (cause as { name?: unknown })?.name ??
      'unknown',
  );
  return new UnreachableError(explain(code, cause, host), code);
}

function explain(code: string, cause: unknown, host: string): string {
  switch (code) {
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return `The name of ${host} does not resolve (${code})`;
    case 'ECONNREFUSED':
      return `${host} refuses connections (${code})`;
    case 'EHOSTUNREACH':
    case 'ENETUNREACH':
      return `There is no route to ${host} (${code})`;
    case 'UND_ERR_CONNECT_TIMEOUT':
    case 'ETIMEDOUT':
      return `${host} does not accept a connection in time (${code})`;
    case 'UND_ERR_HEADERS_TIMEOUT':
    case 'UND_ERR_BODY_TIMEOUT':
    case 'TimeoutError':
      return `${host} does not answer in time (${code})`;
    case 'ERR_TLS_CERT_ALTNAME_INVALID': {
      const names = (cause as { cert?: { subjectaltname?: string } }).cert
        ?.subjectaltname;
      return `TLS error: the certificate of ${host} is for other names${
        names ? ` (${names})` : ''
      }; use a server address that it holds, or set tls-server-name in the kubeconfig (${code})`;
    }
    case 'CERT_HAS_EXPIRED':
      return `TLS error: the certificate of ${host} has expired (${code})`;
    case 'DEPTH_ZERO_SELF_SIGNED_CERT':
    case 'SELF_SIGNED_CERT_IN_CHAIN':
    case 'UNABLE_TO_VERIFY_LEAF_SIGNATURE':
    case 'UNABLE_TO_GET_ISSUER_CERT':
    case 'UNABLE_TO_GET_ISSUER_CERT_LOCALLY':
    case 'CERT_SIGNATURE_FAILURE':
      return `TLS error: the certificate of ${host} is not signed by the configured authority; check caData or caFile (${code})`;
    default:
      if (/^(ERR_TLS|ERR_SSL|ERR_OSSL|CERT_|EPROTO)/.test(code)) {
        return `TLS error with ${host} (${code})`;
      }
      return `The connection to ${host} was lost (${code})`;
  }
}

function rootCause(error: unknown): unknown {
  let cause = error;
  for (let depth = 0; depth < 5; depth++) {
    const next = (cause as { cause?: unknown } | undefined)?.cause;
    if (next === undefined || next === null) break;
    cause = next;
  }
  // Several addresses were tried: the first failure stands for all.
  const several = (cause as { errors?: unknown[] } | undefined)?.errors;
  return several?.length ? several[0] : cause;
}
