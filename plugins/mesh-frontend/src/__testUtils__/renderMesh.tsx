import { coreApis } from '@backstage/frontend-plugin-api';
import { renderTestApp } from '@backstage/frontend-test-utils';
import { entityRouteRef } from '@backstage/plugin-catalog-react';
import { signalApiRef } from '@backstage/plugin-signals-react';
import type { MeshSignal } from '@mesh-for-backstage/plugin-mesh-common';
import { act } from '@testing-library/react';
import { MeshApi, meshApiRef } from '../api';
import { meshPlugin } from '../plugin';

/** A source of signals that a test can fire. */
export function mockSignals() {
  const listeners = new Set<(message: any) => void>();
  return {
    api: {
      subscribe(_channel: string, listener: (message: any) => void) {
        listeners.add(listener);
        return { unsubscribe: () => void listeners.delete(listener) };
      },
    },
    send: (topic: MeshSignal['topic']) =>
      act(() => listeners.forEach(listener => listener({ topic }))),
  };
}

/** Opens an address of a portal that has the plugin, and answers with `api`. */
export function renderMesh(
  path: string,
  options: { api: MeshApi; signals?: ReturnType<typeof mockSignals> },
) {
  const { api, signals } = options;
  const { apis } = renderTestApp({
    features: [meshPlugin],
    initialRouteEntries: [path],
    mountedRoutes: { '/catalog/:namespace/:kind/:name': entityRouteRef },
    apis: [
      [meshApiRef, api] as const,
      ...(signals ? [[signalApiRef, signals.api] as const] : []),
    ],
  });
  const history = apis.get(coreApis.appHistory)!;
  return {
    /** The address that the portal stands at. */
    address: () => {
      const { pathname, search } = history.getSnapshot().location;
      return `${pathname}${search}`;
    },
    back: () => act(() => history.navigate(-1)),
  };
}
