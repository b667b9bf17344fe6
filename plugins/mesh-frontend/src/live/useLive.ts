import { useCallback, useEffect, useRef, useState } from 'react';
import { useSignal } from '@backstage/plugin-signals-react';
import {
  MESH_SIGNAL_CHANNEL,
  MeshSignal,
} from '@mesh-for-backstage/plugin-mesh-common';

/** What a page knows of its data. */
export interface Live<T> {
  /** The last answer. It stays while a newer one is asked for, and when that fails. */
  value?: T;
  /** Why the last question failed. With a `value`, what is shown is old. */
  error?: Error;
  /** True while the value belongs to an earlier question. */
  busy: boolean;
  retry: () => void;
}

/** However often the fleet changes, a page asks again at most this often. */
export const throttleMs = 2_000;
const pollMs = 15_000;
// Signals travel over a web socket that a proxy may have swallowed silently.
const pollWithSignalsMs = 120_000;

/**
 * Asks for data, and asks again when the backend says that one of `topics` has
 * changed; by the clock where signals are not available. `key` names the question:
 * another key is another question, and the answers of earlier ones are dropped.
 */
export function useLive<T>(
  key: string,
  load: () => Promise<T>,
  topics: MeshSignal['topic'][],
): Live<T> {
  const [state, setState] = useState<{
    key?: string;
    value?: T;
    error?: Error;
    errorKey?: string;
  }>({});
  const latest = useRef({ key, load, topics });
  latest.current = { key, load, topics };
  const asked = useRef({ id: 0, at: 0 });

  const ask = useCallback(async () => {
    const { key: question, load: question_ } = latest.current;
    asked.current = { id: asked.current.id + 1, at: Date.now() };
    const { id } = asked.current;
    const current = () => id === asked.current.id;
    try {
      const value = await question_();
      if (current()) setState({ key: question, value });
    } catch (error) {
      if (!current()) return;
      setState(before => ({
        ...before,
        // What answered an earlier question must not stand under the error of this one.
        ...(before.key === question
          ? {}
          : { key: undefined, value: undefined }),
        error: error as Error,
        errorKey: question,
      }));
    }
  }, []);

  useEffect(() => {
    ask();
    return () => {
      // An answer that comes after this belongs to nobody.
      asked.current = { ...asked.current, id: asked.current.id + 1 };
    };
  }, [key, ask]);

  const { lastSignal, isSignalsAvailable } = useSignal<{
    topic: MeshSignal['topic'];
  }>(MESH_SIGNAL_CHANNEL);

  const pending = useRef<ReturnType<typeof setTimeout>>();
  useEffect(() => {
    if (!lastSignal || pending.current) return;
    if (!latest.current.topics.includes(lastSignal.topic)) return;
    const wait = Math.max(0, asked.current.at + throttleMs - Date.now());
    pending.current = setTimeout(() => {
      pending.current = undefined;
      ask();
    }, wait);
  }, [lastSignal, ask]);
  useEffect(() => () => clearTimeout(pending.current), []);

  useEffect(() => {
    const timer = setInterval(
      () => {
        if (document.visibilityState !== 'hidden') ask();
      },
      isSignalsAvailable ? pollWithSignalsMs : pollMs,
    );
    return () => clearInterval(timer);
  }, [ask, isSignalsAvailable]);

  const answered = state.key === key || state.errorKey === key;
  return {
    value: state.value,
    error: state.errorKey === key ? state.error : undefined,
    busy: !answered,
    retry: ask,
  };
}
