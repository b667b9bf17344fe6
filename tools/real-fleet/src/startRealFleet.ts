import {
  clusterFolders,
  loadManifests,
} from '@mesh-for-backstage/fleet-simulator';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { KubeObject } from './ApiClient';
import {
  DEFAULT_GATEWAY_API,
  DEFAULT_MCS_API,
  GatewayApiBundle,
  gatewayApiObjects,
  istioCrds,
  mcsApiObjects,
} from './bundles';
import { Authority } from './certificates';
import { ControlPlane, startControlPlane } from './ControlPlane';
import { defaultNodes, startControllers } from './controllers';
import { LoadBalancers } from './LoadBalancers';
import {
  applyAll,
  applyFolder,
  ApplyReport,
  FolderObject,
} from './manifests/applyFolder';
import { openCrd, pluralOf } from './manifests/openCrd';
import { groupOf } from './manifests/order';
import { treat, TreatOptions } from './manifests/treat';
import {
  installAuthority,
  startIstiod,
  SYSTEM_NAMESPACE,
  writeRemoteSecret,
} from './mesh/istiod';
import { ClusterPlan, planCluster, planLinks } from './mesh/plan';
import { inParallel } from './parallel';
import { RealFleet, RealFleetOptions } from './RealFleet';

/** What is known of a cluster before anything runs. */
interface Blueprint {
  index: number;
  name: string;
  objects: FolderObject[];
  plan: ClusterPlan;
  gatewayApi?: GatewayApiBundle;
  mcsApi?: string;
  report: ApplyReport;
}

interface Running extends Blueprint {
  plane: ControlPlane;
  treatment: TreatOptions;
}

/** Clusters that start side by side; more would only wait for the processor. */
const AT_ONCE = 2;

const GATEWAY_GROUP = 'gateway.networking.k8s.io';
const MCS_GROUP = 'multicluster.x-k8s.io';

/**
 * Runs a folder of manifests, one sub-folder a cluster, on real control planes.
 *
 * @public
 */
export async function startRealFleet(
  options: RealFleetOptions,
): Promise<RealFleet> {
  const say = options.onProgress ?? (() => {});
  const blueprints = readFolders(options);
  const dir = await stateFolder(options.stateDir);
  const planes: ControlPlane[] = [];
  const balancers: LoadBalancers[] = [];
  const stop = async () => {
    balancers.forEach(balancer => balancer.stop());
    await Promise.all(planes.map(plane => plane.stop()));
    await rm(dir, { recursive: true, force: true, maxRetries: 3 });
  };

  try {
    const running: Running[] = [];
    await inParallel(AT_ONCE, blueprints, async blueprint => {
      const plane = await startControlPlane({
        name: blueprint.name,
        dir: join(dir, blueprint.name),
        serviceCidr: `10.${blueprint.index + 1}.0.0/16`,
        port: options.port && options.port + blueprint.index,
        tokens: options.tokens,
        signal: options.signal,
        bin: options.bin,
        detach: options.detach,
      });
      planes.push(plane);
      const controllers = await startControllers(plane, {
        podCidr: `10.${blueprint.index + 101}.0.1/16`,
        bin: options.bin,
      });
      options.signal?.throwIfAborted();
      running.push(await prepare(blueprint, plane, options));
      await controllers.ready(options.signal);
      say(`${blueprint.name}: API server and controllers run`);
    });
    running.sort((a, b) => a.index - b.index);
    const links = planLinks(running.map(({ plan }) => plan));
    for (const { plan, treatment } of running) {
      treatment.linkedClusters = new Set(
        links.filter(({ from }) => from === plan).map(({ to }) => to.clusterId),
      );
    }

    const roots = await rootsOf(running);
    await inParallel(AT_ONCE, running, async cluster => {
      await startMesh(cluster, roots.get(cluster.plan.meshId)!, options, say);
    });
    await inParallel(AT_ONCE, running, async cluster => {
      options.signal?.throwIfAborted();
      await fill(cluster);
      const balancer = LoadBalancers.start({
        client: cluster.plane.client(),
        objects: cluster.objects.map(({ object }) => object),
        prefix: `198.18.${cluster.index}`,
      });
      balancers.push(balancer);
      await balancer.serve();
      const { applied, left, refused } = cluster.report;
      say(
        `${cluster.name}: ${applied} objects applied, ${left.length} left to controllers, ${refused.length} refused`,
      );
    });
    await writeLinks(running, links);

    return RealFleet.create(
      running.map(({ name, plane, report }) => ({
        name,
        controlPlane: plane,
        url: plane.url,
        caData: plane.caData,
        token: tokenName => plane.token(tokenName),
        kubeconfig: tokenName => plane.kubeconfig(tokenName),
        report,
      })),
      stop,
    );
  } catch (error) {
    await stop();
    throw error;
  }
}

