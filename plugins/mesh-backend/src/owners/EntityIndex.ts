import { matchEntity } from '@mesh-for-backstage/mesh-analysis';
import {
  KUBERNETES_ID_ANNOTATION,
  KUBERNETES_LABEL_SELECTOR_ANNOTATION,
  KUBERNETES_NAMESPACE_ANNOTATION,
  MESH_SERVICES_ANNOTATION,
} from '@mesh-for-backstage/plugin-mesh-common';
import { StoredEntity } from '../store/EntityStore';
import { InstanceBody, ServiceName } from '../store/InstanceStore';

/**
 * Entities by what their annotations look for, so that a service is held against
 * those few that can name it, and not against the whole catalog.
 */
export class EntityIndex {
  readonly #byId = new Map<string, StoredEntity[]>();
  readonly #byService = new Map<string, StoredEntity[]>();
  readonly #selectorsByNamespace = new Map<string, StoredEntity[]>();
  readonly #selectorsAnywhere: StoredEntity[] = [];

  constructor(entities: readonly StoredEntity[]) {
    for (const entity of entities) {
      const { annotations } = entity;
      for (const name of (annotations[MESH_SERVICES_ANNOTATION] ?? '').split(
        ',',
      )) {
        add(this.#byService, name.trim(), entity);
      }
      const selector = annotations[KUBERNETES_LABEL_SELECTOR_ANNOTATION];
      const id = annotations[KUBERNETES_ID_ANNOTATION];
      if (selector !== undefined) {
        const namespace = annotations[KUBERNETES_NAMESPACE_ANNOTATION]?.trim();
        if (namespace === undefined) this.#selectorsAnywhere.push(entity);
        else add(this.#selectorsByNamespace, namespace, entity);
      } else if (id !== undefined) {
        add(this.#byId, id.trim(), entity);
      }
    }
  }

  /** Entities that name one of the instances of a service, in the order of their refs. */
  entitiesOf(
    service: ServiceName,
    instances: readonly InstanceBody[],
  ): StoredEntity[] {
    const candidates = new Set<StoredEntity>(this.#selectorsAnywhere);
    const addAll = (entities: readonly StoredEntity[] | undefined) =>
      entities?.forEach(entity => candidates.add(entity));
    addAll(this.#byService.get(`${service.namespace}/${service.name}`));
    for (const { instance, workloads } of instances) {
      addAll(this.#selectorsByNamespace.get(instance.namespace));
      for (const { labels } of [instance, ...workloads]) {
        addAll(this.#byId.get(labels[KUBERNETES_ID_ANNOTATION]));
      }
    }
    return [...candidates]
      .filter(
        ({ annotations }) =>
          matchEntity(annotations, instances).matched.length > 0,
      )
      .sort((a, b) => (a.ref < b.ref ? -1 : 1));
  }
}

function add(
  index: Map<string, StoredEntity[]>,
  key: string,
  entity: StoredEntity,
): void {
  const entities = index.get(key);
  if (entities) entities.push(entity);
  else index.set(key, [entity]);
}
