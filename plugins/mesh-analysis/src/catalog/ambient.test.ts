import { analyse, rulesOf, workloadNamed } from '../testing/fleet';
import { ambient, istio, namespace, pod, running } from '../testing/objects';
import { ManifestObject } from '../inventory/FleetObject';

type Labels = Record<string, string>;

const mode = 'istio.io/dataplane-mode';
const redirection = 'ambient.istio.io/redirection';

function state(options: {
  namespaceLabels?: Labels;
  labels?: Labels;
  annotations?: Labels;
  hostNetwork?: boolean;
  space?: string;
  more?: ManifestObject[];
  installed?: boolean;
}) {
  const space = options.space ?? 'shop';
  const view = analyse({
    east: [
      ...istio(),
      ...(options.installed === false ? [] : ambient()),
      ...(options.more ?? []),
      namespace(space, options.namespaceLabels),
      pod('web', {
        namespace: space,
        labels: { app: 'web', ...options.labels },
        annotations: options.annotations,
        hostNetwork: options.hostNetwork,
      }),
    ],
  });
  return {
    ...workloadNamed(view, 'web'),
    rules: rulesOf(view).filter(rule => rule !== 'NamespaceNotInjected'),
  };
}

const wanted = { [mode]: 'ambient' };
const enabled = { [redirection]: 'enabled' };

describe('ambient', () => {
  it.each<[string, Parameters<typeof state>[0], string | undefined, string[]]>([
    [
      'enrolled by the namespace',
      { namespaceLabels: wanted, annotations: enabled },
      'enrolled',
      [],
    ],
    [
      'enrolled by the pod',
      { labels: wanted, annotations: enabled },
      'enrolled',
      [],
    ],
    [
      'pending',
      { namespaceLabels: wanted, annotations: { [redirection]: 'pending' } },
      'pending',
      [],
    ],
    [
      'wanted, and not enrolled',
      { namespaceLabels: wanted },
      'wanted-not-enrolled',
      ['AmbientNotEnrolled'],
    ],
    [
      'the pod stays out',
      { namespaceLabels: wanted, labels: { [mode]: 'none' } },
      undefined,
      [],
    ],
    [
      'a sidecar wins',
      {
        namespaceLabels: wanted,
        annotations: { 'sidecar.istio.io/status': '{}' },
      },
      'blocked-by-sidecar',
      ['SidecarAndAmbient'],
    ],
    [
      'the host network',
      { namespaceLabels: wanted, hostNetwork: true },
      'blocked',
      ['AmbientBlocked'],
    ],
    [
      'an excluded namespace',
      { namespaceLabels: wanted, space: 'kube-system' },
      'blocked',
      [],
    ],
    [
      'enrolled, and nothing asks for it',
      { annotations: enabled },
      'not-wanted-but-enrolled',
      ['AmbientStillEnrolled'],
    ],
    ['not wanted', {}, undefined, []],
  ])('%s', (_, options, expected, rules) => {
    const found = state(options);
    expect(found.ambient).toBe(expected);
    expect(found.rules).toEqual(rules);
  });

  it('is what runs and what is asked for', () => {
    expect(
      state({ namespaceLabels: wanted, annotations: enabled }),
    ).toMatchObject({
      dataplane: 'ambient',
      requested: {
        dataplane: 'ambient',
        by: 'namespace shop: istio.io/dataplane-mode=ambient',
      },
    });
  });

  it('takes the selectors that the CNI agent is configured with', () => {
    const more = [
      {
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: { name: 'istio-cni-config', namespace: 'istio-system' },
        data: {
          AMBIENT_ENABLEMENT_SELECTOR:
            '- podSelector: {matchLabels: {mesh: ambient}}\n',
          EXCLUDE_NAMESPACES: 'shop,kube-system',
        },
      },
    ];
    expect(state({ more, namespaceLabels: wanted }).ambient).toBeUndefined();
    expect(state({ more, labels: { mesh: 'ambient' } }).ambient).toBe(
      'blocked',
    );
    expect(
      state({
        more,
        labels: { mesh: 'ambient' },
        space: 'other',
        annotations: enabled,
      }).ambient,
    ).toBe('enrolled');
  });

  it('says where it is not installed at all', () => {
    const view = analyse({
      east: [...istio(), namespace('shop', wanted), ...running('web')],
    });
    expect(view.findings[0].message).toContain('not installed');
  });

  it('knows Kmesh by its annotation', () => {
    expect(
      state({
        namespaceLabels: { [mode]: 'kmesh' },
        annotations: { 'kmesh.net/redirection': 'enabled' },
      }),
    ).toMatchObject({ dataplane: 'kmesh', requested: { dataplane: 'kmesh' } });
  });

  it('a waypoint label on pods outside ambient has no effect', () => {
    const labels = { 'istio.io/use-waypoint': 'w' };
    expect(state({ labels }).rules).toEqual(['WaypointWithoutAmbient']);
    expect(
      state({ labels: { 'istio.io/use-waypoint': 'none' } }).rules,
    ).toEqual([]);
  });
});
