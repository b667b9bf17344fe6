import { writeFile } from 'node:fs/promises';
import {
  createMockDirectory,
  mockServices,
} from '@backstage/backend-test-utils';
import { Entity } from '@backstage/catalog-model';
import { catalogServiceMock } from '@backstage/plugin-catalog-node/testUtils';
import { JsonObject } from '@backstage/types';
import { MeshClusterSource } from '@mesh-for-backstage/plugin-mesh-node';
import { stringify } from 'yaml';
import { createClusterSources } from './ClusterSources';

const ca = Buffer.from(
  '-----BEGIN CERTIFICATE-----\nMA==\n-----END CERTIFICATE-----\n',
).toString('base64');

const serviceAccount = (name: string, more: JsonObject = {}) => ({
  name,
  url: `https://${name}.example.com:6443`,
  authProvider: 'serviceAccount',
  serviceAccountToken: `token-of-${name}`,
  caData: ca,
  ...more,
});

const withClusters = (...clusters: JsonObject[]): JsonObject => ({
  kubernetes: { clusterLocatorMethods: [{ type: 'config', clusters }] },
});

function setUp(
  data: JsonObject,
  options: { entities?: Entity[]; sources?: MeshClusterSource[] } = {},
) {
  const logger = mockServices.logger.mock();
  const create = () =>
    createClusterSources({
      config: mockServices.rootConfig({ data }),
      logger,
      catalog: catalogServiceMock({ entities: options.entities ?? [] }),
      auth: mockServices.auth(),
      sources: options.sources ?? [],
      systemNamespaces: ['istio-system'],
    });
  const warnings = () => logger.warn.mock.calls.map(([message]) => message);
  return { create, logger, warnings };
}

async function list(...args: Parameters<typeof setUp>) {
  const { create, warnings } = setUp(...args);
  const listed = await create().list();
  return { ...listed, warnings: warnings() };
}

describe('clusters of the Kubernetes plugin', () => {
  it('are taken as they are, with a KubeConfig of their own each', async () => {
    const { clusters } = await list(
      withClusters(serviceAccount('a', { title: 'Cluster A' }), {
        ...serviceAccount('b'),
        skipTLSVerify: true,
      }),
    );
    expect(clusters).toMatchObject([
      {
        name: 'a',
        title: 'Cluster A',
        source: 'kubernetes.config',
        server: 'a.example.com:6443',
        systemNamespaces: ['istio-system'],
      },
      { name: 'b' },
    ]);
    const [first, again, second] = await Promise.all([
      clusters[0].createKubeConfig!(),
      clusters[0].createKubeConfig!(),
      clusters[1].createKubeConfig!(),
    ]);
    expect(first).not.toBe(again);
    expect(first.getCurrentUser()!.token).toBe('token-of-a');
    expect(first.getCurrentCluster()).toMatchObject({ skipTLSVerify: false });
    expect(second.getCurrentCluster()).toMatchObject({ skipTLSVerify: true });
    expect(second.getUsers()).toHaveLength(1);
    expect(JSON.stringify(clusters)).not.toContain('token-of');
  });

  it.each<[string, JsonObject, string, RegExp]>([
    [
      'a token that is missing',
      { ...serviceAccount('a'), serviceAccountToken: '' },
      'misconfigured',
      /^kubernetes\.clusterLocatorMethods\[0\]\.clusters\[0\]\.serviceAccountToken is missing/,
    ],
    [
      'an address that is missing',
      { ...serviceAccount('a'), url: '' },
      'misconfigured',
      /clusters\[0\]\.url is missing/,
    ],
    [
      'an address that is none',
      serviceAccount('a', { url: 'a.example.com' }),
      'misconfigured',
      /clusters\[0\]\.url is not a URL; write https:/,
    ],
    [
      'credentials in the address',
      serviceAccount('a', { url: 'https://me:hunter2@a.example.com' }),
      'misconfigured',
      /clusters\[0\]\.url holds credentials/,
    ],
    [
      'HTTP',
      serviceAccount('a', { url: 'http://a.example.com' }),
      'misconfigured',
      /uses HTTP, which sends the token in the clear/,
    ],
    [
      'an authority that is not base64',
      serviceAccount('a', { caData: '-----BEGIN CERTIFICATE-----' }),
      'misconfigured',
      /clusters\[0\]\.caData is a certificate as it stands/,
    ],
    [
      'a sign-in that is missing',
      { name: 'a', url: 'https://a.example.com' },
      'misconfigured',
      /clusters\[0\]\.authProvider is missing/,
    ],
    [
      'a sign-in with a user',
      serviceAccount('a', { authProvider: 'oidc' }),
      'needs-user',
      /authProvider is oidc: it signs in with the token of whoever looks/,
    ],
    [
      'google',
      serviceAccount('a', { authProvider: 'google' }),
      'needs-user',
      /authProvider is google/,
    ],
    [
      'a sign-in that is not supported yet',
      serviceAccount('a', { authProvider: 'aws' }),
      'misconfigured',
      /authProvider is aws, which this plugin cannot sign in with yet/,
    ],
    [
      'a sign-in that nobody knows',
      serviceAccount('a', { authProvider: 'magic' }),
      'misconfigured',
      /authProvider is magic, which this plugin does not know/,
    ],
    [
      'metadata that wins over authProvider',
      serviceAccount('a', {
        authMetadata: { 'kubernetes.io/auth-provider': 'aks' },
      }),
      'needs-user',
      /authProvider is aks/,
    ],
  ])(
    'with %s stop only themselves, and say which key it is',
    async (_case, wrong, state, message) => {
      const { clusters, warnings } = await list(
        withClusters(wrong, serviceAccount('b')),
      );
      expect(clusters[0]).toMatchObject({
        name: 'a',
        problem: { state, message: expect.stringMatching(message) },
      });
      expect(clusters[0].createKubeConfig).toBeUndefined();
      expect(clusters[1].problem).toBeUndefined();
      expect(clusters[1].createKubeConfig).toBeDefined();
      expect(warnings).toEqual([expect.stringMatching(/^Cluster a: /)]);
      expect(JSON.stringify([clusters, warnings])).not.toMatch(
        /hunter2|token-of/,
      );
    },
  );
});

