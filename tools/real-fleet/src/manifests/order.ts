import { KubeObject } from '../ApiClient';

/** Kinds that others need to be there first, in waves. What is in none comes last. */
const WAVES: string[][] = [
  ['Namespace'],
  ['CustomResourceDefinition'],
  ['Node', 'PriorityClass', 'StorageClass', 'IngressClass', 'GatewayClass'],
  [
    'ServiceAccount',
    'Secret',
    'ConfigMap',
    'ClusterRole',
    'ClusterRoleBinding',
    'Role',
    'RoleBinding',
  ],
  [
    'MutatingWebhookConfiguration',
    'ValidatingWebhookConfiguration',
    'ValidatingAdmissionPolicy',
    'ValidatingAdmissionPolicyBinding',
  ],
  ['Service'],
];

/** The wave in which an object is applied, from 0. */
export function waveOf(object: KubeObject): number {
  const wave = WAVES.findIndex(kinds => kinds.includes(object.kind));
  return wave === -1 ? WAVES.length : wave;
}

/** Objects in waves: each needs nothing but what the waves before it brought. */
export function inWaves<T extends { object: KubeObject }>(items: T[]): T[][] {
  const waves: T[][] = Array.from({ length: WAVES.length + 1 }, () => []);
  for (const item of items) {
    waves[waveOf(item.object)].push(item);
  }
  return waves.filter(wave => wave.length > 0);
}

/** `Kind.group namespace/name`, as messages name an object. */
export function titleOf(object: KubeObject): string {
  const group = groupOf(object);
  const { namespace, name } = object.metadata;
  return `${object.kind}${group && `.${group}`} ${
    namespace ? `${namespace}/` : ''
  }${name}`;
}

/** The API group; empty for the core group. */
export function groupOf(object: { apiVersion: string }): string {
  return object.apiVersion.includes('/') ? object.apiVersion.split('/')[0] : '';
}
