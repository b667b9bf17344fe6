import { Kind, TableColumn } from '../kinds/Kind';
import { joinApiVersion, KubeObject } from '../objects/KubeObject';
import { StoredObject } from '../store/StoredObject';

export type IncludeObject = 'None' | 'Metadata' | 'Object';

const DEFAULT_COLUMNS: TableColumn[] = [
  { name: 'Name', type: 'string', format: 'name', priority: 0 },
  { name: 'Age', type: 'string', format: '', priority: 0 },
];

export function tableColumns(kind: Kind) {
  return (kind.columns ?? DEFAULT_COLUMNS).map(
    ({ name, type, format, description, priority }) => ({
      name,
      type,
      format: format ?? '',
      description: description ?? '',
      priority: priority ?? 0,
    }),
  );
}

export function tableOf(kind: Kind, rows: string[], metadata: string): string {
  return `{"kind":"Table","apiVersion":"meta.k8s.io/v1","metadata":${metadata},"columnDefinitions":${JSON.stringify(
    tableColumns(kind),
  )},"rows":[${rows.join(',')}]}`;
}

export function tableRow(
  kind: Kind,
  stored: StoredObject,
  include: IncludeObject,
): string {
  const apiVersion = joinApiVersion(kind.group, kind.version);
  const object = stored.parse(apiVersion, kind.kind);
  const cells = (kind.columns ?? DEFAULT_COLUMNS).map(
    column => cell(kind, column, object) ?? '<none>',
  );
  const text = `{"cells":${JSON.stringify(cells)}`;
  if (include === 'None') return `${text}}`;
  return include === 'Object'
    ? `${text},"object":${stored.json(apiVersion, kind.kind)}}`
    : `${text},"object":{"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/v1","metadata":${stored.metadataJson()}}}`;
}

/** Cells by column, for the kinds that people look at most. Other cells read `<none>`. */
const CELLS: Record<string, (object: any) => Record<string, unknown>> = {
  Pod({ spec = {}, status = {}, metadata }) {
    const statuses = status.containerStatuses ?? [];
    return {
      Ready: `${statuses.filter((s: any) => s.ready).length}/${
        spec.containers?.length ?? 0
      }`,
      Status: metadata.deletionTimestamp
        ? 'Terminating'
        : status.reason ?? status.phase,
      Restarts: String(
        statuses.reduce(
          (sum: number, s: any) => sum + (s.restartCount ?? 0),
          0,
        ),
      ),
      IP: status.podIP,
      Node: spec.nodeName,
      'Nominated Node': status.nominatedNodeName,
    };
  },
  Service: ({ spec = {}, status }) => ({
    Type: spec.type,
    'Cluster-IP': spec.clusterIP,
    'External-IP':
      spec.type === 'LoadBalancer'
        ? status?.loadBalancer?.ingress
            ?.map((i: any) => i.ip ?? i.hostname)
            .join(',') ?? '<pending>'
        : spec.externalName,
    'Port(s)': spec.ports
      ?.map(
        (p: any) =>
          `${p.port}${p.nodePort ? `:${p.nodePort}` : ''}/${p.protocol}`,
      )
      .join(','),
    Selector: selectorText(spec.selector),
  }),
  Namespace: ({ status }) => ({ Status: status?.phase }),
  Node: ({ metadata, status = {} }) => ({
    Status: status.conditions?.some(
      (c: any) => c.type === 'Ready' && c.status === 'True',
    )
      ? 'Ready'
      : 'NotReady',
    Roles:
      Object.keys(metadata.labels ?? {})
        .filter(key => key.startsWith('node-role.kubernetes.io/'))
        .map(key => key.split('/')[1])
        .join(',') || undefined,
    Version: status.nodeInfo?.kubeletVersion,
    'Internal-IP': status.addresses?.find((a: any) => a.type === 'InternalIP')
      ?.address,
    'OS-Image': status.nodeInfo?.osImage,
    'Kernel-Version': status.nodeInfo?.kernelVersion,
    'Container-Runtime': status.nodeInfo?.containerRuntimeVersion,
  }),
  Deployment: ({ spec = {}, status = {} }) => ({
    Ready: `${status.readyReplicas ?? 0}/${spec.replicas ?? 0}`,
    'Up-to-date': status.updatedReplicas ?? 0,
    Available: status.availableReplicas ?? 0,
    ...templateCells(spec),
  }),
  StatefulSet: ({ spec = {}, status = {} }) => ({
    Ready: `${status.readyReplicas ?? 0}/${spec.replicas ?? 0}`,
    ...templateCells(spec),
  }),
  ReplicaSet: ({ spec = {}, status = {} }) => ({
    Desired: spec.replicas ?? 0,
    Current: status.replicas ?? 0,
    Ready: status.readyReplicas ?? 0,
    ...templateCells(spec),
  }),
  DaemonSet: ({ spec = {}, status = {} }) => ({
    Desired: status.desiredNumberScheduled ?? 0,
    Current: status.currentNumberScheduled ?? 0,
    Ready: status.numberReady ?? 0,
    'Up-to-date': status.updatedNumberScheduled ?? 0,
    Available: status.numberAvailable ?? 0,
    'Node Selector': selectorText(spec.template?.spec?.nodeSelector),
    ...templateCells(spec),
  }),
  ConfigMap: ({ data, binaryData }) => ({
    Data: Object.keys(data ?? {}).length + Object.keys(binaryData ?? {}).length,
  }),
  Secret: ({ type, data }) => ({
    Type: type,
    Data: Object.keys(data ?? {}).length,
  }),
  ServiceAccount: ({ secrets }) => ({ Secrets: secrets?.length ?? 0 }),
  EndpointSlice: ({ addressType, ports, endpoints }) => ({
    AddressType: addressType,
    Ports: ports?.map((p: any) => p.port).join(',') || '<unset>',
    Endpoints:
      endpoints?.flatMap((e: any) => e.addresses ?? []).join(',') || '<unset>',
  }),
  MutatingWebhookConfiguration: ({ webhooks }) => ({
    Webhooks: webhooks?.length ?? 0,
  }),
  ValidatingWebhookConfiguration: ({ webhooks }) => ({
    Webhooks: webhooks?.length ?? 0,
  }),
  NetworkPolicy: ({ spec }) => ({
    'Pod-Selector': selectorText(spec?.podSelector?.matchLabels),
  }),
  PodDisruptionBudget: ({ spec = {}, status = {} }) => ({
    'Min Available': spec.minAvailable ?? 'N/A',
    'Max Unavailable': spec.maxUnavailable ?? 'N/A',
    'Allowed Disruptions': status.disruptionsAllowed ?? 0,
  }),
};

