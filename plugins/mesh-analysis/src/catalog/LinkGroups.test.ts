import fc from 'fast-check';
import { unknown } from '../inventory/Fact';
import { linksOfPairs } from '../testing/pairwiseLinks';
import { ClusterLinks, clustersWithChangedLinks } from './clusterLinks';
import { ClusterNames } from './ClusterNames';
import { expandLinks, LinkGroups } from './LinkGroups';
import { ClusterMesh, DeclaredLink, IstioRevision } from './mesh';
import { mergeService } from './mergeService';
import { serviceLinks } from './serviceLinks';
import { ServiceInstance, ServiceLink } from './types';

const kind = { mechanism: 'istio', state: 'active' } as const;

/** Groups of links that are given as `a>b`. */
function grouped(...pairs: string[]) {
  const names = ClusterNames.create();
  const links = LinkGroups.create(names);
  for (const pair of pairs) {
    const [from, to] = pair.split('>');
    links.add(kind, from, names.bit(to));
  }
  return links
    .toList()
    .map(({ from, to }) => `${from.join('')}>${to.join('')}`);
}

/** Every pair of some clusters. */
function mesh(clusters: string): string[] {
  const names = [...clusters];
  return names.flatMap(from =>
    names.filter(to => to !== from).map(to => `${from}>${to}`),
  );
}

describe('groups of links', () => {
  it.each([
    ['nothing', [], []],
    ['one way', ['a>b'], ['a>b']],
    ['both ways', ['a>b', 'b>a'], ['ab>ab']],
    ['a full mesh', mesh('abcdef'), ['abcdef>abcdef']],
    [
      'a full mesh with a way missing',
      mesh('abcdef').filter(pair => pair !== 'a>b'),
      ['a>cdef', 'bcdef>abcdef'],
    ],
    ['readers of one cluster', ['a>d', 'b>d', 'c>d'], ['abc>d']],
    [
      'a reader beside a mesh',
      [...mesh('abc'), 'x>a', 'x>b', 'x>c'],
      ['abcx>abc'],
    ],
    ['two meshes', [...mesh('abc'), ...mesh('xyz')], ['abc>abc', 'xyz>xyz']],
  ])('of %s', (_, pairs, groups) => {
    expect(grouped(...pairs)).toEqual(groups);
  });

  it('have no link from a cluster to itself', () => {
    expect(grouped('a>a', 'a>b')).toEqual(['a>b']);
    expect(
      expandLinks([{ ...kind, from: ['a', 'b'], to: ['a', 'b', 'c'] }]).map(
        ({ from, to }) => `${from}>${to}`,
      ),
    ).toEqual(['a>b', 'a>c', 'b>a', 'b>c']);
  });

  it('of a mesh are few, however many clusters there are', () => {
    const clusters = Array.from({ length: 200 }, (_, index) => `c${index}`);
    const names = ClusterNames.create();
    const links = LinkGroups.create(names);
    const all = names.setOf(clusters);
    for (const cluster of clusters) {
      links.add(kind, cluster, all);
    }
    const [group, ...others] = links.toList();
    expect(others).toEqual([]);
    expect(group.from).toEqual([...clusters].sort());
    expect(expandLinks([group])).toHaveLength(200 * 199);
  });
});

const clusterNames = ['c0', 'c1', 'c2', 'c3', 'c4', 'c5'];
const someCluster = fc.constantFrom(...clusterNames);
const oneOf = <T>(...values: T[]) => fc.constantFrom(...values);
const gap = unknown('forbidden');

const revision: fc.Arbitrary<IstioRevision> = fc.record({
  revision: fc.constant('default'),
  namespace: fc.constant('istio-system'),
  controlPlane: fc.option(
    fc.constant({ name: 'istiod', version: '1.30.2', pods: gap }),
    { nil: undefined },
  ),
  clusterId: fc.constant(gap),
  meshId: fc.constant(gap),
  trustDomain: fc.constant(gap),
  discoverySelectors: fc.constant([]),
  clusterLocalHosts: oneOf<string[]>([], [], [], ['*.shop.svc.cluster.local']),
  notClusterLocalHosts: fc.constant([]),
  serviceScopes: fc.constant([]),
  dnsCapture: fc.constant(false),
  injection: fc.constant(gap),
  nativeSidecars: fc.constant('auto' as const),
  ambient: fc.constant(false),
  mcs: oneOf<IstioRevision['mcs']>(
    gap,
    ...[true, false, false].map(serviceDiscovery => ({
      serviceDiscovery,
      host: false,
      clusterLocal: false,
      autoExport: false,
    })),
  ),
  networksWithGateways: fc.constant([]),
  credentialsElsewhere: fc.constant(false),
});

