import 'reflect-metadata';
import * as x509 from '@peculiar/x509';
import { randomBytes, webcrypto } from 'node:crypto';

const RSA = {
  name: 'RSASSA-PKCS1-v1_5',
  hash: 'SHA-256',
  publicExponent: new Uint8Array([1, 0, 1]),
  modulusLength: 2048,
};
const DAY = 24 * 60 * 60 * 1000;

x509.cryptoProvider.set(webcrypto as Crypto);

/** A certificate with its key, both as PEM. */
export interface Pem {
  cert: string;
  key: string;
}

/** Signs certificates: a root, or an intermediate under one. */
export class Authority {
  readonly certificate: x509.X509Certificate;
  readonly #keys: CryptoKeyPair;

  static async createRoot(commonName: string): Promise<Authority> {
    const keys = await newKeys();
    const certificate = await x509.X509CertificateGenerator.createSelfSigned({
      name: nameOf(commonName),
      keys,
      signingAlgorithm: RSA,
      serialNumber: newSerial(),
      notBefore: before(),
      notAfter: after(3650),
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
    return new Authority(certificate, keys);
  }

  private constructor(certificate: x509.X509Certificate, keys: CryptoKeyPair) {
    this.certificate = certificate;
    this.#keys = keys;
  }

  get pem(): string {
    return `${this.certificate.toString('pem')}\n`;
  }

  async keyPem(): Promise<string> {
    return keyPem(this.#keys);
  }

  /** An authority that may sign workloads, but no further authorities. */
  async createIntermediate(
    commonName: string,
    dnsNames: string[],
  ): Promise<Authority> {
    const keys = await newKeys();
    const certificate = await this.#sign(commonName, keys, 730, [
      new x509.BasicConstraintsExtension(true, 0, true),
      new x509.KeyUsagesExtension(
        // eslint-disable-next-line no-bitwise
        x509.KeyUsageFlags.keyCertSign |
          x509.KeyUsageFlags.cRLSign |
          x509.KeyUsageFlags.digitalSignature,
        true,
      ),
      subjectNames(dnsNames, []),
    ]);
    return new Authority(certificate, keys);
  }

  async createServing(
    commonName: string,
    dnsNames: string[],
    addresses: string[],
  ): Promise<Pem> {
    const keys = await newKeys();
    const certificate = await this.#sign(commonName, keys, 365, [
      new x509.BasicConstraintsExtension(false, undefined, true),
      new x509.KeyUsagesExtension(
        // eslint-disable-next-line no-bitwise
        x509.KeyUsageFlags.digitalSignature |
          x509.KeyUsageFlags.keyEncipherment,
        true,
      ),
      new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.serverAuth]),
      subjectNames(dnsNames, addresses),
    ]);
    return {
      cert: `${certificate.toString('pem')}\n`,
      key: await keyPem(keys),
    };
  }

  async #sign(
    commonName: string,
    keys: CryptoKeyPair,
    days: number,
    extensions: x509.Extension[],
  ): Promise<x509.X509Certificate> {
    return x509.X509CertificateGenerator.create({
      subject: nameOf(commonName),
      issuer: this.certificate.subject,
      publicKey: keys.publicKey,
      signingKey: this.#keys.privateKey,
      signingAlgorithm: RSA,
      serialNumber: newSerial(),
      notBefore: before(),
      notAfter: after(days),
      extensions: [
        ...extensions,
        await x509.SubjectKeyIdentifierExtension.create(keys.publicKey),
        await x509.AuthorityKeyIdentifierExtension.create(
          this.certificate.publicKey,
        ),
      ],
    });
  }
}

function subjectNames(dnsNames: string[], addresses: string[]) {
  return new x509.SubjectAlternativeNameExtension([
    ...dnsNames.map(value => ({ type: 'dns' as const, value })),
    ...addresses.map(value => ({ type: 'ip' as const, value })),
  ]);
}

function nameOf(commonName: string): string {
  return `O=Mesh for Backstage, CN=${commonName}`;
}

async function newKeys(): Promise<CryptoKeyPair> {
  return (await webcrypto.subtle.generateKey(RSA, true, [
    'sign',
    'verify',
  ])) as CryptoKeyPair;
}

async function keyPem(keys: CryptoKeyPair): Promise<string> {
  const der = await webcrypto.subtle.exportKey('pkcs8', keys.privateKey);
  return `${x509.PemConverter.encode(der, 'PRIVATE KEY')}\n`;
}

function newSerial(): string {
  // A leading 01 keeps the number positive and of full length.
  return `01${randomBytes(15).toString('hex')}`;
}

/** A little in the past, so that a machine whose clock lags accepts it. */
function before(): Date {
  return new Date(Date.now() - DAY);
}

function after(days: number): Date {
  return new Date(Date.now() + days * DAY);
}