function cell(kind: Kind, column: TableColumn, object: KubeObject): unknown {
  if (column.name === 'Name') return object.metadata.name;
  if (column.jsonPath) {
    const value = atPath(object, column.jsonPath);
    return column.type === 'date' && typeof value === 'string'
      ? age(value)
      : value ?? null;
  }
  if (column.name === 'Age') return age(object.metadata.creationTimestamp);
  if (column.name === 'Created At') return object.metadata.creationTimestamp;
  return CELLS[kind.kind]?.(object)[column.name];
}

function templateCells(spec: any): Record<string, unknown> {
  const containers: any[] = spec.template?.spec?.containers ?? [];
  return {
    Containers: containers.map(c => c.name).join(','),
    Images: containers.map(c => c.image).join(','),
    Selector: selectorText(spec.selector?.matchLabels),
  };
}

function selectorText(labels: Record<string, string> | undefined) {
  const text = Object.entries(labels ?? {})
    .map(([key, value]) => `${key}=${value}`)
    .join(',');
  return text || undefined;
}

/** The simple JSON paths of printer columns: `.status.conditions[?(@.type=="Ready")].status`. */
function atPath(object: unknown, path: string): unknown {
  const steps = path.match(/[^.[\]]+|\[[^\]]*\]/g) ?? [];
  let value: any = object;
  for (const step of steps) {
    if (value === undefined || value === null) return undefined;
    const filter = /^\[\?\(@\.([\w.]+)\s*==\s*["'](.*)["']\)\]$/.exec(step);
    if (filter) {
      value = Array.isArray(value)
        ? value.find(item => String(atPath(item, filter[1])) === filter[2])
        : undefined;
    } else if (step === '[*]') {
      value = Array.isArray(value) ? value[0] : undefined;
    } else if (step.startsWith('[')) {
      value = value[step.slice(1, -1).replace(/^["']|["']$/g, '')];
    } else value = value[step.replace(/\\/g, '')];
  }
  return typeof value === 'object' && value !== null
    ? JSON.stringify(value)
    : value;
}

/** A duration as kubectl writes it: `5s`, `3m20s`, `4h`, `12d`, `2y30d`. */
export function age(since: string | undefined, now = Date.now()): string {
  if (!since) return '<unknown>';
  const seconds = Math.floor((now - Date.parse(since)) / 1000);
  if (seconds < 0) return '0s';
  if (seconds < 120) return `${seconds}s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 10) return pair(minutes, 'm', seconds % 60, 's');
  if (minutes < 180) return `${minutes}m`;
  const hours = Math.floor(minutes / 60);
  if (hours < 8) return pair(hours, 'h', minutes % 60, 'm');
  if (hours < 48) return `${hours}h`;
  const days = Math.floor(hours / 24);
  if (hours < 192) return pair(days, 'd', hours % 24, 'h');
  if (days < 730) return `${days}d`;
  const years = Math.floor(days / 365);
  return years < 8 ? pair(years, 'y', days % 365, 'd') : `${years}y`;
}

function pair(big: number, bigUnit: string, small: number, smallUnit: string) {
  return small === 0
    ? `${big}${bigUnit}`
    : `${big}${bigUnit}${small}${smallUnit}`;
}