const declared = (
  mechanism: DeclaredLink['mechanism'],
): fc.Arbitrary<DeclaredLink[]> =>
  fc.uniqueArray(
    fc.record({
      mechanism: fc.constant(mechanism),
      target: someCluster,
      state: oneOf<DeclaredLink['state']>('active', 'active', 'broken'),
      by: fc.constant({ kind: 'Secret', name: 'one' }),
    }),
    { selector: link => link.target, maxLength: 6 },
  );

const meshOf = (cluster: string): fc.Arbitrary<ClusterMesh> =>
  fc
    .record({
      ids: fc.record({
        // Two clusters may share an id, and one may be called like another.
        clusterId: oneOf<ClusterMesh['clusterId']>(
          cluster,
          cluster,
          cluster,
          'c0',
          gap,
        ),
        meshId: oneOf<ClusterMesh['meshId']>('m', 'm', 'm', 'n', gap),
      }),
      revisions: fc.oneof(
        { weight: 4, arbitrary: revision.map(one => [one]) },
        fc.constant<IstioRevision[]>([]),
      ),
      controlPlaneClusters: oneOf<string[]>([], ['*'], ['c1']),
      declaredLinks: fc
        .tuple(declared('istio'), declared('linkerd'), declared('cilium'))
        .map(links => links.flat()),
      linksUnknown: oneOf<ClusterMesh['linksUnknown']>(
        {},
        {},
        { istio: 'secrets are not read' },
        { cilium: 'the secret is not read' },
      ),
      cilium: fc.option(
        fc.record({
          clusterName: oneOf(cluster, cluster, 'c0'),
          clusterId: oneOf(cluster, cluster, '7'),
          clusterMesh: oneOf<true | false | typeof gap>(true, false, gap),
          mcsApi: fc.constant(false),
          defaultGlobalNamespace: fc.constant(true),
          cacheTtl: fc.constant('0s'),
        }),
        { nil: undefined },
      ),
      mcs: fc.record({
        installed: oneOf<true | false | typeof gap>(true, true, false, gap),
        clusterSet: oneOf('s', 's', 't', undefined),
        clusterProperty: oneOf(`${cluster}.example`, undefined),
      }),
      consul: fc.option(
        fc.record({
          peers: fc.uniqueArray(
            fc.record({
              name: someCluster,
              role: fc.constant('dialer' as const),
              synced: oneOf<true | false | typeof gap>(true, false, gap),
            }),
            { selector: peer => peer.name },
          ),
          exports: fc.array(
            fc.record({
              service: oneOf('web', '*', 'other'),
              peers: fc.array(someCluster),
            }),
            { maxLength: 3 },
          ),
        }),
        { nil: undefined },
      ),
    })
    .map(({ ids, ...rest }) => ({
      cluster,
      ...ids,
      network: gap,
      trustDomain: gap,
      clusterDomain: 'cluster.local',
      tags: [],
      injectors: [],
      ambient: { installed: false, cni: false, excludedNamespaces: [] },
      nativeSidecarDefault: false,
      networkGateways: [],
      findings: [],
      ...rest,
    }));

const instanceIn = (cluster: string): fc.Arbitrary<ServiceInstance> =>
  fc
    .record({
      role: oneOf<ServiceInstance['role']>(
        'backend',
        'backend',
        'backend',
        'stub',
        'gateway',
        'derived',
        'mirror',
      ),
      dataplane: oneOf<ServiceInstance['dataplane']>(
        'sidecar',
        'sidecar',
        'ambient',
        gap,
      ),
      annotations: oneOf<Record<string, string>>(
        {},
        { 'service.cilium.io/global': 'true' },
        {
          'service.cilium.io/global': 'true',
          'service.cilium.io/shared': 'false',
        },
        { 'multicluster.linkerd.io/remote-discovery': 'web@c1,web@c2,web@' },
      ),
      mirrorOf: someCluster,
      reach: fc.option(
        fc.record(
          {
            exported: oneOf<true | false | typeof gap>(true, false, gap),
            imported: oneOf<true | false | typeof gap>(true, true, false, gap),
            importedFrom: fc.array(oneOf('c0', 'c1', 'c2.example', 'nobody')),
            ambientScope: oneOf<'global' | 'local' | typeof gap>(
              'global',
              'local',
              gap,
            ),
          },
          { requiredKeys: ['exported', 'imported', 'ambientScope'] },
        ),
        { nil: undefined },
      ),
    })
    .map(({ role, mirrorOf, reach, ...rest }) => ({
      cluster,
      namespace: 'shop',
      name: 'web',
      role,
      type: 'ClusterIP',
      ports: [],
      endpoints: gap,
      workloads: [],
      labels: {},
      ...rest,
      ...(reach && { reach }),
      ...((role === 'mirror' || role === 'derived') && {
        mirrorOf: { cluster: mirrorOf, namespace: 'shop', name: 'web' },
      }),
    }));

