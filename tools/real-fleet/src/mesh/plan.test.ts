import { KubeObject } from '../ApiClient';
import { planCluster, planLinks } from './plan';

const inSystem = (
  kind: string,
  name: string,
  rest: Record<string, any> = {},
): KubeObject => ({
  apiVersion: 'v1',
  kind,
  metadata: { name, namespace: 'istio-system', labels: rest.labels },
  ...rest.fields,
});

const istiod = (revision: string, version: string, env: object[] = []) =>
  inSystem('Deployment', `istiod-${revision}`, {
    labels: { 'istio.io/rev': revision },
    fields: {
      spec: {
        template: {
          spec: {
            containers: [
              {
                name: 'discovery',
                image: `docker.io/istio/pilot:${version}`,
                env,
              },
            ],
          },
        },
      },
    },
  });

const injector = (name: string, values: object, config = '') =>
  inSystem('ConfigMap', name, {
    fields: { data: { values: JSON.stringify(values), config } },
  });

const remoteSecret = (cluster: string) =>
  inSystem('Secret', `istio-remote-secret-${cluster}`, {
    labels: { 'istio/multiCluster': 'true' },
    fields: { data: { [cluster]: '' } },
  });

const namespace = (name: string): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Namespace',
  metadata: { name },
});

describe('the mesh of a folder', () => {
  it('is one revision `default` where the folder says nothing', () => {
    expect(planCluster('east', [])).toEqual({
      name: 'east',
      clusterId: 'east',
      meshId: 'mesh',
      network: '',
      revisions: [
        {
          revision: 'default',
          version: undefined,
          tags: [],
          meshConfig: {},
          values: { global: {}, sidecarInjectorWebhook: {} },
          env: {},
          hasDeployment: false,
        },
      ],
    });
  });

  it('is none where another mesh runs', () => {
    const plan = planCluster('edge', [namespace('linkerd')]);
    expect(plan.revisions).toEqual([]);
  });

  it('has the revisions, versions and tags of the folder', () => {
    const plan = planCluster('east', [
      istiod('1-30', '1.30.3'),
      istiod('1-29', '1.29.6'),
      inSystem('MutatingWebhookConfiguration', 'istio-revision-tag-stable', {
        labels: { 'istio.io/rev': '1-29', 'istio.io/tag': 'stable' },
      }),
    ]);
    expect(
      plan.revisions.map(({ revision, version, tags, hasDeployment }) => [
        revision,
        version,
        tags,
        hasDeployment,
      ]),
    ).toEqual([
      ['1-29', '1.29.6', ['stable'], true],
      ['1-30', '1.30.3', [], true],
    ]);
  });

  it('takes over settings, and what describes another place not', () => {
    const plan = planCluster('east', [
      istiod('1-29', '1.29.6', [
        { name: 'PILOT_ENABLE_AMBIENT', value: 'false' },
        { name: 'ENABLE_MCS_HOST', value: 'true' },
        { name: 'CLUSTER_ID', value: 'elsewhere' },
        { name: 'POD_NAME', valueFrom: {} },
      ]),
      inSystem('ConfigMap', 'istio-1-29', {
        fields: { data: { mesh: 'trustDomain: shop.example\n' } },
      }),
      injector(
        'istio-sidecar-injector-1-29',
        {
          global: {
            meshID: 'shop',
            network: 'eu',
            multiCluster: { clusterName: 'eu-1' },
            hub: 'somewhere',
          },
        },
        'policy: disabled\nneverInjectSelector:\n  - matchLabels: { a: b }\n',
      ),
    ]);
    expect(plan).toMatchObject({
      clusterId: 'eu-1',
      meshId: 'shop',
      network: 'eu',
    });
    expect(plan.revisions[0]).toMatchObject({
      meshConfig: { trustDomain: 'shop.example' },
      env: { PILOT_ENABLE_AMBIENT: 'false', ENABLE_MCS_HOST: 'true' },
    });
    expect(plan.revisions[0].env).not.toHaveProperty('CLUSTER_ID');
    expect(plan.revisions[0].values).toEqual({
      global: {
        meshID: 'shop',
        network: 'eu',
        multiCluster: { clusterName: 'eu-1' },
        proxy: { autoInject: 'disabled' },
      },
      sidecarInjectorWebhook: {
        neverInjectSelector: [{ matchLabels: { a: 'b' } }],
      },
    });
  });

  it('starts with defaults where a setting cannot be read', () => {
    const broken = inSystem('ConfigMap', 'istio', {
      fields: { data: { mesh: 'trustDomain: [' } },
    });
    expect(planCluster('east', [broken]).revisions[0].meshConfig).toEqual({});
  });
});

describe('links between clusters', () => {
  const linksOf = (...clusters: Array<[string, KubeObject[]]>) =>
    planLinks(
      clusters.map(([name, objects]) => planCluster(name, objects)),
    ).map(({ from, to }) => `${from.name}>${to.name}`);

  it('go both ways where nobody declares any', () => {
    expect(linksOf(['a', []], ['b', []])).toEqual(['a>b', 'b>a']);
  });

  it('are those of the remote secrets, and no others', () => {
    expect(linksOf(['a', [remoteSecret('b')]], ['b', []])).toEqual(['a>b']);
  });

  it('stay within a mesh', () => {
    const other = injector('istio-sidecar-injector', {
      global: { meshID: 'other' },
    });
    expect(linksOf(['a', []], ['b', []], ['c', [other]])).toEqual([
      'a>b',
      'b>a',
    ]);
  });

  it('leave out clusters without Istio', () => {
    expect(linksOf(['a', []], ['b', [namespace('linkerd')]])).toEqual([]);
  });
});
