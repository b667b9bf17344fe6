import { EmptyState } from '../ui';

/** What a portal shows that watches no cluster yet. */
export const NoClusters = () => (
  <EmptyState title="No cluster is watched yet">
    <p>
      Clusters come from what the portal already knows: the{' '}
      <code>kubernetes.clusterLocatorMethods</code> of its configuration, the
      contexts of a kubeconfig file, or the cluster that the portal itself runs
      in. A service account that may get, list and watch is enough; nothing is
      ever written.
    </p>
    <p>
      As soon as one is configured and the backend has started again, it shows
      here, with what it holds and what could not be read.
    </p>
  </EmptyState>
);