describe('clusters of the catalog', () => {
  const resource = (
    name: string,
    annotations: Record<string, string>,
  ): Entity => ({
    apiVersion: 'backstage.io/v1alpha1',
    kind: 'Resource',
    metadata: { name, annotations },
    spec: { type: 'kubernetes-cluster', owner: 'platform' },
  });
  const catalog = (more: JsonObject = {}): JsonObject => ({
    kubernetes: { clusterLocatorMethods: [{ type: 'catalog', ...more }] },
  });

  it.each([
    ['oidc', 'https://203.0.113.0:6443', 'misconfigured', /not public/],
    ['oidc', 'https://8.8.8.8:6443', 'needs-user', /is oidc/],
    [
      'serviceAccount',
      'https://8.8.8.8',
      'misconfigured',
      /the catalog may not/,
    ],
    ['aws', 'https://8.8.8.8', 'misconfigured', /cannot sign in with yet/],
    ['oidc', 'http://8.8.8.8', 'misconfigured', /uses HTTP/],
    ['oidc', 'https://127.0.0.1', 'misconfigured', /not public/],
    ['oidc', 'https://169.254.169.254', 'misconfigured', /not public/],
    ['oidc', 'https://[::1]:6443', 'misconfigured', /not public/],
    ['oidc', 'https://[::ffff:10.0.0.1]', 'misconfigured', /not public/],
    ['oidc', 'https://localhost', 'misconfigured', /not public/],
    ['oidc', 'nonsense', 'misconfigured', /is not a URL/],
  ])('signing in by %s at %s are %s', async (provider, url, state, message) => {
    const { clusters } = await list(catalog(), {
      entities: [
        resource('east', {
          'kubernetes.io/api-server': url,
          'kubernetes.io/auth-provider': provider,
        }),
      ],
    });
    expect(clusters).toMatchObject([
      {
        name: 'east',
        source: 'kubernetes.catalog',
        problem: { state, message: expect.stringMatching(message) },
      },
    ]);
    expect(clusters[0].createKubeConfig).toBeUndefined();
  });

  it('may have addresses that are allowed by name', async () => {
    const { clusters } = await list(
      catalog({ dangerouslyAllowClusterUrls: ['*.corp.example', '10.0.0.1'] }),
      {
        entities: [
          resource('east', {
            'kubernetes.io/api-server': 'https://10.0.0.1:6443',
            'kubernetes.io/auth-provider': 'google',
          }),
        ],
      },
    );
    expect(clusters[0].problem).toMatchObject({ state: 'needs-user' });
  });
});

