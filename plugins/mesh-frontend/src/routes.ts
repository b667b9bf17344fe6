import {
  AnyRouteRefParams,
  RouteFunc,
  SubRouteRef,
  createRouteRef,
  createSubRouteRef,
  useRouteRef,
} from '@backstage/core-plugin-api';

// Refs of core-plugin-api work in both frontend systems, so that one set of
// pages can link to itself wherever it is mounted.

/** Where /mesh is. @public */
export const rootRouteRef = createRouteRef({ id: 'mesh' });

export const servicesRouteRef = createSubRouteRef({
  id: 'mesh.services',
  parent: rootRouteRef,
  path: '/services',
});

export const serviceRouteRef = createSubRouteRef({
  id: 'mesh.service',
  parent: rootRouteRef,
  path: '/services/:scope/:namespace/:name',
});

export const clustersRouteRef = createSubRouteRef({
  id: 'mesh.clusters',
  parent: rootRouteRef,
  path: '/clusters',
});

export const clusterRouteRef = createSubRouteRef({
  id: 'mesh.cluster',
  parent: rootRouteRef,
  path: '/clusters/:name',
});

export const findingsRouteRef = createSubRouteRef({
  id: 'mesh.findings',
  parent: rootRouteRef,
  path: '/findings',
});

/** Paths into /mesh. */
export interface MeshPaths {
  services(query?: Record<string, string>): string;
  service(key: { scope: string; namespace: string; name: string }): string;
  clusters(): string;
  cluster(name: string): string;
  findings(query?: Record<string, string>): string;
}

const withQuery = (path: string, query?: Record<string, string>) =>
  query ? `${path}?${new URLSearchParams(query)}` : path;

/**
 * Paths into /mesh, or `undefined` in an app that shows the entity tab and card
 * but has switched the page off: names are then text instead of links.
 */
export function useMeshPaths(): MeshPaths | undefined {
  const services = useOptionalRoute(servicesRouteRef);
  const service = useOptionalRoute(serviceRouteRef);
  const clusters = useOptionalRoute(clustersRouteRef);
  const cluster = useOptionalRoute(clusterRouteRef);
  const findings = useOptionalRoute(findingsRouteRef);
  if (!services || !service || !clusters || !cluster || !findings) {
    return undefined;
  }
  return {
    services: query => withQuery(services(), query),
    service: ({ scope, namespace, name }) =>
      service({ scope, namespace, name }),
    clusters: () => clusters(),
    cluster: name => cluster({ name }),
    findings: query => withQuery(findings(), query),
  };
}

// `useRouteRef` calls all of its hooks before it throws for an unmounted route,
// so the order of hooks stays the same whether it throws or not.
function useOptionalRoute<TParams extends AnyRouteRefParams>(
  ref: SubRouteRef<TParams>,
): RouteFunc<TParams> | undefined {
  try {
    return useRouteRef(ref);
  } catch {
    return undefined;
  }
}
