import {
  analyseCluster,
  analyseNamespace,
  createInventory,
} from '@mesh-for-backstage/mesh-analysis';
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { ApiError, KubeObject } from './ApiClient';
import { programPath } from './binaries';
import { inParallel } from './parallel';
import { RealCluster, RealFleet } from './RealFleet';
import { startRealFleet } from './startRealFleet';
import { describeReal } from './testing';

const run = promisify(execFile);

jest.setTimeout(900_000);

type Labels = Record<string, string>;

interface PodCase {
  name: string;
  labels?: Labels;
  annotations?: Labels;
  hostNetwork?: boolean;
}

/** What a webhook of a real istiod did to a pod: the revision that injected it, or nothing. */
type Outcome = string | undefined;

/** Fixed rows, with what Istio's documentation and source promise. */
const TABLE: Array<{
  what: string;
  cluster?: 'everywhere';
  namespace: Labels;
  pod: Omit<PodCase, 'name'>;
  injected: Outcome;
}> = [
  {
    what: 'a namespace names a revision',
    namespace: { 'istio.io/rev': 'canary' },
    pod: {},
    injected: 'canary',
  },
  {
    what: 'a namespace names the default revision',
    namespace: { 'istio.io/rev': 'default' },
    pod: {},
    injected: 'default',
  },
  {
    what: 'a pod opts out of its namespace’s revision',
    namespace: { 'istio.io/rev': 'canary' },
    pod: { labels: { 'sidecar.istio.io/inject': 'false' } },
    injected: undefined,
  },
  {
    what: 'a pod names a revision',
    namespace: {},
    pod: { labels: { 'istio.io/rev': 'canary' } },
    injected: 'canary',
  },
  {
    what: 'a namespace is enabled',
    namespace: { 'istio-injection': 'enabled' },
    pod: {},
    injected: 'default',
  },
  {
    what: 'a pod opts in',
    namespace: {},
    pod: { labels: { 'sidecar.istio.io/inject': 'true' } },
    injected: 'default',
  },
  {
    what: 'nobody asks',
    namespace: {},
    pod: {},
    injected: undefined,
  },
  {
    what: '1: istio-injection=enabled beats the revision of the namespace',
    namespace: { 'istio-injection': 'enabled', 'istio.io/rev': 'canary' },
    pod: {},
    injected: 'default',
  },
  {
    what: '2: a disabled namespace blocks a pod that opts in',
    namespace: { 'istio-injection': 'disabled' },
    pod: { labels: { 'sidecar.istio.io/inject': 'true' } },
    injected: undefined,
  },
  {
    what: '3: the namespace’s revision wins over the pod’s',
    namespace: { 'istio.io/rev': 'default' },
    pod: { labels: { 'istio.io/rev': 'canary' } },
    injected: 'default',
  },
  {
    what: '4: a tag stands for its revision',
    namespace: { 'istio.io/rev': 'stable' },
    pod: {},
    injected: 'canary',
  },
  {
    what: '4: a revision that is not installed injects nothing',
    namespace: { 'istio.io/rev': 'gone' },
    pod: {},
    injected: undefined,
  },
  {
    what: '5: the deprecated annotation still opts out',
    namespace: { 'istio-injection': 'enabled' },
    pod: { annotations: { 'sidecar.istio.io/inject': 'false' } },
    injected: undefined,
  },
  {
    what: '5: the label wins over the annotation',
    namespace: { 'istio-injection': 'enabled' },
    pod: {
      labels: { 'sidecar.istio.io/inject': 'true' },
      annotations: { 'sidecar.istio.io/inject': 'false' },
    },
    injected: 'default',
  },
  {
    what: '5: a value that is neither true nor false falls to the policy',
    namespace: { 'istio-injection': 'enabled' },
    pod: { labels: { 'sidecar.istio.io/inject': 'yes' } },
    injected: 'default',
  },
  {
    what: '6: a pod on the host’s network is refused',
    namespace: { 'istio-injection': 'enabled' },
    pod: { hostNetwork: true },
    injected: undefined,
  },
  {
    what: '6: neverInjectSelector',
    namespace: { 'istio.io/rev': 'canary' },
    pod: { labels: { batch: 'nightly' } },
    injected: undefined,
  },
  {
    what: '6: a pod that asks is past neverInjectSelector',
    namespace: { 'istio.io/rev': 'canary' },
    pod: { labels: { batch: 'nightly', 'sidecar.istio.io/inject': 'true' } },
    injected: 'canary',
  },
  {
    what: '6: with the policy disabled, a namespace’s label is not enough',
    cluster: 'everywhere',
    namespace: { 'istio-injection': 'enabled' },
    pod: {},
    injected: undefined,
  },
  {
    what: '6: alwaysInjectSelector overrides the policy',
    cluster: 'everywhere',
    namespace: { 'istio-injection': 'enabled' },
    pod: { labels: { batch: 'hourly' } },
    injected: 'default',
  },
  {
    what: 'auto: a namespace without labels, where namespaces are enabled by default',
    cluster: 'everywhere',
    namespace: {},
    pod: { labels: { batch: 'hourly' } },
    injected: 'default',
  },
];

