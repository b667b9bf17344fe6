import 'reflect-metadata';
import { webcrypto } from 'node:crypto';
import * as x509 from '@peculiar/x509';

x509.cryptoProvider.set(webcrypto as unknown as Crypto);

const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };
const DAY = 24 * 60 * 60 * 1000;

/**
 * A server certificate with its key, in PEM.
 *
 * @public
 */
export interface ServerCertificate {
  certificate: string;
  key: string;
}

/**
 * A certificate authority of our own. It lives as long as the process; nothing is
 * written to disk.
 *
 * @public
 */
export class CertificateAuthority {
  readonly #certificate: x509.X509Certificate;
  readonly #keys: CryptoKeyPair;

  static async create(commonName: string): Promise<CertificateAuthority> {
    const keys = await generateKeys();
    const certificate = await x509.X509CertificateGenerator.createSelfSigned({
      serialNumber: serialNumber(),
      name: `CN=${commonName}`,
      notBefore: new Date(Date.now() - DAY),
      notAfter: new Date(Date.now() + 3650 * DAY),
      signingAlgorithm: ALGORITHM,
      keys,
      extensions: [
        new x509.BasicConstraintsExtension(true, undefined, true),
        new x509.KeyUsagesExtension(
          // eslint-disable-next-line no-bitwise
          x509.KeyUsageFlags.keyCertSign | x509.KeyUsageFlags.cRLSign,
          true,
        ),
        await x509.SubjectKeyIdentifierExtension.create(keys.publicKey),
      ],
    });
    return new CertificateAuthority(certificate, keys);
  }

  private constructor(certificate: x509.X509Certificate, keys: CryptoKeyPair) {
    this.#certificate = certificate;
    this.#keys = keys;
  }

  get pem(): string {
    return `${this.#certificate.toString('pem')}\n`;
  }

  /** PEM in base64, as `certificate-authority-data` of a kubeconfig holds it. */
  get caData(): string {
    return Buffer.from(this.pem).toString('base64');
  }

  /** Signs a certificate for DNS names and IP addresses. */
  async issue(hosts: string[]): Promise<ServerCertificate> {
    const keys = await generateKeys();
    const certificate = await x509.X509CertificateGenerator.create({
      serialNumber: serialNumber(),
      subject: `CN=${hosts[0]}`,
      issuer: this.#certificate.subject,
      notBefore: new Date(Date.now() - DAY),
      notAfter: new Date(Date.now() + 365 * DAY),
      signingAlgorithm: ALGORITHM,
      publicKey: keys.publicKey,
      signingKey: this.#keys.privateKey,
      extensions: [
        new x509.BasicConstraintsExtension(false, undefined, true),
        new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
        new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.serverAuth]),
        new x509.SubjectAlternativeNameExtension(
          hosts.map(host =>
            isAddress(host)
              ? { type: 'ip' as const, value: host }
              : { type: 'dns' as const, value: host },
          ),
        ),
        await x509.AuthorityKeyIdentifierExtension.create(this.#keys.publicKey),
      ],
    });
    const key = await webcrypto.subtle.exportKey('pkcs8', keys.privateKey);
    return {
      certificate: `${certificate.toString('pem')}\n`,
      key: x509.PemConverter.encode(key, 'PRIVATE KEY'),
    };
  }
}

function isAddress(host: string): boolean {
  return /^[\d.]+$/.test(host) || host.includes(':');
}

async function generateKeys(): Promise<CryptoKeyPair> {
  return (await webcrypto.subtle.generateKey(ALGORITHM, true, [
    'sign',
    'verify',
  ])) as CryptoKeyPair;
}

function serialNumber(): string {
  const bytes = Buffer.from(webcrypto.getRandomValues(new Uint8Array(16)));
  // A serial number is a positive integer: its first bit must not be set.
  bytes[0] %= 128;
  return bytes.toString('hex');
}
