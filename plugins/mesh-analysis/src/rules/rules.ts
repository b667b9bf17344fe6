import { Topic } from '../topics';
import { Actor, Severity } from './Finding';

/**
 * What is the same for all findings of a rule.
 *
 * @public
 */
export interface Rule {
  id: string;
  topic: Topic;
  severity: Severity;
  /** A few words, as they stand in a list. */
  title: string;
  /** Who usually has to act. */
  actor: Actor;
  /** Codes of other tools for the same thing. */
  equivalents?: string[];
}

const catalog = (
  severity: Severity,
  actor: Actor,
  title: string,
  equivalents?: string[],
) => ({ topic: 'catalog' as const, severity, actor, title, equivalents });

const register = {
  // Services across clusters
  PortNameMismatch: catalog(
    'error',
    'service-owner',
    'Same port number, different port name',
    ['IST0170'],
  ),
  PortSetDiffers: catalog(
    'warning',
    'service-owner',
    'Ports differ between clusters',
    ['IST0170'],
  ),
  PortProtocolDiffers: catalog(
    'warning',
    'service-owner',
    'A port has different protocols',
    ['IST0170'],
  ),
  PortNumberDiffers: catalog(
    'info',
    'service-owner',
    'A port has different numbers',
  ),
  TargetPortDiffers: catalog(
    'info',
    'service-owner',
    'Target ports differ between clusters',
  ),
  HeadlessMixed: catalog(
    'error',
    'service-owner',
    'Headless in some clusters only',
    ['IST0170'],
  ),
  TypeDiffers: catalog(
    'warning',
    'service-owner',
    'Service type differs between clusters',
    ['IST0170'],
  ),
  StubMissing: catalog(
    'warning',
    'service-owner',
    'Name does not resolve in a linked cluster',
  ),
  NamespaceMissing: catalog(
    'info',
    'platform',
    'Namespace is absent in a linked cluster',
  ),
  NoEndpointPath: catalog(
    'error',
    'platform',
    'No gateway between the networks',
  ),
  SelectorOwnerDiffers: catalog(
    'warning',
    'service-owner',
    'Different owners under one name',
  ),
  OneSidedGlobal: catalog(
    'warning',
    'service-owner',
    'Global in one cluster only',
  ),
  Unowned: catalog('info', 'service-owner', 'Nobody owns this service'),
  // Injection and enrolment
  RevLabelShadowed: catalog(
    'warning',
    'namespace-owner',
    'Revision label has no effect',
  ),
  RevisionNotInstalled: catalog(
    'error',
    'namespace-owner',
    'Revision is not installed',
  ),
  DoubleInjectionRisk: catalog(
    'error',
    'platform',
    'Two revisions would inject the same pod',
  ),
  NamespaceMultipleInjectionLabels: catalog(
    'warning',
    'namespace-owner',
    'Injection labels contradict each other',
    ['IST0123'],
  ),
  NamespaceNotInjected: catalog(
    'info',
    'namespace-owner',
    'Namespace does not say whether it is in the mesh',
    ['IST0102'],
  ),
  InjectionBlockedByNamespace: catalog(
    'warning',
    'namespace-owner',
    'Namespace label forbids the sidecar that pods ask for',
  ),
  InjectLabelInvalid: catalog(
    'warning',
    'service-owner',
    'Injection label has a value that means nothing',
  ),
  NeedsRestart: catalog(
    'warning',
    'service-owner',
    'Pods run without the sidecar they should have',
    ['IST0103'],
  ),
  RevisionOutdated: catalog(
    'info',
    'service-owner',
    'Pods run another revision than new ones would',
  ),
  SidecarNotExpected: catalog(
    'info',
    'service-owner',
    'Pods have a sidecar that new ones would not get',
  ),
  InjectedButNotDiscovered: catalog(
    'error',
    'platform',
    'Injected namespace outside discoverySelectors',
  ),
  SidecarAndAmbient: catalog(
    'warning',
    'service-owner',
    'Sidecar keeps pods out of ambient',
    ['KIA1311', 'KIA1314'],
  ),
  AmbientNotEnrolled: catalog(
    'warning',
    'platform',
    'Pods are not enrolled in ambient',
  ),
  AmbientBlocked: catalog(
    'info',
    'service-owner',
    'Pods cannot take part in ambient',
  ),
  AmbientStillEnrolled: catalog(
    'info',
    'platform',
    'Pods are in ambient though nothing asks for it',
  ),
  WaypointMissing: catalog('error', 'service-owner', 'Waypoint does not exist'),
  WaypointNotReady: catalog('error', 'platform', 'Waypoint is not ready'),
  WaypointDenied: catalog(
    'error',
    'service-owner',
    'Waypoint refuses this namespace',
  ),
  WaypointUnsupported: catalog(
    'warning',
    'service-owner',
    'Waypoint does not serve this kind of traffic',
  ),
  WaypointWithoutAmbient: catalog(
    'warning',
    'service-owner',
    'Waypoint label without ambient',
    ['KIA1312'],
  ),
  // Clusters and the links between them
  ControlPlaneNotReady: catalog(
    'error',
    'platform',
    'Control plane has no ready pod',
  ),
  MeshConfigUnreadable: catalog(
    'error',
    'platform',
    'Mesh configuration cannot be read',
  ),
  TagWithoutRevision: catalog(
    'error',
    'platform',
    'Tag points to a revision that is not installed',
  ),
  NetworkGatewayIgnored: catalog(
    'warning',
    'platform',
    'Network gateway is ignored',
  ),
  AsymmetricDiscovery: catalog(
    'warning',
    'platform',
    'Only one of two clusters reads the other',
  ),
  ClusterIdCollision: catalog(
    'error',
    'platform',
    'Two clusters have the same id',
  ),
  MeshIdDiffers: catalog(
    'warning',
    'platform',
    'Linked clusters have different mesh ids',
  ),
  LinkBroken: catalog(
    'error',
    'platform',
    'Link between clusters does not work',
  ),
  MirrorNotCreated: catalog(
    'warning',
    'service-owner',
    'Service is not mirrored',
  ),
  StaleBackends: catalog(
    'info',
    'platform',
    'Backends of an unreachable cluster stay',
  ),
  PeeringIncomplete: catalog(
    'warning',
    'platform',
    'Cluster peering is not complete',
  ),
  // The product itself
  ClusterUnreachable: catalog('error', 'platform', 'Cluster does not answer'),
  AnalysisFailed: catalog('error', 'platform', 'Analysis failed'),
} satisfies Record<string, Omit<Rule, 'id'>>;

/** Ids of all rules. A finding of any other cannot be written. @public */
export type RuleId = keyof typeof register;

/** Every rule, by id. @public */
export const rules: Readonly<Record<RuleId, Rule>> = Object.freeze(
  Object.fromEntries(
    Object.entries(register).map(([id, rule]) => [id, { id, ...rule }]),
  ) as Record<RuleId, Rule>,
);
