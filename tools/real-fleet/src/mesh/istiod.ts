import { execFile } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { get } from 'node:http';
import { join } from 'node:path';
import { parseAllDocuments, stringify } from 'yaml';
import { KubeObject } from '../ApiClient';
import { programPath } from '../binaries';
import { Authority } from '../certificates';
import { ControlPlane } from '../ControlPlane';
import { toKubeconfig } from '../kubeconfig';
import { applyAll } from '../manifests/applyFolder';
import { freePorts } from '../ports';
import { Component } from '../processes';
import { ISTIO_VERSION } from '../programs';
import { ClusterPlan, RevisionPlan } from './plan';

export const SYSTEM_NAMESPACE = 'istio-system';

/** The accounts' tokens outlive any fleet on a developer's machine. */
const YEAR_SECONDS = 365 * 24 * 60 * 60;

/** The chart's objects that would run istiod in the cluster; here it runs beside it. */
const OUTSIDE = new Set([
  'HorizontalPodAutoscaler',
  'PodDisruptionBudget',
  'NetworkPolicy',
]);

export interface MeshOptions {
  plan: ClusterPlan;
  /** The root that the clusters of a mesh share. */
  root: Authority;
  /** Channel of the Gateway API bundle in the cluster; absent where there is none. */
  gatewayApiChannel?: 'standard' | 'experimental';
  bin?: string;
  /** Further settings of istiod, over those of the folder. */
  env?: Record<string, string>;
}

/** An istiod that was started; `ready` says when it answers. */
export interface Istiod {
  revision: string;
  ready(signal?: AbortSignal): Promise<void>;
}

/** The certificate authority of a cluster, in files and as the Secret `cacerts`. */
export async function installAuthority(
  plane: ControlPlane,
  root: Authority,
): Promise<void> {
  const intermediate = await root.createIntermediate(`${plane.name} CA`, [
    'istiod.istio-system.svc',
  ]);
  const files: Record<string, string> = {
    'ca-cert.pem': intermediate.pem,
    'ca-key.pem': await intermediate.keyPem(),
    'root-cert.pem': root.pem,
    'cert-chain.pem': intermediate.pem + root.pem,
  };
  const folder = authorityFolder(plane);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  for (const [name, content] of Object.entries(files)) {
    await writeFile(join(folder, name), content, { mode: 0o600 });
  }
  await plane.client().apply({
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: 'cacerts', namespace: SYSTEM_NAMESPACE },
    stringData: files,
  });
}

/** Puts a revision's configuration into the cluster and starts its istiod beside it. */
export async function startIstiod(
  plane: ControlPlane,
  revision: RevisionPlan,
  options: MeshOptions,
): Promise<Istiod> {
  const [http, monitoring, grpc, secureGrpc, https] = await freePorts(5);
  const env = environment(revision, options);
  const objects = await generate(revision, options, env);
  for (const object of objects) {
    pointAtUrl(object, `https://localhost:${https}`, options.root.pem);
  }
  await applyAll(plane.client(), objects);

  const dir = join(plane.dir, `istiod-${revision.revision}`);
  await mkdir(dir, { recursive: true, mode: 0o700 });
  const kubeconfig = join(dir, 'kubeconfig');
  await writeFile(
    kubeconfig,
    await accountKubeconfig(plane, `istiod${suffixOf(revision)}`, plane.name),
    { mode: 0o600 },
  );
  const component = await plane.processes.start({
    name: `istiod-${revision.revision}`,
    command: await programPath('pilot-discovery', options.bin),
    cwd: dir,
    args: [
      'discovery',
      `--kubeconfig=${kubeconfig}`,
      `--httpAddr=127.0.0.1:${http}`,
      `--monitoringAddr=127.0.0.1:${monitoring}`,
      `--grpcAddr=127.0.0.1:${grpc}`,
      `--secureGRPCAddr=127.0.0.1:${secureGrpc}`,
      `--httpsAddr=127.0.0.1:${https}`,
      '--ctrlz_port=0',
      '--registries=Kubernetes',
      `--clusterRegistriesNamespace=${SYSTEM_NAMESPACE}`,
    ],
    env: {
      ...env,
      POD_NAMESPACE: SYSTEM_NAMESPACE,
      POD_NAME: `istiod-${revision.revision}-${plane.name}`,
      CLUSTER_ID: options.plan.clusterId,
      REVISION: revision.revision,
      ROOT_CA_DIR: authorityFolder(plane),
      ISTIOD_CUSTOM_HOST: 'localhost',
      XDG_RUNTIME_DIR: dir,
      // The webhooks are written here, with their final URL.
      INJECTION_WEBHOOK_CONFIG_NAME: '',
      VALIDATION_WEBHOOK_CONFIG_NAME: '',
    },
  });
  return {
    revision: revision.revision,
    ready: signal => untilReady(component, http, signal),
  };
}

