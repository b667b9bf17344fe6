import { WatchedKind } from '@mesh-for-backstage/mesh-analysis';
import { KindCoverage } from '@mesh-for-backstage/plugin-mesh-common';
import { LeaseLostError } from '../store/ClusterLease';
import { ApiServer, WatchEvent } from './ApiServer';
import { Backoff } from './Backoff';
import { ChangeWriter } from './ChangeWriter';
import {
  AnswerTooLargeError,
  ApiStatusError,
  isExpired,
  MalformedAnswerError,
  UnreachableError,
} from './errors';
import { CollectSettings } from './settings';
import { sleep } from './sleep';
import { keyOf, trim } from './trim';

/** How well a reflector knows what it reads. */
export interface ReflectorState {
  state: KindCoverage['state'];
  message?: string;
  missing?: NonNullable<KindCoverage['missing']>;
}

/** What a reflector needs of the collector that runs it. */
export interface ReflectorHost {
  api: ApiServer;
  writer: ChangeWriter;
  settings: CollectSettings;
  /** Runs a fetch when there is room for another page in memory. */
  withPage<T>(task: () => Promise<T>, signal: AbortSignal): Promise<T>;
  /** Resolves while the cluster answers; waits while it does not. */
  whenReachable(signal: AbortSignal): Promise<void>;
  /** The cluster did not answer: is it the whole of it? Resolves when that is known. */
  suspectUnreachable(error: Error): Promise<void>;
  /** An error that nobody has thought of. */
  unexpected(error: Error): void;
}

/** @internal */
export interface ReflectorOptions {
  host: ReflectorHost;
  kind: WatchedKind;
  version: string;
  /** For kinds that are read in some namespaces only. */
  namespace?: string;
  /** Told of every change of state. */
  onState: (state: ReflectorState) => void;
  /** Told of every sign of life: the end of a list, and each event and bookmark of a watch. */
  onAlive: () => void;
}

/** Ends a watch from this side; the watch goes on from where it was. */
const RECONNECT = new Error('Reconnect');
const SILENT = new Error('No sign of life');

/** Pages with fewer objects are not worth a transaction of their own. */
const SHORT_PAGE = 100;

/** A list that expires again and again is a failure, however often it begins anew. */
const MAX_RESTARTS_IN_A_ROW = 2;
/** A watch that fails this often from the same place is begun anew with a list. */
const MAX_FAILURES_BEFORE_LIST = 3;

/**
 * Keeps the store in step with one kind of one cluster (or of one namespace of it):
 * a paged list, then a watch from where the list ended, for ever.
 *
 * What this adds to a plain watch is the knowledge of how far it can be trusted.
 * Silence is not taken for peace: a watch without a bookmark for too long is
 * stale, and is read anew.
 */
export class Reflector {
  readonly #host: ReflectorHost;
  readonly #kind: WatchedKind;
  readonly #version: string;
  readonly #namespace?: string;
  readonly #onState: ReflectorOptions['onState'];
  readonly #onAlive: () => void;
  readonly #backoff: Backoff;
  #resourceVersion?: string;
  #failuresOfWatch = 0;
  #expirations = 0;
  #pageSize: number;
  /** Whether this server sends bookmarks for this kind: only then does silence mean something. */
  #hasBookmarks = false;
  #state?: ReflectorState;
  #watch?: AbortController;

  static create(options: ReflectorOptions): Reflector {
    return new Reflector(options);
  }

  private constructor(options: ReflectorOptions) {
    this.#host = options.host;
    this.#kind = options.kind;
    this.#version = options.version;
    this.#namespace = options.namespace;
    this.#onState = options.onState;
    this.#onAlive = options.onAlive;
    this.#backoff = Backoff.create(options.host.settings.backoff);
    this.#pageSize = options.host.settings.pageSize;
  }

  get state(): ReflectorState | undefined {
    return this.#state;
  }

