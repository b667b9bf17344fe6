import type { ClusterSummary } from '@mesh-for-backstage/plugin-mesh-common';
import { FactValue } from '../ui';

/** What runs in a cluster: Kubernetes, and each control plane with its revision. */
export const Versions = (props: { versions: ClusterSummary['versions'] }) => {
  const { kubernetes, istio = [] } = props.versions ?? {};
  return (
    <>
      <div>
        Kubernetes{' '}
        {kubernetes === undefined ? (
          'not known yet'
        ) : (
          <FactValue fact={kubernetes} />
        )}
      </div>
      {istio.map(({ revision, version }) => (
        <div key={revision}>
          Istio <FactValue fact={version} /> ({revision})
        </div>
      ))}
    </>
  );
};
