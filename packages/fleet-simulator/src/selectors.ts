import { badRequest } from './http/StatusError';

type Labels = Record<string, string> | undefined;

/** One condition of a label selector. */
export interface Requirement {
  key: string;
  operator: 'in' | 'notin' | 'exists' | '!' | 'gt' | 'lt';
  values: string[];
}

const NAME_RULE =
  "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";
const LABEL_VALUE_RULE =
  "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')";
const SUBDOMAIN =
  /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;

const SYMBOLS = /[(),!=<>]/;

class SelectorParser {
  readonly #tokens: string[];
  #next = 0;

  constructor(text: string) {
    this.#tokens = tokenize(text);
  }

  parse(): Requirement[] {
    const requirements: Requirement[] = [];
    while (this.#peek() !== '') {
      requirements.push(this.#requirement());
      const token = this.#take();
      if (token === '') break;
      if (token !== ',')
        this.#fail(`found '${token}', expected: ',' or 'end of string'`);
      if (this.#peek() === '' || this.#peek() === ',') {
        throw badRequest(
          `found '${this.#peek()}', expected: identifier after ','`,
        );
      }
    }
    return requirements;
  }

  #requirement(): Requirement {
    if (this.#peek() === '!') {
      this.#take();
      return { key: this.#key(), operator: '!', values: [] };
    }
    const key = this.#key();
    const operator = this.#peek();
    if (operator === '' || operator === ',') {
      return { key, operator: 'exists', values: [] };
    }
    this.#take();
    switch (operator) {
      case '=':
      case '==':
        return this.#checked({ key, operator: 'in', values: [this.#value()] });
      case '!=':
        return this.#checked({
          key,
          operator: 'notin',
          values: [this.#value()],
        });
      case 'in':
      case 'notin':
        return this.#checked({ key, operator, values: this.#values() });
      case '>':
      case '<': {
        const value = this.#value();
        if (!/^-?\d+$/.test(value)) {
          throw badRequest(
            `values[0][${key}]: Invalid value: "${value}": for 'Gt', 'Lt' operators, the value must be an integer`,
          );
        }
        return {
          key,
          operator: operator === '>' ? 'gt' : 'lt',
          values: [value],
        };
      }
      default:
        return this.#fail(
          `found '${operator}', expected: in, notin, =, ==, !=, gt, lt`,
        );
    }
  }

  #checked(requirement: Requirement): Requirement {
    const wrong = requirement.values.findIndex(value => !isLabelValue(value));
    if (wrong >= 0) {
      throw badRequest(
        `unable to parse requirement: values[${wrong}][${requirement.key}]: Invalid value: "${requirement.values[wrong]}": ${LABEL_VALUE_RULE}`,
      );
    }
    return requirement;
  }

  #key(): string {
    const key = this.#take();
    if (key === '' || SYMBOLS.test(key)) {
      return this.#fail(`found '${key}', expected: identifier`);
    }
    const wrong = whatIsWrongWithLabelKey(key);
    if (wrong) {
      throw badRequest(
        `unable to parse requirement: <nil>: Invalid value: "${key}": ${wrong}`,
      );
    }
    return key;
  }

  #value(): string {
    const token = this.#peek();
    // `a=` asks for the empty value.
    if (token === '' || token === ',') return '';
    if (SYMBOLS.test(token)) {
      return this.#fail(`found '${token}', expected: identifier`);
    }
    return this.#take();
  }

  #values(): string[] {
    const open = this.#take();
    if (open !== '(') this.#fail(`found '${open}' expected: '('`);
    const values: string[] = [];
    for (;;) {
      const token = this.#take();
      if (token === ')') {
        if (values.length === 0) values.push('');
        return values;
      }
      if (token === ',') {
        if (this.#peek() === ')' || this.#peek() === ',') values.push('');
        continue;
      }
      if (token === '' || SYMBOLS.test(token)) {
        return this.#fail(`found '${token}', expected: ',' or ')'`);
      }
      values.push(token);
    }
  }

  #peek(): string {
    return this.#tokens[this.#next] ?? '';
  }

  #take(): string {
    return this.#tokens[this.#next++] ?? '';
  }

  #fail(message: string): never {
    throw badRequest(`unable to parse requirement: ${message}`);
  }
}

/**
 * Parses a label selector as it stands in a query: `a=b,c!=d,e in (f,g),h notin (i),j,!k`.
 * The wording of errors is the API server's.
 */
export function parseLabelSelector(text: string): Requirement[] {
  return new SelectorParser(text).parse();
}

export function matchesLabels(
  requirements: readonly Requirement[],
  labels: Labels,
): boolean {
  return requirements.every(requirement => meets(requirement, labels));
}

