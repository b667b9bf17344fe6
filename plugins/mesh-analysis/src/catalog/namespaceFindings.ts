import { Fact } from '../inventory/Fact';
import { Finding } from '../rules/Finding';
import { ClusterMesh } from './mesh';
import { ServiceInstance } from './types';
import { JudgedWorkload } from './workloads';

export interface NamespaceFacts {
  mesh: ClusterMesh | undefined;
  namespace: {
    cluster: string;
    name: string;
    labels: Readonly<Record<string, string>>;
    annotations: Readonly<Record<string, string>>;
  };
  exists: Fact<boolean>;
  discovered: Fact<boolean>;
  workloads: JudgedWorkload[];
  services: ServiceInstance[];
}

/** What is wrong in one namespace of one cluster. */
export function namespaceFindings(_facts: NamespaceFacts): Finding[] {
  return [];
}