/** Lets `reader` see the endpoints of `source`, as `istioctl create-remote-secret` would. */
export async function writeRemoteSecret(
  reader: ControlPlane,
  source: ControlPlane,
  sourceClusterId: string,
): Promise<void> {
  await reader.client().apply({
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: {
      name: `istio-remote-secret-${sourceClusterId}`,
      namespace: SYSTEM_NAMESPACE,
      labels: { 'istio/multiCluster': 'true' },
      annotations: { 'networking.istio.io/cluster': sourceClusterId },
    },
    stringData: {
      [sourceClusterId]: await accountKubeconfig(
        source,
        'istio-reader-service-account',
        sourceClusterId,
      ),
    },
  });
}

function authorityFolder(plane: ControlPlane): string {
  return join(plane.dir, 'cacerts');
}

function environment(
  revision: RevisionPlan,
  options: MeshOptions,
): Record<string, string> {
  const env: Record<string, string> = {
    PILOT_ENABLE_AMBIENT: 'true',
    ...revision.env,
    ...options.env,
  };
  // With the standard bundle istiod would wait for kinds that only the experimental one has, and never be ready.
  if (options.gatewayApiChannel !== 'experimental') {
    env.PILOT_ENABLE_ALPHA_GATEWAY_API = 'false';
  }
  return env;
}

async function generate(
  revision: RevisionPlan,
  options: MeshOptions,
  env: Record<string, string>,
): Promise<KubeObject[]> {
  const { plan } = options;
  const { global, sidecarInjectorWebhook } = revision.values as Record<
    string,
    Record<string, any>
  >;
  const operator = {
    apiVersion: 'install.istio.io/v1alpha1',
    kind: 'IstioOperator',
    spec: {
      profile: 'minimal',
      ...(revision.revision !== 'default' && { revision: revision.revision }),
      meshConfig: revision.meshConfig,
      values: {
        pilot: { env },
        revisionTags: revision.tags,
        sidecarInjectorWebhook,
        global: {
          hub: 'registry.istio.io/release',
          tag: revision.version ?? ISTIO_VERSION,
          ...global,
          meshID: plan.meshId,
          network: plan.network,
          multiCluster: { clusterName: plan.clusterId },
        },
      },
    },
  };
  const stdout = await runWithInput(
    await programPath('istioctl', options.bin),
    ['manifest', 'generate', '--force', '--filename', '-'],
    stringify(operator),
  );
  return parseAllDocuments(stdout)
    .map(document => document.toJS({ maxAliasCount: -1 }) as KubeObject | null)
    .filter((object): object is KubeObject => Boolean(object?.kind))
    .filter(({ kind }) => !OUTSIDE.has(kind))
    .filter(
      ({ kind, metadata }) =>
        // The folder's own Deployment and Service of istiod stay.
        !(
          revision.hasDeployment &&
          (kind === 'Deployment' || kind === 'Service') &&
          metadata.name === `istiod${suffixOf(revision)}`
        ),
    );
}

/** The webhooks call this istiod, which is no pod of the cluster. */
function pointAtUrl(object: KubeObject, url: string, root: string): void {
  for (const webhook of (object.webhooks ?? []) as any[]) {
    const path = webhook.clientConfig.service?.path ?? '/inject';
    webhook.clientConfig = {
      url: `${url}${path}`,
      caBundle: Buffer.from(root).toString('base64'),
    };
    if (object.kind === 'ValidatingWebhookConfiguration') {
      // What istiod itself sets in a cluster as soon as it is ready.
      webhook.failurePolicy = 'Fail';
    }
  }
}

function suffixOf(revision: RevisionPlan): string {
  return revision.revision === 'default' ? '' : `-${revision.revision}`;
}

/** A kubeconfig with the permissions of an account of the chart, and no more. */
async function accountKubeconfig(
  plane: ControlPlane,
  account: string,
  clusterName: string,
): Promise<string> {
  const { status } = await plane.client().request<{
    status: { token: string };
  }>({
    method: 'POST',
    path: `/api/v1/namespaces/${SYSTEM_NAMESPACE}/serviceaccounts/${account}/token`,
    body: {
      apiVersion: 'authentication.k8s.io/v1',
      kind: 'TokenRequest',
      spec: { expirationSeconds: YEAR_SECONDS },
    },
  });
  return toKubeconfig([
    {
      name: clusterName,
      url: plane.url,
      caData: plane.caData,
      user: account,
      token: status.token,
    },
  ]);
}

async function untilReady(
  component: Component,
  port: number,
  signal: AbortSignal | undefined,
): Promise<void> {
  await component.ready(
    () =>
      new Promise((fulfil, reject) => {
        get(
          `http://127.0.0.1:${port}/ready`,
          { agent: false, timeout: 5_000 },
          response => {
            response.resume();
            fulfil(response.statusCode === 200);
          },
        ).on('error', reject);
      }),
    { timeoutMs: 180_000, signal },
  );
}

function runWithInput(
  command: string,
  args: string[],
  input: string,
): Promise<string> {
  return new Promise((fulfil, reject) => {
    const child = execFile(
      command,
      args,
      { maxBuffer: 64 * 1024 * 1024 },
      (error, stdout, stderr) =>
        error
          ? reject(new Error(`istioctl ${args[0]} failed: ${stderr.trim()}`))
          : fulfil(stdout),
    );
    child.stdin?.end(input);
  });
}