describe('clusters of a kubeconfig', () => {
  const directory = createMockDirectory();
  const file = () => directory.resolve('kubeconfig');
  const config = (more: JsonObject = {}): JsonObject => ({
    mesh: { clusterSources: { kubeconfig: { path: file(), ...more } } },
  });
  const kubeconfig = {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [
      { name: 'a', cluster: { server: 'https://a.example.com' } },
      {
        name: 'proxied',
        cluster: {
          server: 'https://10.0.0.1:6443',
          'proxy-url': 'http://proxy.example.com:3128',
          'tls-server-name': 'api.a.example.com',
        },
      },
      {
        name: 'odd-proxy',
        cluster: { server: 'https://10.0.0.1', 'proxy-url': 'ftp://x' },
      },
    ],
    users: [
      { name: 'ci', user: { token: 'secret-token' } },
      { name: 'file', user: { tokenFile: 'tokens/a' } },
    ],
    contexts: [
      { name: 'a', context: { cluster: 'a', user: 'ci' } },
      { name: 'file', context: { cluster: 'a', user: 'file' } },
      { name: 'proxied', context: { cluster: 'proxied', user: 'ci' } },
      { name: 'no-cluster', context: { cluster: 'gone', user: 'ci' } },
      { name: 'no-user', context: { cluster: 'a', user: 'gone' } },
      { name: 'odd-proxy', context: { cluster: 'odd-proxy', user: 'ci' } },
    ],
  };

  beforeEach(() => writeFile(file(), stringify(kubeconfig)));

  it('are its contexts; a broken one stops only itself', async () => {
    const { clusters } = await list(config());
    expect(
      Object.fromEntries(
        clusters.map(cluster => [cluster.name, cluster.problem?.message]),
      ),
    ).toEqual({
      a: undefined,
      file: undefined,
      proxied: undefined,
      'no-cluster': expect.stringContaining(
        'context no-cluster names the cluster gone, which the file does not have',
      ),
      'no-user': expect.stringContaining('names the user gone'),
      'odd-proxy': expect.stringContaining('proxy-url has to begin with'),
    });
    const proxied = await clusters[2].createKubeConfig!();
    expect(proxied.getCurrentCluster()).toMatchObject({
      proxyUrl: 'http://proxy.example.com:3128',
      tlsServerName: 'api.a.example.com',
    });
    // It holds nothing of the others.
    expect(proxied.getClusters()).toHaveLength(1);
    expect(proxied.getContexts()).toHaveLength(1);
  });

  it('read token files again, relative to the file', async () => {
    const { clusters } = await list(config({ contexts: ['file'] }));
    const kubeConfig = await clusters[0].createKubeConfig!();
    expect(kubeConfig.getCurrentUser()!.authProvider).toEqual({
      name: 'tokenFile',
      config: { tokenFile: directory.resolve('tokens/a') },
    });
  });

  it('may be picked, and say what there is where one is missing', async () => {
    const { clusters } = await list(config({ contexts: ['a', 'b'] }));
    expect(clusters.map(one => one.name)).toEqual(['a', 'b']);
    expect(clusters[1].problem!.message).toMatch(
      /there is no context b; there are a, file, proxied/,
    );
  });

  it.each([
    ['not there', undefined, /cannot be read \(ENOENT\)/],
    ['not YAML', 'a: [secret-token', /is not YAML/],
    ['no kubeconfig', 'kind: Pod', /is not a kubeconfig: no contexts/],
  ])('say so when the file is %s', async (_case, text, message) => {
    directory.clear();
    if (text !== undefined) await writeFile(file(), text);
    const { clusters, incomplete, warnings } = await list(config());
    expect(clusters).toEqual([]);
    expect(incomplete).toEqual(new Set(['kubeconfig']));
    expect(warnings).toEqual([expect.stringMatching(message)]);
    expect(warnings.join()).not.toContain('secret-token');
  });
});

