import {
  KindId,
  watchedKinds,
  WatchedKind,
} from '@mesh-for-backstage/mesh-analysis';
import { ApiServer } from './ApiServer';
import { ApiStatusError } from './errors';

/** What a cluster serves of the kinds that are watched. */
export interface Discovery {
  /** The version to read each kind in. A kind that is not in it is not served. */
  versions: ReadonlyMap<KindId, string>;
  /** Kinds of which nothing can be said this time, since their group does not answer. What was known of them stands. */
  undecided: ReadonlySet<KindId>;
  kubernetesVersion?: string;
}

/** Aggregated discovery tells all groups in two documents; servers without it answer with the old form. */
const AGGREGATED =
  'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,' +
  'application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList,' +
  'application/json';

const groupsOfKinds = new Set(watchedKinds.map(kind => kind.group));

/** `group/version` to the plural names served in it, or to `undecided`. */
type Served = Map<string, Set<string> | 'undecided'>;

interface Document {
  etag?: string;
  served: Served;
}

/**
 * Asks an API server which of the watched kinds it serves, and in which versions.
 * Remembers the answers, so that asking again costs little where nothing has
 * changed.
 */
export class Discoverer {
  readonly #api: ApiServer;
  readonly #documents = new Map<string, Document>();

  static create(api: ApiServer): Discoverer {
    return new Discoverer(api);
  }

  private constructor(api: ApiServer) {
    this.#api = api;
  }

  async discover(signal: AbortSignal): Promise<Discovery> {
    const kubernetesVersion = await this.#kubernetesVersion(signal);
    const served: Served = new Map([
      ...(await this.#read('/api', signal)),
      ...(await this.#read('/apis', signal)),
    ]);
    const versions = new Map<KindId, string>();
    const undecided = new Set<KindId>();
    for (const kind of watchedKinds) {
      const found = versionOf(kind, served);
      if (found === 'undecided') undecided.add(kind.id);
      else if (found !== undefined) versions.set(kind.id, found);
    }
    return { versions, undecided, kubernetesVersion };
  }

  async #kubernetesVersion(signal: AbortSignal): Promise<string | undefined> {
    try {
      const answer = await this.#api.get('/version', { signal });
      const version = answer?.body?.gitVersion;
      return typeof version === 'string' ? version : undefined;
    } catch (error) {
      // Some clusters keep their version to themselves; that is no reason not to read them.
      const hidden =
        error instanceof ApiStatusError && [403, 404].includes(error.status);
      if (hidden) return undefined;
      throw error;
    }
  }

  async #read(root: '/api' | '/apis', signal: AbortSignal): Promise<Served> {
    const before = this.#documents.get(root);
    const answer = await this.#api.get(root, {
      signal,
      accept: AGGREGATED,
      etag: before?.etag,
    });
    if (answer === undefined && before) return before.served;
    const body = answer?.body;
    if (body?.kind === 'APIGroupDiscoveryList') {
      const served = fromAggregated(body);
      this.#documents.set(root, { etag: answer?.etag, served });
      return served;
    }
    return this.#readEach(root, body, signal);
  }

  /** The old form: a list of groups, and a document for each version of each. */
  async #readEach(
    root: '/api' | '/apis',
    body: any,
    signal: AbortSignal,
  ): Promise<Served> {
    const groupVersions: string[] =
      root === '/api'
        ? ['v1']
        : (Array.isArray(body?.groups) ? body.groups : [])
            .filter((group: any) => groupsOfKinds.has(group?.name))
            .flatMap((group: any) =>
              (group.versions ?? []).map(
                (version: any) => version.groupVersion,
              ),
            );
    const served: Served = new Map();
    for (const groupVersion of groupVersions) {
      if (!isWatchedVersion(groupVersion)) continue;
      try {
        const answer = await this.#api.get(`${root}/${groupVersion}`, {
          signal,
        });
        served.set(
          groupVersion,
          new Set(
            (answer?.body?.resources ?? []).map(
              (resource: any) => resource.name as string,
            ),
          ),
        );
      } catch (error) {
        // A group whose own server is down must not hide the others.
        if (!(error instanceof ApiStatusError)) throw error;
        if (error.status !== 404) served.set(groupVersion, 'undecided');
      }
    }
    return served;
  }
}

function fromAggregated(body: any): Served {
  const served: Served = new Map();
  for (const group of body.items ?? []) {
    const name = group?.metadata?.name ?? '';
    for (const version of group?.versions ?? []) {
      served.set(
        name ? `${name}/${version.version}` : version.version,
        version.freshness === 'Stale'
          ? 'undecided'
          : new Set(
              (version.resources ?? []).map(
                (resource: any) => resource.resource as string,
              ),
            ),
      );
    }
  }
  return served;
}

/** The first version that the analysis understands and the cluster serves. */
function versionOf(kind: WatchedKind, served: Served): string | undefined {
  let undecided = false;
  for (const version of kind.versions) {
    const resources = served.get(
      kind.group ? `${kind.group}/${version}` : version,
    );
    if (resources === 'undecided') undecided = true;
    else if (resources?.has(kind.plural)) return version;
  }
  return undecided ? 'undecided' : undefined;
}

function isWatchedVersion(groupVersion: string): boolean {
  return watchedKinds.some(kind =>
    kind.versions.some(
      version =>
        groupVersion === (kind.group ? `${kind.group}/${version}` : version),
    ),
  );
}
