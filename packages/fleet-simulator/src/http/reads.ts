import { ServerResponse } from 'node:http';
import { Kind } from '../kinds/Kind';
import { ClusterState } from '../store/ClusterState';
import { Change, Collection, VersionForgotten } from '../store/Collection';
import { StoredObject } from '../store/StoredObject';
import {
  encodeContinue,
  ListOptions,
  readListOptions,
  Selection,
} from './listOptions';
import { Output } from './Output';
import { isTrue, RequestInfo } from './RequestInfo';
import { expired, notFound, StatusError } from './StatusError';
import { WatchStream } from './WatchStream';

const CONTINUE_EXPIRED =
  'The provided continue parameter is too old to display a consistent list result. You can start a new list without the continue parameter, or use the continue token in this response to retrieve the remainder of the results. Continuing with the provided token results in an inconsistent list - objects that were created, modified, or deleted between the time the first chunk was returned and now may show up in the list.';

export function getText(
  state: ClusterState,
  kind: Kind,
  info: RequestInfo,
  output: Output,
): string {
  const { namespace, name } = info.resource!;
  const stored = state
    .collection(kind)
    .get(kind.namespaced ? namespace ?? '' : '', name!);
  if (!stored) throw notFound(kind, name!);
  checkNotTooNew(state, readListOptions(info).version);
  return `${output.object(stored)}\n`;
}

/** One page of a list, from a snapshot that does not change while its pages are read. */
export function listText(
  state: ClusterState,
  kind: Kind,
  info: RequestInfo,
  output: Output,
): string {
  const selection = Selection.create(kind, info);
  const options = readListOptions(info);
  const collection = state.collection(kind);
  const { version, objects, start } = snapshotFor(state, collection, options);

  // Version 0 asks for whatever is in memory, and that is never cut into pages.
  const limit = options.version === 0 ? 0 : options.limit;
  const items: StoredObject[] = [];
  let index = start ? firstAfter(objects, start) : 0;
  while (index < objects.length && (limit === 0 || items.length < limit)) {
    const object = objects[index++];
    if (selection.includes(object)) items.push(object);
  }
  const metadata: Record<string, unknown> = {
    resourceVersion: String(version),
  };
  const rest = objects.slice(index);
  if (limit > 0 && rest.some(object => selection.includes(object))) {
    metadata.continue = encodeContinue(version, items[items.length - 1].key);
    if (!selection.hasSelectors) {
      metadata.remainingItemCount = rest.filter(object =>
        selection.includes(object),
      ).length;
    }
  }
  return output.list(items, metadata);
}

function snapshotFor(
  state: ClusterState,
  collection: Collection,
  options: ListOptions,
): { version: number; objects: readonly StoredObject[]; start?: string } {
  const { continueToken: token, version, match, limit } = options;
  if (token) {
    // A negative version marks a list that goes on although its snapshot is gone.
    if (token.version < 0) {
      return {
        version: state.version,
        objects: collection.all(),
        start: token.start,
      };
    }
    try {
      return {
        version: token.version,
        objects: collection.at(token.version),
        start: token.start,
      };
    } catch (error) {
      if (!(error instanceof VersionForgotten)) throw error;
      throw expired(CONTINUE_EXPIRED, encodeContinue(-1, token.start));
    }
  }
  checkNotTooNew(state, version);
  const isExact =
    match === 'Exact' || (match === undefined && limit > 0 && version);
  if (isExact && version) {
    try {
      return { version, objects: collection.at(version) };
    } catch (error) {
      if (!(error instanceof VersionForgotten)) throw error;
      throw expired(`The resourceVersion for the provided list is too old.`);
    }
  }
  return { version: state.version, objects: collection.all() };
}

function checkNotTooNew(state: ClusterState, version: number | undefined) {
  if (version === undefined || version <= state.version) return;
  throw new StatusError({
    code: 504,
    reason: 'Timeout',
    message: `Timeout: Too large resource version: ${version}, current: ${state.version}`,
    details: {
      causes: [
        {
          reason: 'ResourceVersionTooLarge',
          message: 'Too large resource version',
        },
      ],
      retryAfterSeconds: 1,
    },
  });
}

