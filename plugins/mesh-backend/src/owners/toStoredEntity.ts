import {
  Entity,
  parseEntityRef,
  RELATION_OWNED_BY,
  stringifyEntityRef,
} from '@backstage/catalog-model';
import {
  KUBERNETES_CLUSTER_ANNOTATION,
  KUBERNETES_NAMESPACE_ANNOTATION,
  SERVICE_ANNOTATIONS,
} from '@mesh-for-backstage/plugin-mesh-common';
import { StoredEntity } from '../store/EntityStore';
import { hashOf } from '../store/ViewStore';

const keptAnnotations = [
  ...SERVICE_ANNOTATIONS,
  KUBERNETES_NAMESPACE_ANNOTATION,
  KUBERNETES_CLUSTER_ANNOTATION,
].sort();

/** Whether an entity says which services are its own. */
export function namesServices(entity: Pick<StoredEntity, 'annotations'>) {
  return SERVICE_ANNOTATIONS.some(
    annotation => entity.annotations[annotation] !== undefined,
  );
}

/** What is kept of an entity, with a hash of it. */
export function toStoredEntity(
  entity: Entity,
): StoredEntity & { hash: string } {
  const annotations: Record<string, string> = {};
  for (const key of keptAnnotations) {
    const value = entity.metadata.annotations?.[key];
    if (typeof value === 'string') annotations[key] = value;
  }
  const owner = ownerOf(entity);
  const stored = {
    ref: stringifyEntityRef(entity),
    ...(owner && { owner }),
    annotations,
  };
  return { ...stored, hash: hashOf(JSON.stringify(stored)) };
}

function ownerOf(entity: Entity): string | undefined {
  // The catalog has resolved the owner in the relation; the spec is what people write.
  const relation = entity.relations?.find(
    ({ type }) => type === RELATION_OWNED_BY,
  );
  if (relation) return relation.targetRef.toLowerCase();
  const owner = entity.spec?.owner;
  if (typeof owner !== 'string') return undefined;
  try {
    return stringifyEntityRef(
      parseEntityRef(owner, {
        defaultKind: 'group',
        defaultNamespace: entity.metadata.namespace ?? 'default',
      }),
    );
  } catch {
    // The catalog refuses such an entity; there is nobody to name.
    return undefined;
  }
}
