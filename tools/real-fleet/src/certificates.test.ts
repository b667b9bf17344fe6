import { X509Certificate } from 'node:crypto';
import { Authority } from './certificates';

describe('certificates', () => {
  it('chain from a serving certificate over an intermediate to the root', async () => {
    const root = await Authority.createRoot('Root of the mesh');
    const intermediate = await root.createIntermediate('east CA', [
      'istiod.istio-system.svc',
    ]);
    const serving = await intermediate.createServing(
      'api',
      ['localhost'],
      ['127.0.0.1'],
    );
    const [top, middle, leaf] = [root.pem, intermediate.pem, serving.cert].map(
      pem => new X509Certificate(pem),
    );
    expect(top.ca).toBe(true);
    expect(middle.ca).toBe(true);
    expect(leaf.ca).toBe(false);
    expect(middle.verify(top.publicKey)).toBe(true);
    expect(leaf.verify(middle.publicKey)).toBe(true);
    expect(leaf.checkIssued(middle)).toBe(true);
    expect(leaf.checkIP('127.0.0.1')).toBe('127.0.0.1');
    expect(leaf.checkHost('localhost')).toBe('localhost');
    expect(new Date(leaf.validFrom).getTime()).toBeLessThan(Date.now());
  });
});
