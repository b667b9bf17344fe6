import { resolveSchema } from '../kinds/builtinKinds';
import { Kind, Schema } from '../kinds/Kind';
import { fieldSchema, itemSchema, schemaOfKind } from '../kinds/schemas';
import { isRecord, KubeObject } from './KubeObject';

/** Kinds whose `metadata.generation` counts changes of what is wanted. */
const WITH_GENERATION = new Set([
  'Deployment',
  'ReplicaSet',
  'StatefulSet',
  'DaemonSet',
  'Pod',
  'Job',
  'CronJob',
  'PodDisruptionBudget',
  'NetworkPolicy',
  'Ingress',
  'IngressClass',
  'ReplicationController',
  'EndpointSlice',
  'MutatingWebhookConfiguration',
  'ValidatingWebhookConfiguration',
  'ValidatingAdmissionPolicy',
  'ValidatingAdmissionPolicyBinding',
  'CustomResourceDefinition',
  'RuntimeClass',
]);

export function hasGeneration(kind: Kind): boolean {
  return kind.origin !== 'builtin' || WITH_GENERATION.has(kind.kind);
}

/** Built-in types do not keep maps and lists that are empty. */
function dropEmpty(holder: Record<string, any>, fields: string[]): void {
  for (const field of fields) {
    const value = holder[field];
    if (value === null || (value && Object.keys(value).length === 0)) {
      delete holder[field];
    }
  }
}

/** Fills in what the API server allots, and what therefore is nobody's to manage. */
export function setAllocations(kind: Kind, object: KubeObject): void {
  if (kind.group !== '') return;
  if (kind.kind === 'Namespace') {
    object.spec = { finalizers: ['kubernetes'], ...object.spec };
    object.status = { phase: 'Active', ...object.status };
  }
  if (kind.kind === 'Service' && object.spec.type !== 'ExternalName') {
    const { spec } = object;
    spec.ipFamilies ??= ['IPv4'];
    spec.ipFamilyPolicy ??= 'SingleStack';
    spec.clusterIP ??= addressOf(
      `${object.metadata.namespace}/${object.metadata.name}`,
    );
    spec.clusterIPs ??= [spec.clusterIP];
  }
}

/**
 * Defaults that the schema names. In schemas of built-in kinds `""`, `0` and `{}`
 * only say that a field is always written; those are left out.
 */
function fillFromSchema(
  value: any,
  schema: Schema | undefined,
  takesAll: boolean,
): void {
  if (Array.isArray(value)) {
    const items = itemSchema(schema);
    if (items) for (const item of value) fillFromSchema(item, items, takesAll);
    return;
  }
  if (!isRecord(value)) return;
  for (const [field, property] of Object.entries(
    resolveSchema(schema)?.properties ?? {},
  )) {
    const preset = property.default;
    if (value[field] !== undefined || preset === undefined) continue;
    const isNothing = !preset || isRecord(preset);
    if (takesAll || !isNothing) value[field] = structuredClone(preset);
  }
  for (const [field, child] of Object.entries(value)) {
    if (typeof child === 'object' && child !== null && field !== 'metadata') {
      fillFromSchema(child, fieldSchema(schema, field), takesAll);
    }
  }
}

