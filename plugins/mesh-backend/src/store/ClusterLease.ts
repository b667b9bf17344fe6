import { Knex } from 'knex';
import { Bucket } from './buckets';

/** What the stores need of the queue: to mark changes in the transaction that makes them. */
export interface ChangeMarker {
  markChanged(trx: Knex, buckets: readonly Bucket[]): Promise<void>;
}

/**
 * The right to collect a cluster. It lasts until its time has run out and another
 * replica has taken it, which raises the fence.
 */
export interface ClusterLease {
  cluster: string;
  owner: string;
  fence: number;
}

/** Another replica collects the cluster by now: what was about to be written is out of date. */
export class LeaseLostError extends Error {
  readonly cluster: string;

  constructor(lease: ClusterLease) {
    super(
      `Cluster ${lease.cluster} is collected by another replica by now; nothing was written`,
    );
    this.name = 'LeaseLostError';
    this.cluster = lease.cluster;
  }
}

/**
 * Makes a transaction fail unless the lease is still in force. On PostgreSQL the
 * row stays locked against a change of owner until the transaction ends, so that a
 * write of the old owner is over before the new one begins.
 */
export async function holdLease(
  trx: Knex.Transaction,
  lease: ClusterLease,
): Promise<void> {
  const row = await trx('clusters')
    .select('name')
    .where({
      name: lease.cluster,
      lease_owner: lease.owner,
      fence: lease.fence,
    })
    .modify(query => {
      if (isPostgres(trx)) query.forShare();
    })
    .first();
  if (!row) throw new LeaseLostError(lease);
}

export function isPostgres(database: Knex): boolean {
  return database.client.config.client === 'pg';
}
