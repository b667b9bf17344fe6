import { createFinding } from '../rules/createFinding';
import { Finding } from '../rules/Finding';
import {
  LabelRequirement,
  meets,
  parseLabelSelector,
} from '../inventory/selectors';
import { ServiceInstance, Workload } from './types';

/*
 * The names are those of the Kubernetes plugin. They stand here a second time
 * because this package depends on nothing of ours.
 */
const idAnnotation = 'backstage.io/kubernetes-id';
const selectorAnnotation = 'backstage.io/kubernetes-label-selector';
const namespaceAnnotation = 'backstage.io/kubernetes-namespace';
const clusterAnnotation = 'backstage.io/kubernetes-cluster';
const servicesAnnotation = 'mesh.backstage.io/services';

/** @public */
export interface EntityMessage {
  level: 'error' | 'warning' | 'info';
  annotation?: string;
  text: string;
}

/** A Service in one cluster, with the workloads behind it. @public */
export interface MatchCandidate {
  instance: ServiceInstance;
  workloads: Workload[];
}

/**
 * Which instances an entity's annotations select. What matches nothing selects
 * nothing, and says so: showing more than was asked for may show another team's.
 *
 * @public
 */
export function matchEntity<T extends MatchCandidate>(
  annotations: Readonly<Record<string, string>>,
  candidates: readonly T[],
  options: {
    /** Names of all clusters; where given, an unknown one is told from one without the service. */
    clusters?: readonly string[];
  } = {},
): { matched: T[]; messages: EntityMessage[] } {
  const messages: EntityMessage[] = [];
  const cluster = annotations[clusterAnnotation]?.trim();
  if (
    cluster !== undefined &&
    options.clusters &&
    !options.clusters.includes(cluster)
  ) {
    return {
      matched: [],
      messages: [
        {
          level: 'error',
          annotation: clusterAnnotation,
          text: `The annotation names the cluster "${cluster}", and there is none of that name. Known are ${
            options.clusters.join(', ') || 'none'
          }.`,
        },
      ],
    };
  }
  const inCluster =
    cluster === undefined
      ? candidates
      : candidates.filter(({ instance }) => instance.cluster === cluster);
  const matched = new Set<T>();
  const take = (annotation: string, found: readonly T[], what: string) => {
    found.forEach(one => matched.add(one));
    if (found.length === 0) {
      messages.push({
        level: 'warning',
        annotation,
        text: `No Service ${what}${
          cluster === undefined ? '' : ` in cluster ${cluster}`
        }.`,
      });
    }
  };

  byLabels(annotations, inCluster, take, messages);
  byName(annotations, inCluster, take, messages);
  return { matched: candidates.filter(one => matched.has(one)), messages };
}

type Take<T> = (annotation: string, found: readonly T[], what: string) => void;

/** The label selector, where there is one, goes before the id, as in the Kubernetes plugin. */
function byLabels<T extends MatchCandidate>(
  annotations: Readonly<Record<string, string>>,
  candidates: readonly T[],
  take: Take<T>,
  messages: EntityMessage[],
): void {
  const namespace = annotations[namespaceAnnotation]?.trim();
  const inNamespace =
    namespace === undefined
      ? candidates
      : candidates.filter(({ instance }) => instance.namespace === namespace);
  const where = namespace === undefined ? '' : ` in namespace ${namespace}`;
  const selector = annotations[selectorAnnotation];
  if (selector !== undefined) {
    const parsed = parseLabelSelector(selector);
    if ('problem' in parsed) {
      messages.push({
        level: 'error',
        annotation: selectorAnnotation,
        text: `The label selector "${selector}" cannot be read: ${parsed.problem}. An example of one that can: app=web,tier in (front,back).`,
      });
      return;
    }
    take(
      selectorAnnotation,
      inNamespace.filter(one => hasLabels(one, parsed.requirements)),
      `has the labels "${selector}"${where}, nor have its pods`,
    );
    return;
  }
  const id = annotations[idAnnotation]?.trim();
  if (id !== undefined) {
    take(
      idAnnotation,
      inNamespace.filter(one =>
        hasLabels(one, [{ key: idAnnotation, operator: 'In', values: [id] }]),
      ),
      `has the label ${idAnnotation}=${id}${where}, nor have its pods`,
    );
  } else if (namespace !== undefined) {
    messages.push({
      level: 'warning',
      annotation: namespaceAnnotation,
      text: `The annotation narrows a choice that nothing makes: add ${idAnnotation} or ${selectorAnnotation}.`,
    });
  }
}

