import { Knex } from 'knex';
import { ClusterStore } from './ClusterStore';
import { EntityStore } from './EntityStore';
import { FindingStore } from './FindingStore';
import { FleetStateStore } from './FleetStateStore';
import { InstanceStore } from './InstanceStore';
import { ObjectStore } from './ObjectStore';
import { Queue } from './Queue';
import { ReadStore } from './ReadStore';
import { ServiceStore } from './ServiceStore';
import { ViewStore } from './ViewStore';

/** All stores on one database. */
export function createStores(options: {
  database: Knex;
  instanceId: string;
  now?: () => Date;
}) {
  const { database, now = () => new Date() } = options;
  // Knex writes the values into the message of an error, and messages into logs.
  database.client.config.compileSqlOnError = false;
  const queue = Queue.create({
    database,
    instanceId: options.instanceId,
    now: () => now().getTime(),
  });
  return {
    database,
    queue,
    clusters: ClusterStore.create({ database, queue, now }),
    objects: ObjectStore.create({ database, queue }),
    views: ViewStore.create({ database }),
    instances: InstanceStore.create({ database }),
    services: ServiceStore.create({ database }),
    findings: FindingStore.create({ database }),
    fleet: FleetStateStore.create({ database }),
    reads: ReadStore.create({ database }),
    entities: EntityStore.create({ database }),
  };
}
