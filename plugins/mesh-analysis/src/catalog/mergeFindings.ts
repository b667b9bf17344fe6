import { isUnknown } from '../inventory/Fact';
import { createFinding, FindingDetails } from '../rules/createFinding';
import { Evidence, Finding } from '../rules/Finding';
import { RuleId } from '../rules/rules';
import { ClusterLinks } from './clusterLinks';
import { ClusterMesh } from './mesh';
import type { MergeInput } from './mergeService';
import { networkOf, networkPathProblem } from './networks';
import { isCiliumGlobal } from './serviceLinks';
import {
  ServiceInstance,
  ServiceLinks,
  ServicePort,
  ServiceView,
  Workload,
} from './types';

interface Member {
  instance: ServiceInstance;
  workloads: Workload[];
  mesh: ClusterMesh | undefined;
}

type Report = (
  rule: RuleId,
  details: Pick<FindingDetails, 'message' | 'fix' | 'evidence' | 'severity'> & {
    clusters?: string[];
  },
) => void;

/** What is wrong between the clusters of one service. */
export function mergeFindings(
  view: Omit<ServiceView, 'findings'>,
  members: Member[],
  links: readonly ServiceLinks[],
  input: MergeInput,
): Finding[] {
  const findings: Finding[] = [];
  const report: Report = (rule, details) =>
    findings.push(
      createFinding(rule, {
        kind: 'Service',
        namespace: view.namespace,
        name: view.name,
        ...details,
        clusters: details.clusters ?? members.map(one => one.instance.cluster),
      }),
    );

  const compared = comparable(members, links);
  if (compared.length > 1) {
    ports(compared, report);
    types(compared, report);
    owners(compared, input.ownerLabels ?? ['backstage.io/owner'], report);
  }
  networks(members, links, ClusterLinks.of(input.meshes), report);
  oneSided(members, links, report);
  absentMembers(view, members, input, report);
  return findings;
}

/**
 * Members whose definitions Istio puts together: of those that no link reaches or
 * leaves, and of what controllers wrote, nothing has to agree.
 */
function comparable(
  members: Member[],
  links: readonly ServiceLinks[],
): Member[] {
  const joined = new Set(
    links
      .filter(
        ({ mechanism, state }) =>
          mechanism.startsWith('istio') &&
          (state === 'active' || state === 'unknown'),
      )
      .flatMap(({ from, to }) => [...from, ...to]),
  );
  return members.filter(
    ({ instance }) =>
      joined.has(instance.cluster) &&
      (instance.role === 'backend' || instance.role === 'stub'),
  );
}

function evidence(
  { cluster, namespace, name }: ServiceInstance,
  field: string,
  value: string,
): Evidence {
  return { cluster, kind: 'Service', namespace, name, field, value };
}

/** `a in east, west; b in north`: who says what. */
function whoSays(
  members: Member[],
  value: (instance: ServiceInstance) => string,
) {
  const byValue = new Map<string, string[]>();
  for (const { instance } of members) {
    const key = value(instance);
    const clusters = byValue.get(key);
    if (clusters) {
      clusters.push(instance.cluster);
    } else {
      byValue.set(key, [instance.cluster]);
    }
  }
  return {
    values: [...byValue.keys()],
    text: [...byValue]
      .map(([key, clusters]) => `${key} in ${clusters.join(', ')}`)
      .join('; '),
  };
}

const nameOf = (port: ServicePort) => port.name ?? '(unnamed)';