const OWN_DEFAULTS: Record<string, (object: KubeObject) => void> = {
  Namespace(object) {
    object.metadata.labels = {
      ...object.metadata.labels,
      'kubernetes.io/metadata.name': object.metadata.name,
    };
  },
  Service(object) {
    const spec = (object.spec ??= {});
    spec.type ??= 'ClusterIP';
    spec.sessionAffinity ??= 'None';
    for (const port of spec.ports ?? []) port.targetPort ??= port.port;
    if (spec.type !== 'ExternalName') {
      spec.internalTrafficPolicy ??= 'Cluster';
      if (spec.type === 'LoadBalancer' || spec.type === 'NodePort') {
        spec.externalTrafficPolicy ??= 'Cluster';
      }
    }
    object.status ??= { loadBalancer: {} };
  },
  Pod(object) {
    podDefaults((object.spec ??= {}));
    object.status ??= { phase: 'Pending', qosClass: 'BestEffort' };
  },
  Deployment(object) {
    const spec = (object.spec ??= {});
    spec.replicas ??= 1;
    spec.strategy ??= {
      type: 'RollingUpdate',
      rollingUpdate: { maxUnavailable: '25%', maxSurge: '25%' },
    };
    spec.revisionHistoryLimit ??= 10;
    spec.progressDeadlineSeconds ??= 600;
    podDefaults(spec.template?.spec);
    object.status ??= {};
  },
  StatefulSet(object) {
    const spec = (object.spec ??= {});
    spec.replicas ??= 1;
    spec.podManagementPolicy ??= 'OrderedReady';
    spec.updateStrategy ??= {
      type: 'RollingUpdate',
      rollingUpdate: { partition: 0 },
    };
    spec.persistentVolumeClaimRetentionPolicy ??= {
      whenDeleted: 'Retain',
      whenScaled: 'Retain',
    };
    spec.revisionHistoryLimit ??= 10;
    podDefaults(spec.template?.spec);
    object.status ??= { replicas: 0, availableReplicas: 0 };
  },
  DaemonSet(object) {
    const spec = (object.spec ??= {});
    spec.updateStrategy ??= {
      type: 'RollingUpdate',
      rollingUpdate: { maxUnavailable: 1, maxSurge: 0 },
    };
    spec.revisionHistoryLimit ??= 10;
    podDefaults(spec.template?.spec);
    object.status ??= {
      currentNumberScheduled: 0,
      numberMisscheduled: 0,
      desiredNumberScheduled: 0,
      numberReady: 0,
    };
  },
  Secret(object) {
    object.type ??= 'Opaque';
    for (const [key, value] of Object.entries(object.stringData ?? {})) {
      object.data = {
        ...object.data,
        [key]: Buffer.from(String(value)).toString('base64'),
      };
    }
    delete object.stringData;
  },
  CustomResourceDefinition(object) {
    const { spec } = object;
    spec.names.singular ??= spec.names.kind?.toLowerCase();
    spec.names.listKind ??= `${spec.names.kind}List`;
    spec.conversion ??= { strategy: 'None' };
    const at = object.metadata.creationTimestamp;
    object.status = {
      conditions: [
        {
          type: 'NamesAccepted',
          status: 'True',
          lastTransitionTime: at,
          reason: 'NoConflicts',
          message: 'no conflicts found',
        },
        {
          type: 'Established',
          status: 'True',
          lastTransitionTime: at,
          reason: 'InitialNamesAccepted',
          message: 'the initial names have been accepted',
        },
      ],
      acceptedNames: spec.names,
      storedVersions: spec.versions
        .filter((version: any) => version.storage)
        .map((version: any) => version.name),
      ...(object.status?.storedVersions?.length && {
        storedVersions: object.status.storedVersions,
      }),
    };
  },
};

/** Fills in what the API server fills in and clients rely on. The object is changed in place. */
export function setDefaults(kind: Kind, object: KubeObject): void {
  dropEmpty(object.metadata, [
    'labels',
    'annotations',
    'finalizers',
    'ownerReferences',
  ]);
  if (kind.origin === 'implicit') return;
  if (kind.origin === 'builtin') {
    dropEmpty(object, ['data', 'stringData', 'binaryData']);
  }
  fillFromSchema(object, schemaOfKind(kind), kind.origin === 'crd');
  if (kind.origin === 'builtin') OWN_DEFAULTS[kind.kind]?.(object);
}

function probeDefaults(probe: Record<string, any>): void {
  probe.timeoutSeconds ??= 1;
  probe.periodSeconds ??= 10;
  probe.successThreshold ??= 1;
  probe.failureThreshold ??= 3;
  if (isRecord(probe.httpGet)) probe.httpGet.scheme ??= 'HTTP';
}

function podDefaults(spec: any): void {
  if (!isRecord(spec)) return;
  spec.restartPolicy ??= 'Always';
  spec.terminationGracePeriodSeconds ??= 30;
  spec.dnsPolicy ??= 'ClusterFirst';
  spec.securityContext ??= {};
  spec.schedulerName ??= 'default-scheduler';
  for (const volume of spec.volumes ?? []) {
    if (!isRecord(volume)) continue;
    for (const source of [volume.configMap, volume.secret, volume.projected]) {
      if (isRecord(source)) source.defaultMode ??= 0o644;
    }
  }
  for (const container of [
    ...(spec.containers ?? []),
    ...(spec.initContainers ?? []),
  ]) {
    if (!isRecord(container)) continue;
    container.resources ??= {};
    for (const probe of [
      container.livenessProbe,
      container.readinessProbe,
      container.startupProbe,
    ]) {
      if (isRecord(probe)) probeDefaults(probe);
    }
    container.terminationMessagePath ??= '/dev/termination-log';
    container.terminationMessagePolicy ??= 'File';
    container.imagePullPolicy ??= /:[^:/]+$/.test(String(container.image))
      ? 'IfNotPresent'
      : 'Always';
  }
}

/** A cluster address that depends on nothing but the name, so that it is the same every time. */
function addressOf(name: string): string {
  let hash = 2166136261;
  for (let i = 0; i < name.length; i++) {
    // FNV-1a
    // eslint-disable-next-line no-bitwise
    hash = Math.imul(hash ^ name.charCodeAt(i), 16777619) >>> 0;
  }
  return `10.${96 + (hash % 16)}.${Math.floor(hash / 16) % 256}.${
    1 + (Math.floor(hash / 4096) % 254)
  }`;
}
