import { existsSync, statSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import { Command, InvalidArgumentError } from 'commander';
import { FleetOptions, startFleet } from './Fleet';
import { clusterFolders } from './manifests';

interface Options {
  dir?: string;
  port?: number;
  host: string;
  clusters?: string[];
  size?: { clusters: number; services: number };
  churn?: number;
  latency?: number;
  seed: number;
  kubeconfig?: string;
  real?: boolean;
}

/** A wrong call or a machine that cannot do it: one line and exit code 2, no stack. */
class UsageError extends Error {}

const say = (line: string) => process.stdout.write(`${line}\n`);

async function main(): Promise<void> {
  const options = readOptions();
  checkFolder(options);
  if (options.real) await runReal(options);
  else await runSimulated(options);
}

function readOptions(): Options {
  const command = new Command('fleet')
    .description(
      'Serves folders of manifests as Kubernetes API servers, one sub-folder a cluster.',
    )
    .option('--dir <folder>', 'folder with one sub-folder a cluster')
    .option('--port <number>', 'first port; the others follow', wholeNumber)
    .option('--host <address>', 'address to listen on', '127.0.0.1')
    .option('--clusters <names>', 'only these clusters, by comma', text =>
      text.split(',').map(name => name.trim()),
    )
    .option('--size <CxS>', 'grow C clusters of S services each', clustersBy)
    .option('--churn <number>', 'objects changed a second', wholeNumber)
    .option('--latency <ms>', 'delay of each answer', wholeNumber)
    .option(
      '--seed <number>',
      'grows and churns the same for the same seed',
      wholeNumber,
      1,
    )
    .option('--kubeconfig <file>', 'where to write the kubeconfig')
    .option('--real', 'run the folders on real control planes instead')
    .exitOverride()
    .configureOutput({ writeErr: () => {} });
  try {
    return command.parse().opts<Options>();
  } catch (error) {
    const { code, message } = error as { code?: string; message: string };
    if (code === 'commander.helpDisplayed') process.exit(0);
    throw new UsageError(message.replace(/^error: /, ''));
  }
}

function checkFolder({ dir, size, clusters }: Options): void {
  if (dir && size) {
    throw new UsageError('--dir and --size exclude each other');
  }
  if (!dir) {
    if (size || clusters) return;
    throw new UsageError(
      'nothing to serve: name a folder with --dir, or a size with --size 3x20',
    );
  }
  if (!existsSync(dir) || !statSync(dir).isDirectory()) {
    throw new UsageError(`--dir ${dir}: there is no such folder`);
  }
  if (clusterFolders(dir).length === 0) {
    throw new UsageError(
      `--dir ${dir}: it has no sub-folders; each cluster is one sub-folder of manifests`,
    );
  }
}

async function runSimulated(options: Options): Promise<void> {
  const fleet = await startFleet(fleetOptions(options)).catch(error => {
    throw ['EADDRINUSE', 'EACCES', 'EADDRNOTAVAIL'].includes(error.code)
      ? new UsageError(
          `port ${error.port}: ${
            error.code === 'EADDRINUSE' ? 'it is in use' : error.code
          }; name another first port with --port`,
        )
      : error;
  });
  for (const { cluster, file, document, line, message } of fleet.problems) {
    process.stderr.write(
      `${cluster}/${file}: document ${document}, line ${line}: ${message}\n`,
    );
  }
  const file = resolve(options.kubeconfig ?? defaultKubeconfig());
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, fleet.kubeconfig(), { mode: 0o600 });
  for (const { name, url, size } of fleet.clusters) {
    say(`${name.padEnd(16)} ${url}  ${size} objects`);
  }
  say(`kubeconfig: ${file}  (kubectl --kubeconfig ${file} get services -A)`);
  await stopped();
  await fleet.stop();
}

function fleetOptions(options: Options): FleetOptions {
  return {
    dir: options.dir,
    clusters: options.clusters,
    host: options.host,
    port: options.port,
    size: options.size,
    seed: options.seed,
    latencyMs: options.latency,
    churn: options.churn ? { perSecond: options.churn } : undefined,
  };
}

/** In the working folder's cache, so that it is found again and never committed. */
function defaultKubeconfig(): string {
  return join('node_modules', '.cache', 'fleet', 'kubeconfig.yaml');
}

/** Real control planes are the business of another package, which is loaded only where it is asked for. */
async function runReal(options: Options): Promise<void> {
  if (!options.dir) {
    throw new UsageError(
      '--real runs folders of manifests: name one with --dir',
    );
  }
  for (const option of ['churn', 'latency', 'size'] as const) {
    if (options[option] !== undefined) {
      throw new UsageError(`--${option} is for simulated clusters only`);
    }
  }
  // By `require`: a native import would not see the names that a transformed module exports.
  const load = createRequire(__filename);
  const { runRealFleet } = load('../../../tools/real-fleet/src');
  await runRealFleet({
    dir: resolve(options.dir),
    clusters: options.clusters,
    port: options.port,
    kubeconfig: resolve(options.kubeconfig ?? defaultKubeconfig()),
  }).catch((error: Error) => {
    throw error.name === 'NoBinariesError'
      ? new UsageError(error.message)
      : error;
  });
}

function stopped(): Promise<void> {
  return new Promise(done => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) {
      process.once(signal, () => done());
    }
  });
}

function wholeNumber(text: string): number {
  if (!/^\d+$/.test(text)) throw new InvalidArgumentError('not a whole number');
  return Number(text);
}

function clustersBy(text: string): { clusters: number; services: number } {
  const match = /^(\d+)x(\d+)$/.exec(text);
  if (!match) {
    throw new InvalidArgumentError(
      'expected clusters x services, such as 3x20',
    );
  }
  return { clusters: Number(match[1]), services: Number(match[2]) };
}

main().then(
  () => process.exit(0),
  error => {
    if (!(error instanceof UsageError)) throw error;
    process.stderr.write(`fleet: ${error.message}\n`);
    process.exit(2);
  },
);