  /** Runs until the signal is aborted. */
  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      try {
        await this.#host.whenReachable(signal);
        if (this.#resourceVersion === undefined) {
          this.#resourceVersion = await this.#list(signal);
        }
        await this.#follow(signal);
      } catch (error) {
        if (signal.aborted) return;
        if (error instanceof LeaseLostError) return;
        await this.#recover(error, signal);
      }
    }
  }

  /** Makes an open watch connect anew, such as after the cluster has been away. */
  reconnect(): void {
    this.#watch?.abort(RECONNECT);
  }

  /** The cluster as a whole does not answer. */
  markUnreachable(message: string): void {
    if (this.#state?.state === 'synced' || this.#state?.state === 'stale') {
      this.#report({ state: 'unreachable', message });
    }
  }

  /** Too long without a sign of life. */
  markStale(message: string): void {
    if (this.#state?.state === 'synced') {
      this.#report({ state: 'stale', message });
    }
  }

  async #list(signal: AbortSignal): Promise<string> {
    const host = this.#host;
    const scope = { kind: this.#kind.id, namespace: this.#namespace };
    const seen = host.writer.beginList(scope) ? undefined : new Set<string>();
    let resourceVersion: string | undefined;
    let next: string | undefined;
    do {
      const from = next;
      const page: Page = await host.withPage(async () => {
        signal.throwIfAborted();
        const read = await this.#page(from, signal);
        // Trimmed and written before the permit is given back: what bounds
        // memory is the number of pages that are held.
        const records = read.items.flatMap(
          item => trim(this.#kind, this.#version, item) ?? [],
        );
        for (const record of records) {
          seen?.add(`${record.namespace}/${record.name}`);
        }
        await host.writer.add(records);
        // Short lists, as most are, share a transaction with those of other kinds.
        if (records.length >= SHORT_PAGE) await host.writer.flush();
        return { next: read.next, resourceVersion: read.resourceVersion };
      }, signal);
      // The watch begins where the first page was read, so that nothing between the pages is missed.
      resourceVersion ??= page.resourceVersion;
      next = page.next;
    } while (next);
    if (seen) await host.writer.removeUnseen(scope, seen);
    this.#onAlive();
    return resourceVersion ?? '';
  }

  async #page(
    next: string | undefined,
    signal: AbortSignal,
  ): Promise<Page & { items: any[] }> {
    const { api, settings } = this.#host;
    for (;;) {
      const query = new URLSearchParams({ limit: String(this.#pageSize) });
      if (this.#kind.labelSelector) {
        query.set('labelSelector', this.#kind.labelSelector);
      }
      if (next) query.set('continue', next);
      try {
        const answer = await api.get(`${this.#path()}?${query}`, {
          signal,
          accept: this.#accept('PartialObjectMetadataList'),
          maxBytes: settings.maxPageBytes,
        });
        const { body } = answer!;
        if (!Array.isArray(body?.items) && body?.items !== null) {
          throw new MalformedAnswerError(
            `The answer to ${this.#path()} is not a list`,
          );
        }
        const more = body.metadata?.continue || undefined;
        if (more !== undefined && more === next) {
          throw new MalformedAnswerError(
            `The list of ${this.#path()} does not get on: its next page is the same again`,
          );
        }
        return {
          items: body.items ?? [],
          next: more,
          resourceVersion: body.metadata?.resourceVersion,
        };
      } catch (error) {
        if (!(error instanceof AnswerTooLargeError) || this.#pageSize === 1) {
          throw error;
        }
        this.#pageSize = Math.max(1, Math.floor(this.#pageSize / 4));
      }
    }
  }

  /** Watches until the server ends the watch in good order. */
  async #follow(signal: AbortSignal): Promise<void> {
    const { api, settings, writer } = this.#host;
    const [least, most] = settings.watchTimeoutMs;
    const timeoutMs = least + Math.random() * (most - least);
    const timeoutSeconds = Math.max(1, Math.round(timeoutMs / 1000));
    const query = new URLSearchParams({
      watch: 'true',
      allowWatchBookmarks: 'true',
      timeoutSeconds: String(timeoutSeconds),
      resourceVersion: this.#resourceVersion!,
    });
    if (this.#kind.labelSelector) {
      query.set('labelSelector', this.#kind.labelSelector);
    }
    const watch = new AbortController();
    this.#watch = watch;
    const stop = () => watch.abort(signal.reason);
    signal.addEventListener('abort', stop, { once: true });
    const silence = setTimeout(
      () => watch.abort(SILENT),
      Math.min(settings.staleAfterMs, timeoutSeconds * 1000 + 15_000),
    );
    const began = Date.now();
    try {
      const events = api.watch(`${this.#path()}?${query}`, {
        signal: watch.signal,
        accept: this.#accept('PartialObjectMetadata'),
        maxLineBytes: settings.maxPageBytes,
        onConnected: () => {
          this.#onAlive();
          this.#report({ state: 'synced' });
        },
      });
      for await (const event of events) {
        silence.refresh();
        await this.#take(event, writer);
        this.#onAlive();
        this.#report({ state: 'synced' });
      }
    } catch (error) {
      if (watch.signal.reason === RECONNECT) return;
      if (watch.signal.reason === SILENT) {
        this.#becomeSilent();
        return;
      }
      throw error;
    } finally {
      clearTimeout(silence);
      signal.removeEventListener('abort', stop);
      this.#watch = undefined;
    }
    this.#failuresOfWatch = 0;
    if (Date.now() - began >= settings.stableWatchMs) {
      this.#expirations = 0;
      this.#backoff.reset();
    } else await sleep(this.#backoff.next(), signal);
  }

  async #take(event: WatchEvent, writer: ChangeWriter): Promise<void> {
    const { type, object } = event;
    switch (type) {
      case 'BOOKMARK':
        this.#hasBookmarks = true;
        break;
      case 'ADDED':
      case 'MODIFIED': {
        const record = trim(this.#kind, this.#version, object);
        if (record) await writer.add([record]);
        break;
      }
      case 'DELETED': {
        const key = keyOf(this.#kind, object);
        if (key) await writer.add([{ ...key, deleted: true }]);
        break;
      }
      case 'ERROR':
        throw new ApiStatusError({
          status: Number(object?.code) || 500,
          reason: object?.reason,
          message: `The watch of ${this.#path()} ended with ${
            object?.code ?? 'an error'
          }${object?.reason ? ` (${object.reason})` : ''}`,
          retryAfterMs:
            Number(object?.details?.retryAfterSeconds) * 1000 || undefined,
        });
      default:
        throw new MalformedAnswerError(
          `The watch of ${this.#path()} sent an event of unknown type`,
        );
    }
    const version = object?.metadata?.resourceVersion;
    if (typeof version === 'string' && version) this.#resourceVersion = version;
    // Only what a watch delivers shows that the list before it was of use.
    this.#failuresOfWatch = 0;
    this.#expirations = 0;
  }

  /**
   * Nothing has come for longer than bookmarks need. Where the server is known to
   * send them, what is stored can no longer be called current, and is read anew;
   * where it is not, a new watch shows whether anybody is there.
   */
  #becomeSilent(): void {
    if (!this.#hasBookmarks) return;
    this.#host.api.reconnect();
    this.#resourceVersion = undefined;
    this.#report({
      state: 'stale',
      message: `No sign of life from the watch for ${Math.round(
        this.#host.settings.staleAfterMs / 1000,
      )} s; it is being read anew`,
    });
  }

  /** Decides what a failure means, and waits for as long as it asks for. */
  async #recover(error: unknown, signal: AbortSignal): Promise<void> {
    const { settings } = this.#host;
    if (isExpired(error)) {
      this.#resourceVersion = undefined;
      this.#expirations++;
      if (this.#expirations <= MAX_RESTARTS_IN_A_ROW) return;
      await sleep(this.#backoff.next(), signal);
      return;
    }
    if (error instanceof ApiStatusError && error.status === 403) {
      const verb = this.#resourceVersion === undefined ? 'list' : 'watch';
      this.#resourceVersion = undefined;
      this.#report(this.#forbidden(verb));
      await sleep(spread(settings.forbiddenRetryMs), signal);
      return;
    }
    if (error instanceof ApiStatusError && error.status === 404) {
      this.#resourceVersion = undefined;
      this.#report({
        state: 'absent-api',
        message: `The cluster does not serve ${this.#resource} in ${
          this.#version
        }`,
      });
      await sleep(spread(settings.discoveryIntervalMs), signal);
      return;
    }
    if (!isKnown(error)) this.#host.unexpected(error as Error);
    this.#failuresOfWatch++;
    if (
      this.#failuresOfWatch >= MAX_FAILURES_BEFORE_LIST ||
      error instanceof MalformedAnswerError ||
      error instanceof AnswerTooLargeError
    ) {
      this.#resourceVersion = undefined;
    }
    const isGone =
      error instanceof UnreachableError ||
      (error instanceof ApiStatusError && error.status === 401);
    if (isGone) await this.#host.suspectUnreachable(error);
    if (signal.aborted) return;
    if (this.#state?.state !== 'synced' && this.#state?.state !== 'stale') {
      // Never read to the end, so there is nothing that could be merely old.
      this.#report({ state: 'unreachable', message: messageOf(error) });
    }
    await sleep(
      this.#backoff.next(
        error instanceof ApiStatusError ? error.retryAfterMs : undefined,
      ),
      signal,
    );
  }

  #forbidden(verb: 'list' | 'watch'): ReflectorState {
    const where = this.#namespace ? ` in namespace ${this.#namespace}` : '';
    return {
      state: 'forbidden',
      message: `No permission to ${verb} ${this.#resource}${where}`,
      missing: {
        verb,
        group: this.#kind.group,
        resource: this.#kind.plural,
        ...(this.#namespace && { namespace: this.#namespace }),
      },
    };
  }

  #report(state: ReflectorState): void {
    if (
      this.#state?.state === state.state &&
      this.#state.message === state.message
    ) {
      return;
    }
    this.#state = state;
    this.#onState(state);
  }

  /** Plural and group, as in an RBAC rule. */
  get #resource(): string {
    return this.#kind.group
      ? `${this.#kind.plural}.${this.#kind.group}`
      : this.#kind.plural;
  }

  #path(): string {
    const root = this.#kind.group
      ? `/apis/${this.#kind.group}/${this.#version}`
      : `/api/${this.#version}`;
    return this.#namespace
      ? `${root}/namespaces/${this.#namespace}/${this.#kind.plural}`
      : `${root}/${this.#kind.plural}`;
  }

  #accept(metadataKind: string): string {
    return this.#kind.metadataOnly
      ? `application/json;as=${metadataKind};g=meta.k8s.io;v=v1`
      : 'application/json';
  }
}

interface Page {
  next?: string;
  resourceVersion?: string;
}

type KnownError =
  | ApiStatusError
  | UnreachableError
  | MalformedAnswerError
  | AnswerTooLargeError;

function isKnown(error: unknown): error is KnownError {
  return (
    error instanceof ApiStatusError ||
    error instanceof UnreachableError ||
    error instanceof MalformedAnswerError ||
    error instanceof AnswerTooLargeError
  );
}

function messageOf(error: unknown): string {
  return isKnown(error) ? error.message : 'The answer could not be processed';
}

/** Around the given time, so that reflectors of the same fate do not all come at once. */
function spread(milliseconds: number): number {
  return milliseconds * (0.75 + Math.random() * 0.5);
}