/** Every combination of the labels that the webhooks look at. */
const NAMESPACES: Labels[] = combine(
  choices('istio.io/rev', [undefined, 'default', 'canary', 'stable', 'gone']),
  choices('istio-injection', [undefined, 'enabled', 'disabled', 'maybe']),
);
const VARIANTS: Array<Omit<PodCase, 'name' | 'labels'>> = [
  {},
  { annotations: { 'sidecar.istio.io/inject': 'false' } },
  { annotations: { 'sidecar.istio.io/inject': 'true' } },
  { hostNetwork: true },
];
const PODS: PodCase[] = combine(
  choices('sidecar.istio.io/inject', [undefined, 'true', 'false', 'yes']),
  choices('istio.io/rev', [undefined, 'default', 'canary', 'gone']),
  choices('batch', [undefined, 'nightly', 'hourly']),
).flatMap((labels, index) =>
  VARIANTS.map((variant, which) => ({
    name: `pod-${index}-${which}`,
    labels,
    ...variant,
  })),
);

describeReal(
  'injection by a real istiod',
  () => {
    let fleet: RealFleet;

    beforeAll(async () => {
      fleet = await startRealFleet({
        dir: join(__dirname, '__fixtures__', 'injection'),
      });
    });

    afterAll(async () => {
      await fleet?.stop();
    });

    it.each(TABLE)('$what', async row => {
      const cluster = fleet.cluster(row.cluster ?? 'usual');
      const namespace = await namespaceWith(cluster, row.namespace);
      const pod = { name: 'pod', ...row.pod };
      expect(await create(cluster, namespace, pod)).toBe(row.injected);
      const said = await analysed(cluster, namespace, [pod]);
      expect(said.get('pod')).toBe(row.injected);
    });

    it('is what the analysis says for every combination of labels', async () => {
      const { outcomes, differences } = await compareAll(
        fleet.cluster('usual'),
      );
      expect(differences).toEqual([]);
      expect(outcomes).toEqual(new Set(['default', 'canary', undefined]));
    });

    it('is what it says where namespaces are injected by default', async () => {
      const { outcomes, differences } = await compareAll(
        fleet.cluster('everywhere'),
      );
      expect(differences).toEqual([]);
      expect(outcomes).toEqual(new Set(['default', undefined]));
    });

    it('never injects the system’s own namespaces', async () => {
      const cluster = fleet.cluster('usual');
      const pod = {
        name: 'pod',
        labels: { 'sidecar.istio.io/inject': 'true' },
      };
      for (const namespace of ['kube-system', 'kube-public']) {
        expect(await create(cluster, namespace, pod)).toBeUndefined();
        const said = await analysed(cluster, namespace, [pod]);
        expect(said.get('pod')).toBeUndefined();
      }
    });

    // Comes last, since it changes the cluster.
    it('7: is what it says after the default tag has moved', async () => {
      const cluster = fleet.cluster('usual');
      await run(await programPath('istioctl'), [
        ...['tag', 'set', 'default', '--revision', 'canary', '--overwrite'],
        ...['--kubeconfig', join(cluster.controlPlane.dir, 'kubeconfig')],
      ]);
      const namespace = await namespaceWith(cluster, {
        'istio-injection': 'enabled',
      });
      await until(
        async () =>
          (await create(cluster, namespace, { name: 'pod' })) === 'canary',
      );
      const { differences } = await compareAll(cluster);
      expect(differences).toEqual([]);
    });
  },
  { need: 'mesh' },
);

/** Asks the real webhooks and the analysis about every combination. */
async function compareAll(cluster: RealCluster) {
  const outcomes = new Set<Outcome>();
  const differences: object[] = [];
  for (const labels of NAMESPACES) {
    const namespace = await namespaceWith(cluster, labels);
    const said = await analysed(cluster, namespace, PODS);
    await inParallel(8, PODS, async pod => {
      const real = await create(cluster, namespace, pod);
      outcomes.add(real);
      if (real !== said.get(pod.name)) {
        differences.push({
          namespace: labels,
          pod: { ...pod, name: undefined },
          real: real ?? 'no sidecar',
          analysis: said.get(pod.name) ?? 'no sidecar',
        });
      }
    });
  }
  return { outcomes, differences };
}

