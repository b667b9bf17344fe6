import { stringify } from 'yaml';

export interface KubeconfigEntry {
  name: string;
  url: string;
  caData: string;
  user: string;
  token: string;
}

/** A kubeconfig with one context a cluster, named like it. */
export function toKubeconfig(entries: KubeconfigEntry[]): string {
  return stringify({
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': entries[0]?.name ?? '',
    clusters: entries.map(({ name, url, caData }) => ({
      name,
      cluster: { server: url, 'certificate-authority-data': caData },
    })),
    // Tokens differ by cluster, so the users do too.
    users: entries.map(({ name, user, token }) => ({
      name: `${name}-${user}`,
      user: { token },
    })),
    contexts: entries.map(({ name, user }) => ({
      name,
      context: { cluster: name, user: `${name}-${user}` },
    })),
  });
}
