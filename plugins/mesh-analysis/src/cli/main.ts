import { Command, CommanderError, Option } from 'commander';

import { analyseFleet } from '../catalog/analyseFleet';
import {
  createInventory,
  InventoryCluster,
} from '../inventory/createInventory';
import { ManifestProblem } from '../inventory/parseManifests';
import { createFinding } from '../rules/createFinding';
import { Finding, Severity } from '../rules/Finding';
import { ClusterSource, parseClusterSource } from './clusterSources';
import { loadContext, readLive } from './liveCluster';
import { readFolder } from './readFolder';
import { createReport } from './report';
import { asTable } from './table';
import { WrongCall } from './WrongCall';

interface Arguments {
  cluster: string[];
  topic: string;
  output: 'json' | 'table';
  failOn: Severity | 'none';
  now?: string;
  clusterDomain: string[];
  systemNamespace: string[];
  ownerLabel: string[];
  remoteSecrets: boolean;
}

const rank: Record<Severity | 'none', number> = {
  none: 0,
  error: 1,
  warning: 2,
  info: 3,
};

function collect(value: string, previous: string[]): string[] {
  return [...previous, value];
}

function parseArguments(argv: string[]): Arguments {
  const program = new Command('mesh-analyze')
    .description(
      'Tells what a service mesh does with the services of one or more clusters.',
    )
    .addHelpText(
      'after',
      `
Exit code: 0, 1 when a finding is at or above --fail-on, 2 on a wrong call.

Examples:
  mesh-analyze --cluster east=manifests/east --cluster west=manifests/west
  mesh-analyze --cluster prod=kubeconfig:admin@prod -o json --fail-on warning`,
    )
    .option(
      '--cluster <name=source>',
      'a cluster: NAME=FOLDER, NAME=FILE or NAME=kubeconfig:CONTEXT[@FILE]; repeat it',
      collect,
      [],
    )
    .addOption(
      new Option('--topic <topic>', 'what to look at')
        .choices(['catalog'])
        .default('catalog'),
    )
    .addOption(
      new Option('-o, --output <format>', 'form of the result')
        .choices(['json', 'table'])
        .default('table'),
    )
    .addOption(
      new Option('--fail-on <severity>', 'exit with 1 on findings from here up')
        .choices(['error', 'warning', 'info', 'none'])
        .default('error'),
    )
    .option('--now <time>', 'the time to judge at, RFC 3339; default: now')
    .option(
      '--cluster-domain <name=domain>',
      'DNS suffix of a cluster, such as east=k8s.internal; repeat it',
      collect,
      [],
    )
    .option(
      '--system-namespace <namespace>',
      'a namespace of the control plane besides istio-system; repeat it',
      collect,
      [],
    )
    .option(
      '--owner-label <key>',
      'a label of Services that names their owner; repeat it',
      collect,
      [],
    )
    .option(
      '--remote-secrets',
      'of a live cluster, read the metadata of remote secrets',
      false,
    )
    .exitOverride()
    .configureOutput({ outputError: () => {} });
  return program.parse(argv).opts<Arguments>();
}

function parseNow(text: string | undefined): string {
  if (text === undefined) {
    return new Date().toISOString();
  }
  const isTime =
    /^\d{4}-\d{2}-\d{2}[Tt]\d{2}:\d{2}:\d{2}(\.\d+)?([Zz]|[+-]\d{2}:\d{2})$/.test(
      text,
    ) && !Number.isNaN(Date.parse(text));
  if (!isTime) {
    throw new WrongCall(
      `--now "${text}" is no RFC 3339 time, such as 2026-11-30T12:00:00Z`,
    );
  }
  return text;
}

function parseSources(values: string[]): ClusterSource[] {
  if (values.length === 0) {
    throw new WrongCall(
      'which clusters? --cluster NAME=FOLDER, or NAME=kubeconfig:CONTEXT',
    );
  }
  const sources = values.map(parseClusterSource);
  const names = sources.map(source => source.name);
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) {
    throw new WrongCall(`--cluster ${twice} is given twice`);
  }
  return sources;
}

