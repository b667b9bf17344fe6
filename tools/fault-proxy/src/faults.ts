/**
 * Which requests a fault is for; all of them where nothing is named.
 *
 * @public
 */
export interface FaultMatch {
  /** Tested against path and query. */
  path?: RegExp;
  method?: string;
}

/**
 * What goes wrong.
 *
 * @public
 */
export type FaultKind =
  /** Each answer comes this much later. */
  | { type: 'latency'; ms: number }
  /** Connections are accepted, and nothing is ever said on them. */
  | { type: 'neverAnswers' }
  /** 401, as for a token that nobody has. */
  | { type: 'unauthorized' }
  /** 403 for these verbs and resources (`pods`, `deployments.apps`), or for everything. */
  | { type: 'forbidden'; verbs?: string[]; resources?: string[]; user?: string }
  /** 404 for a whole API group, as where its definitions are not installed. */
  | { type: 'notFound'; group?: string }
  /** 429 with `Retry-After`. */
  | { type: 'tooManyRequests'; retryAfterSeconds: number }
  /** 500, or another code of a server in trouble. */
  | { type: 'serverError'; code?: number }
  /** The connection is cut: before the answer, or in the middle of it. Running watches are cut at once. */
  | { type: 'dropConnection'; when?: 'before' | 'during' }
  /** Watches, running and new ones, stay open and deliver nothing; everything else works. */
  | { type: 'silentWatch' }
  /** Watches, running and new ones, end without an event. */
  | { type: 'watchEndsAtOnce' }
  /** Watches are told that their version is too old: by status line, or by an ERROR event. */
  | { type: 'expired'; as: 'status' | 'event' }
  /** The token used so far is refused with 401; requests with the new one are let through with the old one. */
  | { type: 'rotatedToken'; newToken: string }
  /** New connections see a certificate for another name. */
  | { type: 'wrongCertificate' }
  /** Answers are 200 with a body that is not JSON; watches get a line that is not JSON. */
  | { type: 'malformedJson' }
  /** Lists are cut off in the middle of the page. */
  | { type: 'truncatedList' };

/** @public */
export type Fault = FaultKind & {
  match?: FaultMatch;
  /** The fault is over after so many requests. */
  times?: number;
};

/** Faults that are about watches leave other requests alone. */
const WATCH_FAULTS = new Set<Fault['type']>([
  'silentWatch',
  'watchEndsAtOnce',
  'expired',
]);

/** What a fault is compared with. */
export interface SeenRequest {
  method: string;
  path: string;
  verb: string;
  group?: string;
  resource?: string;
}

export function appliesTo(fault: Fault, request: SeenRequest): boolean {
  const { match } = fault;
  if (match?.method && match.method.toUpperCase() !== request.method) {
    return false;
  }
  // A pattern with the flag `g` remembers where it stopped; a fault must not.
  if (match?.path && request.path.search(match.path) < 0) return false;
  if (WATCH_FAULTS.has(fault.type)) return request.verb === 'watch';
  switch (fault.type) {
    case 'forbidden':
      return (
        (!fault.verbs || fault.verbs.includes(request.verb)) &&
        (!fault.resources ||
          (request.resource !== undefined &&
            fault.resources.includes(request.resource)))
      );
    case 'notFound':
      return fault.group === undefined || request.group === fault.group;
    case 'truncatedList':
      return request.verb === 'list';
    default:
      return true;
  }
}
