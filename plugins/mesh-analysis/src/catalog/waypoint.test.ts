import {
  analyse,
  rulesOf,
  serviceNamed,
  workloadNamed,
} from '../testing/fleet';
import {
  ambient,
  istio,
  namespace,
  running,
  service,
  waypoint,
} from '../testing/objects';
import { ManifestObject } from '../inventory/FleetObject';

const use = 'istio.io/use-waypoint';

function fleet(
  gateway: ManifestObject[],
  options: {
    labels?: Record<string, string>;
    namespaceLabels?: Record<string, string>;
    condition?: { status: string; reason: string };
    coverage?: Record<string, 'forbidden'>;
  } = {},
) {
  const web: ManifestObject = {
    ...service('web', { labels: options.labels ?? { [use]: 'w' } }),
    ...(options.condition && {
      status: {
        conditions: [{ type: 'istio.io/WaypointBound', ...options.condition }],
      },
    }),
  };
  return analyse({
    east: {
      objects: [
        ...istio(),
        ...ambient(),
        namespace('shop', {
          'istio.io/dataplane-mode': 'ambient',
          ...options.namespaceLabels,
        }),
        web,
        ...gateway,
      ],
      coverage: options.coverage ?? {},
    },
  });
}

const ready = { programmed: 'True' as const };
const condition = { status: 'True', reason: 'WaypointAccepted' };

describe('waypoints', () => {
  it.each<
    [
      string,
      ManifestObject[],
      Parameters<typeof fleet>[1],
      string | undefined,
      string[],
    ]
  >([
    ['ready, and used', [waypoint('w', ready)], { condition }, 'bound', []],
    [
      'ready, and istiod does not say that it is used',
      [waypoint('w', ready)],
      {},
      'unknown',
      [],
    ],
    ['missing', [], {}, 'missing', ['WaypointMissing']],
    [
      'not ready',
      [waypoint('w', { programmed: 'False' })],
      {},
      'not-ready',
      ['WaypointNotReady'],
    ],
    ['nothing reported', [waypoint('w')], {}, 'unknown', []],
    [
      '"none" takes the object out',
      [],
      { labels: { [use]: 'none' }, namespaceLabels: { [use]: 'shared' } },
      undefined,
      [],
    ],
    [
      'of the namespace',
      [waypoint('shared', ready)],
      { labels: {}, namespaceLabels: { [use]: 'shared' }, condition },
      'bound',
      [],
    ],
    [
      'for workloads only',
      [
        waypoint('w', {
          ...ready,
          labels: { 'istio.io/waypoint-for': 'workload' },
        }),
      ],
      {},
      'unsupported',
      ['WaypointUnsupported'],
    ],
    [
      'for all',
      [waypoint('w', { ...ready, labels: { 'istio.io/waypoint-for': 'all' } })],
      { condition },
      'bound',
      [],
    ],
    [
      'of another namespace that admits nobody else',
      [waypoint('w', { ...ready, namespace: 'edge' })],
      { labels: { [use]: 'w', [`${use}-namespace`]: 'edge' } },
      'denied',
      ['WaypointDenied'],
    ],
    [
      'of another namespace that admits all',
      [waypoint('w', { ...ready, namespace: 'edge', from: { from: 'All' } })],
      { labels: { [use]: 'w', [`${use}-namespace`]: 'edge' }, condition },
      'bound',
      [],
    ],
    [
      'of another namespace that admits this one',
      [
        waypoint('w', {
          ...ready,
          namespace: 'edge',
          from: {
            from: 'Selector',
            selector: {
              matchLabels: { 'kubernetes.io/metadata.name': 'shop' },
            },
          },
        }),
      ],
      { labels: { [use]: 'w', [`${use}-namespace`]: 'edge' }, condition },
      'bound',
      [],
    ],
    [
      'of another namespace that admits others',
      [
        waypoint('w', {
          ...ready,
          namespace: 'edge',
          from: { from: 'Selector', selector: { matchLabels: { team: 'a' } } },
        }),
      ],
      { labels: { [use]: 'w', [`${use}-namespace`]: 'edge' } },
      'denied',
      ['WaypointDenied'],
    ],
    [
      'reported bound',
      [waypoint('w')],
      { condition: { status: 'True', reason: 'WaypointAccepted' } },
      'bound',
      [],
    ],
    [
      'reported not ready',
      [waypoint('w', ready)],
      { condition: { status: 'False', reason: 'WaypointIsNotReady' } },
      'not-ready',
      ['WaypointNotReady'],
    ],
    [
      'reported denied',
      [waypoint('w', ready)],
      { condition: { status: 'False', reason: 'AttachmentDenied' } },
      'denied',
      ['WaypointDenied'],
    ],
    [
      'reported for a reason that is not known here',
      [waypoint('w', ready)],
      { condition: { status: 'False', reason: 'CanaryInvalidWeight' } },
      'unknown',
      [],
    ],
    [
      'gateways cannot be read',
      [],
      { coverage: { 'Gateway.gateway.networking.k8s.io': 'forbidden' } },
      'unknown',
      [],
    ],
  ])('%s', (_, gateway, options, state, rules) => {
    const view = fleet(gateway, options);
    expect(serviceNamed(view, 'web').instances[0].waypoint?.state).toBe(state);
    expect(rulesOf(view)).toEqual(rules);
  });

  it("a namespace's fault is reported once", () => {
    const view = analyse({
      east: [
        ...istio(),
        ...ambient(),
        namespace('shop', {
          'istio.io/dataplane-mode': 'ambient',
          [use]: 'gone',
        }),
        service('a'),
        service('b'),
        service('c'),
      ],
    });
    expect(view.findings).toEqual([
      expect.objectContaining({
        rule: 'WaypointMissing',
        kind: 'Namespace',
        name: 'shop',
      }),
    ]);
    expect(view.findings[0].message).toContain('3 services');
  });

  it('of workloads in ambient', () => {
    const view = analyse({
      east: [
        ...istio(),
        ...ambient(),
        namespace('shop', { 'istio.io/dataplane-mode': 'ambient' }),
        waypoint('w', {
          ...ready,
          labels: { 'istio.io/waypoint-for': 'workload' },
        }),
        ...running('web', {
          labels: { app: 'web', [use]: 'w' },
          annotations: { 'ambient.istio.io/redirection': 'enabled' },
        }),
      ],
    });
    expect(workloadNamed(view, 'web').waypoint).toMatchObject({
      state: 'bound',
      by: 'Deployment/web',
    });
  });
});
