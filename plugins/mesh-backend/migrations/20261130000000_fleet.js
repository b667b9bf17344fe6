// @ts-check

/**
 * The fleet: what the clusters hold, how well it is known, and what was made of it.
 *
 * Times are RFC 3339 in UTC, except in `queue` and in leases, where they are
 * milliseconds since 1970 because they are compared. JSON is text, so that SQLite
 * and PostgreSQL store the same.
 *
 * @param {import('knex').Knex} knex
 */
exports.up = async function up(knex) {
  await knex.schema.createTable('clusters', table => {
    table.comment('One row a cluster that a source names, or has named.');
    table.text('name').primary();
    table.text('source').notNullable();
    table.text('title');
    table.text('server').comment('Host and port; never credentials');
    table.text('environment');
    table.text('labels').notNullable().defaultTo('{}').comment('JSON object');
    table.text('cluster_domain').comment("Where it is not 'cluster.local'");
    table
      .text('system_namespaces')
      .notNullable()
      .defaultTo('[]')
      .comment('JSON array: namespaces of mesh and CNI');
    table.text('state').notNullable().comment('ClusterState of the API');
    table.text('message');
    table.text('since').notNullable();
    table.text('last_contact');
    table.text('kubernetes_version');
    table.text('lease_owner').comment('Replica that collects the cluster');
    table.bigInteger('lease_until').notNullable().defaultTo(0);
    table
      .bigInteger('fence')
      .notNullable()
      .defaultTo(0)
      .comment('Grows with every change of owner; writes carry it');
  });

  await knex.schema.createTable('coverage', table => {
    table.comment('How well each kind of each cluster is known.');
    table.text('cluster').notNullable();
    table.text('kind').notNullable();
    table.text('resource').notNullable();
    table.text('version');
    table.text('state').notNullable();
    table.text('message');
    table.text('missing').comment('JSON: verb, group, resource, namespace');
    table.integer('objects').notNullable().defaultTo(0);
    table.text('since').notNullable();
    table.text('as_of').comment('Last sign of life of list or watch');
    table.primary(['cluster', 'kind']);
  });

  await knex.schema.createTable('objects', table => {
    table.comment('Kubernetes objects in trimmed form.');
    table.text('cluster').notNullable();
    table.text('namespace').notNullable().comment("'' where the kind has none");
    table.text('kind').notNullable();
    table.text('name').notNullable();
    table.text('hash').notNullable().comment('Of the trimmed form');
    table.text('body').notNullable().comment('JSON');
    // The only index: every object is written through it, and lists come in its order.
    table.primary(['cluster', 'kind', 'namespace', 'name']);
  });

  await knex.schema.createTable('queue', table => {
    table.comment('Units of analysis that have to be drawn anew.');
    table.text('unit').primary();
    table.bigInteger('enqueued_at').notNullable();
    table
      .integer('version')
      .notNullable()
      .defaultTo(1)
      .comment('Grows when the unit is marked again while it is being drawn');
    table.integer('attempts').notNullable().defaultTo(0);
    table.text('claimed_by');
    table.bigInteger('claimed_until').notNullable().defaultTo(0);
    table.index(['claimed_until', 'enqueued_at'], 'queue_next_idx');
  });

  await knex.schema.createTable('reads', table => {
    table.comment(
      'Which unit has read which bucket, see docs/architecture.md.',
    );
    table.text('bucket').notNullable();
    table.text('unit').notNullable();
    table.primary(['bucket', 'unit']);
    table.index(['unit'], 'reads_unit_idx');
  });

  await knex.schema.createTable('views', table => {
    table.comment('What the analysis of a cluster or of a namespace came to.');
    table.text('topic').notNullable();
    table.text('cluster').notNullable();
    table.text('namespace').notNullable().comment("'' for the whole cluster");
    table.text('hash').notNullable();
    table.text('body').notNullable().comment('JSON');
    table.text('as_of').notNullable();
    table.primary(['topic', 'cluster', 'namespace']);
    table.index(['topic', 'namespace'], 'views_topic_namespace_idx');
  });

  await knex.schema.createTable('service_instances', table => {
    table.comment('One Service of one cluster, with its workloads.');
    table.text('cluster').notNullable();
    table.text('namespace').notNullable();
    table.text('name').notNullable();
    table
      .text('service_namespace')
      .notNullable()
      .comment('Of the logical service: a mirror has another name than it');
    table.text('service_name').notNullable();
    table.text('hash').notNullable();
    table.text('body').notNullable().comment('JSON');
    table.primary(['cluster', 'namespace', 'name']);
    table.index(
      ['service_namespace', 'service_name'],
      'service_instances_service_idx',
    );
  });

  await knex.schema.createTable('services', table => {
    table.comment(
      'Logical services, as pages filter and sort them. Narrow, so that a filter over all of them reads little.',
    );
    table.text('id').primary().comment('scope/namespace/name');
    table.text('scope').notNullable();
    table.text('namespace').notNullable();
    table.text('name').notNullable();
    table.text('search').notNullable().comment('namespace/name in lower case');
    table.text('owner');
    table.text('owner_by');
    table.text('dataplane').notNullable().comment("'unknown' where it is");
    table.integer('cluster_count').notNullable();
    table.integer('endpoints_ready').comment('Null where unknown');
    table.integer('endpoints_total');
    table
      .integer('worst')
      .notNullable()
      .comment('0 none, 1 info, 2 warning, 3 error');
    table.boolean('partial').notNullable();
    table.text('hash').notNullable();
    table.text('as_of').notNullable();
    // With `search`, so that a search looks at the index alone.
    table.index(['name', 'id', 'search'], 'services_name_idx');
    table.index(
      ['namespace', 'name', 'id', 'search'],
      'services_namespace_idx',
    );
    table.index(['dataplane'], 'services_dataplane_idx');
    table.index(['owner', 'id'], 'services_owner_idx');
    table.index(['worst', 'id'], 'services_worst_idx');
    table.index(['cluster_count', 'id'], 'services_cluster_count_idx');
    table.index(['endpoints_ready', 'id'], 'services_endpoints_idx');
  });

  await knex.schema.createTable('service_details', table => {
    table.comment('What pages show of a service: the wide half of `services`.');
    table.text('id').primary();
    table.text('row').notNullable().comment('JSON: ServiceRow of the API');
    table
      .text('body')
      .notNullable()
      .comment('JSON: ServiceView, without findings');
  });

  await knex.schema.createTable('service_clusters', table => {
    table.text('cluster').notNullable();
    table.text('service_id').notNullable();
    table.primary(['cluster', 'service_id']);
    table.index(['service_id'], 'service_clusters_service_idx');
  });

  await knex.schema.createTable('entities', table => {
    table.comment('Catalog entities whose annotations name services.');
    table.text('ref').primary();
    table.text('owner');
    table.text('annotations').notNullable().comment('JSON object');
    table.text('hash').notNullable();
  });

  await knex.schema.createTable('service_entities', table => {
    table.text('entity_ref').notNullable();
    table.text('service_id').notNullable();
    table.primary(['entity_ref', 'service_id']);
    table.index(['service_id'], 'service_entities_service_idx');
  });

  await knex.schema.createTable('findings', table => {
    table.comment('What was found, and when it was first and last seen.');
    table.text('id').primary().comment('Hash of rule and object');
    table.text('unit').notNullable().comment('Unit that found it');
    table.text('rule').notNullable();
    table.text('severity').notNullable();
    table
      .integer('severity_rank')
      .notNullable()
      .comment('1 info, 2 warning, 3 error');
    table.text('kind').notNullable();
    table.text('namespace').notNullable().comment("'' where there is none");
    table.text('name').notNullable();
    table.text('service_id');
    table.text('owner');
    table.text('search').notNullable();
    table.text('body').notNullable().comment('JSON: Finding');
    table.text('first_seen').notNullable();
    table.text('last_seen').notNullable();
    table.text('resolved_at');
    table.index(['unit'], 'findings_unit_idx');
    table.index(['service_id'], 'findings_service_idx');
    table.index(
      ['resolved_at', 'severity_rank', 'id'],
      'findings_severity_idx',
    );
    table.index(['rule'], 'findings_rule_idx');
  });

  await knex.schema.createTable('finding_clusters', table => {
    table.text('cluster').notNullable();
    table.text('finding_id').notNullable();
    table.primary(['cluster', 'finding_id']);
    table.index(['finding_id'], 'finding_clusters_finding_idx');
  });
};

/** @param {import('knex').Knex} knex */
exports.down = async function down(knex) {
  for (const table of [
    'finding_clusters',
    'findings',
    'service_entities',
    'entities',
    'service_clusters',
    'service_details',
    'services',
    'service_instances',
    'views',
    'reads',
    'queue',
    'objects',
    'coverage',
    'clusters',
  ]) {
    await knex.schema.dropTable(table);
  }
};
