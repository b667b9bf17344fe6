import { FleetObject } from './FleetObject';
import { UnknownReason } from './Fact';
import { KindId } from './kinds';

/**
 * Whether what the inventory holds of a kind in a cluster is all there is.
 * Everything but `synced` turns verdicts that depend on it into unknowns.
 *
 * @public
 */
export interface Coverage {
  state: 'synced' | Exclude<UnknownReason, 'not-reported'>;
  /** One sentence for a person, such as `needs list on nodes`. */
  message?: string;
  /** When the state began, RFC 3339. */
  since?: string;
  /**
   * True where the kind is to be read and never was to the end, as while a cluster is
   * first read: the gap is one of time, and nothing is to be concluded from it.
   */
  pending?: boolean;
}

/**
 * What is known of the fleet, for pure functions to read. Lookups are synchronous
 * and recorded by whoever provides the inventory: a later change to anything that
 * was read marks the reader as changed. So read narrowly: name the cluster and,
 * where it has one, the namespace.
 *
 * @public
 */
export interface Inventory {
  /** The time at which verdicts are drawn, RFC 3339. Analysis has no clock of its own. */
  readonly now: string;

  /** Names of all clusters, also of those that do not answer. */
  clusters(): readonly string[];

  /** Objects of a kind, in the order of namespace and name; empty where there are none or they are not known (see `coverage`). */
  list(
    kind: KindId,
    scope: { cluster: string; namespace?: string },
  ): readonly FleetObject[];

  get(
    kind: KindId,
    key: { cluster: string; namespace?: string; name: string },
  ): FleetObject | undefined;

  coverage(kind: KindId, cluster: string): Coverage;
}
