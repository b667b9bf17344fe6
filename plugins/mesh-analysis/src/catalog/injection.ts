import { Fact, isUnknown } from '../inventory/Fact';
import { selects } from '../inventory/selectors';
import { ClusterMesh, InjectorWebhook } from './mesh';

/** Namespaces that the injector never touches. Source: istio pkg/kube/inject, 1.31. */
const ignoredNamespaces = new Set([
  'kube-system',
  'kube-public',
  'kube-node-lease',
  'local-path-storage',
]);

/** What decides about a pod when it is created. */
export interface PodTemplate {
  labels: Readonly<Record<string, string>>;
  annotations: Readonly<Record<string, string>>;
  hostNetwork: boolean;
  /** The image of an Istio proxy that is all the pod runs, as in gateways, waypoints and ztunnel. */
  proxyAlone?: string;
}

export interface InjectionDecision {
  inject: Fact<boolean>;
  /** The revision that injects; tags are resolved. */
  revision?: string;
  tag?: string;
  /** The label, annotation or setting that decides. */
  by?: string;
  /** Every webhook whose selectors take the pod. */
  matches: InjectorWebhook[];
}

/**
 * Whether a pod that is created now gets a sidecar, and from which revision: the
 * selectors of the webhooks as they stand on the cluster, then the injector's own
 * rules.
 */
export function decideInjection(
  mesh: ClusterMesh,
  namespace: { name: string; labels: Readonly<Record<string, string>> },
  pod: PodTemplate,
): InjectionDecision {
  if (pod.hostNetwork) {
    return { inject: false, by: 'pod: hostNetwork', matches: [] };
  }
  if (ignoredNamespaces.has(namespace.name)) {
    return {
      inject: false,
      by: `namespace ${namespace.name} is never injected`,
      matches: [],
    };
  }
  if (isUnknown(mesh.injectors)) {
    return pod.labels['sidecar.istio.io/inject'] === 'false'
      ? { inject: false, by: 'pod: sidecar.istio.io/inject=false', matches: [] }
      : { inject: mesh.injectors, matches: [] };
  }
  // The API server adds this label to every namespace; manifests rarely have it.
  const namespaceLabels = {
    'kubernetes.io/metadata.name': namespace.name,
    ...namespace.labels,
  };
  const matches = mesh.injectors.filter(
    webhook =>
      selects(webhook.namespaceSelector, namespaceLabels, 'everything') &&
      selects(webhook.objectSelector, pod.labels, 'everything'),
  );
  if (matches.length === 0) {
    const by = whyNoWebhook(namespace, pod);
    return { inject: false, ...(by && { by }), matches };
  }
  const [webhook] = matches;
  const found = {
    revision: webhook.revision,
    ...(webhook.tag && { tag: webhook.tag }),
    matches,
  };
  const refusal = injectorDecides(mesh, webhook.revision, pod);
  if (refusal.inject === true) {
    return {
      inject: true,
      ...found,
      by: refusal.by ?? whyWebhook(webhook, namespace, pod),
    };
  }
  return isUnknown(refusal.inject)
    ? { inject: refusal.inject, ...found }
    : { inject: false, ...(refusal.by && { by: refusal.by }), matches };
}

/** What the injector decides once its webhook was called. */
function injectorDecides(
  mesh: ClusterMesh,
  revision: string,
  pod: PodTemplate,
): { inject: Fact<boolean>; by?: string } {
  const label = pod.labels['sidecar.istio.io/inject'];
  const annotation = pod.annotations['sidecar.istio.io/inject'];
  const asked = label ?? annotation;
  const source = `pod: sidecar.istio.io/inject=${asked}${
    label === undefined ? ' (annotation)' : ''
  }`;
  if (asked === 'false') {
    return { inject: false, by: source };
  }
  if (asked === 'true') {
    // The label of the namespace or revision is the better answer to "by what".
    return { inject: true };
  }
  const settings = mesh.revisions.find(
    one => one.revision === revision,
  )?.injection;
  if (settings === undefined || isUnknown(settings)) {
    // Without its configuration the default policy, which is `enabled`, is the
    // best that can be said; nearly nobody changes it.
    return { inject: true };
  }
  const takes = (selector: unknown) =>
    // An empty selector is passed over by the injector.
    Object.keys((selector as object) ?? {}).length > 0 &&
    selects(selector, pod.labels, 'nothing');
  if (settings.neverInjectSelector.some(takes)) {
    return { inject: false, by: `revision ${revision}: neverInjectSelector` };
  }
  if (settings.alwaysInjectSelector.some(takes)) {
    return { inject: true, by: `revision ${revision}: alwaysInjectSelector` };
  }
  return settings.policy === 'disabled'
    ? { inject: false, by: `revision ${revision}: policy is disabled` }
    : { inject: true };
}

function whyWebhook(
  webhook: InjectorWebhook,
  namespace: { name: string; labels: Readonly<Record<string, string>> },
  pod: PodTemplate,
): string {
  const key = (
    selector: InjectorWebhook['namespaceSelector'],
    labels: object,
  ) =>
    [
      ...Object.keys(selector?.matchLabels ?? {}),
      ...(selector?.matchExpressions ?? [])
        .filter(({ operator }) => operator === 'In' || operator === 'Exists')
        .map(expression => expression.key),
    ].find(one => Object.hasOwn(labels, one));
  const ofNamespace = key(webhook.namespaceSelector, namespace.labels);
  if (ofNamespace) {
    return `namespace ${namespace.name}: ${ofNamespace}=${namespace.labels[ofNamespace]}`;
  }
  const ofPod = key(webhook.objectSelector, pod.labels);
  return ofPod
    ? `pod: ${ofPod}=${pod.labels[ofPod]}`
    : `${webhook.configuration}: namespaces without a label are injected`;
}

function whyNoWebhook(
  namespace: { name: string; labels: Readonly<Record<string, string>> },
  pod: PodTemplate,
): string | undefined {
  const injection = namespace.labels['istio-injection'];
  if (injection !== undefined && injection !== 'enabled') {
    return `namespace ${namespace.name}: istio-injection=${injection}`;
  }
  if (pod.labels['sidecar.istio.io/inject'] === 'false') {
    return 'pod: sidecar.istio.io/inject=false';
  }
  const revision = namespace.labels['istio.io/rev'];
  if (revision !== undefined) {
    return `namespace ${namespace.name}: istio.io/rev=${revision}`;
  }
  const ofPod = pod.labels['istio.io/rev'];
  return ofPod === undefined ? undefined : `pod: istio.io/rev=${ofPod}`;
}
