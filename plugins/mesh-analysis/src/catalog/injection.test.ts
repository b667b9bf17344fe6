import { analyse, rulesOf, workloadNamed } from '../testing/fleet';
import {
  deployment,
  istio,
  namespace,
  running,
  webhooks,
} from '../testing/objects';
import { ManifestObject } from '../inventory/FleetObject';

type Labels = Record<string, string>;

/** What a pod of `shop` with these labels would get. */
function decide(
  namespaceLabels: Labels,
  podLabels: Labels,
  more: ManifestObject[] = [],
  options: { annotations?: Labels; hostNetwork?: boolean; space?: string } = {},
) {
  const space = options.space ?? 'shop';
  const view = analyse({
    east: [
      ...istio({ auto: false }),
      ...istio({ revision: 'canary' }),
      webhooks({ revision: 'canary', tag: 'next' }),
      ...more,
      namespace(space, namespaceLabels),
      deployment('web', {
        namespace: space,
        labels: { app: 'web', ...podLabels },
        annotations: options.annotations,
        hostNetwork: options.hostNetwork,
      }),
    ],
  });
  const { requested } = workloadNamed(view, 'web');
  return { ...requested, rules: rulesOf(view) };
}

const inject = 'sidecar.istio.io/inject';
const rev = 'istio.io/rev';
const legacy = 'istio-injection';

describe('the injection table', () => {
  it.each<[string, Labels, Labels, string | undefined]>([
    // rev.namespace.
    ['revision of the namespace', { [rev]: 'canary' }, {}, 'canary'],
    [
      'revision of the namespace, "default"',
      { [rev]: 'default' },
      {},
      'default',
    ],
    [
      '…and the pod refuses',
      { [rev]: 'canary' },
      { [inject]: 'false' },
      undefined,
    ],
    [
      '…and the pod agrees',
      { [rev]: 'canary' },
      { [inject]: 'true' },
      'canary',
    ],
    [
      '…and the pod names another: the namespace wins',
      { [rev]: 'canary' },
      { [rev]: 'default' },
      'canary',
    ],
    ['tag of the namespace', { [rev]: 'next' }, {}, 'canary'],
    ['a revision that is not installed', { [rev]: 'gone' }, {}, undefined],
    // rev.object.
    ['revision of the pod', {}, { [rev]: 'canary' }, 'canary'],
    [
      'revision of the pod, refused',
      {},
      { [rev]: 'canary', [inject]: 'false' },
      undefined,
    ],
    ['tag of the pod', {}, { [rev]: 'next' }, 'canary'],
    // namespace.
    ['istio-injection=enabled', { [legacy]: 'enabled' }, {}, 'default'],
    [
      '…and the pod refuses',
      { [legacy]: 'enabled' },
      { [inject]: 'false' },
      undefined,
    ],
    [
      '…goes before the revision of the namespace',
      { [legacy]: 'enabled', [rev]: 'canary' },
      {},
      'default',
    ],
    [
      '…and before that of the pod',
      { [legacy]: 'enabled' },
      { [rev]: 'canary' },
      'default',
    ],
    // object.
    ['the pod alone asks', {}, { [inject]: 'true' }, 'default'],
    [
      'the pod alone asks, with a revision',
      {},
      { [inject]: 'true', [rev]: 'canary' },
      'canary',
    ],
    // istio-injection=disabled blocks everything.
    ['disabled', { [legacy]: 'disabled' }, {}, undefined],
    [
      'disabled, and the pod asks',
      { [legacy]: 'disabled' },
      { [inject]: 'true' },
      undefined,
    ],
    [
      'disabled, and the pod names a revision',
      { [legacy]: 'disabled' },
      { [rev]: 'canary' },
      undefined,
    ],
    [
      'disabled, with a revision',
      { [legacy]: 'disabled', [rev]: 'canary' },
      {},
      undefined,
    ],
    ['a value that is none', { [legacy]: 'yes' }, {}, undefined],
    // none
    ['nothing is said', {}, {}, undefined],
  ])('%s', (_, namespaceLabels, podLabels, revision) => {
    const requested = decide(namespaceLabels, podLabels);
    expect(requested.revision).toBe(revision);
    expect(requested.dataplane).toBe(revision ? 'sidecar' : 'none');
  });

  it.each<[string, Labels, Labels, string, boolean]>([
    ['a namespace that says nothing', {}, {}, 'shop', true],
    ['a pod that refuses', {}, { [inject]: 'false' }, 'shop', false],
    ['a namespace that refuses', { [legacy]: 'disabled' }, {}, 'shop', false],
    [
      'a namespace that is left out by the webhook',
      {},
      {},
      'kube-public',
      false,
    ],
  ])(
    'enableNamespacesByDefault: %s',
    (_, labels, podLabels, space, expected) => {
      const auto = webhooks({
        revision: 'default',
        isDefault: true,
        auto: true,
      });
      expect(decide(labels, podLabels, [auto], { space }).dataplane).toBe(
        expected ? 'sidecar' : 'none',
      );
    },
  );

  it('evaluates selectors as they stand: the deactivated ones of an older default take nothing', () => {
    const requested = decide({ [legacy]: 'enabled' }, {}, [
      webhooks({ revision: 'default', isDefault: true, deactivated: true }),
      webhooks({ revision: 'canary', tag: 'default', isDefault: true }),
    ]);
    expect(requested).toMatchObject({ revision: 'canary', tag: 'default' });
  });

  it.each<[Labels, Labels, string]>([
    [{ [rev]: 'next' }, {}, 'namespace shop: istio.io/rev=next'],
    [{ [legacy]: 'enabled' }, {}, 'namespace shop: istio-injection=enabled'],
    [
      { [legacy]: 'disabled' },
      { [inject]: 'true' },
      'namespace shop: istio-injection=disabled',
    ],
    [{}, { [rev]: 'canary' }, 'pod: istio.io/rev=canary'],
    [{}, { [inject]: 'true' }, 'pod: sidecar.istio.io/inject=true'],
    [
      { [rev]: 'canary' },
      { [inject]: 'false' },
      'pod: sidecar.istio.io/inject=false',
    ],
  ])('%j %j is decided by %s', (namespaceLabels, podLabels, by) => {
    expect(decide(namespaceLabels, podLabels).by).toBe(by);
  });
});

