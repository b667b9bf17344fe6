import { hash } from 'node:crypto';
import { WatchedKind } from '@mesh-for-backstage/mesh-analysis';
import { ObjectKey, ObjectRecord } from '../store/ObjectStore';

type Json = any;

/** In these, tools keep the manifest as it was applied: with the data of a Secret, and the values of variables. */
const appliedManifests =
  /(^kubectl\.kubernetes\.io\/last-applied-configuration|^kapp\.k14s\.io\/original.*|^objectset\.rio\.cattle\.io\/applied)$/;
/** Of a Secret's annotations, those that say which cluster it is for. */
const secretAnnotations = /^([a-z0-9-]+\.)*istio\.io\//;

/**
 * ConfigMaps that verdicts read, by name. Others in the same namespaces are
 * dropped before anything of them is stored.
 */
const configMapNames = [
  /^istio(-.+)?$/,
  /^istio-sidecar-injector(-.+)?$/,
  /^values(-.+)?$/,
  /^cilium-config$/,
  /^calico-config$/,
  /^canal-config$/,
  /^kube-flannel-cfg$/,
  /^kube-proxy$/,
  /^linkerd-config$/,
  /^linkerd-identity-trust-roots$/,
];
/** Records of leader election bear such names too, and change every few seconds. */
const electionNames = /-(leader|election|lock)$/;

/** Annotations of pods and pod templates that verdicts read. */
const podAnnotations =
  /^([a-z0-9-]+\.)*(istio\.io|linkerd\.io|cilium\.io|kmesh\.net|consul\.hashicorp\.com|projectcalico\.org)\//;

/**
 * Containers of meshes and CNIs: what they are told by arguments and environment
 * decides verdicts. Of all other containers, names of variables are kept and their
 * values are not: those may be anything.
 */
const meshContainers = new Set([
  'discovery',
  'istio-proxy',
  'install-cni',
  'ztunnel',
  'linkerd-proxy',
  'linkerd-init',
  'istio-init',
  'istio-validation',
  'cilium-agent',
  'calico-node',
  'kmesh',
  'merbridge',
  'consul-dataplane',
  'envoy',
]);
/** Of a proxy beside an application, only these: a copy of its whole environment stands in every pod. */
const proxyVariables =
  /^(ISTIO_META_(CLUSTER_ID|MESH_ID|NETWORK|ENABLE_HBONE|DNS_CAPTURE|DNS_AUTO_ALLOCATE|WORKLOAD_NAME|OWNER)|TRUST_DOMAIN|ISTIO_DELTA_XDS|CA_ADDR|PILOT_CERT_PROVIDER|GOMAXPROCS|GOMEMLIMIT|LINKERD2_PROXY_IDENTITY_(LOCAL_NAME|SVC_NAME))$/;
const secretName =
  /(TOKEN|PASSWORD|PASSWD|SECRET|CREDENTIAL|PRIVATE|API_?KEY)/i;

/**
 * What is kept of an object, ready to be stored; undefined where nothing is. The
 * rule is one sentence: what a verdict reads, and nothing else. In particular
 * nothing of a Secret but its metadata, even if an API server sends more.
 */
export function trim(
  kind: WatchedKind,
  version: string,
  object: Json,
): ObjectRecord | undefined {
  const key = keyOf(kind, object);
  if (!key) return undefined;
  const fields = fieldsOf(kind, object);
  if (fields === undefined) return undefined;
  const body = JSON.stringify({
    apiVersion: kind.group ? `${kind.group}/${version}` : version,
    kind: kind.kind,
    metadata: trimMetadata(object.metadata, kind),
    ...fields,
  });
  return {
    ...key,
    hash: hash('sha1', body, 'base64url'),
    body,
  };
}

/** The longest name that Kubernetes takes; indexes of PostgreSQL take little more. */
const LONGEST_NAME = 253;

