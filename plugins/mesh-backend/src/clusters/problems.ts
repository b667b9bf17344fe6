import { MeshClusterProblem } from '@mesh-for-backstage/plugin-mesh-node';

/** What is wrong with the address of an API server; undefined where nothing is. */
export function urlProblem(
  url: string | undefined,
  key: string,
  options: { skipTLSVerify: boolean },
): MeshClusterProblem | undefined {
  const wrong = (message: string): MeshClusterProblem => ({
    state: 'misconfigured',
    message,
  });
  if (!url)
    return wrong(`${key} is missing; it is the address of the API server`);
  let parsed: URL;
  try {
    parsed = new URL(url);
  } catch {
    return wrong(`${key} is not a URL; write https://host:port`);
  }
  if (parsed.username || parsed.password) {
    return wrong(`${key} holds credentials; they belong into a token`);
  }
  if (parsed.protocol === 'http:') {
    return options.skipTLSVerify
      ? undefined
      : wrong(
          `${key} uses HTTP, which sends the token in the clear; use https, or set skipTLSVerify: true where that is meant`,
        );
  }
  if (parsed.protocol !== 'https:') {
    return wrong(`${key} has to begin with https://`);
  }
  return undefined;
}

/** What is wrong with a certificate authority that is given as base64. */
export function caProblem(
  caData: string | undefined,
  key: string,
): MeshClusterProblem | undefined {
  if (caData === undefined) return undefined;
  const decoded = Buffer.from(caData, 'base64').toString('utf8');
  if (decoded.includes('-----BEGIN CERTIFICATE-----')) return undefined;
  return {
    state: 'misconfigured',
    message: caData.includes('-----BEGIN')
      ? `${key} is a certificate as it stands; it has to be base64 of that`
      : `${key} is not base64 of a PEM certificate`,
  };
}
