import { KubeObject } from '../ApiClient';
import { inWaves, titleOf, waveOf } from './order';

const object = (kind: string, apiVersion = 'v1'): KubeObject => ({
  apiVersion,
  kind,
  metadata: { name: kind.toLowerCase() },
});

describe('order of manifests', () => {
  it.each([
    ['Namespace', 'CustomResourceDefinition'],
    ['Namespace', 'ServiceAccount'],
    ['CustomResourceDefinition', 'GatewayClass'],
    ['CustomResourceDefinition', 'HTTPRoute'],
    ['Node', 'Pod'],
    ['ServiceAccount', 'Pod'],
    ['ServiceAccount', 'Deployment'],
    ['ConfigMap', 'StatefulSet'],
    ['MutatingWebhookConfiguration', 'Pod'],
    ['Service', 'HTTPRoute'],
  ])('%s comes before %s', (first, then) => {
    expect(waveOf(object(first))).toBeLessThan(waveOf(object(then)));
  });

  it('keeps the order of the folder within a wave and loses nothing', () => {
    const items = ['Pod', 'Service', 'HTTPRoute', 'Namespace', 'Job'].map(
      kind => ({ object: object(kind) }),
    );
    expect(
      inWaves(items).map(wave => wave.map(item => item.object.kind)),
    ).toEqual([['Namespace'], ['Service'], ['Pod', 'HTTPRoute', 'Job']]);
  });

  it('names an object as kubectl does', () => {
    expect(
      titleOf({
        apiVersion: 'gateway.networking.k8s.io/v1',
        kind: 'HTTPRoute',
        metadata: { name: 'cart', namespace: 'shop' },
      }),
    ).toBe('HTTPRoute.gateway.networking.k8s.io shop/cart');
    expect(titleOf(object('Node'))).toBe('Node node');
  });
});
