import { IncomingMessage, ServerResponse } from 'node:http';
import { AccessRule, allowsPath, allowsResource } from '../access/AccessRules';
import { kubernetesVersion } from '../kinds/builtinKinds';
import { Kind } from '../kinds/Kind';
import { isRecord, KubeObject } from '../objects/KubeObject';
import { ClusterState } from '../store/ClusterState';
import { StoredObject } from '../store/StoredObject';
import * as discovery from './discovery';
import {
  emptyOpenapiV2,
  groupVersionOf,
  OPENAPI_V2_TYPE,
  openapiDocument,
  openapiIndex,
} from './openapi';
import { Output } from './Output';
import { getText, listText, watch, WatchRegistry } from './reads';
import { readRequestInfo, RequestInfo } from './RequestInfo';
import { review, User } from './reviews';
import {
  methodNotAllowed,
  noSuchResource,
  notFound,
  StatusError,
  unauthorized,
} from './StatusError';
import { decodeJson, readBody, write, WriteAnswer } from './writes';

export interface ApiServerOptions {
  state: ClusterState;
  /** The user of a token; undefined for a token that nobody has. */
  authenticate: (token: string) => User | undefined;
  /** What those may do who sign in with nothing. */
  anonymousRules: AccessRule[];
  version: () => Record<string, string>;
  bookmarkIntervalMs: number;
  watches: WatchRegistry;
  address: () => string;
}

/** Answers requests as kube-apiserver does. */
export class ApiServer {
  readonly #options: ApiServerOptions;
  readonly #texts = new Map<string, string>();
  #textsOf = -1;

  static create(options: ApiServerOptions): ApiServer {
    return new ApiServer(options);
  }

  private constructor(options: ApiServerOptions) {
    this.#options = options;
  }

  async handle(
    request: IncomingMessage,
    response: ServerResponse,
  ): Promise<void> {
    try {
      const info = readRequestInfo(request.method ?? 'GET', request.url ?? '/');
      const user = this.#authenticate(request);
      this.#authorize(user, info);
      if (info.resource) await this.#resource(user, info, request, response);
      else this.#path(info, request, response);
    } catch (error) {
      if (response.headersSent) response.destroy();
      else sendStatus(response, asStatusError(error));
    }
  }

