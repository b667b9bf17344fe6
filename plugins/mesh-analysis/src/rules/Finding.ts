/** @public */
export type Severity = 'error' | 'warning' | 'info';

/** Who has to act. @public */
export type Actor = 'service-owner' | 'namespace-owner' | 'platform';

/**
 * Where a verdict was read from: an object, and the field in it.
 *
 * @public
 */
export interface Evidence {
  cluster: string;
  /** Kind and API group as kubectl accepts them, such as `HTTPRoute.gateway.networking.k8s.io`. */
  kind: string;
  namespace?: string;
  name: string;
  /** Path of the field, such as `spec.ports[0].name`. */
  field?: string;
  /** What stands there, shortened where it is long. */
  value?: string;
}

/**
 * Something that somebody should know or mend.
 *
 * @public
 */
export interface Finding {
  /** Id of the rule, in PascalCase, such as `PortNameMismatch`. */
  rule: string;
  severity: Severity;
  /** The object that the finding is about. */
  kind: string;
  clusters: string[];
  namespace?: string;
  name: string;
  /** One or two sentences: what is wrong, and what follows for traffic. */
  message: string;
  /** What to do about it; YAML or a command where one can be written. */
  fix?: string;
  actor: Actor;
  evidence: Evidence[];
  /** Codes that people know for the same thing: `IST0170`, `KIA1311`. */
  equivalents?: string[];
  /** Where to read more. */
  docs?: string;
}