/**
 * The key of an object; undefined where its name is none that an API server gives
 * out. One such object must not stand in the way of all others: databases refuse
 * what is too long or holds NUL, and separators would change what a key means.
 */
export function keyOf(kind: WatchedKind, object: Json): ObjectKey | undefined {
  const { name, namespace = '' } = object?.metadata ?? {};
  if (!isName(name)) return undefined;
  if (!kind.namespaced) return { kind: kind.id, namespace: '', name };
  return isName(namespace) ? { kind: kind.id, namespace, name } : undefined;
}

function isName(name: unknown): name is string {
  return (
    typeof name === 'string' &&
    name.length > 0 &&
    name.length <= LONGEST_NAME &&
    // eslint-disable-next-line no-control-regex
    !/[/|*?%\u0000-\u001f]/.test(name)
  );
}

function fieldsOf(
  kind: WatchedKind,
  object: Json,
): Record<string, Json> | undefined {
  if (kind.metadataOnly) return {};
  switch (kind.id) {
    case 'Secret':
    case 'ServiceAccount':
      return {};
    case 'Namespace':
      return pick(object, { status: ['phase'] });
    case 'Node':
      return trimNode(object);
    case 'ConfigMap':
      return trimConfigMap(object);
    case 'Pod':
      return trimPod(object);
    case 'Deployment.apps':
    case 'StatefulSet.apps':
    case 'DaemonSet.apps':
      return trimWorkload(object);
    case 'EndpointSlice.discovery.k8s.io':
      return trimEndpointSlice(object);
    case 'CustomResourceDefinition.apiextensions.k8s.io':
      return trimDefinition(object);
    case 'MutatingWebhookConfiguration.admissionregistration.k8s.io':
      return trimWebhooks(object);
    default:
      // Policies, routes and the like are read whole.
      return withoutEnvelope(object);
  }
}

function trimMetadata(metadata: Json, kind: WatchedKind): Json {
  const annotations = { ...metadata.annotations };
  for (const key of Object.keys(annotations)) {
    const isKept =
      !appliedManifests.test(key) &&
      kind.id !== 'Node' &&
      (kind.id !== 'Secret' || secretAnnotations.test(key));
    if (!isKept) delete annotations[key];
  }
  if (kind.id === 'Pod') keepPodAnnotations(annotations);
  return compact({
    name: metadata.name,
    namespace: metadata.namespace,
    uid: metadata.uid,
    labels: metadata.labels,
    annotations: Object.keys(annotations).length > 0 ? annotations : undefined,
    creationTimestamp: metadata.creationTimestamp,
    deletionTimestamp: metadata.deletionTimestamp,
    // Pods and slices count up with every change of what is dropped here.
    generation: kind.id === 'Pod' ? undefined : metadata.generation,
    ownerReferences: Array.isArray(metadata.ownerReferences)
      ? metadata.ownerReferences.map((owner: Json) =>
          compact({
            apiVersion: owner?.apiVersion,
            kind: owner?.kind,
            name: owner?.name,
            uid: owner?.uid,
            controller: owner?.controller,
          }),
        )
      : undefined,
  });
}

function keepPodAnnotations(annotations: Record<string, string>): void {
  for (const key of Object.keys(annotations)) {
    if (!podAnnotations.test(key)) delete annotations[key];
  }
}

function trimPod({ spec, status }: Json): Json {
  return compact({
    spec: trimPodSpec(spec),
    status: compact({
      phase: status?.phase,
      conditions: conditions(status?.conditions, [
        'Ready',
        'PodScheduled',
        'Initialized',
      ]),
      podIP: status?.podIP,
      podIPs: status?.podIPs,
      hostIP: status?.hostIP,
      startTime: status?.startTime,
    }),
  });
}

function trimPodSpec(spec: Json): Json {
  return compact({
    containers: list(spec?.containers, trimContainer),
    initContainers: list(spec?.initContainers, trimContainer),
    nodeName: spec?.nodeName,
    serviceAccountName: spec?.serviceAccountName,
    hostNetwork: spec?.hostNetwork,
    securityContext: pickFields(spec?.securityContext, [
      'runAsUser',
      'runAsNonRoot',
    ]),
  });
}