  #authenticate(request: IncomingMessage): User {
    const header = request.headers.authorization;
    if (!header) {
      return {
        name: 'system:anonymous',
        groups: ['system:unauthenticated'],
        rules: this.#options.anonymousRules,
      };
    }
    const token = /^Bearer\s+(.+)$/i.exec(header)?.[1];
    const user = token && this.#options.authenticate(token.trim());
    if (!user) throw unauthorized();
    return user;
  }

  #authorize(user: User, info: RequestInfo): void {
    const { resource, verb, path } = info;
    if (!resource) {
      if (allowsPath(user.rules, verb, path)) return;
      throw new StatusError({
        code: 403,
        reason: 'Forbidden',
        message: `forbidden: User ${JSON.stringify(
          user.name,
        )} cannot ${verb} path ${JSON.stringify(path)}`,
        details: {},
      });
    }
    const { group, plural, subresource, name, namespace } = resource;
    const asked = {
      verb,
      group,
      resource: plural,
      subresource,
      name,
      namespace,
    };
    if (allowsResource(user.rules, asked)) return;
    const what = group ? `${plural}.${group}` : plural;
    const full = subresource ? `${plural}/${subresource}` : plural;
    const where = namespace
      ? `in the namespace ${JSON.stringify(namespace)}`
      : 'at the cluster scope';
    throw new StatusError({
      code: 403,
      reason: 'Forbidden',
      message: `${what}${
        name ? ` ${JSON.stringify(name)}` : ''
      } is forbidden: User ${JSON.stringify(
        user.name,
      )} cannot ${verb} resource ${JSON.stringify(
        full,
      )} in API group ${JSON.stringify(group)} ${where}`,
      details: {
        ...(name && { name }),
        ...(group && { group }),
        kind: plural,
      },
    });
  }

  #path(
    info: RequestInfo,
    request: IncomingMessage,
    response: ServerResponse,
  ): void {
    const path = info.path.replace(/\/+$/, '') || '/';
    const { registry } = this.#options.state;
    if (['/readyz', '/livez', '/healthz'].includes(path)) {
      send(response, 200, 'text/plain; charset=utf-8', 'ok');
      return;
    }
    if (path === '/version') {
      sendJson(response, 200, this.#options.version());
      return;
    }
    if (path === '/') {
      const paths = Object.keys(openapiIndex(registry).paths).map(p => `/${p}`);
      sendJson(response, 200, { paths: ['/api', '/apis', ...paths].sort() });
      return;
    }
    if (path === '/openapi/v2') {
      sendBytes(response, OPENAPI_V2_TYPE, emptyOpenapiV2());
      return;
    }
    const accept = request.headers.accept;
    const aggregated = discovery.aggregatedVersion(accept);
    if ((path === '/api' || path === '/apis') && aggregated) {
      const text = this.#cached(`${path} ${aggregated}`, () =>
        discovery.aggregatedDiscovery(registry, path === '/api', aggregated),
      );
      send(
        response,
        200,
        `application/json;g=apidiscovery.k8s.io;v=${aggregated};as=APIGroupDiscoveryList`,
        text!,
      );
      return;
    }
    const text = this.#cached(path, () => this.#document(path));
    if (text) send(response, 200, 'application/json', text);
    else sendNotFoundText(response);
  }

  #document(path: string): unknown {
    const { registry } = this.#options.state;
    if (path === '/api') return discovery.apiVersions(this.#options.address());
    if (path === '/apis') return discovery.groupList(registry);
    if (path === '/openapi/v3') return openapiIndex(registry);
    const described = groupVersionOf(path);
    if (described) {
      const { group, version } = described;
      return registry.hasGroupVersion(group, version)
        ? openapiDocument(registry, group, version)
        : undefined;
    }
    const parts = path.split('/').slice(1);
    if (parts[0] === 'api' && parts.length === 2) {
      return discovery.resourceList(registry, '', parts[1]);
    }
    if (parts[0] === 'apis' && parts.length === 2) {
      return discovery.groupDocument(registry, parts[1]);
    }
    if (parts[0] === 'apis' && parts.length === 3) {
      return discovery.resourceList(registry, parts[1], parts[2]);
    }
    return undefined;
  }

  /** Documents that depend on nothing but the kinds served are written once. */
  #cached(id: string, build: () => unknown): string | undefined {
    const { generation } = this.#options.state.registry;
    if (this.#textsOf !== generation) {
      this.#texts.clear();
      this.#textsOf = generation;
    }
    let text = this.#texts.get(id);
    if (text === undefined) {
      const value = build();
      if (value === undefined) return undefined;
      text = JSON.stringify(value);
      this.#texts.set(id, text);
    }
    return text;
  }

  async #resource(
    user: User,
    info: RequestInfo,
    request: IncomingMessage,
    response: ServerResponse,
  ): Promise<void> {
    const { state } = this.#options;
    const { group, version, plural } = info.resource!;
    const kind = state.registry.resource(group, version, plural);
    if (!kind) {
      if (!state.registry.hasGroupVersion(group, version)) {
        sendNotFoundText(response);
        return;
      }
      throw noSuchResource();
    }
    checkScope(kind, info);
    if (isReview(kind)) {
      await this.#review(kind, user, request, response);
      return;
    }
    checkMethod(kind, info);
    const output = Output.create(
      kind,
      request.headers.accept,
      info.query.get('includeObject'),
    );
    switch (info.verb) {
      case 'get':
        send(
          response,
          200,
          'application/json',
          getText(state, kind, info, output),
        );
        return;
      case 'list':
        send(
          response,
          200,
          'application/json',
          listText(state, kind, info, output),
        );
        return;
      case 'watch':
        watch(state, kind, info, output, response, {
          bookmarkIntervalMs: this.#options.bookmarkIntervalMs,
          registry: this.#options.watches,
        });
        return;
      default:
        sendAnswer(response, output, await write(state, kind, info, request));
    }
  }

  async #review(
    kind: Kind,
    user: User,
    request: IncomingMessage,
    response: ServerResponse,
  ): Promise<void> {
    if (request.method !== 'POST') throw methodNotAllowed(kind);
    const given = decodeJson(kind, await readBody(request));
    const answer = review(kind.plural, user, isRecord(given) ? given : {});
    if (!answer) throw methodNotAllowed(kind);
    sendJson(response, 201, answer);
  }
}

function isReview(kind: Kind): boolean {
  return ['authorization.k8s.io', 'authentication.k8s.io'].includes(kind.group);
}