function hasLabels(
  { instance, workloads }: MatchCandidate,
  requirements: readonly LabelRequirement[],
): boolean {
  return [instance, ...workloads].some(({ labels }) =>
    requirements.every(requirement => meets(labels, requirement)),
  );
}

function byName<T extends MatchCandidate>(
  annotations: Readonly<Record<string, string>>,
  candidates: readonly T[],
  take: Take<T>,
  messages: EntityMessage[],
): void {
  const text = annotations[servicesAnnotation];
  if (text === undefined) {
    return;
  }
  const names = text
    .split(',')
    .map(item => item.trim())
    .filter(item => item !== '');
  if (names.length === 0) {
    messages.push({
      level: 'warning',
      annotation: servicesAnnotation,
      text: 'The annotation is empty. It takes namespace/name, several of them separated by commas.',
    });
  }
  for (const item of names) {
    const match = /^([a-z0-9-]+)\/([a-z0-9-]+)$/.exec(item);
    if (!match) {
      messages.push({
        level: 'error',
        annotation: servicesAnnotation,
        text: `"${item}" is not of the form namespace/name.`,
      });
      continue;
    }
    const [, namespace, name] = match;
    take(
      servicesAnnotation,
      candidates.filter(({ instance }) => {
        const logical = instance.mirrorOf ?? instance;
        return logical.namespace === namespace && logical.name === name;
      }),
      `is named ${namespace}/${name}`,
    );
  }
}

/** Who owns a service, and what says so. @public */
export type Ownership =
  | { owner: string; by: string }
  | { owner?: undefined; finding: Finding };

/**
 * The owner of a service: that of its entity; else a label of its Services, else of
 * their namespaces, by the keys that the platform configures; else nobody.
 *
 * @public
 */
export function ownerOf(service: {
  namespace: string;
  name: string;
  entities: ReadonlyArray<{ ref: string; owner?: string }>;
  instances: readonly ServiceInstance[];
  /** Labels of its namespace, by cluster. */
  namespaceLabels: Readonly<Record<string, Readonly<Record<string, string>>>>;
  /** Keys of labels, in order. */
  labelKeys: readonly string[];
}): Ownership {
  const entity = service.entities.find(one => one.owner);
  if (entity) {
    return { owner: entity.owner!, by: entity.ref };
  }
  for (const key of service.labelKeys) {
    const owner = service.instances.find(one => one.labels[key])?.labels[key];
    if (owner) {
      return { owner: groupRef(owner), by: `service label ${key}` };
    }
  }
  for (const key of service.labelKeys) {
    const owner = Object.values(service.namespaceLabels).find(
      labels => labels[key],
    )?.[key];
    if (owner) {
      return { owner: groupRef(owner), by: `namespace label ${key}` };
    }
  }
  const { namespace, name, instances } = service;
  const clusters = [...new Set(instances.map(one => one.cluster))];
  return {
    finding: createFinding('Unowned', {
      kind: 'Service',
      clusters,
      namespace,
      name,
      message:
        'No entity of the catalog names this service, and neither it nor its namespace has a label that names an owner. Nobody is told when something is wrong with it.',
      fix: `Give its component the annotation mesh.backstage.io/services: ${namespace}/${name}${
        service.labelKeys.length > 0
          ? `, or the namespace the label ${service.labelKeys[0]}.`
          : '.'
      }`,
      evidence: clusters.map(cluster => ({
        cluster,
        kind: 'Service',
        namespace,
        name,
        field: 'metadata.labels',
      })),
    }),
  };
}

/** A label names a team by its bare name, an annotation perhaps by a full reference. */
function groupRef(owner: string): string {
  if (owner.includes(':')) {
    return owner.toLowerCase();
  }
  return owner.includes('/')
    ? `group:${owner.toLowerCase()}`
    : `group:default/${owner.toLowerCase()}`;
}