const fleets = fc.record({
  meshes: fc
    .tuple(...clusterNames.map(name => fc.option(meshOf(name))))
    .map(meshes => meshes.filter(one => one !== null)),
  instances: fc
    .tuple(
      ...clusterNames.map(name => fc.array(instanceIn(name), { maxLength: 2 })),
    )
    .map(instances => instances.flat()),
});

const told = (links: ServiceLink[]) =>
  links.map(link => JSON.stringify(Object.entries(link).sort())).sort();

describe('links of random meshes', () => {
  it('are, in groups, exactly those of the rule for pairs', () => {
    const seen = new Set<string>();
    fc.assert(
      fc.property(fleets, ({ meshes, instances }) => {
        const links = expandLinks(
          serviceLinks(instances, ClusterLinks.of(meshes)).toList(),
        );
        const pairs = linksOfPairs(instances, meshes);
        expect(told(links)).toEqual(told(pairs));
        for (const { mechanism, state } of pairs) {
          seen.add(`${mechanism} ${state}`);
        }
      }),
      { numRuns: 500 },
    );
    // What the meshes do not bring about is not compared.
    for (const expected of [
      'istio active',
      'istio unknown',
      'istio suppressed',
      'istio-mcs active',
      'istio-mcs suppressed',
      'cilium-global active',
      'cilium-global broken',
      'cilium-global suppressed',
      'mcs active',
      'mcs broken',
      'consul unknown',
      'linkerd-mirror active',
      'linkerd-federated unknown',
    ]) {
      expect(seen).toContain(expected);
    }
  });

  it('make of a service what the pairs do', () => {
    fc.assert(
      fc.property(fleets, ({ meshes, instances }) => {
        const views = mergeService({
          namespace: 'shop',
          name: 'web',
          instances: instances.map(instance => ({ instance, workloads: [] })),
          meshes,
          unknownClusters: [],
        });
        const pairs = linksOfPairs(instances, meshes);
        const clustersOf = ({
          instances: own,
        }: {
          instances: ServiceInstance[];
        }) => new Set(own.map(({ cluster }) => cluster));
        // Nothing is joined to another view, and in a view all is joined.
        const inView = new Map(
          views.flatMap((view, index) =>
            [...clustersOf(view)].map(cluster => [cluster, index] as const),
          ),
        );
        const torn = pairs.filter(
          ({ from, to }) =>
            inView.has(from) &&
            inView.has(to) &&
            inView.get(from) !== inView.get(to),
        );
        expect(torn).toEqual([]);
        for (const view of views) {
          expect(reachable(view.instances[0].cluster, pairs)).toEqual(
            expect.arrayContaining([...clustersOf(view)]),
          );
          const clusters = clustersOf(view);
          const carriers = new Set(
            view.instances
              .filter(({ role }) => role !== 'stub')
              .map(({ cluster }) => cluster),
          );
          expect(told(expandLinks(view.links))).toEqual(
            told(
              pairs.filter(
                ({ from, to, mechanism }) =>
                  clusters.has(from) &&
                  clusters.has(to) &&
                  (mechanism.startsWith('linkerd') || carriers.has(to)),
              ),
            ),
          );
        }
      }),
      { numRuns: 300 },
    );
  });
});

/** What is joined to a cluster, in either direction and through others; with itself. */
function reachable(start: string, pairs: readonly ServiceLink[]): string[] {
  const found = new Set([start]);
  for (const cluster of found) {
    for (const { from, to } of pairs) {
      if (from === cluster) found.add(to);
      if (to === cluster) found.add(from);
    }
  }
  return [...found];
}

describe('changed links', () => {
  it('concern both ends of each, and nobody else', () => {
    const base = fc.sample(meshOf('c0'), { numRuns: 1, seed: 1 })[0];
    const plain = (cluster: string, ...targets: string[]): ClusterMesh => ({
      ...base,
      cluster,
      clusterId: cluster,
      meshId: 'm',
      revisions: [],
      controlPlaneClusters: ['nobody'],
      linksUnknown: {},
      cilium: undefined,
      consul: undefined,
      mcs: { installed: false },
      declaredLinks: targets.map(target => ({
        mechanism: 'istio',
        target,
        state: 'active',
        by: { kind: 'Secret', name: target },
      })),
    });
    const before = [plain('a', 'b', 'c'), plain('b', 'a'), plain('c')];
    expect(clustersWithChangedLinks(before, [...before])).toEqual(new Set());
    expect(
      clustersWithChangedLinks(before, [
        plain('a', 'b'),
        plain('b', 'a'),
        plain('c'),
      ]),
    ).toEqual(new Set(['a', 'c']));
    expect(clustersWithChangedLinks([], before)).toEqual(
      new Set(['a', 'b', 'c']),
    );
  });
});