describe("the injector's own rules", () => {
  const enabled = { [legacy]: 'enabled' };
  const config = (injector: string) => istio({ injector });

  it('never takes pods on the host network', () => {
    expect(decide(enabled, {}, [], { hostNetwork: true })).toMatchObject({
      dataplane: 'none',
      by: 'pod: hostNetwork',
    });
  });

  it.each([
    'kube-system',
    'kube-public',
    'kube-node-lease',
    'local-path-storage',
  ])('never takes pods of %s', space => {
    expect(decide(enabled, {}, [], { space }).dataplane).toBe('none');
  });

  it.each<[string, string, Labels, Labels, boolean]>([
    ['policy disabled', 'policy: disabled', {}, {}, false],
    [
      'policy disabled, and the pod asks',
      'policy: disabled',
      { [inject]: 'true' },
      {},
      true,
    ],
    [
      'policy disabled, and an annotation asks',
      'policy: disabled',
      {},
      { [inject]: 'true' },
      true,
    ],
    [
      'an annotation refuses',
      'policy: enabled',
      {},
      { [inject]: 'false' },
      false,
    ],
    [
      'the label goes before the annotation',
      'policy: enabled',
      { [inject]: 'true' },
      { [inject]: 'false' },
      true,
    ],
    [
      'neverInjectSelector',
      'policy: enabled\nneverInjectSelector: [{matchLabels: {job: batch}}]',
      { job: 'batch' },
      {},
      false,
    ],
    [
      'neverInjectSelector, and the pod asks',
      'policy: enabled\nneverInjectSelector: [{matchLabels: {job: batch}}]',
      { job: 'batch', [inject]: 'true' },
      {},
      true,
    ],
    [
      'neverInjectSelector of others',
      'policy: enabled\nneverInjectSelector: [{matchLabels: {job: batch}}]',
      { job: 'other' },
      {},
      true,
    ],
    [
      'an empty neverInjectSelector is passed over',
      'policy: enabled\nneverInjectSelector: [{}]',
      {},
      {},
      true,
    ],
    [
      'alwaysInjectSelector',
      'policy: disabled\nalwaysInjectSelector: [{matchExpressions: [{key: mesh, operator: Exists}]}]',
      { mesh: 'yes' },
      {},
      true,
    ],
    [
      'never goes before always',
      'policy: enabled\nneverInjectSelector: [{matchLabels: {a: b}}]\nalwaysInjectSelector: [{matchLabels: {a: b}}]',
      { a: 'b' },
      {},
      false,
    ],
    [
      'a value that means nothing falls back to the policy',
      'policy: enabled',
      { [inject]: 'yes' },
      {},
      true,
    ],
  ])('%s', (_, injector, podLabels, annotations, expected) => {
    const requested = decide(enabled, podLabels, config(injector), {
      annotations,
    });
    expect(requested.dataplane).toBe(expected ? 'sidecar' : 'none');
  });
});