function meets({ key, operator, values }: Requirement, labels: Labels) {
  const value =
    labels && Object.prototype.hasOwnProperty.call(labels, key)
      ? labels[key]
      : undefined;
  switch (operator) {
    case 'in':
      return value !== undefined && values.includes(value);
    case 'notin':
      return value === undefined || !values.includes(value);
    case 'exists':
      return value !== undefined;
    case '!':
      return value === undefined;
    default: {
      if (value === undefined || !/^-?\d+$/.test(value)) return false;
      const [left, right] = [BigInt(value), BigInt(values[0])];
      return operator === 'gt' ? left > right : left < right;
    }
  }
}

function tokenize(text: string): string[] {
  return text.match(/==|!=|[(),!=<>]|[^\s(),!=<>]+/g) ?? [];
}

export function whatIsWrongWithLabelKey(key: string): string | undefined {
  const parts = key.split('/');
  if (parts.length > 2) {
    return "a qualified name must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]') with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')";
  }
  const name = parts[parts.length - 1];
  if (parts.length === 2) {
    if (!parts[0]) return 'prefix part must be non-empty';
    if (!SUBDOMAIN.test(parts[0])) {
      return "prefix part a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";
    }
  }
  if (!name) return `name part must be non-empty; ${NAME_RULE}`;
  if (name.length > 63) return 'name part must be no more than 63 bytes';
  return /^([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]$/.test(name)
    ? undefined
    : NAME_RULE;
}

export function isLabelValue(value: string): boolean {
  return (
    value.length <= 63 &&
    /^(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?$/.test(value)
  );
}

/** One condition of a field selector. */
export interface FieldRequirement {
  field: string;
  equal: boolean;
  value: string;
}

/** Parses a field selector: `metadata.name=a,status.phase!=Running`. */
export function parseFieldSelector(text: string): FieldRequirement[] {
  return splitEscaped(text)
    .filter(term => term !== '')
    .map(term => {
      const match = /^((?:[^=!\\]|\\.)*?)(!=|==|=)(.*)$/s.exec(term);
      if (!match) {
        throw badRequest(
          `invalid selector: '${text}'; can't understand '${term}'`,
        );
      }
      return {
        field: match[1],
        equal: match[2] !== '!=',
        value: match[3].replace(/\\([\\,=])/g, '$1'),
      };
    });
}

function splitEscaped(text: string): string[] {
  return text.match(/(?:[^,\\]|\\.)+/gs) ?? [];
}

const FIELDS_OF: Record<string, string[]> = {
  Pod: [
    'spec.nodeName',
    'spec.restartPolicy',
    'spec.schedulerName',
    'spec.serviceAccountName',
    'spec.hostNetwork',
    'status.phase',
    'status.podIP',
    'status.podIPs',
    'status.nominatedNodeName',
  ],
  Node: ['spec.unschedulable'],
  Namespace: ['status.phase'],
  Secret: ['type'],
  Service: ['spec.clusterIP', 'spec.type'],
  Job: ['status.successful'],
  ReplicaSet: ['status.replicas'],
  Event: [
    'involvedObject.kind',
    'involvedObject.namespace',
    'involvedObject.name',
    'involvedObject.uid',
    'involvedObject.apiVersion',
    'involvedObject.resourceVersion',
    'involvedObject.fieldPath',
    'reason',
    'reportingComponent',
    'source',
    'type',
  ],
};

/** Which fields can be selected by depends on the kind; others are refused as the API server refuses them. */
export function checkFieldSelector(
  kind: { kind: string; origin: string },
  requirements: readonly FieldRequirement[],
): void {
  const supported = [
    'metadata.name',
    'metadata.namespace',
    ...(kind.origin === 'builtin' ? FIELDS_OF[kind.kind] ?? [] : []),
  ];
  const wrong = requirements.find(({ field }) => !supported.includes(field));
  if (wrong) throw badRequest(fieldNotSupported(kind, wrong.field));
}

/** Some kinds have a conversion of their own for field labels, and word it differently. */
function fieldNotSupported(
  { kind, origin }: { kind: string; origin: string },
  field: string,
): string {
  if (kind === 'Job' && origin === 'builtin') {
    return `field label "${field}" not supported for Job`;
  }
  const own = ['Pod', 'Node', 'Namespace', 'Secret', 'Service', 'Event'];
  return own.includes(kind) || origin !== 'builtin'
    ? `field label not supported: ${field}`
    : `"${field}" is not a known field selector: only "metadata.name", "metadata.namespace"`;
}

export function matchesFields(
  requirements: readonly FieldRequirement[],
  object: {
    metadata: { name: string; namespace?: string };
    [key: string]: any;
  },
): boolean {
  return requirements.every(({ field, equal, value }) => {
    const actual = field
      .split('.')
      .reduce<any>((part, step) => part?.[step], object);
    return (String(actual ?? '') === value) === equal;
  });
}

/** True where a selector asks for nothing but name and namespace, which need no parsing of objects. */
export function isMetadataOnly(
  requirements: readonly FieldRequirement[],
): boolean {
  return requirements.every(({ field }) => field.startsWith('metadata.'));
}