describe('all sources together', () => {
  const module = (id: string, ...names: string[]): MeshClusterSource => ({
    id,
    listClusters: async () =>
      names.map(name => ({
        name,
        server: `https://user:hunter2@${name}.example.com/path`,
        labels: { from: id },
      })),
  });

  it('are merged by name, the first one counts, and overlays lie over them', async () => {
    const { clusters, warnings } = await list(
      {
        ...withClusters(serviceAccount('a')),
        mesh: {
          clusters: {
            a: { title: 'A', environment: 'production', labels: { tier: '1' } },
            'c-1': { systemNamespaces: ['mesh'], clusterDomain: 'corp.local' },
            d: { exclude: true },
            'prod-weest': { title: 'misspelt' },
          },
        },
      },
      { sources: [module('one', 'a', 'c-1', 'd'), module('two', 'e')] },
    );
    expect(clusters).toMatchObject([
      {
        name: 'a',
        source: 'kubernetes.config',
        title: 'A',
        environment: 'production',
        labels: { tier: '1' },
      },
      {
        name: 'c-1',
        source: 'one',
        labels: { from: 'one' },
        systemNamespaces: ['mesh'],
        clusterDomain: 'corp.local',
        server: 'c-1.example.com',
      },
      { name: 'e', source: 'two' },
    ]);
    expect(warnings).toEqual([
      'Cluster a is named by kubernetes.config and by one; the former is used',
      'mesh.clusters.prod-weest names no cluster; known are a, c-1, e',
    ]);
  });

  it('watch only the included where some are', async () => {
    const { clusters } = await list(
      { mesh: { clusters: { b: { include: true } } } },
      { sources: [module('one', 'a', 'b', 'c')] },
    );
    expect(clusters.map(one => one.name)).toEqual(['b']);
  });

  it('can each be switched off', async () => {
    const { clusters } = await list(
      {
        ...withClusters(serviceAccount('a')),
        mesh: { clusterSources: { kubernetesConfig: false, modules: false } },
      },
      { sources: [module('one', 'b')] },
    );
    expect(clusters).toEqual([]);
  });

  it('keep what a source named last when it fails', async () => {
    let fails = false;
    const source: MeshClusterSource = {
      id: 'one',
      async listClusters() {
        if (fails) throw new Error('the inventory is down');
        return [{ name: 'a' }];
      },
    };
    const { create, warnings } = setUp({}, { sources: [source] });
    const sources = create();
    await sources.list();
    fails = true;
    const { clusters, incomplete } = await sources.list();
    await sources.list();
    expect(clusters.map(one => one.name)).toEqual(['a']);
    expect(incomplete).toEqual(new Set(['one']));
    expect(warnings()).toEqual([
      'Clusters of one cannot be listed: the inventory is down',
    ]);
  });

  it.each(['a|b', '*', 'a?', 'view', '', 'x'.repeat(201), 'a\nb'])(
    'refuse the name %j',
    async name => {
      const { clusters } = await list({}, { sources: [module('one', name)] });
      expect(clusters[0].problem).toMatchObject({ state: 'misconfigured' });
    },
  );

  it('have different ids', () => {
    const { create } = setUp({}, { sources: [module('one'), module('one')] });
    expect(create).toThrow('Two sources of clusters have the id one');
  });

  it.each<[JsonObject, RegExp]>([
    [
      { clusterSources: { kubeconfg: {} } },
      /^mesh\.clusterSources is wrong: .*kubeconfg/,
    ],
    [
      { clusterSources: { kubeconfig: { path: 7 } } },
      /^mesh\.clusterSources\.kubeconfig\.path is wrong/,
    ],
    [
      { clusters: { a: { labels: { x: 1 } } } },
      /^mesh\.clusters\.a\.labels\.x is wrong/,
    ],
    [
      { clusters: { a: { systemNamespaces: ['Not_A_Name'] } } },
      /systemNamespaces\.0 is wrong: is not the name of a namespace/,
    ],
  ])('name the key that is wrong: %j', (mesh, message) => {
    expect(setUp({ mesh }).create).toThrow(message);
  });
});
