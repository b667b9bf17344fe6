import { KubeObject } from '../ApiClient';
import { openCrd, pluralOf } from './openCrd';

const policy = (version: string, namespace?: string): KubeObject => ({
  apiVersion: `policy.example.com/${version}`,
  kind: 'AccessPolicy',
  metadata: { name: 'one', namespace },
});

describe('a CRD that takes any content', () => {
  it('serves every version that is used, with a status, and stores one', () => {
    const crd: any = openCrd(
      [policy('v1', 'shop'), policy('v1beta1', 'shop')],
      'accesspolicies',
    );
    expect(crd.metadata.name).toBe('accesspolicies.policy.example.com');
    expect(crd.spec.scope).toBe('Namespaced');
    expect(
      crd.spec.versions.map((v: any) => [v.name, v.served, v.storage]),
    ).toEqual([
      ['v1', true, true],
      ['v1beta1', true, false],
    ]);
    expect(crd.spec.versions[0].subresources).toEqual({ status: {} });
  });

  it('is for the whole cluster where no object has a namespace', () => {
    const crd: any = openCrd([policy('v1')], 'accesspolicies');
    expect(crd.spec.scope).toBe('Cluster');
  });

  it('says a word about its review where the group is protected', () => {
    const crd = openCrd(
      [{ ...policy('v1'), apiVersion: 'policy.networking.k8s.io/v1' }],
      'accesspolicies',
    );
    expect(Object.keys(crd.metadata.annotations ?? {})).toEqual([
      'api-approved.kubernetes.io',
    ]);
  });
});

describe('plurals', () => {
  it.each([
    ['HTTPRoute', 'httproutes'],
    ['CiliumNetworkPolicy', 'ciliumnetworkpolicies'],
    ['Gateway', 'gateways'],
    ['GatewayClass', 'gatewayclasses'],
    ['ServiceEntry', 'serviceentries'],
    ['XMesh', 'xmeshes'],
    ['Link', 'links'],
    ['MeshTLSAuthentication', 'meshtlsauthentications'],
    ['ServiceIntentions', 'serviceintentions'],
    ['IngressClassParams', 'ingressclassparams'],
    ['TLSConfigs', 'tlsconfigs'],
  ])('%s: %s', (kind, plural) => {
    expect(pluralOf(kind)).toBe(plural);
  });
});
