import {
  annotationsOf,
  controllerOf,
  labelsOf,
  mapsOf,
  textOf,
} from '../inventory/fields';
import { FleetObject } from '../inventory/FleetObject';
import { ServiceInstance } from './types';

/**
 * What a Service is when a controller wrote it, or when it stands before a proxy.
 * These are recognised first: whoever counts them as services of their own counts
 * everything twice.
 */
export function artefactOf(
  service: FleetObject,
): Pick<ServiceInstance, 'role' | 'mirrorOf'> | undefined {
  return (
    linkerdArtefact(service) ??
    derivedArtefact(service) ??
    gatewayArtefact(service)
  );
}

function linkerdArtefact(service: FleetObject) {
  const labels = labelsOf(service);
  const annotations = annotationsOf(service);
  const { name, namespace = '' } = service.metadata;

  const federated = [
    ...(annotations['multicluster.linkerd.io/remote-discovery'] ?? '')
      .split(',')
      .map(item => item.trim().split('@')[0]),
    annotations['multicluster.linkerd.io/local-discovery']?.split('@')[0],
  ].filter(item => item !== undefined && item !== '');
  if (federated.length > 0) {
    return {
      role: 'mirror' as const,
      mirrorOf: { cluster: service.cluster, namespace, name: federated[0]! },
    };
  }
  const discovery = textOf(labels['multicluster.linkerd.io/remote-discovery']);
  if (discovery) {
    return {
      role: 'mirror' as const,
      mirrorOf: {
        cluster: discovery,
        namespace,
        name: textOf(labels['multicluster.linkerd.io/remote-service']) ?? name,
      },
    };
  }
  if (labels['mirror.linkerd.io/mirrored-service'] === 'true') {
    const cluster = textOf(labels['mirror.linkerd.io/cluster-name']) ?? '';
    const [remoteName, remoteNamespace] = (
      annotations['mirror.linkerd.io/remote-svc-fq-name'] ?? ''
    ).split('.');
    const suffix = `-${cluster}`;
    return {
      role: 'mirror' as const,
      mirrorOf: {
        cluster,
        namespace: textOf(remoteNamespace) ?? namespace,
        name:
          textOf(remoteName) ??
          (cluster && name.endsWith(suffix)
            ? name.slice(0, -suffix.length)
            : name),
      },
    };
  }
  return undefined;
}

/** Virtual addresses behind a ServiceImport, and Services that an XBackend brings along. */
function derivedArtefact(service: FleetObject) {
  const { name, namespace = '' } = service.metadata;
  const owner = controllerOf(service);
  const owned =
    owner?.kind === 'ServiceImport' ||
    (owner?.kind === 'XBackend' &&
      owner.apiVersion?.startsWith('gateway.networking.x-k8s.io/'));
  if (owned) {
    return {
      role: 'derived' as const,
      mirrorOf: { cluster: service.cluster, namespace, name: owner!.name },
    };
  }
  const importName = textOf(
    labelsOf(service)['multicluster.kubernetes.io/service-name'],
  );
  if (/^derived-[0-9a-z]{6,}$/.test(name) && importName) {
    return {
      role: 'derived' as const,
      mirrorOf: { cluster: service.cluster, namespace, name: importName },
    };
  }
  return /^(derived-[0-9a-z]{8,}|gke-mcs-.+)$/.test(name)
    ? { role: 'derived' as const }
    : undefined;
}

function gatewayArtefact(service: FleetObject) {
  const labels = labelsOf(service);
  return labels['gateway.networking.k8s.io/gateway-name'] !== undefined ||
    labels['gateway.istio.io/managed'] !== undefined ||
    labels['topology.istio.io/network'] !== undefined
    ? { role: 'gateway' as const }
    : undefined;
}

/**
 * The logical service that an instance belongs to: its own name, or for what a
 * controller wrote from another Service, that one's.
 *
 * @public
 */
export function logicalNameOf(
  instance: Pick<ServiceInstance, 'namespace' | 'name' | 'mirrorOf'>,
): { namespace: string; name: string } {
  const { namespace, name } = instance.mirrorOf ?? instance;
  return { namespace, name };
}

/** Derived Services by what their ServiceImports say, for names that tell nothing. */
export function derivedNames(
  imports: readonly FleetObject[],
): Map<string, string> {
  const names = new Map<string, string>();
  for (const one of imports) {
    const annotations = annotationsOf(one);
    const cilium = textOf(
      annotations['multicluster.kubernetes.io/derived-service'],
    );
    if (cilium) {
      names.set(cilium, one.metadata.name);
    }
    const aws = textOf(annotations['multicluster.k8s.aws/derived-service']);
    if (aws) {
      for (const name of awsNames(aws)) {
        names.set(name, one.metadata.name);
      }
    }
  }
  return names;
}

function awsNames(text: string): string[] {
  try {
    const parsed = JSON.parse(text);
    return typeof parsed === 'string'
      ? [parsed]
      : mapsOf(parsed)
          .map(item => textOf(item.derivedService) ?? textOf(item.name))
          .filter(name => name !== undefined);
  } catch {
    return [text];
  }
}
