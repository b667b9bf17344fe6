import { writeFile } from 'node:fs/promises';
import { get as httpGet } from 'node:http';
import { get as httpsGet } from 'node:https';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { KubeObject } from './ApiClient';
import { programPath } from './binaries';
import { kwokStages } from './bundles';
import { ControlPlane, serviceAccountKey } from './ControlPlane';
import { freePorts } from './ports';
import { Component } from './processes';
import { pinnedVersion } from './programs';

/** Those that would need a cloud, disks or a kubelet that joins. */
const WITHOUT = [
  'node-ipam-controller',
  'node-route-controller',
  'cloud-node-lifecycle-controller',
  'persistentvolume-binder-controller',
  'persistentvolume-attach-detach-controller',
  'bootstrap-signer-controller',
  'token-cleaner-controller',
];

/** The controllers of a cluster; `ready` says when all of them work, or why one does not. */
export interface Controllers {
  ready(signal?: AbortSignal): Promise<void>;
}

export interface ControllersOptions {
  /** Range of pod IPs, such as `10.101.0.1/16`; must not overlap between clusters of one mesh. */
  podCidr: string;
  bin?: string;
}

/**
 * Starts what makes pods of Deployments and addresses of pods: the controller
 * manager, the scheduler, and kwok, whose nodes and pods run nothing.
 */
export async function startControllers(
  plane: ControlPlane,
  options: ControllersOptions,
): Promise<Controllers> {
  const { dir, processes } = plane;
  const kubeconfig = join(dir, 'kubeconfig');
  await writeFile(kubeconfig, plane.kubeconfig(), { mode: 0o600 });
  const [managerPort, schedulerPort, kwokPort] = await freePorts(3);

  const manager = await processes.start({
    name: 'kube-controller-manager',
    command: await programPath('kube-controller-manager', options.bin),
    args: [
      `--kubeconfig=${kubeconfig}`,
      `--service-account-private-key-file=${serviceAccountKey(dir)}`,
      `--root-ca-file=${join(dir, 'ca.crt')}`,
      '--bind-address=127.0.0.1',
      `--secure-port=${managerPort}`,
      '--leader-elect=false',
      '--use-service-account-credentials=false',
      `--controllers=*,${WITHOUT.map(name => `-${name}`).join(',')}`,
    ],
  });

  const schedulerConfig = join(dir, 'scheduler.yaml');
  await writeFile(
    schedulerConfig,
    stringify({
      apiVersion: 'kubescheduler.config.k8s.io/v1',
      kind: 'KubeSchedulerConfiguration',
      clientConnection: { kubeconfig },
      leaderElection: { leaderElect: false },
    }),
  );
  const scheduler = await processes.start({
    name: 'kube-scheduler',
    command: await programPath('kube-scheduler', options.bin),
    args: [
      `--config=${schedulerConfig}`,
      '--bind-address=127.0.0.1',
      `--secure-port=${schedulerPort}`,
    ],
  });

  const stages = await kwokStages();
  const kwok = await processes.start({
    name: 'kwok',
    command: await programPath('kwok', options.bin),
    args: [
      `--kubeconfig=${kubeconfig}`,
      '--manage-all-nodes=true',
      // Without leases nodes are not ready after a minute, and endpoints go with them.
      '--node-lease-duration-seconds=40',
      `--cidr=${options.podCidr}`,
      `--server-address=127.0.0.1:${kwokPort}`,
      ...stages.map(stage => `--config=${stage}`),
    ],
  });

  const checks: Array<[Component, string]> = [
    [manager, `https://127.0.0.1:${managerPort}/healthz`],
    [scheduler, `https://127.0.0.1:${schedulerPort}/healthz`],
    [kwok, `http://127.0.0.1:${kwokPort}/healthz`],
  ];
  return {
    async ready(signal) {
      for (const [component, url] of checks) {
        await component.ready(() => answers(url), { signal });
      }
    },
  };
}

/** Whether a component of ours answers 200; its certificate is one that it made for itself. */
function answers(url: string): Promise<boolean> {
  return new Promise((fulfil, reject) => {
    const options = { agent: false, timeout: 5_000, rejectUnauthorized: false };
    const get = url.startsWith('https:') ? httpsGet : httpGet;
    const req = get(url, options, response => {
      response.resume();
      fulfil(response.statusCode === 200);
    });
    req.on('timeout', () => req.destroy(new Error(`no answer from ${url}`)));
    req.on('error', reject);
  });
}

/** Nodes for a folder that brings none. */
export function defaultNodes(cluster: string, count: number): KubeObject[] {
  const kubeletVersion = pinnedVersion('kubernetes', 'k8s.io/kubernetes');
  const resources = { cpu: '64', memory: '256Gi', pods: '1000' };
  return Array.from({ length: count }, (_, index) => {
    const name = `${cluster}-${index}`;
    return {
      apiVersion: 'v1',
      kind: 'Node',
      metadata: { name, labels: { 'kubernetes.io/hostname': name } },
      status: {
        allocatable: resources,
        capacity: resources,
        nodeInfo: {
          architecture: 'amd64',
          bootID: '',
          containerRuntimeVersion: 'containerd://2.2.1',
          kernelVersion: '6.12.0',
          kubeProxyVersion: kubeletVersion,
          kubeletVersion,
          machineID: '',
          operatingSystem: 'linux',
          osImage: 'Linux',
          systemUUID: '',
        },
      },
    };
  });
}