function checkScope(kind: Kind, info: RequestInfo): void {
  const { namespace, name } = info.resource!;
  if (kind.plural === 'namespaces' && kind.group === '') return;
  if (!kind.namespaced && namespace) throw noSuchResource();
  // An object of a namespace is never addressed without it.
  if (kind.namespaced && !namespace && name && info.verb !== 'watch') {
    throw noSuchResource();
  }
}

function checkMethod(kind: Kind, info: RequestInfo): void {
  const { subresource, name } = info.resource!;
  if (subresource) {
    const known = kind.subresources.find(({ name: n }) => n === subresource);
    if (!known)
      throw name && kind.origin !== 'builtin'
        ? notFound(kind, name)
        : noSuchResource();
    if (!known.verbs.includes(info.verb)) throw methodNotAllowed(kind);
    return;
  }
  const isCreateWithName = info.verb === 'create' && name !== undefined;
  const lacksNamespace =
    info.verb === 'create' &&
    kind.namespaced &&
    info.resource!.namespace === undefined;
  const needsName = ['update', 'patch'].includes(info.verb) && !name;
  if (
    !kind.verbs.includes(info.verb) ||
    isCreateWithName ||
    lacksNamespace ||
    needsName
  ) {
    throw methodNotAllowed(kind);
  }
}

function sendAnswer(
  response: ServerResponse,
  output: Output,
  answer: WriteAnswer,
): void {
  for (const warning of answer.warnings) {
    response.appendHeader('Warning', `299 - ${JSON.stringify(warning)}`);
  }
  if (answer.status) {
    sendJson(response, answer.code, answer.status);
    return;
  }
  if (answer.list) {
    const items = answer.list.map(object => asStored(object));
    send(
      response,
      answer.code,
      'application/json',
      output.list(items, { resourceVersion: '' }),
    );
    return;
  }
  const object = answer.object!;
  if (output.form === 'object')
    sendJson(response, answer.code, ordered(object));
  else {
    send(
      response,
      answer.code,
      'application/json',
      output.object(asStored(object)),
    );
  }
}

function asStored(object: KubeObject): StoredObject {
  return StoredObject.of(object, Number(object.metadata.resourceVersion ?? 0));
}

/** Kind and version first, as the API server writes objects. */
function ordered({ kind, apiVersion, metadata, ...rest }: KubeObject) {
  return { kind, apiVersion, metadata, ...rest };
}

function asStatusError(error: unknown): StatusError {
  if (error instanceof StatusError) return error;
  return new StatusError({
    code: 500,
    reason: 'InternalError',
    message: `Internal error occurred: ${
      error instanceof Error ? error.message : String(error)
    }`,
    details: {
      causes: [
        { message: error instanceof Error ? error.message : String(error) },
      ],
    },
  });
}

export function sendStatus(response: ServerResponse, error: StatusError): void {
  if (error.details?.retryAfterSeconds) {
    response.setHeader('Retry-After', String(error.details.retryAfterSeconds));
  }
  sendJson(response, error.code, error.status());
}

function sendNotFoundText(response: ServerResponse): void {
  send(response, 404, 'text/plain; charset=utf-8', '404 page not found\n');
}

function sendJson(
  response: ServerResponse,
  code: number,
  value: unknown,
): void {
  send(response, code, 'application/json', `${JSON.stringify(value)}\n`);
}

function send(
  response: ServerResponse,
  code: number,
  contentType: string,
  text: string,
): void {
  response.writeHead(code, {
    'Content-Type': contentType,
    'Cache-Control': 'no-cache, private',
    'Content-Length': Buffer.byteLength(text),
  });
  response.end(text);
}

function sendBytes(
  response: ServerResponse,
  contentType: string,
  bytes: Buffer,
): void {
  response.writeHead(200, {
    'Content-Type': contentType,
    'Content-Length': bytes.length,
  });
  response.end(bytes);
}

/** `/version` of the release that is simulated, or of another one by its name. */
export function versionInfo(gitVersion: string = kubernetesVersion) {
  const [, major, minor] = /^v?(\d+)\.(\d+)/.exec(gitVersion) ?? [];
  return {
    major: major ?? '',
    minor: minor ?? '',
    gitVersion,
    gitCommit: '',
    gitTreeState: 'clean',
    buildDate: '1970-01-01T00:00:00Z',
    goVersion: '',
    compiler: 'gc',
    platform: 'linux/amd64',
  };
}
