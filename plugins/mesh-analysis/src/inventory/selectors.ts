import { listOf, mapOf, stringOf, stringsOf } from './fields';

/**
 * A label selector as it stands in an object. Every field may be absent.
 *
 * @public
 */
export interface LabelSelector {
  matchLabels?: Record<string, string>;
  matchExpressions?: Array<{
    key: string;
    operator: string;
    values?: string[];
  }>;
}

/** One condition on labels; all conditions of a selector have to hold. @public */
export interface LabelRequirement {
  key: string;
  operator: 'In' | 'NotIn' | 'Exists' | 'DoesNotExist';
  values: string[];
}

/**
 * What stands in a selector, as conditions; or what is wrong with it, in which case
 * the API server would have refused it and it matches nothing.
 *
 * @public
 */
export function requirementsOf(
  selector: unknown,
): { requirements: LabelRequirement[] } | { problem: string } {
  const requirements: LabelRequirement[] = [];
  if (
    typeof selector !== 'object' ||
    selector === null ||
    Array.isArray(selector)
  ) {
    return { problem: 'a selector has to be a map' };
  }
  const { matchLabels, matchExpressions } = selector as Record<string, unknown>;
  if (
    (matchLabels ?? undefined) !== undefined &&
    (typeof matchLabels !== 'object' || Array.isArray(matchLabels))
  ) {
    return { problem: 'matchLabels has to be a map' };
  }
  if (
    (matchExpressions ?? undefined) !== undefined &&
    !Array.isArray(matchExpressions)
  ) {
    return { problem: 'matchExpressions has to be a list' };
  }
  for (const [key, value] of Object.entries(mapOf(matchLabels))) {
    if (typeof value !== 'string') {
      return { problem: `matchLabels.${key} has to be a string` };
    }
    requirements.push({ key, operator: 'In', values: [value] });
  }
  for (const [index, item] of listOf(matchExpressions).entries()) {
    const at = `matchExpressions[${index}]`;
    const expression = mapOf(item);
    const key = stringOf(expression.key);
    if (!key) {
      return { problem: `${at}.key is missing` };
    }
    const values = stringsOf(expression.values);
    switch (expression.operator) {
      case 'In':
      case 'NotIn':
        if (values.length === 0) {
          return { problem: `${at}.values is empty` };
        }
        break;
      case 'Exists':
      case 'DoesNotExist':
        if (values.length > 0) {
          return { problem: `${at}.values has to be empty` };
        }
        break;
      default:
        return {
          problem: `${at}.operator is none of In, NotIn, Exists, DoesNotExist`,
        };
    }
    requirements.push({ key, operator: expression.operator, values });
  }
  return { requirements };
}

/** `NotIn` and `DoesNotExist` hold for labels that lack the key. @public */
export function meets(
  labels: Readonly<Record<string, string>>,
  { key, operator, values }: LabelRequirement,
): boolean {
  const value = Object.hasOwn(labels, key) ? labels[key] : undefined;
  switch (operator) {
    case 'In':
      return value !== undefined && values.includes(value);
    case 'NotIn':
      return value === undefined || !values.includes(value);
    case 'Exists':
      return value !== undefined;
    default:
      return value === undefined;
  }
}

/**
 * Whether a label selector takes an object with these labels. An empty selector
 * takes everything. What an absent one takes differs by API, so the caller says it.
 *
 * @public
 */
export function selects(
  selector: unknown,
  labels: Readonly<Record<string, string>>,
  absent: 'nothing' | 'everything',
): boolean {
  if (selector === undefined || selector === null) {
    return absent === 'everything';
  }
  const parsed = requirementsOf(selector);
  return (
    'requirements' in parsed &&
    parsed.requirements.every(requirement => meets(labels, requirement))
  );
}

/**
 * `spec.selector` of a Service: a plain map. An absent or empty one takes no pod
 * (its endpoints are somebody else's work).
 *
 * @public
 */
export function serviceSelects(
  selector: unknown,
  labels: Readonly<Record<string, string>>,
): boolean {
  const entries = Object.entries(mapOf(selector));
  return (
    entries.length > 0 &&
    entries.every(
      ([key, value]) => Object.hasOwn(labels, key) && labels[key] === value,
    )
  );
}

const requirementPattern =
  /^\s*(?:(!)\s*([\w./-]+)|([\w./-]+)\s*(?:(==|=|!=)\s*([\w.-]*)|\s(in|notin)\s*\(([^()]*)\))?)\s*$/;

/**
 * Parses a selector in the form of `kubectl -l`: `app=web,tier in (a,b),!legacy`.
 *
 * @public
 */
export function parseLabelSelector(
  text: string,
): { requirements: LabelRequirement[] } | { problem: string } {
  const requirements: LabelRequirement[] = [];
  if (text.trim() === '') {
    return { problem: 'the selector is empty' };
  }
  // Commas inside of brackets separate values, not conditions.
  for (const part of text.split(/,(?![^()]*\))/)) {
    const match = requirementPattern.exec(part);
    if (!match) {
      return { problem: `cannot read "${part.trim()}"` };
    }
    const [, not, absentKey, key, operator, value, set, values] = match;
    if (not) {
      requirements.push({
        key: absentKey,
        operator: 'DoesNotExist',
        values: [],
      });
    } else if (operator) {
      requirements.push({
        key,
        operator: operator === '!=' ? 'NotIn' : 'In',
        values: [value],
      });
    } else if (set) {
      requirements.push({
        key,
        operator: set === 'in' ? 'In' : 'NotIn',
        values: values.split(',').map(item => item.trim()),
      });
    } else {
      requirements.push({ key, operator: 'Exists', values: [] });
    }
  }
  return { requirements };
}
