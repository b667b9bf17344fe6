/**
 * Why something is not known.
 *
 * - `forbidden`: the API server answered 403, or reading it is switched off.
 * - `absent-api`: the cluster does not serve this kind.
 * - `unreachable`: the cluster does not answer, and there is no earlier state.
 * - `stale`: what is known is older than it may be, or `observedGeneration` lags behind.
 * - `not-reported`: whoever should say so has not said anything.
 *
 * @public
 */
export type UnknownReason =
  | 'forbidden'
  | 'absent-api'
  | 'unreachable'
  | 'stale'
  | 'not-reported';

/**
 * Stands in the place of a value that is not known. `detail` is one sentence for
 * a person: what is missing, and what would make it known.
 *
 * @public
 */
export interface Unknown {
  unknown: UnknownReason;
  detail?: string;
}

/**
 * A value, or the reason why there is none. Unknown is never shown as good, and
 * never counted as zero.
 *
 * @public
 */
export type Fact<T> = T | Unknown;

/** @public */
export function isUnknown(fact: unknown): fact is Unknown {
  return (
    typeof fact === 'object' &&
    fact !== null &&
    typeof (fact as Unknown).unknown === 'string'
  );
}

/** @public */
export function unknown(reason: UnknownReason, detail?: string): Unknown {
  return detail === undefined
    ? { unknown: reason }
    : { unknown: reason, detail };
}

/**
 * The value of a fact, or `fallback` where it is unknown. For decisions only; a
 * value that is shown keeps its unknown.
 *
 * @public
 */
export function valueOr<T, F>(fact: Fact<T>, fallback: F): T | F {
  return isUnknown(fact) ? fallback : fact;
}
