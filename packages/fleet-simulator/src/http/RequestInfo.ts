/**
 * What a request asks for, as the API server reads it from method and path.
 *
 * @public
 */
export interface RequestInfo {
  path: string;
  query: URLSearchParams;
  method: string;
  /** The verb that access is decided by. */
  verb: string;
  resource?: {
    group: string;
    version: string;
    plural: string;
    namespace?: string;
    name?: string;
    subresource?: string;
  };
}

const VERBS: Record<string, string> = {
  POST: 'create',
  GET: 'get',
  HEAD: 'get',
  PUT: 'update',
  PATCH: 'patch',
  DELETE: 'delete',
};

/** @public */
export function readRequestInfo(method: string, url: string): RequestInfo {
  const question = url.indexOf('?');
  const path = question < 0 ? url : url.slice(0, question);
  const query = new URLSearchParams(
    question < 0 ? '' : url.slice(question + 1),
  );
  const info: RequestInfo = { path, query, method, verb: method.toLowerCase() };

  const parts = path.split('/').filter(Boolean).map(decode);
  const isCore = parts[0] === 'api';
  if (!isCore && parts[0] !== 'apis') return info;
  const head = isCore ? 2 : 3;
  if (parts.length <= head) return info;

  const group = isCore ? '' : parts[1];
  const version = parts[head - 1];
  let rest = parts.slice(head);
  let verb = VERBS[method] ?? '';
  let namespace: string | undefined;

  // The old form of a watch: /api/v1/watch/…
  if (rest[0] === 'watch') {
    verb = 'watch';
    rest = rest.slice(1);
  }
  if (rest[0] === 'namespaces' && rest.length > 1) {
    namespace = rest[1];
    const isOwnSubresource = ['status', 'finalize'].includes(rest[2]);
    if (rest.length > 2 && !isOwnSubresource) rest = rest.slice(2);
  }
  const [plural, name, subresource] = rest;
  if (name === undefined && verb === 'get') verb = 'list';
  if (name === undefined && verb === 'delete') verb = 'deletecollection';
  if (verb === 'list' && isTrue(query.get('watch'))) verb = 'watch';
  // A watch of one name is how the API server reads a field selector for it, too.
  return {
    ...info,
    verb,
    resource: { group, version, plural, namespace, name, subresource },
  };
}

export function isTrue(value: string | null): boolean {
  return value === '1' || value === 'true';
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
