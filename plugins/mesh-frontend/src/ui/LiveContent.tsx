import { ReactNode } from 'react';
import type { Live } from '../live/useLive';
import { ErrorState, StaleBanner } from './ErrorState';
import { Loading } from './Loading';

/** Content that is asked for: a place-holder first, then the content, or why there is none. */
export function LiveContent<T>(props: {
  live: Live<T>;
  /** What is shown: `the services`. */
  what: string;
  lines?: number;
  children: (value: T) => ReactNode;
}) {
  const { live, what, lines, children } = props;
  if (live.value === undefined) {
    return live.error ? (
      <ErrorState error={live.error} what={what} onRetry={live.retry} />
    ) : (
      <Loading what={what} lines={lines} />
    );
  }
  return (
    <>
      {live.error && <StaleBanner error={live.error} onRetry={live.retry} />}
      {children(live.value)}
    </>
  );
}
