import { Kind, qualifiedPlural } from '../kinds/Kind';
import { invalid } from '../http/StatusError';
import { isLabelValue, whatIsWrongWithLabelKey } from '../selectors';
import { isRecord, KubeObject } from './KubeObject';
import { FieldCause as Cause, schemaCauses } from './validateSchema';

const SUBDOMAIN_RULE =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";
const LABEL_RULE =
  "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')";
const LABEL_VALUE_RULE =
  "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')";

/** Refuses an object whose name or labels no API server would take. */
export function validateMetadata(kind: Kind, object: KubeObject): void {
  const causes = metadataCauses(kind, object);
  if (causes.length > 0) throw invalid(kind, object.metadata.name, causes);
}

/** Refuses an object whose name, labels or most basic fields no API server would take. */
export function validate(kind: Kind, object: KubeObject): void {
  const causes = [
    ...metadataCauses(kind, object),
    ...requiredCauses(kind, object),
  ];
  if (causes.length > 0)
    throw invalid(kind, object.metadata.name ?? '', causes);
}

function metadataCauses(kind: Kind, object: KubeObject): Cause[] {
  const { name, labels, annotations } = object.metadata;
  const causes: Cause[] = [];
  if (!name) {
    causes.push({
      reason: 'FieldValueRequired',
      message: 'Required value: name or generateName is required',
      field: 'metadata.name',
    });
  } else {
    for (const wrong of nameErrors(kind, name)) {
      causes.push(invalidValue('metadata.name', name, wrong));
    }
  }
  for (const [key, value] of Object.entries(labels ?? {})) {
    const wrong = whatIsWrongWithLabelKey(key);
    if (wrong) causes.push(invalidValue('metadata.labels', key, wrong));
    if (!isLabelValue(value)) {
      causes.push(
        invalidValue(
          'metadata.labels',
          value,
          value.length > 63
            ? 'must be no more than 63 bytes'
            : LABEL_VALUE_RULE,
        ),
      );
    }
  }
  for (const key of Object.keys(annotations ?? {})) {
    const wrong = whatIsWrongWithLabelKey(key.toLowerCase());
    if (wrong) causes.push(invalidValue('metadata.annotations', key, wrong));
  }
  return causes;
}

function nameErrors(kind: Kind, name: string): string[] {
  // RBAC names may hold anything that a path segment may.
  if (kind.group === 'rbac.authorization.k8s.io') {
    return /[/%]/.test(name) || name === '.' || name === '..'
      ? [`may not contain '/'`]
      : [];
  }
  if (kind.group === '' && ['Service', 'Namespace'].includes(kind.kind)) {
    return labelErrors(name);
  }
  if (name.length > 253) return ['must be no more than 253 bytes'];
  return /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/.test(
    name,
  )
    ? []
    : [SUBDOMAIN_RULE];
}

/** Names that become part of a DNS name are one label of it. */
function labelErrors(name: string): string[] {
  if (name.includes('.')) return ['must not contain dots'];
  if (name.length > 63) return ['must be no more than 63 bytes'];
  return /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/.test(name) ? [] : [LABEL_RULE];
}

/** Fields without which the API server takes no object of the kind. */
const REQUIRED: Record<string, string[]> = {
  pods: ['spec.containers'],
  'deployments.apps': ['spec.selector', 'spec.template.spec.containers'],
  'statefulsets.apps': ['spec.selector', 'spec.template.spec.containers'],
  'daemonsets.apps': ['spec.selector', 'spec.template.spec.containers'],
  'endpointslices.discovery.k8s.io': ['addressType'],
};

function requiredCauses(kind: Kind, object: KubeObject): Cause[] {
  if (kind.origin === 'crd') return schemaCauses(object, kind.schema);
  if (kind.origin !== 'builtin') return [];
  if (isServiceWithoutPorts(kind, object)) {
    return [
      {
        reason: 'FieldValueRequired',
        message: 'Required value',
        field: 'spec.ports',
      },
    ];
  }
  const mismatch = selectorCauses(kind, object);
  const missing = (REQUIRED[qualifiedPlural(kind)] ?? [])
    .filter(path => {
      const value = path
        .split('.')
        .reduce<any>((part, field) => part?.[field], object);
      return (
        value === undefined ||
        value === null ||
        (Array.isArray(value) && value.length === 0) ||
        (isRecord(value) && Object.keys(value).length === 0)
      );
    })
    .map(field => ({
      reason: 'FieldValueRequired',
      message: 'Required value',
      field,
    }));
  const [selector, ...rest] = missing;
  return selector?.field === 'spec.selector'
    ? [selector, ...mismatch, ...rest]
    : [...mismatch, ...missing];
}

/** Only headless Services, and those that name another host, may have no ports. */
function isServiceWithoutPorts(kind: Kind, { spec }: KubeObject): boolean {
  return (
    qualifiedPlural(kind) === 'services' &&
    !spec?.ports?.length &&
    spec?.clusterIP !== 'None' &&
    spec?.type !== 'ExternalName'
  );
}

/** Workloads whose selector does not choose the pods that they make. */
function selectorCauses(kind: Kind, { spec }: KubeObject): Cause[] {
  if (!['Deployment', 'StatefulSet', 'DaemonSet'].includes(kind.kind))
    return [];
  const labels = spec?.template?.metadata?.labels;
  const wanted = Object.entries(spec?.selector?.matchLabels ?? {});
  const isChosen = wanted.every(([key, value]) => labels?.[key] === value);
  if (spec?.selector && isChosen) return [];
  return [
    {
      reason: 'FieldValueInvalid',
      message: `Invalid value: ${JSON.stringify(
        labels ?? null,
      )}: \`selector\` does not match template \`labels\``,
      field: 'spec.template.metadata.labels',
    },
  ];
}

function invalidValue(field: string, value: string, rule: string): Cause {
  return {
    reason: 'FieldValueInvalid',
    message: `Invalid value: ${JSON.stringify(value)}: ${rule}`,
    field,
  };
}
