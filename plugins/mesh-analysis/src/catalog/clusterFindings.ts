import { isUnknown } from '../inventory/Fact';
import { createFinding } from '../rules/createFinding';
import { Finding } from '../rules/Finding';
import { ConfigProblem } from './istio';
import { ClusterMesh } from './mesh';
import { LinkerdReading } from './otherMeshes';

/** What is wrong with the mesh of one cluster, seen from that cluster alone. */
export function clusterFindings(
  mesh: ClusterMesh,
  problems: readonly ConfigProblem[],
  failures: LinkerdReading['failures'] = [],
): Finding[] {
  const { cluster } = mesh;
  const findings: Finding[] = [];

  for (const { object, field, problem } of problems) {
    const { namespace, name } = object.metadata;
    findings.push(
      createFinding('MeshConfigUnreadable', {
        kind: object.kind,
        clusters: [cluster],
        namespace,
        name,
        message: `${field} of ${object.kind} ${namespace}/${name} cannot be parsed (${problem}). What the control plane does with it is not known here.`,
        fix: 'Mend the syntax; istiod keeps the last configuration that it could read.',
        evidence: [
          {
            cluster,
            kind: object.kind,
            namespace,
            name,
            field,
            value: problem,
          },
        ],
      }),
    );
  }

  for (const { revision, namespace, controlPlane } of mesh.revisions) {
    if (
      controlPlane &&
      !isUnknown(controlPlane.pods) &&
      controlPlane.pods.ready === 0 &&
      controlPlane.pods.total > 0
    ) {
      findings.push(
        createFinding('ControlPlaneNotReady', {
          kind: 'Deployment.apps',
          clusters: [cluster],
          namespace,
          name: controlPlane.name,
          message: `No pod of the control plane of revision ${revision} is ready. Running proxies keep their last configuration; new pods get none, and creating injected pods fails.`,
          fix: `kubectl -n ${namespace} describe deployment ${controlPlane.name}`,
          evidence: [
            {
              cluster,
              kind: 'Deployment.apps',
              namespace,
              name: controlPlane.name,
              field: 'status.readyReplicas',
              value: '0',
            },
          ],
        }),
      );
    }
  }

  if (!isUnknown(mesh.injectors)) {
    const installed = new Set(mesh.revisions.map(one => one.revision));
    const reported = new Set<string>();
    for (const { configuration, tag, revision } of mesh.injectors) {
      if (tag && !installed.has(revision) && !reported.has(tag)) {
        reported.add(tag);
        findings.push(
          createFinding('TagWithoutRevision', {
            kind: 'MutatingWebhookConfiguration.admissionregistration.k8s.io',
            clusters: [cluster],
            name: configuration,
            message: `The tag ${tag} points to revision ${revision}, of which neither control plane nor configuration is found. Pods in namespaces with istio.io/rev=${tag} cannot be created, or start without a working sidecar.`,
            fix: `istioctl tag set ${tag} --revision <installed revision> --overwrite`,
            evidence: [
              {
                cluster,
                kind: 'MutatingWebhookConfiguration.admissionregistration.k8s.io',
                name: configuration,
                field: 'metadata.labels["istio.io/rev"]',
                value: revision,
              },
            ],
          }),
        );
      }
    }
  }

  for (const gateway of mesh.networkGateways) {
    if (gateway.ignored) {
      findings.push(
        createFinding('NetworkGatewayIgnored', {
          kind: gateway.kind,
          clusters: [cluster],
          namespace: gateway.namespace,
          name: gateway.name,
          message: `It is labelled as the gateway of network ${gateway.network}, but ${gateway.ignored}. The control plane does not use it: other networks get no way in through it.`,
          fix: 'Expose port 15443 (TLS passthrough) or 15008 (HBONE), or name another port with the label networking.istio.io/gatewayPort.',
          evidence: [
            {
              cluster,
              kind: gateway.kind,
              namespace: gateway.namespace,
              name: gateway.name,
              field:
                gateway.kind === 'Service' ? 'spec.ports' : 'spec.listeners',
            },
          ],
        }),
      );
    }
  }

  if (
    mesh.cilium &&
    mesh.cilium.clusterMesh === true &&
    /^0s?$/.test(mesh.cilium.cacheTtl)
  ) {
    findings.push(
      createFinding('StaleBackends', {
        kind: 'ConfigMap',
        clusters: [cluster],
        namespace: 'kube-system',
        name: 'cilium-config',
        message:
          'Backends of a cluster that cannot be reached stay in use without end (clustermesh-cache-ttl is 0). Traffic to global services keeps going there.',
        fix: 'Set clustermesh-cache-ttl (Helm: clustermesh.cacheTTL), for example to 5m.',
        evidence: [
          {
            cluster,
            kind: 'ConfigMap',
            namespace: 'kube-system',
            name: 'cilium-config',
            field: 'data.clustermesh-cache-ttl',
            value: mesh.cilium.cacheTtl,
          },
        ],
      }),
    );
  }

  for (const { mechanism, target, state, reason, by } of mesh.declaredLinks) {
    if (mechanism === 'linkerd' && state === 'broken') {
      findings.push(
        createFinding('LinkBroken', {
          ...by,
          clusters: [cluster],
          message: `The Link to ${target} mirrors no service (${reason}). Calls from ${cluster} to ${target} have nowhere to go.`,
          fix: `linkerd multicluster check, in ${cluster}.`,
          evidence: [{ cluster, ...by, field: 'status.mirrorServices' }],
        }),
      );
    }
  }
  for (const { target, link, service, reason, message } of failures) {
    findings.push(
      createFinding('MirrorNotCreated', {
        kind: 'Service',
        clusters: [cluster],
        ...service,
        message: `The service of ${target} is exported to ${cluster} and not mirrored there: ${
          reason === 'MissingNamespace'
            ? `${cluster} has no namespace ${service.namespace ?? ''}`
            : message ?? reason
        }. Its name does not resolve there.`,
        fix:
          reason === 'MissingNamespace'
            ? `kubectl create namespace ${service.namespace ?? '<namespace>'}`
            : `kubectl -n ${
                link.namespace ?? 'linkerd-multicluster'
              } describe links.multicluster.linkerd.io ${link.name}`,
        evidence: [
          {
            cluster,
            kind: 'Link.multicluster.linkerd.io',
            ...link,
            field: 'status.mirrorServices[].conditions[]',
            value: reason,
          },
        ],
      }),
    );
  }

  if (mesh.consul) {
    for (const { name, role, synced } of mesh.consul.peers) {
      if (synced === false) {
        findings.push(
          createFinding('PeeringIncomplete', {
            kind:
              role === 'acceptor'
                ? 'PeeringAcceptor.consul.hashicorp.com'
                : 'PeeringDialer.consul.hashicorp.com',
            clusters: [cluster],
            name,
            message: `The peering ${name} was not written to Consul (Synced is False). No service is shared over it.`,
            fix: `kubectl describe peering${role} ${name}; then dial, export the services (ExportedServices) and allow the callers (ServiceIntentions).`,
            evidence: [
              {
                cluster,
                kind:
                  role === 'acceptor'
                    ? 'PeeringAcceptor.consul.hashicorp.com'
                    : 'PeeringDialer.consul.hashicorp.com',
                name,
                field: 'status.conditions[Synced]',
                value: 'False',
              },
            ],
          }),
        );
      }
    }
  }
  return findings;
}