function ports(members: Member[], report: Report): void {
  const numbers = new Set(
    members.flatMap(({ instance }) => instance.ports.map(port => port.port)),
  );
  const renamed = new Set<string>();
  for (const number of numbers) {
    const withIt = members.filter(({ instance }) =>
      instance.ports.some(port => port.port === number),
    );
    const namesAt = (instance: ServiceInstance) =>
      instance.ports
        .filter(port => port.port === number)
        .map(nameOf)
        .sort()
        .join(' and ');
    const { values, text } = whoSays(withIt, namesAt);
    if (values.length > 1) {
      withIt.forEach(({ instance }) =>
        instance.ports
          .filter(port => port.port === number)
          .forEach(port => renamed.add(nameOf(port))),
      );
      report('PortNameMismatch', {
        clusters: withIt.map(one => one.instance.cluster),
        message: `Port ${number} has different names: ${text}. Endpoints belong to a port by its name, so those of the clusters that name it otherwise get no traffic.`,
        fix: `Name port ${number} alike in all clusters.`,
        evidence: withIt.map(({ instance }) =>
          evidence(
            instance,
            `spec.ports[port=${number}].name`,
            namesAt(instance),
          ),
        ),
      });
    }
  }

  const names = (instance: ServiceInstance) =>
    [
      ...new Set(instance.ports.map(nameOf).filter(name => !renamed.has(name))),
    ].sort();
  // ExternalName Services need no ports; their type is reported instead.
  const withPorts = members.filter(
    ({ instance }) => instance.type !== 'ExternalName',
  );
  const sets = whoSays(
    withPorts,
    instance => names(instance).join(', ') || 'none',
  );
  if (sets.values.length > 1) {
    report('PortSetDiffers', {
      message: `The ports differ: ${sets.text}. Proxies use the ports of one cluster for all of them, and the others' do not exist for callers.`,
      fix: 'Give the Service the same ports in all clusters.',
      evidence: withPorts.map(({ instance }) =>
        evidence(instance, 'spec.ports[*].name', names(instance).join(', ')),
      ),
    });
  }

  for (const name of new Set(
    members.flatMap(one => one.instance.ports.map(nameOf)),
  )) {
    if (renamed.has(name)) {
      continue;
    }
    const withIt = members.filter(({ instance }) =>
      instance.ports.some(port => nameOf(port) === name),
    );
    const portIn = (instance: ServiceInstance) =>
      instance.ports.find(port => nameOf(port) === name)!;
    const comparePort = (
      rule: RuleId,
      value: (port: ServicePort) => string,
      words: { message: (text: string) => string; fix: string; field: string },
    ) => {
      const { values, text } = whoSays(withIt, instance =>
        value(portIn(instance)),
      );
      if (values.length > 1) {
        report(rule, {
          clusters: withIt.map(one => one.instance.cluster),
          message: words.message(text),
          fix: words.fix,
          evidence: withIt.map(({ instance }) =>
            evidence(
              instance,
              `spec.ports[name=${name}].${words.field}`,
              value(portIn(instance)),
            ),
          ),
        });
      }
    };
    comparePort('PortProtocolDiffers', port => port.protocol, {
      message: text =>
        `Port ${name} has different protocols: ${text}. The protocol of one cluster is used for all of them.`,
      fix: `Give port ${name} the same protocol in all clusters.`,
      field: 'protocol',
    });
    comparePort('PortNumberDiffers', port => String(port.port), {
      message: text =>
        `Port ${name} has different numbers: ${text}. Endpoints are found by name, but callers have to use the number of the cluster whose Service comes first.`,
      fix: `Give port ${name} the same number in all clusters.`,
      field: 'port',
    });
    comparePort(
      'TargetPortDiffers',
      port => String(port.targetPort ?? port.port),
      {
        message: text =>
          `Port ${name} has different target ports: ${text}. That is allowed; each cluster's endpoints use their own.`,
        fix: 'Nothing, where it is meant.',
        field: 'targetPort',
      },
    );
  }
}