async function until(check: () => Promise<boolean>): Promise<void> {
  const end = Date.now() + 60_000;
  while (!(await check())) {
    if (Date.now() > end) {
      throw new Error('It did not happen within a minute');
    }
    await sleep(500);
  }
}

const namespaces = new Map<string, string>();

/** One namespace for each set of labels, with the account that its pods need. */
async function namespaceWith(
  cluster: RealCluster,
  labels: Labels,
): Promise<string> {
  const key = `${cluster.name} ${JSON.stringify(labels)}`;
  const known = namespaces.get(key);
  if (known) {
    return known;
  }
  const name = `case-${namespaces.size}`;
  namespaces.set(key, name);
  const client = cluster.controlPlane.client();
  await client.apply({
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: { name, labels },
  });
  await client.apply({
    apiVersion: 'v1',
    kind: 'ServiceAccount',
    metadata: { name: 'default', namespace: name },
  });
  return name;
}

/** Creates the pod as a dry run: admission answers as for any other. */
async function create(
  cluster: RealCluster,
  namespace: string,
  pod: PodCase,
): Promise<Outcome> {
  const client = cluster.controlPlane.client();
  for (let attempt = 1; ; attempt++) {
    try {
      const made = await client.create(manifest(namespace, pod), {
        dryRun: 'All',
      });
      return outcomeOf(made);
    } catch (error) {
      const early =
        error instanceof ApiError && /service account/.test(error.message);
      if (!early || attempt === 50) {
        throw error;
      }
      await sleep(200);
    }
  }
}

function outcomeOf(pod: KubeObject): Outcome {
  const spec = pod.spec as {
    containers: { name: string }[];
    initContainers?: { name: string }[];
  };
  const containers = [...spec.containers, ...(spec.initContainers ?? [])];
  if (!containers.some(({ name }) => name === 'istio-proxy')) {
    return undefined;
  }
  const status = pod.metadata.annotations?.['sidecar.istio.io/status'];
  return JSON.parse(status ?? '{}').revision;
}

/** What the analysis says of the same pods, from the cluster's own webhooks and settings. */
async function analysed(
  cluster: RealCluster,
  namespace: string,
  pods: PodCase[],
): Promise<Map<string, Outcome>> {
  const client = cluster.controlPlane.client();
  const listed = async (apiVersion: string, kind: string, path: string) =>
    (await client.list(path)).map(object => ({ ...object, apiVersion, kind }));
  const objects = [
    ...(await listed(
      'admissionregistration.k8s.io/v1',
      'MutatingWebhookConfiguration',
      '/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations',
    )),
    ...(await listed(
      'v1',
      'ConfigMap',
      '/api/v1/namespaces/istio-system/configmaps',
    )),
    ...(await listed(
      'apps/v1',
      'Deployment',
      '/apis/apps/v1/namespaces/istio-system/deployments',
    )),
    ...(await listed('v1', 'Namespace', '/api/v1/namespaces')),
    ...pods.map(pod => manifest(namespace, pod)),
  ];
  const inventory = createInventory({
    now: new Date().toISOString(),
    clusters: [{ name: cluster.name, objects }],
  });
  const mesh = analyseCluster(inventory, cluster.name);
  const view = analyseNamespace(inventory, mesh, {
    cluster: cluster.name,
    namespace,
  });
  return new Map(
    view.workloads.map(({ name, requested }) => [
      name,
      requested.dataplane === 'sidecar'
        ? String(requested.revision)
        : undefined,
    ]),
  );
}

function manifest(namespace: string, pod: PodCase): KubeObject {
  const { name, labels, annotations, hostNetwork } = pod;
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace, labels, annotations },
    spec: {
      ...(hostNetwork && { hostNetwork }),
      containers: [{ name: 'app', image: 'registry.example/app:1' }],
    },
  };
}

function choices(key: string, values: Array<string | undefined>): Labels[] {
  return values.map(value => (value === undefined ? {} : { [key]: value }));
}

function combine(...sets: Labels[][]): Labels[] {
  return sets.reduce<Labels[]>(
    (all, set) => all.flatMap(one => set.map(other => ({ ...one, ...other }))),
    [{}],
  );
}
