/**
 * Writes src/data/kubernetes.json: the built-in kinds of a Kubernetes release,
 * their discovery entries, table columns and structural schemas, as a running
 * kube-apiserver describes them. Names and structure only, no descriptions.
 *
 *   node scripts/captureKubernetes.mjs https://127.0.0.1:6443 TOKEN
 */
import { writeFileSync } from 'node:fs';

process.env.NODE_TLS_REJECT_UNAUTHORIZED = '0';
const [url, token] = process.argv.slice(2);

const leftOut = new Set([
  'resource.k8s.io',
  'flowcontrol.apiserver.k8s.io',
  'apiregistration.k8s.io',
]);
const discoveryAccept =
  'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';
const tableAccept = 'application/json;as=Table;g=meta.k8s.io;v=v1';

async function get(path, accept = 'application/json') {
  const answer = await fetch(url + path, {
    headers: { authorization: `Bearer ${token}`, accept },
  });
  return answer.json();
}

const kept = [
  'type',
  'format',
  'required',
  'default',
  'enum',
  'x-kubernetes-list-type',
  'x-kubernetes-list-map-keys',
  'x-kubernetes-map-type',
  'x-kubernetes-patch-merge-key',
  'x-kubernetes-patch-strategy',
  'x-kubernetes-group-version-kind',
  'x-kubernetes-preserve-unknown-fields',
  'x-kubernetes-int-or-string',
];

function trim(schema) {
  const out = {};
  for (const key of kept) if (schema[key] !== undefined) out[key] = schema[key];
  if (schema.$ref) out.$ref = schema.$ref;
  if (schema.allOf?.length === 1) Object.assign(out, trim(schema.allOf[0]));
  if (schema.oneOf) out['x-kubernetes-int-or-string'] = true;
  if (schema.items) out.items = trim(schema.items);
  if (typeof schema.additionalProperties === 'object')
    out.additionalProperties = trim(schema.additionalProperties);
  if (schema.properties) {
    out.properties = {};
    for (const [name, property] of Object.entries(schema.properties))
      out.properties[name] = trim(property);
  }
  return out;
}

const version = await get('/version');
const core = await get('/api', discoveryAccept);
const groups = await get('/apis', discoveryAccept);
const kinds = [];
const schemas = {};
for (const group of [...core.items, ...groups.items]) {
  const name = group.metadata.name ?? '';
  if (leftOut.has(name)) continue;
  for (const served of group.versions) {
    const root = name
      ? `/apis/${name}/${served.version}`
      : `/api/${served.version}`;
    const openapi = await get(`/openapi/v3${root}`);
    for (const [id, schema] of Object.entries(openapi.components.schemas))
      if (!/DeleteOptions|WatchEvent|APIResourceList/.test(id))
        schemas[id] = trim(schema);
    const plain = await get(root);
    for (const resource of served.resources) {
      const entry = plain.resources.find(r => r.name === resource.resource);
      const table = resource.verbs.includes('list')
        ? await get(`${root}/${resource.resource}?limit=1`, tableAccept)
        : undefined;
      kinds.push({
        group: name,
        version: served.version,
        kind: entry.kind,
        plural: resource.resource,
        singular: resource.singularResource,
        namespaced: resource.scope === 'Namespaced',
        verbs: entry.verbs,
        shortNames: entry.shortNames,
        categories: entry.categories,
        storageVersionHash: entry.storageVersionHash,
        subresources: plain.resources
          .filter(r => r.name.startsWith(`${resource.resource}/`))
          .map(r => ({
            name: r.name.split('/')[1],
            kind: r.kind,
            ...(r.group && { group: r.group, version: r.version }),
            verbs: r.verbs,
          })),
        columns: table?.columnDefinitions?.map(c => ({
          name: c.name,
          type: c.type,
          format: c.format,
          priority: c.priority,
        })),
      });
    }
  }
}

writeFileSync(
  new URL('../src/data/kubernetes.json', import.meta.url),
  `${JSON.stringify({
    asOf: new Date().toISOString().slice(0, 10),
    source: `discovery, tables and /openapi/v3 of kube-apiserver ${version.gitVersion}`,
    gitVersion: version.gitVersion,
    groups: groups.items
      .map(group => group.metadata.name)
      .filter(name => !leftOut.has(name)),
    kinds,
    schemas,
  })}\n`,
);
