import fc from 'fast-check';

import { createInventory } from '../inventory/createInventory';
import { ManifestObject } from '../inventory/FleetObject';
import {
  ambient,
  istio,
  namespace,
  now,
  running,
  service,
  slice,
  waypoint,
} from '../testing/objects';
import { analyseFleet } from './analyseFleet';
import { matchEntity } from './entity';

// Thousands of small fleets; a loaded machine takes its time.
jest.setTimeout(300_000);

/** One object of every kind that is read, as it should be. */
const sound: ManifestObject[] = [
  ...istio({
    remotes: ['west'],
    network: 'n1',
    mesh: 'discoverySelectors: [{matchLabels: {a: b}}]\nserviceSettings: [{settings: {clusterLocal: true}, hosts: [x]}]\n',
    meshNetworks: 'networks: {n1: {gateways: [{port: 1}]}}',
  }),
  ...ambient(),
  namespace('shop', {
    'istio-injection': 'enabled',
    'istio.io/use-waypoint': 'w',
  }),
  waypoint('w', { programmed: 'True', from: { from: 'All' } }),
  service('web', { labels: { 'topology.istio.io/network': 'n1' } }),
  slice('web', [{ addresses: ['10.0.0.1'], ready: true, pod: 'web-7d9f-0' }]),
  ...running('web', {
    sidecar: { image: 'istio/proxyv2:1.30.2', native: true },
  }),
  {
    apiVersion: 'multicluster.linkerd.io/v1alpha3',
    kind: 'Link',
    metadata: { name: 'west', namespace: 'linkerd-multicluster' },
    spec: { targetClusterName: 'west' },
    status: {
      mirrorServices: [
        { remoteRef: { name: 'web' }, conditions: [{ status: 'True' }] },
      ],
    },
  },
  {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'cilium-config', namespace: 'kube-system' },
    data: { 'cluster-id': '1' },
  },
  {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'istio-cni-config', namespace: 'istio-system' },
    data: {
      AMBIENT_ENABLEMENT_SELECTOR: '[{podSelector: {}}]',
      EXCLUDE_NAMESPACES: 'a,b',
    },
  },
  {
    apiVersion: 'consul.hashicorp.com/v1alpha1',
    kind: 'PeeringDialer',
    metadata: { name: 'west' },
    status: { conditions: [{ type: 'Synced', status: 'True' }] },
  },
  {
    apiVersion: 'consul.hashicorp.com/v1alpha1',
    kind: 'ExportedServices',
    metadata: { name: 'default' },
    spec: { services: [{ name: 'web', consumers: [{ peer: 'west' }] }] },
  },
  {
    apiVersion: 'multicluster.x-k8s.io/v1alpha1',
    kind: 'ServiceImport',
    metadata: {
      name: 'web',
      namespace: 'shop',
      annotations: { 'multicluster.k8s.aws/derived-service': '[{"name":"x"}]' },
    },
    status: { clusters: [{ cluster: 'west' }] },
  },
  {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name: 'n' },
    status: { nodeInfo: { kubeletVersion: 'v1.33.0' } },
  },
];

function errorOf(objects: ManifestObject[]): unknown {
  try {
    analyseFleet(
      createInventory({ now, clusters: [{ name: 'east', objects }] }),
    );
    return undefined;
  } catch (error) {
    return (error as Error).stack;
  }
}

/** Paths of every value below a value. */
function pathsOf(value: unknown, path: string[] = []): string[][] {
  return typeof value !== 'object' || value === null
    ? [path]
    : [
        path,
        ...Object.entries(value).flatMap(([key, item]) =>
          pathsOf(item, [...path, key]),
        ),
      ];
}

function replaceAt(value: any, [key, ...rest]: string[], by: unknown): any {
  if (key === undefined) {
    return by;
  }
  const copy = Array.isArray(value) ? [...value] : { ...value };
  copy[key as any] = replaceAt(copy[key as any], rest, by);
  return copy;
}

const places = sound.flatMap((object, index) =>
  pathsOf(object).map(path => ({ index, path })),
);
/** Values of every type that JSON has, among them some that code likes to trip over. */
const wrong = fc.oneof(
  fc.constantFrom<unknown>(
    null,
    undefined,
    true,
    0,
    -1,
    '',
    'x',
    '{',
    '[]',
    '{"a":',
    ': [',
    [],
    {},
    [null],
    [[]],
    [{}],
    ['x', 1],
    { __proto__: null },
    { constructor: 1, toString: 2 },
    { key: {} },
    [{ key: 1, operator: 'In' }],
  ),
  fc.jsonValue(),
);

describe('mangled objects', () => {
  it('cost their own verdict and nothing else', () => {
    fc.assert(
      fc.property(
        fc.array(
          fc.record({ place: fc.constantFrom(...places), value: wrong }),
          {
            minLength: 1,
            maxLength: 6,
          },
        ),
        changes => {
          const objects = [...sound];
          for (const { place, value } of changes) {
            objects[place.index] = replaceAt(
              objects[place.index],
              place.path,
              value,
            );
          }
          const view = analyseFleet(
            createInventory({
              now,
              clusters: [
                { name: 'east', objects },
                { name: 'west', objects: sound },
              ],
            }),
          );
          expect(
            view.services
              .flatMap(one => one.instances)
              .some(
                ({ cluster, name }) => cluster === 'west' && name === 'web',
              ),
          ).toBe(true);
          JSON.stringify(view);
        },
      ),
      { numRuns: 400 },
    );
  });

  it('every field in turn, of every type', () => {
    for (const { index, path } of places) {
      for (const value of [null, 7, 'x', [null], { a: 1 }]) {
        const objects = [...sound];
        objects[index] = replaceAt(objects[index], path, value);
        const subject = `${sound[index].kind} ${path.join(
          '.',
        )} = ${JSON.stringify(value)}`;
        expect([subject, errorOf(objects)]).toEqual([subject, undefined]);
      }
    }
  });

  it('annotations of entities may be anything', () => {
    fc.assert(
      fc.property(
        fc.dictionary(
          fc.constantFrom(
            'backstage.io/kubernetes-id',
            'backstage.io/kubernetes-label-selector',
            'backstage.io/kubernetes-namespace',
            'backstage.io/kubernetes-cluster',
            'mesh.backstage.io/services',
          ),
          fc.string(),
        ),
        annotations => {
          const { matched } = matchEntity(annotations, [], {
            clusters: ['east'],
          });
          expect(matched).toEqual([]);
        },
      ),
    );
  });
});
