import type { AuthService, LoggerService } from '@backstage/backend-plugin-api';
import { CATALOG_FILTER_EXISTS } from '@backstage/catalog-client';
import { Entity } from '@backstage/catalog-model';
import type { CatalogService } from '@backstage/plugin-catalog-node';
import {
  logicalNameOf,
  matchEntity,
  ownerOf,
  ServiceView,
} from '@mesh-for-backstage/mesh-analysis';
import {
  EntityServices,
  SERVICE_ANNOTATIONS,
} from '@mesh-for-backstage/plugin-mesh-common';
import { Knex } from 'knex';
import { Owners, Ownership } from '../analyse/drawServices';
import { EntityMatcher } from '../services/FleetServices';
import { serviceUnit } from '../store/buckets';
import { EntityStore, StoredEntity } from '../store/EntityStore';
import {
  InstanceBody,
  InstanceStore,
  ServiceName,
} from '../store/InstanceStore';
import { Queue } from '../store/Queue';
import { ServiceStore } from '../store/ServiceStore';
import { hashOf, ViewStore } from '../store/ViewStore';
import { EntityIndex } from './EntityIndex';
import { namesServices, toStoredEntity } from './toStoredEntity';

/** @internal */
export interface CatalogOwnersOptions {
  database: Knex;
  catalog: Pick<CatalogService, 'queryEntities'>;
  auth: AuthService;
  logger: LoggerService;
  queue: Queue;
  entities: EntityStore;
  instances: InstanceStore;
  services: ServiceStore;
  views: ViewStore;
  /** Keys of labels that name an owner, in order: `mesh.ownership.labels`. */
  labelKeys: readonly string[];
}

/** Where it is noted which entities are stored: another replica may have stored others. */
const NOTE = { topic: 'entities', cluster: '', namespace: '' };
const PAGE = 500;

type EntityChanges = {
  upserts: Array<StoredEntity & { hash: string }>;
  deletes: string[];
};

/**
 * Which catalog entities name which services, and who owns these. The catalog is
 * asked at intervals, and what it says is stored, so that drawing a service does
 * not ask it.
 */
export class CatalogOwners implements Owners, EntityMatcher {
  readonly #options: CatalogOwnersOptions;
  #current: { hash: string; index: EntityIndex } | undefined;

  static create(options: CatalogOwnersOptions): CatalogOwners {
    return new CatalogOwners(options);
  }

  private constructor(options: CatalogOwnersOptions) {
    this.#options = options;
  }

  /** Reads the catalog anew, and marks the services that this concerns. Throws where the catalog does not answer; then all stays as it is. */
  async refresh(): Promise<void> {
    const listed = await this.#listEntities();
    const before = await this.#options.views.get<{ note: string }>(NOTE);
    // A portal that has just been started has not read its catalog yet.
    if (listed.size === 0 && !before) return;
    const stored = await this.#options.entities.hashes();
    const upserts = [...listed.values()].filter(
      entity => stored.get(entity.ref) !== entity.hash,
    );
    const deletes = [...stored.keys()].filter(ref => !listed.has(ref));
    const note = hashOf(
      JSON.stringify([...listed.values()].map(({ hash }) => hash).sort()),
    );
    if (before?.note === note) return;
    // Until the catalog has been read once nobody is called unowned; now all are looked at.
    await this.#write({ upserts, deletes }, note, { all: !before });
  }

