import { Config, readDurationFromConfig } from '@backstage/config';
import { durationToMilliseconds } from '@backstage/types';
import { z } from 'zod';

const namespaceName = z
  .string()
  .regex(
    /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/,
    'is not the name of a namespace',
  );

const overlay = z.strictObject({
  title: z.string().min(1).optional(),
  environment: z.string().min(1).optional(),
  labels: z.record(z.string(), z.string()).optional(),
  include: z.boolean().optional(),
  exclude: z.boolean().optional(),
  clusterDomain: z
    .string()
    .regex(/^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$/, 'is not a DNS name')
    .optional(),
  systemNamespaces: z.array(namespaceName).optional(),
});

/** What `mesh.clusters.<name>` lays over a cluster. */
export type ClusterOverlay = z.infer<typeof overlay>;

const kubeconfig = z.strictObject({
  path: z.string().min(1),
  contexts: z.array(z.string().min(1)).optional(),
});

const inCluster = z.union([
  z.boolean(),
  z.strictObject({ name: z.string().min(1) }),
]);

const sources = z.strictObject({
  kubernetesConfig: z.boolean().optional(),
  kubernetesCatalog: z.boolean().optional(),
  kubeconfig: kubeconfig.optional(),
  inCluster: inCluster.optional(),
  modules: z.boolean().optional(),
  // Read as a duration below.
  refreshInterval: z.unknown().optional(),
});

/** Where clusters come from, and what is laid over them. */
export interface ClusterSourcesSettings {
  kubernetesConfig: boolean;
  kubernetesCatalog: boolean;
  kubeconfig?: { path: string; contexts?: string[] };
  inCluster?: { name: string };
  modules: boolean;
  refreshIntervalMs: number;
  clusters: ReadonlyMap<string, ClusterOverlay>;
}

/** Reads `mesh.clusterSources` and `mesh.clusters`; errors name the key and what it should be. */
export function readClusterSettings(config: Config): ClusterSourcesSettings {
  const key = 'mesh.clusterSources';
  const read = parse(key, sources, config.getOptional(key) ?? {});
  const inClusterName =
    typeof read.inCluster === 'object' ? read.inCluster.name : 'in-cluster';
  return {
    kubernetesConfig: read.kubernetesConfig ?? true,
    kubernetesCatalog: read.kubernetesCatalog ?? true,
    ...(read.kubeconfig && { kubeconfig: read.kubeconfig }),
    ...(read.inCluster && { inCluster: { name: inClusterName } }),
    modules: read.modules ?? true,
    refreshIntervalMs: config.has(`${key}.refreshInterval`)
      ? durationToMilliseconds(
          readDurationFromConfig(config, { key: `${key}.refreshInterval` }),
        )
      : 60_000,
    // Read as a whole, since the names of clusters are no keys of app-config's grammar.
    clusters: new Map(
      Object.entries(
        parse(
          'mesh.clusters',
          z.record(z.string(), overlay),
          config.getOptional('mesh.clusters') ?? {},
        ),
      ),
    ),
  };
}

function parse<T>(key: string, schema: z.ZodType<T>, value: unknown): T {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  const path = [key, ...issue.path.map(String)].join('.');
  const unknownKeys =
    issue.code === 'unrecognized_keys' ? ` (${issue.keys.join(', ')})` : '';
  throw new Error(`${path} is wrong: ${issue.message}${unknownKeys}`);
}
