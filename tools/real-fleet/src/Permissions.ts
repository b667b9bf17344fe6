import { setTimeout as sleep } from 'node:timers/promises';
import { ApiClient, KubeObject } from './ApiClient';

/**
 * A rule as in a Role or ClusterRole.
 *
 * @public
 */
export interface RbacRule {
  apiGroups?: string[];
  resources?: string[];
  resourceNames?: string[];
  nonResourceURLs?: string[];
  verbs: string[];
  /** Namespaces in which the rule holds; absent means the whole cluster. */
  namespaces?: string[];
}

const RBAC = 'rbac.authorization.k8s.io';

/**
 * What the owners of tokens may do in one cluster: a ClusterRole each, and a
 * Role in every namespace that a rule names.
 */
export class Permissions {
  readonly #client: (tokenName: string) => ApiClient;
  readonly #namespaces = new Map<string, Set<string>>();

  static create(client: (tokenName: string) => ApiClient): Permissions {
    return new Permissions(client);
  }

  private constructor(client: (tokenName: string) => ApiClient) {
    this.#client = client;
  }

  async set(tokenName: string, rules: RbacRule[]): Promise<void> {
    const admin = this.#client('admin');
    const byNamespace = new Map<string | undefined, RbacRule[]>([
      [undefined, []],
    ]);
    // Namespaces of an earlier call lose what they had.
    for (const namespace of this.#namespaces.get(tokenName) ?? []) {
      byNamespace.set(namespace, []);
    }
    for (const { namespaces, ...rule } of rules) {
      for (const namespace of namespaces ?? [undefined]) {
        byNamespace.set(namespace, [
          ...(byNamespace.get(namespace) ?? []),
          rule,
        ]);
      }
    }
    for (const [namespace, held] of byNamespace) {
      for (const object of roleAndBinding(tokenName, namespace, held)) {
        await admin.apply(object);
      }
    }
    const namespaces = [...byNamespace.keys()].filter(
      (name): name is string => name !== undefined,
    );
    this.#namespaces.set(tokenName, new Set(namespaces));

    const everywhere = byNamespace.get(undefined) ?? [];
    for (const namespace of ['default', ...namespaces]) {
      await this.#untilHeld(tokenName, namespace, [
        ...everywhere,
        ...(byNamespace.get(namespace) ?? []),
      ]);
    }
  }

  /** The server learns of roles by a watch of its own, a moment after they were written. */
  async #untilHeld(
    tokenName: string,
    namespace: string,
    rules: RbacRule[],
  ): Promise<void> {
    const wanted = comparable(rules.filter(rule => rule.resources?.length));
    const client = this.#client(tokenName);
    const until = Date.now() + 30_000;
    let held = '';
    while (Date.now() < until) {
      const { status } = await client.request<{
        status: { resourceRules: RbacRule[] };
      }>({
        method: 'POST',
        path: '/apis/authorization.k8s.io/v1/selfsubjectrulesreviews',
        body: {
          apiVersion: 'authorization.k8s.io/v1',
          kind: 'SelfSubjectRulesReview',
          spec: { namespace },
        },
      });
      held = comparable(
        status.resourceRules.filter(rule => !isForEverybody(rule)),
      );
      if (held === wanted) {
        return;
      }
      await sleep(50);
    }
    throw new Error(
      `The API server did not take over the permissions of ${tokenName}: wanted ${wanted}, has ${held}`,
    );
  }
}

function roleAndBinding(
  tokenName: string,
  namespace: string | undefined,
  rules: RbacRule[],
): KubeObject[] {
  const apiVersion = `${RBAC}/v1`;
  const metadata = { name: `token-${tokenName}`, namespace };
  const kind = namespace ? 'Role' : 'ClusterRole';
  return [
    { apiVersion, kind, metadata, rules },
    {
      apiVersion,
      kind: `${kind}Binding`,
      metadata,
      roleRef: { apiGroup: RBAC, kind, name: metadata.name },
      subjects: [{ apiGroup: RBAC, kind: 'User', name: tokenName }],
    },
  ];
}

/** The self-reviews come with `system:basic-user`. */
function isForEverybody(rule: RbacRule): boolean {
  return !!rule.resources?.every(name => name.startsWith('selfsubject'));
}

function comparable(rules: RbacRule[]): string {
  return JSON.stringify(
    rules
      .map(rule =>
        JSON.stringify([
          [...(rule.apiGroups ?? [])].sort(),
          [...(rule.resources ?? [])].sort(),
          [...(rule.resourceNames ?? [])].sort(),
          [...rule.verbs].sort(),
        ]),
      )
      .sort(),
  );
}
