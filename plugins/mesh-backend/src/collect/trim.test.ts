import { watchedKinds } from '@mesh-for-backstage/mesh-analysis';
import fc from 'fast-check';
import { trim } from './trim';

const kindOf = (id: string) => watchedKinds.find(kind => kind.id === id)!;

function trimmed(id: string, object: object, version = 'v1') {
  const record = trim(kindOf(id), version, object);
  return record && JSON.parse(record.body);
}

const envelope = (more: object = {}) => ({
  name: 'cart',
  namespace: 'shop',
  uid: 'u-1',
  resourceVersion: '42',
  generation: 3,
  managedFields: [{ manager: 'kubectl' }],
  annotations: {
    'kubectl.kubernetes.io/last-applied-configuration': '{"big":true}',
    'example.com/owner': 'team-a',
  },
  labels: { app: 'cart' },
  ...more,
});

describe('trim', () => {
  it('keeps what a policy says, and drops what only writers need', () => {
    const object = {
      metadata: envelope({
        ownerReferences: [
          {
            apiVersion: 'apps/v1',
            kind: 'Deployment',
            name: 'cart',
            uid: 'u-2',
            controller: true,
            blockOwnerDeletion: true,
          },
        ],
      }),
      spec: { podSelector: {}, ingress: [{ from: [{ podSelector: {} }] }] },
    };
    expect(trimmed('NetworkPolicy.networking.k8s.io', object)).toEqual({
      apiVersion: 'networking.k8s.io/v1',
      kind: 'NetworkPolicy',
      metadata: {
        name: 'cart',
        namespace: 'shop',
        uid: 'u-1',
        generation: 3,
        annotations: { 'example.com/owner': 'team-a' },
        labels: { app: 'cart' },
        ownerReferences: [
          {
            apiVersion: 'apps/v1',
            kind: 'Deployment',
            name: 'cart',
            uid: 'u-2',
            controller: true,
          },
        ],
      },
      // An empty selector takes everything: it must not get lost.
      spec: { podSelector: {}, ingress: [{ from: [{ podSelector: {} }] }] },
    });
  });

  it('has the same hash where nothing changed that is read', () => {
    const pod = (
      resourceVersion: string,
      probe: string,
      phase = 'Running',
    ) => ({
      metadata: envelope({ resourceVersion }),
      spec: { containers: [{ name: 'app', image: 'cart:1' }] },
      status: {
        phase,
        conditions: [
          { type: 'Ready', status: 'True', lastProbeTime: probe },
          { type: 'ContainersReady', status: probe },
        ],
      },
    });
    const hash = (object: object) => trim(kindOf('Pod'), 'v1', object)!.hash;
    expect(hash(pod('1', 'a'))).toBe(hash(pod('2', 'b')));
    expect(hash(pod('1', 'a'))).not.toBe(hash(pod('1', 'a', 'Failed')));
  });

  it('keeps of a Pod what tells how it takes part in the mesh', () => {
    const pod = trimmed('Pod', {
      metadata: envelope({
        annotations: {
          'istio.io/rev': '1-30',
          'ambient.istio.io/redirection': 'enabled',
          'prometheus.io/scrape': 'true',
        },
      }),
      spec: {
        nodeName: 'node-1',
        serviceAccountName: 'cart',
        volumes: [{ name: 'secrets', secret: { secretName: 'cart' } }],
        containers: [
          {
            name: 'app',
            image: 'cart:1',
            args: ['--password=hunter2'],
            env: [
              { name: 'DB_PASSWORD', value: 'hunter2' },
              { name: 'MODE', value: 'hunter2' },
            ],
          },
        ],
        initContainers: [
          {
            name: 'istio-proxy',
            image: 'proxyv2:1.30.1',
            restartPolicy: 'Always',
            env: [
              { name: 'TRUST_DOMAIN', value: 'cluster.local' },
              { name: 'ISTIO_META_CLUSTER_ID', value: 'east' },
              { name: 'PROXY_CONFIG', value: '{}' },
              { name: 'POD_NAME', valueFrom: { fieldRef: {} } },
            ],
          },
        ],
      },
      status: { phase: 'Running', podIPs: [{ ip: '10.1.0.1' }], qosClass: 'x' },
    });
    expect(pod.metadata.annotations).toEqual({
      'istio.io/rev': '1-30',
      'ambient.istio.io/redirection': 'enabled',
    });
    expect(pod.spec).toEqual({
      nodeName: 'node-1',
      serviceAccountName: 'cart',
      containers: [
        {
          name: 'app',
          image: 'cart:1',
          env: [{ name: 'DB_PASSWORD' }, { name: 'MODE' }],
        },
      ],
      initContainers: [
        {
          name: 'istio-proxy',
          image: 'proxyv2:1.30.1',
          restartPolicy: 'Always',
          env: [
            { name: 'TRUST_DOMAIN', value: 'cluster.local' },
            { name: 'ISTIO_META_CLUSTER_ID', value: 'east' },
            { name: 'PROXY_CONFIG' },
            { name: 'POD_NAME' },
          ],
        },
      ],
    });
    expect(JSON.stringify(pod)).not.toContain('hunter2');
  });

  it('keeps what a control plane is told by its environment', () => {
    const istiod = trimmed('Deployment.apps', {
      metadata: envelope(),
      spec: {
        replicas: 2,
        selector: { matchLabels: { app: 'istiod' } },
        template: {
          metadata: { labels: { app: 'istiod' } },
          spec: {
            containers: [
              {
                name: 'discovery',
                image: 'pilot:1.30.1',
                env: [
                  { name: 'CLUSTER_ID', value: 'east' },
                  { name: 'PILOT_ENABLE_AMBIENT', value: 'true' },
                  { name: 'SOME_API_TOKEN', value: 'hunter2' },
                ],
              },
            ],
          },
        },
      },
      status: { readyReplicas: 2, conditions: [{ type: 'Available' }] },
    });
    expect(istiod.spec.template.spec.containers[0].env).toEqual([
      { name: 'CLUSTER_ID', value: 'east' },
      { name: 'PILOT_ENABLE_AMBIENT', value: 'true' },
      { name: 'SOME_API_TOKEN' },
    ]);
    expect(istiod.status).toEqual({ readyReplicas: 2 });
  });

  it.each([
    ['istio', true],
    ['istio-1-30', true],
    ['istio-sidecar-injector-canary', true],
    ['istio-ca-root-cert', true],
    ['values-1-30', true],
    ['cilium-config', true],
    ['istio-cni-config', true],
    ['istio-leader', false],
    ['istio-namespace-controller-election', false],
    ['app-settings', false],
    ['my-istio', false],
  ])('keeps the ConfigMap %s: %s', (name, isKept) => {
    const config = trimmed('ConfigMap', {
      metadata: envelope({ name }),
      data: { mesh: 'trustDomain: x' },
    });
    expect(config !== undefined).toBe(isKept);
  });

  it.each([
    ['a NUL', 'a\u0000b'],
    ['a separator of our keys', 'a|b'],
    ['a slash', 'a/b'],
    ['more than a name may have', 'x'.repeat(254)],
    ['nothing', ''],
    ['no text', 7],
  ])('leaves out an object whose name holds %s', (_, name) => {
    expect(trimmed('Service', { metadata: envelope({ name }) })).toBe(
      undefined,
    );
    expect(
      trimmed('Service', { metadata: envelope({ namespace: name }) }),
    ).toBe(undefined);
  });

  it('keeps of a Secret nothing that tools have written down elsewhere', () => {
    const secret = trimmed('Secret', {
      metadata: envelope({
        annotations: {
          'networking.istio.io/cluster': 'west',
          'kapp.k14s.io/original': '{"data":{"west":"c2VjcmV0"}}',
          'example.com/copy': 'c2VjcmV0',
        },
      }),
      data: { west: 'c2VjcmV0' },
      stringData: { west: 'secret' },
      type: 'Opaque',
    });
    expect(JSON.stringify(secret)).not.toContain('c2VjcmV0');
    expect(secret).not.toHaveProperty('data');
    expect(secret).not.toHaveProperty('stringData');
    expect(secret.metadata.annotations).toEqual({
      'networking.istio.io/cluster': 'west',
    });
  });

  it('keeps no manifest as it was applied', () => {
    const service = trimmed('Service', {
      metadata: envelope({
        annotations: {
          'kubectl.kubernetes.io/last-applied-configuration': '{}',
          'kapp.k14s.io/original-diff-md5': 'x',
          'objectset.rio.cattle.io/applied': 'H4sI',
          'example.com/applied': 'yes',
        },
      }),
    });
    expect(service.metadata.annotations).toEqual({
      'example.com/applied': 'yes',
    });
  });

  it('keeps no secret of a container of the mesh, under whatever name', () => {
    const deployment = trimmed('Deployment.apps', {
      metadata: envelope(),
      spec: {
        template: {
          spec: {
            containers: [
              {
                name: 'discovery',
                args: [
                  'discovery',
                  '--token=abc',
                  '--password',
                  'abc',
                  '--log_output_level=default:info',
                  '--db=postgres://user:abc@db/x',
                ],
                env: [
                  { name: 'CLUSTER_ID', value: 'east' },
                  { name: 'DATABASE', value: 'postgres://user:abc@db/x' },
                  {
                    name: 'WHO',
                    value: `eyJ${'a'.repeat(20)}.${'b'.repeat(20)}.c`,
                  },
                ],
              },
            ],
          },
        },
      },
    });
    const [container] = deployment.spec.template.spec.containers;
    expect(JSON.stringify(container)).not.toMatch(/abc|eyJ/);
    expect(container.args).toEqual([
      'discovery',
      '--token=',
      '--password',
      '',
      '--log_output_level=default:info',
      '--db=',
    ]);
    expect(container.env[0]).toEqual({ name: 'CLUSTER_ID', value: 'east' });
  });

  it('drops keys from ConfigMaps', () => {
    const config = trimmed('ConfigMap', {
      metadata: envelope({ name: 'istio-ca-root-cert' }),
      data: {
        'root-cert.pem': '-----BEGIN CERTIFICATE-----',
        'ca-key.pem': 'x',
        odd: '-----BEGIN RSA PRIVATE KEY-----\nx',
      },
    });
    expect(config.data).toEqual({
      'root-cert.pem': '-----BEGIN CERTIFICATE-----',
    });
  });

  it('drops schemas of definitions, and authorities of webhooks', () => {
    const definition = trimmed(
      'CustomResourceDefinition.apiextensions.k8s.io',
      {
        metadata: envelope(),
        spec: {
          group: 'g',
          scope: 'Namespaced',
          names: { kind: 'K', plural: 'ks', shortNames: ['k'] },
          versions: [
            {
              name: 'v1',
              served: true,
              storage: false,
              schema: { openAPIV3Schema: {} },
            },
          ],
        },
        status: { storedVersions: ['v1'], acceptedNames: {} },
      },
    );
    expect(definition.spec.versions).toEqual([
      { name: 'v1', served: true, storage: false },
    ]);
    expect(definition.status).toEqual({ storedVersions: ['v1'] });

    const webhooks = trimmed(
      'MutatingWebhookConfiguration.admissionregistration.k8s.io',
      {
        metadata: envelope(),
        webhooks: [
          {
            name: 'rev.namespace.sidecar-injector.istio.io',
            clientConfig: { caBundle: 'MA==', service: { name: 'istiod' } },
            namespaceSelector: {},
          },
        ],
      },
    );
    expect(webhooks.webhooks).toEqual([
      {
        name: 'rev.namespace.sidecar-injector.istio.io',
        clientConfig: { service: { name: 'istiod' } },
      },
    ]);
  });

  it('keeps nothing of a Secret but metadata, whatever comes', () => {
    const aName = fc.stringMatching(/^[a-z0-9][-a-z0-9.]{0,60}$/);
    fc.assert(
      fc.property(fc.object(), aName, (more, name) => {
        const secret = trimmed('Secret', {
          ...more,
          data: { key: 'hunter2' },
          stringData: { key: 'hunter2' },
          metadata: { name, namespace: 'istio-system' },
        });
        expect(Object.keys(secret).sort()).toEqual([
          'apiVersion',
          'kind',
          'metadata',
        ]);
      }),
    );
  });

  it('survives whatever an API server may send', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...watchedKinds),
        fc.record({
          metadata: fc.oneof(
            fc.record({ name: fc.string() }),
            fc.object(),
            fc.anything(),
          ),
          spec: fc.oneof(fc.object(), fc.anything()),
          status: fc.oneof(fc.object(), fc.anything()),
          webhooks: fc.anything(),
          endpoints: fc.anything(),
        }),
        (kind, object) => {
          expect(() => trim(kind, 'v1', object)).not.toThrow();
        },
      ),
    );
  });

  it('takes the key from the kind: namespaces only where it has them', () => {
    expect(
      trim(kindOf('Node'), 'v1', { metadata: envelope({ name: 'n' }) }),
    ).toMatchObject({ kind: 'Node', namespace: '', name: 'n' });
    expect(
      trim(kindOf('Service'), 'v1', { metadata: envelope() }),
    ).toMatchObject({ kind: 'Service', namespace: 'shop', name: 'cart' });
  });
});