function trimContainer(container: Json): Json {
  const isMesh = meshContainers.has(container?.name);
  return compact({
    name: container?.name,
    image: container?.image,
    restartPolicy: container?.restartPolicy,
    ports: list(container?.ports, port =>
      pickFields(port, ['name', 'containerPort', 'protocol']),
    ),
    args: isMesh ? trimArguments(container?.args) : undefined,
    env: list(container?.env, variable =>
      trimVariable(container.name, variable),
    ),
    envFrom: isMesh ? container?.envFrom : undefined,
    resources: isMesh && container?.resources ? container.resources : undefined,
    securityContext: isMesh
      ? pickFields(container?.securityContext, ['runAsUser', 'privileged'])
      : undefined,
  });
}

/** Arguments without the values of those that are secret by their name, or by what they hold. */
function trimArguments(all: Json): Json[] | undefined {
  let isSecretNext = false;
  return list(all, argument => {
    const text = String(argument);
    const [flag] = text.split('=', 1);
    const isFlag = /^--?\w/.test(text);
    const isSecret =
      (isSecretNext && !isFlag) || (isFlag && secretName.test(flag));
    isSecretNext = isFlag && isSecret && !text.includes('=');
    if (isSecretNext) return text;
    if (isSecret) return isFlag ? `${flag}=` : '';
    return holdsSecret(text) ? `${isFlag ? flag : ''}=` : text;
  });
}

/** Passwords in URLs, tokens, and keys, under whatever name. */
function holdsSecret(value: string): boolean {
  return (
    /:\/\/[^/\s@]*:[^/\s@]+@/.test(value) ||
    /\beyJ[\w-]{10,}\.[\w-]{10,}\./.test(value) ||
    value.includes('PRIVATE KEY-----')
  );
}

function trimVariable(container: string, variable: Json): Json {
  const name = variable?.name;
  const isOpen =
    typeof name === 'string' &&
    !secretName.test(name) &&
    (container === 'istio-proxy' || container === 'linkerd-proxy'
      ? proxyVariables.test(name)
      : meshContainers.has(container));
  return isOpen &&
    typeof variable.value === 'string' &&
    !holdsSecret(variable.value)
    ? { name, value: variable.value }
    : compact({ name });
}

function trimWorkload({ spec, status }: Json): Json {
  const annotations = { ...spec?.template?.metadata?.annotations };
  keepPodAnnotations(annotations);
  return compact({
    spec: compact({
      replicas: spec?.replicas,
      selector: spec?.selector,
      serviceName: spec?.serviceName,
      strategy: spec?.strategy,
      updateStrategy: spec?.updateStrategy,
      template: compact({
        metadata: compact({
          labels: spec?.template?.metadata?.labels,
          annotations,
        }),
        spec: trimPodSpec(spec?.template?.spec),
      }),
    }),
    status: pickFields(status, [
      'observedGeneration',
      'replicas',
      'readyReplicas',
      'updatedReplicas',
      'availableReplicas',
      'desiredNumberScheduled',
      'numberReady',
      'updatedNumberScheduled',
    ]),
  });
}

function trimEndpointSlice(object: Json): Json {
  return compact({
    addressType: object.addressType,
    endpoints: list(object.endpoints, endpoint =>
      compact({
        addresses: endpoint?.addresses,
        conditions: endpoint?.conditions,
        hostname: endpoint?.hostname,
        nodeName: endpoint?.nodeName,
        zone: endpoint?.zone,
        targetRef: pickFields(endpoint?.targetRef, [
          'kind',
          'namespace',
          'name',
        ]),
      }),
    ),
    ports: object.ports,
  });
}

