import {
  labelsOf,
  mapsOf,
  numberOf,
  stringOf,
  textOf,
} from '../inventory/fields';
import { Inventory } from '../inventory/Inventory';
import { NetworkGateway } from './mesh';

const mtlsPort = 15443;
const hbonePort = 15008;

/**
 * Gateways through which other networks reach this cluster's pods: Services with the
 * network's label that listen on 15443 (or another port by label) or for HBONE, and
 * Gateways of Gateway API with that label.
 */
export function readNetworkGateways(
  inventory: Inventory,
  cluster: string,
  namespaces: readonly string[],
): NetworkGateway[] {
  const found = read(inventory, cluster, namespaces);
  return found.length > 0 ? found : read(inventory, cluster, undefined);
}

function read(
  inventory: Inventory,
  cluster: string,
  namespaces: readonly string[] | undefined,
): NetworkGateway[] {
  const gateways: NetworkGateway[] = [];
  const scopes = namespaces?.map(namespace => ({ cluster, namespace })) ?? [
    { cluster },
  ];
  for (const scope of scopes) {
    for (const service of inventory.list('Service', scope)) {
      const labels = labelsOf(service);
      const network = textOf(labels['topology.istio.io/network']);
      if (!network) {
        continue;
      }
      const wanted = Number(labels['networking.istio.io/gatewayPort']);
      const port = Number.isInteger(wanted) && wanted > 0 ? wanted : mtlsPort;
      const ports = mapsOf(service.spec?.ports).map(one => numberOf(one.port));
      gateways.push({
        kind: 'Service',
        namespace: service.metadata.namespace ?? '',
        name: service.metadata.name,
        network,
        ...(ports.includes(port) && { mtlsPort: port }),
        ...(ports.includes(hbonePort) && { hbonePort }),
        ...(!ports.includes(port) &&
          !ports.includes(hbonePort) && {
            ignored: `it listens neither on ${port} nor on ${hbonePort}`,
          }),
      });
    }
    const kind = 'Gateway.gateway.networking.k8s.io';
    for (const gateway of inventory.list(kind, scope)) {
      const network = textOf(labelsOf(gateway)['topology.istio.io/network']);
      if (!network) {
        continue;
      }
      const listeners = mapsOf(gateway.spec?.listeners);
      const hbone = listeners.find(listener => listener.protocol === 'HBONE');
      const mtls = listeners.find(
        listener =>
          listener.protocol === 'TLS' &&
          stringOf(listener.tls?.mode) === 'Passthrough',
      );
      gateways.push({
        kind,
        namespace: gateway.metadata.namespace ?? '',
        name: gateway.metadata.name,
        network,
        ...(mtls && { mtlsPort: numberOf(mtls.port) ?? mtlsPort }),
        ...(hbone && { hbonePort: numberOf(hbone.port) ?? hbonePort }),
        ...(!mtls &&
          !hbone && {
            ignored: 'none of its listeners is HBONE or passes TLS through',
          }),
      });
    }
  }
  return gateways;
}
