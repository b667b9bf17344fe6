// The demo fleet in a process of its own: the clusters that fleet.yaml beside
// the manifests describes, simulated or on real control planes.
//
// Writes into the state folder, when all clusters are up:
//   kubeconfig.yaml        what the portal reads with
//   kubeconfig-admin.yaml  for a person with kubectl
//   fleet.json             where this process takes orders, and the secret for it
import { randomBytes, timingSafeEqual } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { rename, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { AddressInfo } from 'node:net';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { parse, parseAllDocuments } from 'yaml';
import { AccessRule, startFleet } from '../packages/fleet-simulator/src';
import { ensureBinaries, startRealFleet } from '../tools/real-fleet/src';

interface FleetDescription {
  /** What the portal's user may do in a cluster that says nothing else. */
  reader: AccessRule[];
  clusters: Array<{
    name: string;
    kubernetes?: string;
    reader?: AccessRule[];
  }>;
  /** Clusters that stop answering once the portal has read them. */
  away?: string[];
}

/** The user whose rights are those of the portal. */
const READER = 'reader';

/** A running fleet, of either sort. */
interface RunningFleet {
  kubeconfig(user: string): string;
  /** The API server stops to answer; what it holds stays. */
  stopCluster(name: string): Promise<void>;
  startCluster(name: string): Promise<void>;
  stop(): Promise<void>;
}

const progress = (line: string) => process.stderr.write(`${line}\n`);

async function simulated(
  dir: string,
  description: FleetDescription,
): Promise<RunningFleet> {
  const fleet = await startFleet({
    dir,
    clusters: description.clusters.map(({ name }) => name),
  });
  for (const { file, line, message } of fleet.problems) {
    progress(`${file}:${line}: ${message}`);
  }
  for (const { name, kubernetes, reader } of description.clusters) {
    const cluster = fleet.cluster(name);
    if (kubernetes) {
      cluster.setVersion(kubernetes);
    }
    cluster.setPermissions(READER, reader ?? description.reader);
  }
  return {
    kubeconfig: token => fleet.kubeconfig({ token }),
    stopCluster: name => fleet.cluster(name).stop(),
    startCluster: name => fleet.cluster(name).start(),
    stop: () => fleet.stop(),
  };
}

async function real(
  dir: string,
  description: FleetDescription,
): Promise<RunningFleet> {
  const binaries = await ensureBinaries({ need: 'mesh', onProgress: progress });
  if (!binaries.available) {
    throw new Error(
      `there are no real control planes on this machine: ${binaries.reason}. ${binaries.howToGet}`,
    );
  }
  const fleet = await startRealFleet({
    dir,
    clusters: description.clusters.map(({ name }) => name),
    bin: binaries.dir,
    onProgress: progress,
  });
  for (const { name, reader = description.reader } of description.clusters) {
    // RBAC grants and never takes away: what a cluster withholds is left out.
    const lacks = new Set(
      reader.flatMap(({ exceptResources = [] }) => exceptResources),
    );
    const { controlPlane } = fleet.cluster(name);
    const listed = await controlPlane.client().list('/api/v1/namespaces');
    const namespaces = new Set(listed.map(({ metadata }) => metadata.name));
    // What the fleet grants in single namespaces comes on top, where they are there.
    const inNamespaces = reader.flatMap(({ exceptResources: _, ...rule }) =>
      rule.namespaces
        ? [
            {
              ...rule,
              namespaces: rule.namespaces.filter(one => namespaces.has(one)),
            },
          ]
        : [],
    );
    await controlPlane.setPermissions(READER, [
      ...readerRules(namespaces).map(rule => ({
        ...rule,
        resources: rule.resources?.filter(resource => !lacks.has(resource)),
      })),
      ...inNamespaces,
    ]);
  }
  return {
    kubeconfig: token => fleet.kubeconfig({ token }),
    stopCluster: name => fleet.cluster(name).controlPlane.stopApiServer(),
    startCluster: name => fleet.cluster(name).controlPlane.startApiServer(),
    stop: () => fleet.stop(),
  };
}

interface RoleManifest {
  kind?: string;
  metadata: { namespace?: string };
  rules: Array<{
    verbs: string[];
    apiGroups?: string[];
    resources?: string[];
  }>;
}

/** The rights that the documentation asks a cluster's owner for, and no others. */
function readerRules(namespaces: ReadonlySet<string>) {
  const manifest = readFileSync(
    path.resolve(__dirname, '../docs/clusterrole.yaml'),
    'utf8',
  );
  return parseAllDocuments(manifest)
    .map(document => document.toJS() as RoleManifest | null)
    .flatMap(role => {
      if (role?.kind === 'ClusterRole') {
        return role.rules;
      }
      // A Role can only stand in a namespace that is there: not every cluster has a mesh.
      const namespace = role?.kind === 'Role' && role.metadata.namespace;
      return namespace && namespaces.has(namespace)
        ? role.rules.map(rule => ({ ...rule, namespaces: [namespace] }))
        : [];
    });
}

/** Never half a file: the portal's start waits for these to appear. */
async function writeWhole(file: string, text: string): Promise<void> {
  await writeFile(`${file}.new`, text, { mode: 0o600 });
  await rename(`${file}.new`, file);
}

/** Takes `POST /clusters/NAME/stop` and `.../start`, from this machine alone. */
async function takeOrders(fleet: RunningFleet, names: string[]) {
  const secret = randomBytes(24).toString('hex');
  const expected = Buffer.from(`Bearer ${secret}`);

  const server = createServer(async (request, response) => {
    const given = Buffer.from(request.headers.authorization ?? '');
    const order = request.url?.match(/^\/clusters\/([^/]+)\/(stop|start)$/);
    let status = 204;
    if (given.length !== expected.length || !timingSafeEqual(given, expected)) {
      status = 401;
    } else if (
      request.method !== 'POST' ||
      !order ||
      !names.includes(order[1])
    ) {
      status = 404;
    } else if (order[2] === 'stop') {
      await fleet.stopCluster(order[1]);
    } else {
      await fleet.startCluster(order[1]);
    }
    response.writeHead(status).end();
  });
  await new Promise<void>(resolve =>
    server.listen(0, '127.0.0.1', () => resolve()),
  );
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, secret };
}

async function main() {
  const { values } = parseArgs({
    options: {
      dir: { type: 'string' },
      state: { type: 'string' },
      real: { type: 'boolean', default: false },
    },
  });
  const dir = path.resolve(values.dir!);
  const state = path.resolve(values.state!);
  const description = parse(
    readFileSync(path.join(dir, 'fleet.yaml'), 'utf8'),
  ) as FleetDescription;

  const fleet = await (values.real ? real : simulated)(dir, description);
  const stop = async () => {
    await fleet.stop();
    process.exit(0);
  };
  process.once('SIGTERM', stop);
  process.once('SIGINT', stop);

  const orders = await takeOrders(
    fleet,
    description.clusters.map(({ name }) => name),
  );
  await writeWhole(
    path.join(state, 'kubeconfig-admin.yaml'),
    fleet.kubeconfig('admin'),
  );
  await writeWhole(
    path.join(state, 'kubeconfig.yaml'),
    fleet.kubeconfig(READER),
  );
  await writeWhole(
    path.join(state, 'fleet.json'),
    JSON.stringify({ ...orders, away: description.away ?? [] }),
  );
}

main().catch(error => {
  progress(`error: ${error.message}`);
  process.exit(1);
});
