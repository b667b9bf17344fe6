import type { Entity } from '@backstage/catalog-model';
import { BenchContext } from './BenchContext';
import { distributionOf, Figure } from './figures';
import { Answer, Portal } from './Portal';
import { Simulator } from './Simulator';

/** One service's view, at few clusters and at many, and beside the Kubernetes plugin. */
export async function measureServiceView(
  context: BenchContext,
): Promise<Figure[]> {
  const { few, many, services, requests } = context.sizes.view;
  const beside = await besideKubernetesPlugin(context);
  const atFew = await viewAt(context, { clusters: few, services, requests });
  const atMany = await viewAt(context, { clusters: many, services, requests });
  context.detail('serviceView', { ...beside.detail, atFew, atMany });
  return [
    ...beside.figures,
    {
      what: `one service's view, p95, ${few} clusters`,
      value: atFew.p95,
      unit: 'ms',
      bar: { at: 'most', value: 10 },
    },
    {
      what: `one service's view, p95, ${many} clusters`,
      value: atMany.p95,
      unit: 'ms',
      bar: { at: 'most', value: 10 },
    },
    {
      what: `its answer, ${many} clusters`,
      value: atMany.bytes / 1024,
      unit: 'KiB',
    },
  ];
}

async function viewAt(
  context: BenchContext,
  size: { clusters: number; services: number; requests: number },
) {
  context.say(`one service's view at ${size.clusters} clusters`);
  const simulator = await Simulator.start({ size });
  const portal = await Portal.start({
    simulator,
    directory: context.directory(`view-${size.clusters}`),
    profileTo: context.profileTo,
  });
  try {
    await context.settle(portal, simulator);
    const path = await pathOfService(portal);
    const answers = await repeat(size.requests, () => portal.get(path));
    return {
      clusters: size.clusters,
      path,
      bytes: answers[0].text.length,
      ...distributionOf(answers.map(({ ms }) => ms)),
    };
  } finally {
    await portal.stop();
    await simulator.stop();
  }
}

/**
 * Both plugins in one backend, over the same simulated clusters that take their time
 * to answer, for the same entity.
 */
async function besideKubernetesPlugin(context: BenchContext) {
  const { clusters, latencyMs, services, requests, kubernetesRequests } =
    context.sizes.beside;
  context.say(
    `beside the Kubernetes plugin: ${clusters} clusters, ${latencyMs} ms each`,
  );
  const simulator = await Simulator.start({
    size: { clusters, services },
    latencyMs,
  });
  const service = (await simulator.services(simulator.clusters[0].name)).find(
    ({ metadata, spec }) =>
      spec?.selector && metadata.namespace !== 'istio-system',
  )!;
  const { namespace, name } = service.metadata;
  const entity: Entity = {
    apiVersion: 'backstage.io/v1alpha1',
    kind: 'Component',
    metadata: {
      name: 'measured',
      namespace: 'default',
      uid: 'measured',
      annotations: {
        'backstage.io/kubernetes-label-selector': Object.entries(
          service.spec.selector,
        )
          .map(([key, value]) => `${key}=${value}`)
          .join(','),
        'backstage.io/kubernetes-namespace': namespace!,
      },
    },
    spec: { type: 'service', lifecycle: 'production', owner: 'team' },
  };
  const portal = await Portal.start({
    simulator,
    directory: context.directory('beside'),
    entities: [entity],
    kubernetes: true,
  });
  try {
    await context.settle(portal, simulator);
    const list = await portal.json(
      `/api/mesh/v1/services?search=${name}&namespace=${namespace}`,
    );
    const path = pathOf(list.items[0]);
    const view = await repeat(requests, () => portal.get(path));
    const byEntity = await repeat(requests, () =>
      portal.get('/api/mesh/v1/entities/component/default/measured/services'),
    );
    const kubernetes = await repeat(kubernetesRequests, () =>
      portal.post('/api/kubernetes/resources/workloads/query', {
        entityRef: 'component:default/measured',
        auth: {},
      }),
    );
    const answered = JSON.parse(kubernetes[0].text);
    const found = answered.items.filter((item: any) =>
      item.resources.some((resource: any) => resource.resources.length > 0),
    ).length;
    const failed = answered.items.flatMap((item: any) => item.errors);
    if (found !== clusters || failed.length > 0) {
      throw new Error(
        `The Kubernetes plugin found the entity in ${found} of ${clusters} clusters: ${JSON.stringify(
          failed.slice(0, 3),
        )}`,
      );
    }
    const named = JSON.parse(byEntity[0].text).items;
    if (!named.some((item: any) => item.name === name)) {
      throw new Error(`The mesh plugin does not give ${name} to its entity`);
    }
    const ours = distributionOf(view.map(({ ms }) => ms));
    const oursByEntity = distributionOf(byEntity.map(({ ms }) => ms));
    const theirs = distributionOf(kubernetes.map(({ ms }) => ms));
    const figures: Figure[] = [
      {
        what: `one service's view, p95, ${clusters} clusters of ${latencyMs} ms`,
        value: ours.p95,
        unit: 'ms',
        bar: { at: 'most', value: 10 },
      },
      {
        what: 'the same by its entity, p95',
        value: oursByEntity.p95,
        unit: 'ms',
      },
      {
        what: 'Kubernetes plugin for the same entity, p50',
        value: theirs.p50,
        unit: 'ms',
      },
      {
        what: 'faster than the Kubernetes plugin, by p50',
        value: theirs.p50 / ours.p50,
        unit: 'times',
        bar: { at: 'least', value: 50 },
      },
      {
        what: 'faster than the Kubernetes plugin, by p95',
        value: theirs.p95 / ours.p95,
        unit: 'times',
      },
    ];
    return {
      figures,
      detail: { view: ours, byEntity: oursByEntity, kubernetes: theirs },
    };
  } finally {
    await portal.stop();
    await simulator.stop();
  }
}

export function pathOf(row: {
  scope: string;
  namespace: string;
  name: string;
}) {
  return `/api/mesh/v1/services/${[row.scope, row.namespace, row.name]
    .map(encodeURIComponent)
    .join('/')}`;
}

async function pathOfService(portal: Portal): Promise<string> {
  const { items } = await portal.json('/api/mesh/v1/services?limit=100');
  const row = items.find(
    (one: any) =>
      one.namespace !== 'istio-system' && one.namespace !== 'kube-system',
  );
  return pathOf(row);
}

/** Asks a few times to warm up, and then as often as is wanted; every answer has to be good. */
async function repeat(
  times: number,
  ask: () => Promise<Answer>,
): Promise<Answer[]> {
  const answers: Answer[] = [];
  const warmUp = Math.ceil(times / 10);
  for (let i = 0; i < times + warmUp; i++) {
    const answer = await ask();
    if (answer.status !== 200) {
      throw new Error(
        `Answered ${answer.status}: ${answer.text.slice(0, 300)}`,
      );
    }
    if (i >= warmUp) answers.push(answer);
  }
  return answers;
}
