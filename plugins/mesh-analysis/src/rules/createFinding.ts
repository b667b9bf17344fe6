import { Actor, Evidence, Finding, Severity } from './Finding';
import { RuleId, rules } from './rules';

/** What a rule says about one object. @public */
export interface FindingDetails {
  kind: string;
  clusters: string[];
  namespace?: string;
  name: string;
  message: string;
  fix?: string;
  evidence: Evidence[];
  /** Where it differs from the rule's own. */
  severity?: Severity;
  actor?: Actor;
}

/**
 * The only way to a finding: the rule has to be in the register.
 *
 * @public
 */
export function createFinding(rule: RuleId, details: FindingDetails): Finding {
  const { severity, actor, equivalents } = rules[rule];
  return {
    rule,
    severity,
    actor,
    ...details,
    ...(equivalents && { equivalents: [...equivalents] }),
    docs: `docs/findings.md#${rule.toLowerCase()}`,
  };
}
