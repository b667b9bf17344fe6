import {
  labelsOf,
  mapOf,
  mapsOf,
  stringsOf,
  textOf,
} from '../inventory/fields';
import { FleetObject } from '../inventory/FleetObject';

const serviceLabel = 'kubernetes.io/service-name';

/** EndpointSlices by the Service that they belong to. */
export function slicesByService(
  slices: readonly FleetObject[],
): Map<string, FleetObject[]> {
  const found = new Map<string, FleetObject[]>();
  for (const slice of slices) {
    const service = textOf(labelsOf(slice)[serviceLabel]);
    if (service) {
      const siblings = found.get(service);
      if (siblings) {
        siblings.push(slice);
      } else {
        found.set(service, [slice]);
      }
    }
  }
  return found;
}

/**
 * Endpoints of a Service: one for each address, in however many slices and for
 * however many ports it stands. A condition `ready` that is absent means ready, as
 * the API says.
 */
export function countEndpoints(slices: readonly FleetObject[]): {
  ready: number;
  total: number;
} {
  const addresses = new Map<string, boolean>();
  for (const slice of slices) {
    for (const endpoint of mapsOf(slice.endpoints)) {
      const ready = mapOf(endpoint.conditions).ready !== false;
      // A pod of two address families has a slice for each; it is one endpoint.
      const target = mapOf(endpoint.targetRef);
      const name = textOf(target.name);
      const keys = name
        ? [`${textOf(target.kind) ?? ''}/${name}`]
        : stringsOf(endpoint.addresses);
      for (const key of keys) {
        addresses.set(key, (addresses.get(key) ?? false) || ready);
      }
    }
  }
  return {
    ready: [...addresses.values()].filter(Boolean).length,
    total: addresses.size,
  };
}