function firstAfter(objects: readonly StoredObject[], key: string): number {
  let low = 0;
  let high = objects.length;
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if (objects[middle].key <= key) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Tells the cluster of each running watch, so that it can be ended from outside. */
export interface WatchRegistry {
  add(watch: RunningWatch): void;
}

export interface RunningWatch {
  stream: WatchStream;
  kind: Kind;
}

export function watch(
  state: ClusterState,
  kind: Kind,
  info: RequestInfo,
  output: Output,
  response: ServerResponse,
  options: { bookmarkIntervalMs: number; registry: WatchRegistry },
): void {
  const selection = Selection.create(kind, info);
  const { version } = readListOptions(info);
  const collection = state.collection(kind);
  const wantsBookmarks = isTrue(info.query.get('allowWatchBookmarks'));
  const wantsInitialEvents = info.query.get('sendInitialEvents') === 'true';
  const timeout = Number(info.query.get('timeoutSeconds') ?? 0);

  const stream = WatchStream.create(response, output.contentType);
  const send = (change: Change) => {
    const text = eventText(change, selection, output);
    if (text) stream.send(text);
  };

  const startsWithState =
    wantsInitialEvents ||
    (info.query.get('sendInitialEvents') === null && !version);
  if (startsWithState) {
    for (const stored of collection.all()) {
      if (selection.includes(stored)) {
        stream.send(`{"type":"ADDED","object":${output.object(stored)}}\n`);
      }
    }
    if (wantsInitialEvents && wantsBookmarks) {
      stream.send(output.bookmark(state.version, true));
    }
  } else if (version) {
    try {
      for (const change of collection.since(version)) send(change);
    } catch (error) {
      if (!(error instanceof VersionForgotten)) throw error;
      // As in the real server, a version that is too old is an event, not a status line.
      stream.send(
        errorEvent(
          expired(
            `too old resource version: ${version} (${error.oldest})`,
          ).status(),
        ),
      );
      stream.end();
      return;
    }
  }

  const stop = collection.listen(send);
  const timers: NodeJS.Timeout[] = [];
  if (wantsBookmarks) {
    timers.push(
      setInterval(
        () => stream.send(output.bookmark(state.version, false)),
        options.bookmarkIntervalMs,
      ),
    );
  }
  // Without a wish of the client, the server ends a watch after half an hour to an hour.
  const seconds = timeout > 0 ? timeout : 1800 + Math.random() * 1800;
  timers.push(
    setTimeout(() => {
      if (wantsBookmarks) stream.send(output.bookmark(state.version, false));
      stream.end();
    }, seconds * 1000),
  );
  options.registry.add({ stream, kind });
  stream.onClose(() => {
    stop();
    timers.forEach(timer => clearTimeout(timer));
  });
}

/** What a watcher sees of a change: an object may come into its selection, or leave it. */
function eventText(
  change: Change,
  selection: Selection,
  output: Output,
): string | undefined {
  const { object, previous } = change;
  const isIn = change.type !== 'DELETED' && selection.includes(object);
  const wasIn = previous !== undefined && selection.includes(previous);
  if (!isIn && !wasIn) return undefined;
  let type = 'MODIFIED';
  if (!isIn) type = 'DELETED';
  else if (!wasIn) type = 'ADDED';
  const leaves = !isIn && change.type !== 'DELETED';
  const id = `${type}/${leaves}/${output.id}`;
  let text = change.texts.get(id);
  if (text === undefined) {
    // What leaves the selection is shown as it was last in it.
    const shown = leaves ? previous!.withVersion(change.version) : object;
    text = `{"type":"${type}","object":${output.object(shown)}}\n`;
    change.texts.set(id, text);
  }
  return text;
}

export function errorEvent(status: Record<string, unknown>): string {
  return `{"type":"ERROR","object":${JSON.stringify(status)}}\n`;
}