function types(members: Member[], report: Report): void {
  const internal = members.filter(
    ({ instance }) => instance.type !== 'ExternalName',
  );
  const headless = internal.filter(
    ({ instance }) => instance.type === 'Headless',
  );
  if (headless.length > 0 && headless.length < internal.length) {
    // Between Services that have nothing behind them no traffic is lost yet.
    const carriers = internal.filter(
      ({ instance }) =>
        instance.role === 'backend' &&
        (instance.workloads.length > 0 || !isUnknown(instance.endpoints)),
    );
    const harmful =
      new Set(carriers.map(({ instance }) => instance.type === 'Headless'))
        .size > 1;
    report('HeadlessMixed', {
      ...(!harmful && { severity: 'warning' as const }),
      message: `The Service is headless in ${headless
        .map(one => one.instance.cluster)
        .join(
          ', ',
        )} and has a cluster IP elsewhere. Which of the two holds depends on the order in which the control plane saw the clusters: calls go to random endpoints, or nowhere.`,
      fix: 'Use clusterIP: None in all clusters, or in none.',
      evidence: internal.map(({ instance }) =>
        evidence(
          instance,
          'spec.clusterIP',
          instance.type === 'Headless' ? 'None' : 'set',
        ),
      ),
    });
  }
  const typeOf = ({ type }: ServiceInstance) =>
    type === 'Headless' ? 'ClusterIP' : type;
  const { values, text } = whoSays(members, typeOf);
  if (values.length > 1) {
    report('TypeDiffers', {
      message: `The type differs: ${text}. The control plane uses one cluster's for all of them.`,
      fix: 'Use the same spec.type in all clusters.',
      evidence: members.map(({ instance }) =>
        evidence(instance, 'spec.type', typeOf(instance)),
      ),
    });
  }
}

function owners(members: Member[], keys: readonly string[], report: Report) {
  for (const key of keys) {
    const named = members.filter(
      ({ instance }) =>
        (instance.labels[key] ?? instance.annotations[key]) !== undefined,
    );
    const ownerIn = (instance: ServiceInstance) =>
      instance.labels[key] ?? instance.annotations[key];
    const { values, text } = whoSays(named, ownerIn);
    if (values.length > 1) {
      report('SelectorOwnerDiffers', {
        clusters: named.map(one => one.instance.cluster),
        message: `The clusters are linked, so these Services are one, and they name different owners: ${text}. They may share a name by accident, and get each other's traffic.`,
        fix: 'If they are two services, give one of them another name or namespace, or keep it in its cluster (serviceSettings: clusterLocal).',
        evidence: named.map(({ instance }) =>
          evidence(
            instance,
            `metadata.${
              instance.labels[key] === undefined ? 'annotations' : 'labels'
            }["${key}"]`,
            ownerIn(instance),
          ),
        ),
      });
      return;
    }
  }
}

/** Callers by the network of their cluster; those whose network is not known are left out. */
function byNetwork(callers: Member[]): Map<string, string[]> {
  const byName = new Map<string, string[]>();
  for (const { instance, mesh } of callers) {
    if (mesh && !isUnknown(mesh.network)) {
      const clusters = byName.get(mesh.network) ?? [];
      clusters.push(instance.cluster);
      byName.set(mesh.network, clusters);
    }
  }
  return byName;
}

function networks(
  members: Member[],
  links: readonly ServiceLinks[],
  clusters: ClusterLinks,
  report: Report,
): void {
  const byCluster = new Map(members.map(one => [one.instance.cluster, one]));
  const membersIn = (names: string[]) =>
    names.map(name => byCluster.get(name)).filter(one => one !== undefined);
  const problems = new Map<string, { from: string[]; problem: string }>();
  for (const { from, to, mechanism, state } of links) {
    if (!mechanism.startsWith('istio') || state !== 'active') {
      continue;
    }
    const callers = byNetwork(membersIn(from));
    for (const target of membersIn(to)) {
      const network = networkOf(target);
      if (target.instance.role !== 'backend' || network === undefined) {
        continue;
      }
      for (const [source, names] of callers) {
        const problem = networkPathProblem(source, network, clusters);
        if (problem) {
          const { cluster } = target.instance;
          const known = problems.get(cluster) ?? { from: [], problem };
          known.from.push(...names.filter(name => name !== cluster));
          problems.set(cluster, known);
        }
      }
    }
  }
  for (const [to, { from, problem }] of problems) {
    if (from.length === 0) {
      continue;
    }
    const target = byCluster.get(to)!.instance;
    report('NoEndpointPath', {
      clusters: [to, ...from],
      message: `Callers in ${from.join(
        ', ',
      )} know the endpoints in ${to} and cannot reach them: ${problem}.`,
      fix: 'Install an east-west gateway there, with the label topology.istio.io/network and port 15443 (or 15008 for ambient).',
      evidence: [
        evidence(target, 'spec.selector', 'endpoints in another network'),
      ],
    });
  }
}

