/**
 * Settles as the promise does, or rejects when the signal is aborted, whether the
 * promise heeds that or not: nobody who stops waits for what others are at.
 */
export function abortable<T>(
  promise: Promise<T>,
  signal: AbortSignal,
): Promise<T> {
  // What comes too late to be told is not to become an unhandled rejection.
  promise.catch(() => undefined);
  return new Promise<T>((resolve, reject) => {
    const stop = () => reject(signal.reason);
    if (signal.aborted) {
      stop();
      return;
    }
    signal.addEventListener('abort', stop, { once: true });
    promise
      .then(resolve, reject)
      .finally(() => signal.removeEventListener('abort', stop));
  });
}