/** A folder for this fleet alone: stopping it removes the folder. */
async function stateFolder(wanted: string | undefined): Promise<string> {
  if (!wanted) {
    return mkdtemp(join(tmpdir(), 'mesh-real-fleet-'));
  }
  await mkdir(wanted, { recursive: true, mode: 0o700 });
  if ((await readdir(wanted)).length > 0) {
    throw new Error(
      `The state folder ${wanted} is not empty. Where another fleet runs in it, end that one first (real-fleet down --state ${wanted}); else name another folder`,
    );
  }
  return wanted;
}

function readFolders(options: RealFleetOptions): Blueprint[] {
  if (!existsSync(options.dir)) {
    throw new Error(`There is no folder ${options.dir}`);
  }
  const folders = clusterFolders(options.dir);
  const unknown = options.clusters?.filter(
    name => !folders.some(folder => folder.name === name),
  );
  if (folders.length === 0 || unknown?.length) {
    throw new Error(
      folders.length === 0
        ? `${options.dir} has no sub-folders of manifests, one a cluster`
        : `${options.dir} has no folder ${unknown?.join(', ')}, only ${folders
            .map(({ name }) => name)
            .join(', ')}`,
    );
  }
  return folders
    .filter(({ name }) => options.clusters?.includes(name) ?? true)
    .map(({ name, dir }, index) => {
      const { objects, problems } = loadManifests(name, dir);
      const kubeObjects = objects.map(({ object }) => object as KubeObject);
      const plan = planCluster(name, kubeObjects);
      return {
        index,
        name,
        objects: objects.map(({ object, file, line }) => ({
          object: object as KubeObject,
          file: `${file}:${line}`,
        })),
        plan: options.istio === false ? { ...plan, revisions: [] } : plan,
        gatewayApi: gatewayApiFor(plan, kubeObjects, options),
        mcsApi: mcsApiFor(kubeObjects, options),
        report: {
          cluster: name,
          applied: 0,
          changed: [],
          left: [],
          refused: problems.map(({ file, line, document, message }) => ({
            object: `document ${document}`,
            file: `${file}:${line}`,
            why: message,
          })),
        },
      };
    });
}

function gatewayApiFor(
  plan: ClusterPlan,
  objects: KubeObject[],
  options: RealFleetOptions,
): GatewayApiBundle | undefined {
  if (options.gatewayApi !== undefined) {
    return options.gatewayApi || undefined;
  }
  return plan.revisions.length > 0 || uses(objects, GATEWAY_GROUP)
    ? DEFAULT_GATEWAY_API
    : undefined;
}

function mcsApiFor(
  objects: KubeObject[],
  options: RealFleetOptions,
): string | undefined {
  if (options.mcsApi !== undefined) {
    return options.mcsApi || undefined;
  }
  return uses(objects, MCS_GROUP) ? DEFAULT_MCS_API : undefined;
}

function uses(objects: KubeObject[], group: string): boolean {
  return objects.some(
    object =>
      groupOf(object) === group ||
      (object.kind === 'CustomResourceDefinition' &&
        object.metadata.name.endsWith(`.${group}`)),
  );
}

/** Namespaces, nodes and CRDs: what the mesh and the rest stand on. */
async function prepare(
  blueprint: Blueprint,
  plane: ControlPlane,
  options: RealFleetOptions,
): Promise<Running> {
  const client = plane.client();
  const bundles = [
    ...(blueprint.gatewayApi
      ? await gatewayApiObjects(blueprint.gatewayApi)
      : []),
    ...(blueprint.mcsApi ? await mcsApiObjects(blueprint.mcsApi) : []),
    ...(blueprint.plan.revisions.length > 0 ? await istioCrds() : []),
  ];
  const treatment: TreatOptions = {
    istio: blueprint.plan.revisions.length > 0,
    linkedClusters: new Set(),
    bundledCrds: new Set(bundles.map(({ metadata }) => metadata.name)),
  };
  await applyAll(client, bundles);
  const nodes = blueprint.objects.some(({ object }) => object.kind === 'Node')
    ? []
    : defaultNodes(blueprint.name, options.nodes ?? 3);
  const running = { ...blueprint, plane, treatment };
  await apply(running, [
    ...missingNamespaces(blueprint),
    ...nodes.map(object => ({ object })),
    ...blueprint.objects.filter(isGround),
  ]);
  await applyAll(client, await openCrds(running));
  await plane.grantReader();
  return running;
}

