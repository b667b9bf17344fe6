import { useSyncExternalStore } from 'react';
import Tooltip from '@material-ui/core/Tooltip';

// One timer for all ages on a page: a table of two hundred rows must not tick
// two hundred times.
const listeners = new Set<() => void>();
let timer: ReturnType<typeof setInterval> | undefined;
let now = Date.now();

function subscribe(listener: () => void) {
  now = Date.now();
  listeners.add(listener);
  timer ??= setInterval(() => {
    now = Date.now();
    listeners.forEach(tell => tell());
  }, 10_000);
  return () => {
    listeners.delete(listener);
    if (listeners.size === 0) {
      clearInterval(timer);
      timer = undefined;
    }
  };
}

/** The time, to ten seconds. */
export const useNow = (): number => useSyncExternalStore(subscribe, () => now);

const units: Array<[number, string]> = [
  [86_400, 'd'],
  [3_600, 'h'],
  [60, 'min'],
];

/** `20 s`, `4 min`, `3 h`, `12 d`: one unit, rounded down. */
export function ageText(milliseconds: number): string {
  const seconds = Math.max(0, Math.floor(milliseconds / 1000));
  for (const [size, unit] of units) {
    if (seconds >= size) return `${Math.floor(seconds / size)} ${unit}`;
  }
  return seconds < 10 ? 'a moment' : `${seconds} s`;
}

/** How long ago, with the absolute time on hover and focus of what holds it. */
export const Age = (props: {
  at: string;
  prefix?: string;
  suffix?: string;
}) => {
  const { at, prefix, suffix = 'ago' } = props;
  const current = useNow();
  const time = Date.parse(at);
  if (Number.isNaN(time)) return <>{at}</>;
  const absolute = new Date(time).toLocaleString();
  return (
    <Tooltip title={absolute}>
      <time dateTime={at}>
        {prefix && `${prefix} `}
        {ageText(Math.max(current, Date.now()) - time)}
        {suffix && ` ${suffix}`}
      </time>
    </Tooltip>
  );
};
