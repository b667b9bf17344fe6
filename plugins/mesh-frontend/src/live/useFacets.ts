import { useApi } from '@backstage/core-plugin-api';
import type { ServiceFacets } from '@mesh-for-backstage/plugin-mesh-common';
import { meshApiRef } from '../api';
import { useLive } from './useLive';

const none: ServiceFacets = {
  clusters: [],
  namespaces: [],
  owners: [],
  dataplanes: [],
  severities: [],
};

/** The values that can be filtered by. None until they are there: a page does not wait for its filters. */
export function useFacets(): ServiceFacets {
  const api = useApi(meshApiRef);
  return (
    useLive('facets', () => api.getServiceFacets(), ['services']).value ?? none
  );
}
