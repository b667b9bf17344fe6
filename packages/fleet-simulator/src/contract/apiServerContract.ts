import { AccessRule } from '../access/AccessRules';
import { ApiClient, until } from './ApiClient';
import { accessContract } from './access';
import { customResourceContract } from './customResources';
import { discoveryContract } from './discovery';
import { readContract } from './reads';
import { watchContract } from './watches';
import { writeContract } from './writes';

/**
 * An API server that the contract is asked of.
 *
 * @public
 */
export interface ContractTarget {
  url: string;
  caData: string;
  /** May do everything. */
  adminToken: string;
  /** May do what `grantReader` says, and nothing else. */
  readerToken: string;
  /** Name of the user that `readerToken` stands for. */
  readerUser: string;
  /** Lets the reader do exactly this, in place of what it could do before. */
  grantReader(rules: AccessRule[]): Promise<void>;
  /** Forgets the history, where that can be asked for. */
  compact?(): Promise<void>;
  stop?(): Promise<void>;
}

/** What the parts of the contract work with. */
export interface Contract {
  readonly target: ContractTarget;
  readonly admin: ApiClient;
  readonly reader: ApiClient;
  /** A namespace of this run alone. */
  readonly namespace: string;
  /** The path of a resource in that namespace. */
  path(resource: string, name?: string): string;
  configMap(
    name: string,
    data?: Record<string, string>,
    labels?: Record<string, string>,
  ): Record<string, any>;
}

const GROUPS: Record<string, string> = {
  deployments: 'apps',
  endpointslices: 'discovery.k8s.io',
  widgets: 'contract.example.com',
};

/**
 * Registers tests of what clients can rely on in a Kubernetes API server (measured on
 * kube-apiserver v1.36.3). The simulator and real control planes pass the same tests.
 *
 * @public
 */
export function apiServerContract(
  name: string,
  start: () => Promise<ContractTarget>,
): void {
  describe(`${name} keeps the API server contract`, () => {
    let target: ContractTarget;
    let admin: ApiClient;
    let reader: ApiClient;
    const namespace = `contract-${Date.now().toString(36)}`;
    const contract: Contract = {
      get target() {
        return target;
      },
      get admin() {
        return admin;
      },
      get reader() {
        return reader;
      },
      namespace,
      path(resource, objectName) {
        const group = GROUPS[resource];
        const root = group ? `/apis/${group}/v1` : '/api/v1';
        const path = `${root}/namespaces/${namespace}/${resource}`;
        return objectName ? `${path}/${objectName}` : path;
      },
      configMap: (objectName, data = {}, labels = {}) => ({
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: { name: objectName, labels },
        data,
      }),
    };

    beforeAll(async () => {
      target = await start();
      const { url, caData, adminToken, readerToken } = target;
      admin = ApiClient.create({ url, caData, token: adminToken });
      reader = ApiClient.create({ url, caData, token: readerToken });
      await until(
        async () =>
          (
            await admin.post('/api/v1/namespaces', {
              apiVersion: 'v1',
              kind: 'Namespace',
              metadata: { name: namespace },
            })
          ).status === 201,
        () => 'a namespace to work in',
      );
    }, 120_000);

    afterAll(async () => {
      await admin?.delete(`/api/v1/namespaces/${namespace}`);
      admin?.close();
      reader?.close();
      await target?.stop?.();
    }, 60_000);

    discoveryContract(contract);
    readContract(contract);
    watchContract(contract);
    writeContract(contract);
    customResourceContract(contract);
    accessContract(contract);
  });
}

/**
 * Grants rules to a user through RBAC objects: `grantReader` for API servers that
 * authorise by RBAC.
 *
 * @public
 */
export async function grantByRbac(
  admin: ApiClient,
  user: string,
  rules: AccessRule[],
): Promise<void> {
  const group = 'rbac.authorization.k8s.io';
  const root = `/apis/${group}/v1`;
  const stem = `contract-${user}`;
  const subject = { kind: 'User', apiGroup: group, name: user };
  for (const resource of ['rolebindings', 'roles']) {
    const { body } = await admin.get(
      `${root}/${resource}?labelSelector=contract=${stem}`,
    );
    for (const { metadata } of body.items) {
      await admin.delete(
        `${root}/namespaces/${metadata.namespace}/${resource}/${metadata.name}`,
      );
    }
  }
  await admin.delete(`${root}/clusterrolebindings/${stem}`);
  await admin.delete(`${root}/clusterroles/${stem}`);

  const labels = { contract: stem };
  const bind = async (where: string, kind: string, own: AccessRule[]) => {
    const roles = kind === 'Role' ? 'roles' : 'clusterroles';
    await admin.post(`${where}/${roles}`, {
      apiVersion: `${group}/v1`,
      kind,
      metadata: { name: stem, labels },
      rules: own.map(({ namespaces, exceptResources, ...rule }) => rule),
    });
    await admin.post(`${where}/${roles.slice(0, -1)}bindings`, {
      apiVersion: `${group}/v1`,
      kind: `${kind}Binding`,
      metadata: { name: stem, labels },
      roleRef: { apiGroup: group, kind, name: stem },
      subjects: [subject],
    });
  };
  const everywhere = rules.filter(rule => !rule.namespaces);
  if (everywhere.length > 0) await bind(root, 'ClusterRole', everywhere);
  for (const namespace of new Set(rules.flatMap(r => r.namespaces ?? []))) {
    await bind(
      `${root}/namespaces/${namespace}`,
      'Role',
      rules.filter(rule => rule.namespaces?.includes(namespace)),
    );
  }
}