  async prepare(): Promise<
    (view: ServiceView, bodies: readonly InstanceBody[]) => Ownership
  > {
    const { views, entities, labelKeys } = this.#options;
    const note = await views.get<{ note: string }>(NOTE);
    if (note && this.#current?.hash !== note.note) {
      this.#current = {
        hash: note.note,
        index: new EntityIndex(await entities.list()),
      };
    }
    const index = note && this.#current?.index;
    return (view, bodies) => judge(view, bodies, index, labelKeys);
  }

  async match(entity: Entity): Promise<{
    serviceIds: string[];
    messages: EntityServices['messages'];
  }> {
    const { instances, services, database } = this.#options;
    const current = toStoredEntity(entity);
    if (!namesServices(current)) {
      return {
        serviceIds: [],
        messages: [
          {
            level: 'info',
            text: `The entity has none of the annotations that name services: ${SERVICE_ANNOTATIONS.join(
              ', ',
            )}.`,
          },
        ],
      };
    }
    const names = await this.#namesOf(current);
    const candidates = (await instances.ofServices(names)).map(
      ({ body }) => body,
    );
    const clusters: string[] = await database('clusters')
      .orderBy('name')
      .pluck('name');
    const { matched, messages } = matchEntity(current.annotations, candidates, {
      clusters,
    });
    const ids = await services.idsWith(
      matched.map(({ instance }) => ({
        cluster: instance.cluster,
        ...logicalNameOf(instance),
      })),
    );
    return { serviceIds: ids, messages };
  }

  /** Names of the services that an entity names, also where it has just been changed. */
  async #namesOf(
    entity: StoredEntity & { hash: string },
  ): Promise<ServiceName[]> {
    const { database, entities } = this.#options;
    if ((await entities.hashOf(entity.ref)) === entity.hash) {
      return entities.servicesOf(database, [entity.ref]);
    }
    // The next refresh stores it; who looks at the entity just now need not wait.
    return this.#namedBy([entity]);
  }

  async #write(
    changes: EntityChanges,
    note: string,
    { all }: { all: boolean },
  ): Promise<void> {
    const { database, entities, instances, queue, views } = this.#options;
    const named = all ? [] : await this.#namedBy(changes.upserts);
    await database.transaction(async trx => {
      const before = await entities.servicesOf(trx, [
        ...changes.upserts.map(({ ref }) => ref),
        ...changes.deletes,
      ]);
      await entities.write(trx, changes);
      await views.put(
        trx,
        NOTE,
        JSON.stringify({ note }),
        new Date().toISOString(),
      );
      const concerned = all
        ? await instances.allNames(trx)
        : [...before, ...named];
      await queue.markUnits(
        trx,
        concerned.map(({ namespace, name }) => serviceUnit(namespace, name)),
      );
    });
  }

  /** Services that entities name; it takes a look at every instance, since labels are not indexed. */
  async #namedBy(entities: readonly StoredEntity[]): Promise<ServiceName[]> {
    if (entities.length === 0) return [];
    const index = new EntityIndex(entities);
    const names = new Map<string, ServiceName>();
    for await (const page of this.#options.instances.all()) {
      for (const { service, body } of page) {
        if (index.entitiesOf(service, [body]).length > 0) {
          names.set(`${service.namespace}/${service.name}`, service);
        }
      }
    }
    return [...names.values()];
  }

  async #listEntities() {
    const { catalog, auth } = this.#options;
    const entities = new Map<string, StoredEntity & { hash: string }>();
    let cursor: string | undefined;
    do {
      const credentials = await auth.getOwnServiceCredentials();
      const page = await catalog.queryEntities(
        cursor
          ? { cursor, limit: PAGE }
          : {
              filter: SERVICE_ANNOTATIONS.map(annotation => ({
                [`metadata.annotations.${annotation}`]: CATALOG_FILTER_EXISTS,
              })),
              fields: [
                'kind',
                'metadata.namespace',
                'metadata.name',
                'metadata.annotations',
                'spec.owner',
                'relations',
              ],
              limit: PAGE,
            },
        { credentials },
      );
      for (const entity of page.items) {
        const stored = toStoredEntity(entity);
        entities.set(stored.ref, stored);
      }
      cursor = page.pageInfo.nextCursor;
    } while (cursor);
    return entities;
  }
}

function judge(
  view: ServiceView,
  bodies: readonly InstanceBody[],
  index: EntityIndex | undefined,
  labelKeys: readonly string[],
): Ownership {
  const { namespace, name } = view;
  const entities = index?.entitiesOf({ namespace, name }, bodies) ?? [];
  const ownership = ownerOf({
    namespace,
    name,
    entities,
    instances: view.instances,
    namespaceLabels: Object.fromEntries(
      bodies.map(({ instance, namespaceLabels }) => [
        instance.cluster,
        namespaceLabels,
      ]),
    ),
    labelKeys,
  });
  const refs = { entities: entities.map(({ ref }) => ref) };
  if (ownership.owner !== undefined) {
    return {
      ...refs,
      owner: ownership.owner.toLowerCase(),
      ownerBy: ownership.by,
    };
  }
  // Gateways, mirrors and what controllers derive are not for teams to own; and
  // before the catalog was read nobody can be called unowned.
  const isOwnable = view.instances.some(({ role }) => role === 'backend');
  return index && isOwnable ? { ...refs, finding: ownership.finding } : refs;
}