describe('unknown webhooks', () => {
  const fleet = (podLabels: Labels) =>
    analyse({
      east: {
        objects: [
          ...istio({ withoutWebhooks: true }),
          namespace('shop', { [rev]: 'gone' }),
          deployment('web', { labels: { app: 'web', ...podLabels } }),
        ],
        coverage: {
          'MutatingWebhookConfiguration.admissionregistration.k8s.io': {
            state: 'forbidden',
            message: 'needs list on mutatingwebhookconfigurations',
          },
        },
      },
    });

  it('leaves the answer open, and reports nothing', () => {
    const view = fleet({});
    expect(workloadNamed(view, 'web').requested.dataplane).toEqual({
      unknown: 'forbidden',
      detail: 'needs list on mutatingwebhookconfigurations',
    });
    expect(rulesOf(view)).toEqual([]);
  });

  it('knows what holds without them', () => {
    expect(
      workloadNamed(fleet({ [inject]: 'false' }), 'web').requested,
    ).toEqual({
      dataplane: 'none',
      by: 'pod: sidecar.istio.io/inject=false',
    });
  });
});

describe('findings', () => {
  it('offers what is installed, not what a leftover configuration names', () => {
    const view = analyse({
      east: [
        ...istio(),
        {
          apiVersion: 'v1',
          kind: 'ConfigMap',
          metadata: { name: 'istio-leftover', namespace: 'istio-system' },
          data: { mesh: 'trustDomain: cluster.local' },
        },
        namespace('shop', { 'istio.io/rev': 'gone' }),
      ],
    });
    const [finding] = view.findings;
    expect(finding).toMatchObject({ rule: 'RevisionNotInstalled' });
    expect(finding.fix).toContain('that is installed (default)');
  });

  it.each<[string, Labels, Labels, string[]]>([
    ['RevisionNotInstalled', { [rev]: 'gone' }, {}, ['RevisionNotInstalled']],
    [
      '…of a pod',
      {},
      { [rev]: 'gone' },
      ['NamespaceNotInjected', 'RevisionNotInstalled'],
    ],
    [
      '…but not where the pod refuses',
      { [legacy]: 'disabled' },
      { [rev]: 'gone' },
      [],
    ],
    ['installed', { [rev]: 'canary' }, {}, []],
    ['a tag is installed', { [rev]: 'next' }, {}, []],
    [
      'RevLabelShadowed',
      { [legacy]: 'enabled', [rev]: 'canary' },
      {},
      ['NamespaceMultipleInjectionLabels', 'RevLabelShadowed'],
    ],
    [
      'no shadow where both mean the same',
      { [legacy]: 'enabled', [rev]: 'default' },
      {},
      ['NamespaceMultipleInjectionLabels'],
    ],
    [
      'labels that agree to stay out',
      { [legacy]: 'disabled', [rev]: 'canary' },
      {},
      [],
    ],
    [
      'injection and ambient',
      { [legacy]: 'enabled', 'istio.io/dataplane-mode': 'ambient' },
      {},
      ['NamespaceMultipleInjectionLabels', 'SidecarAndAmbient'],
    ],
    [
      'ambient=none is no contradiction',
      { [legacy]: 'enabled', 'istio.io/dataplane-mode': 'none' },
      {},
      [],
    ],
    [
      'InjectionBlockedByNamespace',
      { [legacy]: 'disabled' },
      { [inject]: 'true' },
      ['InjectionBlockedByNamespace'],
    ],
    ['not blocked', { [legacy]: 'enabled' }, { [inject]: 'true' }, []],
    [
      'InjectLabelInvalid',
      { [legacy]: 'enabled' },
      { [inject]: 'yes' },
      ['InjectLabelInvalid'],
    ],
  ])('%s', (_, namespaceLabels, podLabels, expected) => {
    const { rules } = decide(namespaceLabels, podLabels);
    // These labels come without pods; nothing is enrolled or missing yet.
    expect(rules).toEqual(expected);
  });

  it('istio-injection=enabled without a default revision', () => {
    const view = analyse({
      east: [
        ...istio({ revision: 'canary' }),
        namespace('shop', { [legacy]: 'enabled' }),
      ],
    });
    expect(rulesOf(view)).toEqual(['RevisionNotInstalled']);
  });

  it('DoubleInjectionRisk, once for the namespace', () => {
    const old = webhooks({ revision: 'old', isDefault: true });
    const { rules } = decide({ [legacy]: 'enabled' }, {}, [old]);
    expect(rules).toContain('DoubleInjectionRisk');
    const view = analyse({
      east: [
        ...istio(),
        old,
        namespace('shop', { [legacy]: 'enabled' }),
        deployment('a'),
        deployment('b'),
      ],
    });
    expect(
      view.findings.filter(one => one.rule === 'DoubleInjectionRisk'),
    ).toHaveLength(1);
  });

  it('DoubleInjectionRisk of a pod', () => {
    // A hook that takes pods by a label of its own, whatever their namespace says.
    const own: ManifestObject = {
      apiVersion: 'admissionregistration.k8s.io/v1',
      kind: 'MutatingWebhookConfiguration',
      metadata: { name: 'own', labels: { 'istio.io/rev': 'own' } },
      webhooks: [
        {
          name: 'own.sidecar-injector.istio.io',
          objectSelector: { matchLabels: { mesh: 'own' } },
        },
      ],
    };
    const labels = { [legacy]: 'enabled' };
    expect(decide(labels, { mesh: 'own' }, [own]).rules).toContain(
      'DoubleInjectionRisk',
    );
    expect(decide(labels, {}, [own]).rules).not.toContain(
      'DoubleInjectionRisk',
    );
  });

  it('NamespaceNotInjected, for workloads in a namespace that says nothing', () => {
    expect(decide({}, {}).rules).toEqual(['NamespaceNotInjected']);
    expect(decide({ [legacy]: 'disabled' }, {}).rules).toEqual([]);
    expect(decide({}, {}, [], { space: 'kube-system' }).rules).toEqual([]);
    expect(rulesOf(analyse({ east: [...istio(), namespace('shop')] }))).toEqual(
      [],
    );
    expect(
      rulesOf(analyse({ east: [namespace('shop'), deployment('web')] })),
    ).toEqual([]);
  });
});