function oneSided(
  members: Member[],
  links: readonly ServiceLinks[],
  report: Report,
): void {
  const broken = links.filter(
    ({ mechanism, state }) =>
      mechanism === 'cilium-global' && state === 'broken',
  );
  if (broken.length === 0) {
    return;
  }
  const clusters = new Set(broken.flatMap(({ from, to }) => [...from, ...to]));
  const concerned = members.filter(({ instance }) =>
    clusters.has(instance.cluster),
  );
  const [global, local] = [true, false].map(wanted =>
    concerned
      .filter(({ instance }) => isCiliumGlobal(instance) === wanted)
      .map(one => one.instance.cluster),
  );
  report('OneSidedGlobal', {
    clusters: [...clusters],
    message: `The service is global in ${global.join(
      ', ',
    )} and not in ${local.join(
      ', ',
    )}. It has to be in both, with its namespace; as it is, nothing is shared between them.`,
    fix: 'Annotate the Service with service.cilium.io/global: "true" in every cluster, and the namespace where clustermesh-default-global-namespace is false.',
    evidence: concerned.map(({ instance }) =>
      evidence(
        instance,
        'metadata.annotations["service.cilium.io/global"]',
        instance.annotations['service.cilium.io/global'] ?? 'absent',
      ),
    ),
  });
}

/** Clusters that read this service's clusters and do not know its name. */
function absentMembers(
  view: Omit<ServiceView, 'findings'>,
  members: Member[],
  input: MergeInput,
  report: Report,
): void {
  const own = new Set(members.map(one => one.instance.cluster));
  const backends = members.filter(
    ({ instance }) => instance.role === 'backend',
  );
  const isExported = backends.some(
    ({ instance }) => instance.reach?.exported === true,
  );
  const clusters = ClusterLinks.of(input.meshes);
  const offered = clusters.names.setOf(
    backends.map(({ instance }) => instance.cluster),
  );
  const readers = (input.namespaces ?? []).filter(
    ({ cluster }) =>
      !own.has(cluster) &&
      (clusters.reads('istio', cluster, offered) ||
        (isExported && clusters.reads('mcs', cluster, offered))),
  );
  const withoutNamespace = readers.filter(one => one.present === false);
  if (isExported && withoutNamespace.length > 0) {
    report('NamespaceMissing', {
      clusters: withoutNamespace.map(one => one.cluster),
      message: `The service is exported, and ${withoutNamespace
        .map(one => one.cluster)
        .join(', ')} has no namespace ${
        view.namespace
      }: nothing is imported there.`,
      fix: `kubectl create namespace ${view.namespace}, where callers need the service.`,
      evidence: withoutNamespace.map(({ cluster }) => ({
        cluster,
        kind: 'Namespace',
        name: view.namespace,
        value: 'absent',
      })),
    });
  }
  const deaf = readers.filter(
    ({ cluster, present, readers: hasReaders }) =>
      present === true &&
      hasReaders === true &&
      clusters.meshOf(cluster)?.revisions[0]?.dnsCapture === false &&
      clusters.meshOf(cluster)?.ambient.installed === false,
  );
  if (deaf.length > 0) {
    report('StubMissing', {
      clusters: deaf.map(one => one.cluster),
      message: `${deaf
        .map(one => one.cluster)
        .join(
          ', ',
        )} reads the endpoints of this service and has no Service of its name, and proxies there do not answer DNS: the name does not resolve for callers.`,
      fix: 'Create the Service there without a selector, or switch on DNS capture (proxyMetadata: ISTIO_META_DNS_CAPTURE: "true").',
      evidence: deaf.map(({ cluster }) => ({
        cluster,
        kind: 'Service',
        namespace: view.namespace,
        name: view.name,
        value: 'absent',
      })),
    });
  }
}