function trimNode({ spec, status }: Json): Json {
  return compact({
    spec: pickFields(spec, ['unschedulable', 'providerID']),
    status: compact({
      nodeInfo: pickFields(status?.nodeInfo, [
        'kernelVersion',
        'osImage',
        'operatingSystem',
        'architecture',
        'containerRuntimeVersion',
        'kubeletVersion',
        'kubeProxyVersion',
      ]),
      conditions: conditions(status?.conditions, ['Ready']),
      addresses: list(status?.addresses, address =>
        pickFields(address, ['type']),
      ),
    }),
  });
}

function trimConfigMap(object: Json): Json | undefined {
  const name: string = object.metadata.name;
  const isRead =
    configMapNames.some(pattern => pattern.test(name)) &&
    !electionNames.test(name);
  if (!isRead) return undefined;
  const data: Record<string, Json> = {};
  for (const [key, value] of Object.entries<Json>(object.data ?? {})) {
    // Somebody may have put a key where only certificates belong.
    const isKey =
      /(^|[-_.])key(\.pem)?$/i.test(key) ||
      (typeof value === 'string' && value.includes('PRIVATE KEY-----'));
    if (!isKey) data[key] = value;
  }
  return { data };
}

function trimDefinition({ spec, status }: Json): Json {
  return compact({
    spec: compact({
      group: spec?.group,
      scope: spec?.scope,
      names: pickFields(spec?.names, ['kind', 'plural', 'singular']),
      versions: list(spec?.versions, version =>
        pickFields(version, [
          'name',
          'served',
          'storage',
          'deprecated',
          'deprecationWarning',
        ]),
      ),
      conversion: pickFields(spec?.conversion, ['strategy']),
    }),
    status: compact({
      storedVersions: status?.storedVersions,
      conditions: conditions(status?.conditions, [
        'Established',
        'NamesAccepted',
        'NonStructuralSchema',
      ]),
    }),
  });
}

function trimWebhooks(object: Json): Json {
  return compact({
    webhooks: list(object.webhooks, webhook => {
      const { clientConfig, ...rest } = webhook ?? {};
      return compact({
        ...rest,
        clientConfig: pickFields(clientConfig, ['service', 'url']),
      });
    }),
  });
}

function withoutEnvelope(object: Json): Json {
  const { apiVersion, kind, metadata, ...rest } = object;
  return rest;
}

/** Conditions change their heartbeat all the time; what is read is type, status and why. */
function conditions(all: Json, types: string[]): Json {
  return list(all, condition =>
    types.includes(condition?.type)
      ? pickFields(condition, [
          'type',
          'status',
          'reason',
          'lastTransitionTime',
        ])
      : undefined,
  )?.filter((condition: Json) => condition !== undefined);
}

function list(values: Json, map: (value: Json) => Json): Json[] | undefined {
  return Array.isArray(values) ? values.map(map) : undefined;
}

function pick(object: Json, fields: Record<string, string[]>): Json {
  const picked: Record<string, Json> = {};
  for (const field of Object.keys(fields)) {
    picked[field] = pickFields(object[field], fields[field]);
  }
  return compact(picked);
}

function pickFields(object: Json, names: readonly string[]): Json {
  if (typeof object !== 'object' || object === null) return undefined;
  const picked: Record<string, Json> = {};
  for (const name of names) {
    const value = object[name];
    if (isThere(value)) picked[name] = value;
  }
  return picked;
}

/** Without what is undefined or an empty object, so that absent looks the same however it was written. */
function compact(object: Record<string, Json>): Json {
  const kept: Record<string, Json> = {};
  for (const key of Object.keys(object)) {
    const value = object[key];
    if (isThere(value)) kept[key] = value;
  }
  return kept;
}

function isThere(value: Json): boolean {
  if (value === undefined || value === null) return false;
  if (typeof value !== 'object' || Array.isArray(value)) return true;
  // Not `Object.keys`, which would make a list for every object of a fleet.
  for (const key in value) {
    if (Object.hasOwn(value, key)) return true;
  }
  return false;
}
