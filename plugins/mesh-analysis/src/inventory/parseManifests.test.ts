import fc from 'fast-check';

import { manifestCoverage } from './manifestCoverage';
import { parseManifests } from './parseManifests';

const text = `# Two services, one of them in a list.
apiVersion: v1
kind: Service
metadata: { name: web, namespace: shop }
---
---
apiVersion: v1
kind: List
items:
  - apiVersion: v1
    kind: Service
    metadata: { name: api, namespace: shop }
  - kind: Service
    metadata: { name: nothing }
---
apiVersion: v1
kind: PodList
items:
  - metadata: { name: web-1, namespace: shop }
---
apiVersion: v1
kind: Service
metadata: { name: [broken }
---
kind: Service
metadata: { name: without-version }
---
apiVersion: v1
kind: Service
metadata: { namespace: shop }
---
- just
- a list
---
apiVersion: v1
kind: Job
metadata: { generateName: once- }
---
apiVersion: v1
kind: Service
metadata: { name: last, namespace: 7 }
---
apiVersion: v1
kind: Service
metadata: { name: last }
`;

describe('parseManifests', () => {
  const { objects, problems } = parseManifests(text, 'fleet/shop.yaml');

  it('reads several documents and lists', () => {
    expect(
      objects.map(({ kind, metadata }) => `${kind} ${metadata.name}`),
    ).toEqual(['Service web', 'Service api', 'Pod web-1', 'Service last']);
  });

  it('names file, document and line of what it cannot read, and goes on', () => {
    expect(
      problems.map(({ source, document, line, problem }) => [
        source,
        document,
        line,
        problem,
      ]),
    ).toEqual([
      ['fleet/shop.yaml', 3, 7, 'items[1]: apiVersion is missing'],
      [
        'fleet/shop.yaml',
        5,
        expect.any(Number),
        expect.stringMatching(/flow|bracket|comma/i),
      ],
      ['fleet/shop.yaml', 6, 25, 'apiVersion is missing'],
      ['fleet/shop.yaml', 7, 28, 'metadata.name of a Service is missing'],
      [
        'fleet/shop.yaml',
        8,
        32,
        'not a Kubernetes object: a map with apiVersion and kind is expected',
      ],
      [
        'fleet/shop.yaml',
        9,
        35,
        'a Job with generateName has no name until it is created',
      ],
      [
        'fleet/shop.yaml',
        10,
        39,
        'metadata.namespace of Service last has to be a string',
      ],
    ]);
  });

  it('keeps of a Secret nothing but the names of its keys', () => {
    const secret = parseManifests(
      `apiVersion: v1
kind: Secret
metadata:
  name: istio-remote-secret-west
  annotations:
    kubectl.kubernetes.io/last-applied-configuration: '{"data":{"west":"c2VjcmV0"}}'
data: { west: c2VjcmV0 }
stringData: { north: secret }
`,
      'secret.yaml',
    );
    expect(secret.objects[0].dataKeys).toEqual(['west', 'north']);
    expect(JSON.stringify(secret)).not.toMatch(/c2VjcmV0|"secret"/);
  });

  it('reads JSON too', () => {
    expect(
      parseManifests(
        '{"apiVersion":"v1","kind":"Service","metadata":{"name":"web"}}',
        'a.json',
      ).objects,
    ).toHaveLength(1);
  });

  it('does not expand a bomb of aliases', () => {
    const bomb = ['a: &a [x, x, x, x, x, x, x, x, x]']
      .concat(
        'bcdefgh'.split('').map((name, index) => {
          const last = 'abcdefgh'[index];
          return `${name}: &${name} [${Array(9).fill(`*${last}`).join(', ')}]`;
        }),
      )
      .join('\n');
    const parsed = parseManifests(bomb, 'bomb.yaml');
    expect(parsed.objects).toEqual([]);
    expect(parsed.problems).toHaveLength(1);
  });

  it('never throws', () => {
    fc.assert(
      fc.property(fc.string(), fc.json(), (noise, json) => {
        for (const input of [noise, `${json}\n---\n${noise}`]) {
          expect(parseManifests(input, 'noise').objects.length).toBeLessThan(
            100,
          );
        }
      }),
    );
  });
});

describe('manifestCoverage', () => {
  it('says what a folder is no evidence of', () => {
    const coverage = manifestCoverage(
      parseManifests(
        `apiVersion: v1
kind: Service
metadata: { name: web }
---
apiVersion: v1
kind: Secret
metadata: { name: password }
---
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: { name: sidecars.networking.istio.io }
spec: { group: networking.istio.io, names: { kind: Sidecar } }
`,
        'folder',
      ).objects,
    );
    expect(coverage.Service).toBeUndefined();
    expect(coverage['Deployment.apps']).toBeUndefined();
    expect(coverage['Sidecar.networking.istio.io']).toBeUndefined();
    expect(coverage['NetworkPolicy.networking.k8s.io']).toBeUndefined();
    expect(coverage.Pod.state).toBe('unreachable');
    // A Secret of something else says nothing of remote clusters.
    expect(coverage.Secret.state).toBe('unreachable');
    expect(coverage['VirtualService.networking.istio.io'].state).toBe(
      'absent-api',
    );
    expect(coverage['Gateway.gateway.networking.k8s.io'].state).toBe(
      'absent-api',
    );
  });
});