function parseDomains(
  values: string[],
  sources: ClusterSource[],
): Record<string, string> {
  return Object.fromEntries(
    values.map(value => {
      const [, name, domain] = /^([^=]+)=([A-Za-z0-9.-]+)$/.exec(value) ?? [];
      if (!name) {
        throw new WrongCall(
          `--cluster-domain "${value}": expected NAME=DOMAIN, such as east=k8s.internal`,
        );
      }
      if (!sources.some(source => source.name === name)) {
        throw new WrongCall(
          `--cluster-domain ${name}: no --cluster has that name`,
        );
      }
      return [name, domain];
    }),
  );
}

async function run(argv: string[]): Promise<{ text: string; code: number }> {
  const options = parseArguments(argv);
  const sources = parseSources(options.cluster);
  const now = parseNow(options.now);
  const clusterDomains = parseDomains(options.clusterDomain, sources);
  const systemNamespaces = ['istio-system', ...options.systemNamespace];
  // Contexts are looked up before anything is read: a wrong call costs nothing.
  const readers = await Promise.all(
    sources.map(async source => {
      if ('path' in source) {
        return async () => readFolder(source.name, source.path);
      }
      const { name, context, kubeconfig } = source;
      const config = await loadContext(name, context, kubeconfig);
      return () =>
        readLive(name, config, {
          systemNamespaces: [
            ...new Set([
              ...systemNamespaces,
              'kube-system',
              'cilium',
              'linkerd',
            ]),
          ],
          remoteSecrets: options.remoteSecrets,
        });
    }),
  );

  const clusters: InventoryCluster[] = [];
  const problems: ManifestProblem[] = [];
  const versions = new Map<string, string>();
  const unreachable: Finding[] = [];
  for (const read of await Promise.all(readers.map(reader => reader()))) {
    clusters.push(read.cluster);
    if ('problems' in read) {
      for (const problem of read.problems) {
        problems.push(problem);
        process.stderr.write(
          `${problem.source}:${problem.line} (document ${problem.document}): ${problem.problem}\n`,
        );
      }
      if (read.otherKinds.length > 0) {
        process.stderr.write(
          `cluster ${
            read.cluster.name
          }: kinds that are not looked at: ${read.otherKinds.join(', ')}\n`,
        );
      }
      continue;
    }
    if (read.version) {
      versions.set(read.cluster.name, read.version);
    }
    if (read.problem) {
      const { name } = read.cluster;
      process.stderr.write(`cluster ${name} is unreachable: ${read.problem}\n`);
      unreachable.push(
        createFinding('ClusterUnreachable', {
          kind: 'Cluster',
          clusters: [name],
          name,
          message: `The cluster could not be read, and nothing is known of it: ${read.problem}.`,
          fix: 'See that its address can be reached and that the credentials hold.',
          evidence: [],
        }),
      );
    }
  }

  const inventory = createInventory({ now, clusters });
  const view = analyseFleet(inventory, {
    systemNamespaces,
    clusterDomains,
    ...(options.ownerLabel.length > 0 && { ownerLabels: options.ownerLabel }),
  });
  const report = createReport(
    inventory,
    { ...view, findings: [...unreachable, ...view.findings] },
    problems,
    versions,
  );
  const failed = report.findings.some(
    finding => rank[finding.severity] <= rank[options.failOn],
  );
  return {
    text:
      options.output === 'json'
        ? `${JSON.stringify(report, undefined, 2)}\n`
        : asTable(report),
    code: failed ? 1 : 0,
  };
}

/** Runs the tool. Never throws; the exit code says how it went. */
export async function main(argv: string[]): Promise<void> {
  // Whoever reads may stop reading: `mesh-analyze … | head`.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') {
      throw error;
    }
  });
  try {
    const { text, code } = await run(argv);
    process.exitCode = code;
    process.stdout.write(text);
  } catch (error) {
    if (error instanceof CommanderError && error.exitCode === 0) {
      return;
    }
    if (error instanceof WrongCall || error instanceof CommanderError) {
      const message = error.message.replace(/^error: /, '').split('\n')[0];
      process.stderr.write(`mesh-analyze: ${message} (mesh-analyze --help)\n`);
      process.exitCode = 2;
      return;
    }
    process.stderr.write(`mesh-analyze: ${(error as Error).stack}\n`);
    process.exitCode = 2;
  }
}