const GROUND = new Set(['Namespace', 'Node', 'CustomResourceDefinition']);

function isGround({ object }: FolderObject): boolean {
  return GROUND.has(object.kind);
}

/** A real server refuses an object whose namespace is not there. */
function missingNamespaces({ objects, plan, report }: Blueprint) {
  const there = new Set(
    objects
      .filter(({ object }) => object.kind === 'Namespace')
      .map(({ object }) => object.metadata.name),
  );
  ['default', 'kube-system', 'kube-public', 'kube-node-lease'].forEach(name =>
    there.add(name),
  );
  const wanted = new Set(
    objects.flatMap(({ object }) => object.metadata.namespace ?? []),
  );
  const missing = [...wanted].filter(name => !there.has(name));
  report.changed.push(
    ...missing.map(name => ({
      object: `Namespace ${name}`,
      why: 'not in the folder, made for its objects',
    })),
  );
  if (plan.revisions.length > 0 && !there.has(SYSTEM_NAMESPACE)) {
    missing.push(SYSTEM_NAMESPACE);
  }
  return [...new Set(missing)].map(name => ({
    object: { apiVersion: 'v1', kind: 'Namespace', metadata: { name } },
  }));
}

/** CRDs for kinds that nobody else brought. */
async function openCrds({
  objects,
  plane,
  report,
}: Running): Promise<KubeObject[]> {
  const byKind = new Map<string, KubeObject[]>();
  for (const { object } of objects) {
    const group = groupOf(object);
    // Groups of Kubernetes itself have no dot, or end in k8s.io and are served.
    if (
      group.includes('.') &&
      !(await plane.client().resource(object.apiVersion, object.kind))
    ) {
      const key = `${object.kind}.${group}`;
      byKind.set(key, [...(byKind.get(key) ?? []), object]);
    }
  }
  return [...byKind].map(([key, all]) => {
    report.changed.push({
      object: key,
      why: 'no CRD in the folder or a bundle; one that takes any content stands in',
    });
    return openCrd(all, pluralOf(all[0].kind));
  });
}

/** Clusters of a mesh share a root. */
async function rootsOf(clusters: Running[]): Promise<Map<string, Authority>> {
  const roots = new Map<string, Authority>();
  for (const { plan } of clusters) {
    if (!roots.has(plan.meshId)) {
      roots.set(
        plan.meshId,
        await Authority.createRoot(`Root of ${plan.meshId}`),
      );
    }
  }
  return roots;
}

async function startMesh(
  cluster: Running,
  root: Authority,
  options: RealFleetOptions,
  say: (line: string) => void,
): Promise<void> {
  const { plane, plan } = cluster;
  if (plan.revisions.length === 0) {
    return;
  }
  await installAuthority(plane, root);
  for (const revision of plan.revisions) {
    const istiod = await startIstiod(plane, revision, {
      plan,
      root,
      gatewayApiChannel: cluster.gatewayApi?.channel,
      bin: options.bin,
      env: options.istiodEnv,
    });
    await istiod.ready(options.signal);
    say(`${cluster.name}: istiod runs, revision ${revision.revision}`);
  }
}

/** Everything of the folder that stands on namespaces, CRDs and the mesh. */
async function fill(cluster: Running): Promise<void> {
  await apply(
    cluster,
    cluster.objects.filter(item => !isGround(item)),
  );
}

async function apply(cluster: Running, objects: FolderObject[]): Promise<void> {
  const part = await applyFolder({
    cluster: cluster.name,
    client: cluster.plane.client(),
    objects,
    treat: object => treat(object, cluster.treatment),
  });
  const { report } = cluster;
  report.applied += part.applied;
  report.changed.push(...part.changed);
  report.left.push(...part.left);
  report.refused.push(...part.refused);
}

async function writeLinks(
  clusters: Running[],
  links: ReturnType<typeof planLinks>,
): Promise<void> {
  const planeOf = new Map(clusters.map(c => [c.plan, c.plane]));
  for (const { from, to } of links) {
    await writeRemoteSecret(planeOf.get(from)!, planeOf.get(to)!, to.clusterId);
  }
}
