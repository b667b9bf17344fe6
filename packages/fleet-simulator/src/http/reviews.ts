import { AccessRule, allowsPath, allowsResource } from '../access/AccessRules';

/** The user that a token stands for. */
export interface User {
  name: string;
  groups: string[];
  uid?: string;
  rules: AccessRule[];
}

/** Answers the reviews by which a client asks what it may do. */
export function review(
  plural: string,
  user: User,
  given: Record<string, any>,
): Record<string, unknown> | undefined {
  switch (plural) {
    case 'selfsubjectaccessreviews':
      return accessReview(user, given);
    case 'selfsubjectrulesreviews':
      return rulesReview(user, given);
    case 'selfsubjectreviews':
      return {
        kind: 'SelfSubjectReview',
        apiVersion: 'authentication.k8s.io/v1',
        metadata: { creationTimestamp: new Date().toISOString() },
        status: { userInfo: { username: user.name, groups: user.groups } },
      };
    default:
      return undefined;
  }
}

function accessReview(user: User, given: Record<string, any>) {
  const { resourceAttributes: asked, nonResourceAttributes: path } =
    given.spec ?? {};
  const isAllowed = asked
    ? allowsResource(user.rules, {
        verb: asked.verb ?? '',
        group: asked.group ?? '',
        resource: asked.resource ?? '',
        subresource: asked.subresource || undefined,
        namespace: asked.namespace || undefined,
        name: asked.name || undefined,
      })
    : allowsPath(user.rules, path?.verb ?? '', path?.path ?? '');
  return {
    kind: 'SelfSubjectAccessReview',
    apiVersion: 'authorization.k8s.io/v1',
    metadata: {},
    spec: given.spec,
    status: { allowed: isAllowed },
  };
}

function rulesReview(user: User, given: Record<string, any>) {
  const namespace = given.spec?.namespace;
  const rules = user.rules.filter(
    rule => !rule.namespaces || rule.namespaces.includes(namespace),
  );
  return {
    kind: 'SelfSubjectRulesReview',
    apiVersion: 'authorization.k8s.io/v1',
    metadata: {},
    spec: {},
    status: {
      resourceRules: rules
        .filter(rule => !rule.nonResourceURLs)
        .map(({ verbs, apiGroups, resources, resourceNames }) => ({
          verbs,
          apiGroups: apiGroups ?? [''],
          resources: resources ?? [],
          ...(resourceNames && { resourceNames }),
        })),
      nonResourceRules: rules
        .filter(rule => rule.nonResourceURLs)
        .map(({ verbs, nonResourceURLs }) => ({ verbs, nonResourceURLs })),
      incomplete: false,
    },
  };
}
