/**
 * What a host name in a configuration means in one cluster.
 *
 * - `service`: a Service's name. Whether it exists is another question.
 * - `external`: certainly no Service of a cluster.
 * - `unverified`: has the form of a Service's full name, with a cluster domain that
 *   may or may not be this cluster's. Nobody may call it missing.
 *
 * @public
 */
export type HostMeaning =
  | {
      kind: 'service';
      namespace: string;
      name: string;
      /** True for `…svc.clusterset.local`: the name of a ServiceImport. */
      clusterset?: boolean;
    }
  | { kind: 'external' }
  | { kind: 'unverified'; namespace: string; name: string; domain: string };

/**
 * Reads a host as it stands in an object of `namespace`. `clusterDomain` is the DNS
 * suffix of the cluster's Services: neither fixed nor equal to the trust domain, so
 * where it is not known nothing is claimed for names that end in another one.
 *
 * @public
 */
export function meaningOfHost(
  host: string,
  { namespace, clusterDomain }: { namespace: string; clusterDomain?: string },
): HostMeaning {
  const text = host.toLowerCase().replace(/\.$/, '');
  if (text.startsWith('*') || text === '') {
    return { kind: 'external' };
  }
  const parts = text.split('.');
  if (parts.length === 1) {
    return { kind: 'service', namespace, name: parts[0] };
  }
  const [name, space, svc] = parts;
  if (svc !== 'svc') {
    // `name.namespace` is how short names are written in the same cluster; two
    // labels may be a public domain as well, so it stays open.
    return parts.length === 2
      ? { kind: 'unverified', namespace: space, name, domain: '' }
      : { kind: 'external' };
  }
  const domain = parts.slice(3).join('.');
  if (domain === '') {
    return { kind: 'service', namespace: space, name };
  }
  if (domain === 'clusterset.local') {
    return { kind: 'service', namespace: space, name, clusterset: true };
  }
  if (domain === clusterDomain?.toLowerCase()) {
    return { kind: 'service', namespace: space, name };
  }
  return clusterDomain === undefined
    ? { kind: 'unverified', namespace: space, name, domain }
    : { kind: 'external' };
}

/**
 * Whether a host matches a pattern of Istio's mesh configuration: equal, or `*.` and
 * what follows is the end of it.
 *
 * @public
 */
export function hostMatches(pattern: string, host: string): boolean {
  if (pattern === '*') {
    return true;
  }
  return pattern.startsWith('*')
    ? host.endsWith(pattern.slice(1)) && host.length > pattern.length - 1
    : host === pattern;
}
