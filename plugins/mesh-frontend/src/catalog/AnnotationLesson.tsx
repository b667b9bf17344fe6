import type { Entity } from '@backstage/catalog-model';
import {
  KUBERNETES_ID_ANNOTATION,
  KUBERNETES_LABEL_SELECTOR_ANNOTATION,
  MESH_SERVICES_ANNOTATION,
} from '@mesh-for-backstage/plugin-mesh-common';
import { CopyableCode, EmptyState } from '../ui';

/** Teaches how an entity says which services are its own. */
export const AnnotationLesson = (props: { entity: Entity; title: string }) => {
  const { entity, title } = props;
  const { name } = entity.metadata;
  return (
    <EmptyState title={title}>
      <p>
        A component says which Kubernetes Services are its own by one of three
        annotations in its <code>catalog-info.yaml</code>. The first two are
        those of the Kubernetes plugin; if it shows pods for this component,
        this page works too.
      </p>
      <CopyableCode
        label="the annotations"
        code={[
          'metadata:',
          '  annotations:',
          '    # Services with the label backstage.io/kubernetes-id of this value',
          `    ${KUBERNETES_ID_ANNOTATION}: ${name}`,
          '    # or: Services that a label selector takes',
          `    ${KUBERNETES_LABEL_SELECTOR_ANNOTATION}: app=${name}`,
          '    # or: Services by namespace and name, several separated by commas',
          `    ${MESH_SERVICES_ANNOTATION}: my-namespace/${name}`,
        ].join('\n')}
      />
    </EmptyState>
  );
};
