import { Finding } from '../rules/Finding';
import { MergeInput } from './mergeService';
import { ClusterMesh } from './mesh';
import { ServiceInstance, ServiceView, Workload } from './types';

export function mergeFindings(
  _view: Omit<ServiceView, 'findings'>,
  _members: Array<{
    instance: ServiceInstance;
    workloads: Workload[];
    mesh: ClusterMesh | undefined;
  }>,
  _input: MergeInput,
): Finding[] {
  return [];
}
