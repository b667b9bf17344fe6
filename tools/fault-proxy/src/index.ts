/**
 * A proxy in front of a simulated or real API server that does faults on demand.
 *
 * @packageDocumentation
 */
export type { Fault, FaultKind, FaultMatch } from './faults';
export type {
  FaultProxy,
  FaultProxyOptions,
  ProxiedRequest,
} from './FaultProxy';
export { startFaultProxy, unresolvableServer } from './FaultProxy';
