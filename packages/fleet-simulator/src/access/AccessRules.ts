/**
 * What a token may do: the shape of an RBAC rule, with namespaces added.
 *
 * @public
 */
export interface AccessRule {
  verbs: string[];
  apiGroups?: string[];
  resources?: string[];
  resourceNames?: string[];
  nonResourceURLs?: string[];
  /** Resources for which the rule does not hold. RBAC itself has no such thing. */
  exceptResources?: string[];
  /** Namespaces in which the rule holds; absent means the whole cluster. */
  namespaces?: string[];
}

/** @public */
export type Access = 'all' | AccessRule[];

export interface ResourceAttributes {
  verb: string;
  group: string;
  resource: string;
  subresource?: string;
  namespace?: string;
  name?: string;
}

/** What every authenticated user may read, as the role `system:discovery` grants it. */
const DISCOVERY: AccessRule[] = [
  {
    verbs: ['get'],
    nonResourceURLs: [
      '/api',
      '/api/*',
      '/apis',
      '/apis/*',
      '/healthz',
      '/livez',
      '/livez/*',
      '/readyz',
      '/readyz/*',
      '/openapi',
      '/openapi/*',
      '/version',
      '/version/',
    ],
  },
  {
    verbs: ['create'],
    apiGroups: ['authorization.k8s.io'],
    resources: ['selfsubjectaccessreviews', 'selfsubjectrulesreviews'],
  },
  {
    verbs: ['create'],
    apiGroups: ['authentication.k8s.io'],
    resources: ['selfsubjectreviews'],
  },
];

/** What everybody may read, signed in or not, as the role `system:public-info-viewer` grants it. */
const PUBLIC: AccessRule[] = [
  {
    verbs: ['get'],
    nonResourceURLs: ['/healthz', '/livez', '/readyz', '/version', '/version/'],
  },
];

/** The rules that hold for a user: its own and those that everybody has. */
export function effectiveRules(
  access: Access,
  authenticated: boolean,
): AccessRule[] {
  if (access === 'all') {
    return [
      { verbs: ['*'], apiGroups: ['*'], resources: ['*'] },
      { verbs: ['*'], nonResourceURLs: ['*'] },
    ];
  }
  return [...access, ...(authenticated ? DISCOVERY : []), ...PUBLIC];
}

export function allowsResource(
  rules: readonly AccessRule[],
  asked: ResourceAttributes,
): boolean {
  const resource = asked.subresource
    ? `${asked.resource}/${asked.subresource}`
    : asked.resource;
  return rules.some(
    rule =>
      rule.nonResourceURLs === undefined &&
      includes(rule.verbs, asked.verb) &&
      includes(rule.apiGroups ?? [''], asked.group) &&
      (includes(rule.resources ?? [], resource) ||
        (asked.subresource !== undefined &&
          (rule.resources ?? []).includes(`*/${asked.subresource}`))) &&
      !(rule.exceptResources ?? []).includes(asked.resource) &&
      (rule.resourceNames === undefined ||
        rule.resourceNames.length === 0 ||
        (asked.name !== undefined &&
          rule.resourceNames.includes(asked.name))) &&
      (rule.namespaces === undefined ||
        (asked.namespace !== undefined &&
          rule.namespaces.includes(asked.namespace))),
  );
}

export function allowsPath(
  rules: readonly AccessRule[],
  verb: string,
  path: string,
): boolean {
  return rules.some(
    rule =>
      includes(rule.verbs, verb) &&
      (rule.nonResourceURLs ?? []).some(pattern =>
        pattern.endsWith('*')
          ? path.startsWith(pattern.slice(0, -1))
          : path === pattern,
      ),
  );
}

function includes(list: readonly string[], value: string): boolean {
  return list.includes('*') || list.includes(value);
}