describe('what runs', () => {
  const enabled = namespace('shop', { [legacy]: 'enabled' });
  const image = 'docker.io/istio/proxyv2:1.29.4-distroless';

  it('NeedsRestart: pods without the sidecar that new ones would get', () => {
    const view = analyse({
      east: [...istio(), enabled, ...running('web', { replicas: 2 })],
    });
    expect(rulesOf(view)).toEqual(['NeedsRestart']);
    expect(view.findings[0]).toMatchObject({
      kind: 'Deployment.apps',
      name: 'web',
      equivalents: ['IST0103'],
      fix: expect.stringContaining('rollout restart deployment web'),
    });
    expect(view.findings[0].message).toContain('2 of 2 pods');
    const mended = analyse({
      east: [...istio(), enabled, ...running('web', { sidecar: image })],
    });
    expect(rulesOf(mended)).toEqual([]);
  });

  it('pods that have ended need nothing', () => {
    const view = analyse({
      east: [...istio(), enabled, ...running('web', { phase: 'Succeeded' })],
    });
    expect(rulesOf(view)).toEqual([]);
  });

  it('RevisionOutdated: pods of another revision than new ones would get', () => {
    const pods = (revision: string) =>
      running('web', {
        sidecar: image,
        annotations: {
          'sidecar.istio.io/status': JSON.stringify({ revision }),
        },
      });
    const fleet = (revision: string) =>
      analyse({ east: [...istio(), enabled, ...pods(revision)] });
    expect(rulesOf(fleet('old'))).toEqual(['RevisionOutdated']);
    expect(rulesOf(fleet('default'))).toEqual([]);
    expect(workloadNamed(fleet('old'), 'web').actual).toEqual([
      { revision: 'old', version: '1.29.4', pods: 1 },
    ]);
  });

  it('SidecarNotExpected: pods with a sidecar that new ones would not get', () => {
    const pods = running('web', {
      sidecar: image,
      annotations: { [rev]: 'default' },
    });
    const fleet = (labels: Labels) =>
      analyse({ east: [...istio(), namespace('shop', labels), ...pods] });
    expect(rulesOf(fleet({ [legacy]: 'disabled' }))).toEqual([
      'SidecarNotExpected',
    ]);
    expect(rulesOf(fleet({ [legacy]: 'enabled' }))).toEqual([]);
  });

  it('resolves a tag on the pod to the revision that it runs', () => {
    const view = analyse({
      east: [
        ...istio({ revision: 'canary' }),
        webhooks({ revision: 'canary', tag: 'next' }),
        namespace('shop', { [rev]: 'next' }),
        ...running('web', {
          sidecar: image,
          labels: { app: 'web', [rev]: 'next' },
        }),
      ],
    });
    expect(workloadNamed(view, 'web')).toMatchObject({
      requested: { revision: 'canary', tag: 'next' },
      actual: [{ revision: 'canary' }],
    });
    expect(rulesOf(view)).toEqual([]);
  });

  it('sees native sidecars among the init containers', () => {
    const view = analyse({
      east: [
        ...istio(),
        enabled,
        ...running('web', { sidecar: { image, native: true } }),
      ],
    });
    expect(workloadNamed(view, 'web')).toMatchObject({
      dataplane: 'sidecar',
      actual: [{ version: '1.29.4', nativeSidecar: true, pods: 1 }],
    });
    expect(rulesOf(view)).toEqual([]);
  });

  it('says what it does not know of a proxy', () => {
    const view = analyse({
      east: [
        ...istio(),
        enabled,
        ...running('web', { sidecar: 'registry.example/proxy@sha256:12' }),
      ],
    });
    expect(workloadNamed(view, 'web').actual).toEqual([
      {
        revision: expect.objectContaining({ unknown: 'not-reported' }),
        version: expect.objectContaining({ unknown: 'not-reported' }),
        pods: 1,
      },
    ]);
  });
});
