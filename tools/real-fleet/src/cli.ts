import { Command, InvalidArgumentError, Option } from 'commander';
import { join, resolve } from 'node:path';
import { ensureBinaries } from './binaries';
import { DEFAULT_GATEWAY_API } from './bundles';
import { cacheDir } from './cache';
import { stopDetached } from './detached';
import { Need, NEEDS } from './programs';
import { NoBinariesError, runRealFleet, startAndTell } from './runRealFleet';

interface UpOptions {
  dir: string;
  clusters?: string[];
  kubeconfig?: string;
  istio: boolean;
  gatewayApi?: string;
  channel?: 'standard' | 'experimental';
  mcsApi?: string;
  nodes?: number;
  port?: number;
  detach: boolean;
  state: string;
}

const DEFAULT_STATE = join(cacheDir(), 'fleet');

async function build({ need }: { need: Need }): Promise<void> {
  const answer = await ensureBinaries({ need, onProgress: say });
  if (!answer.available) {
    throw new NoBinariesError(answer.reason, answer.howToGet);
  }
  for (const [name, path] of Object.entries(answer.programs)) {
    say(`${name.padEnd(24)} ${path}`);
  }
}

async function up(options: UpOptions): Promise<void> {
  const fleet = {
    dir: resolve(options.dir),
    clusters: options.clusters,
    kubeconfig: options.kubeconfig,
    istio: options.istio,
    gatewayApi: gatewayApiOf(options),
    mcsApi: options.mcsApi,
    nodes: options.nodes,
    port: options.port,
  };
  if (options.detach) {
    await startAndTell({ ...fleet, detach: true, stateDir: options.state });
    say('the fleet runs on; end it by: real-fleet down');
  } else {
    await runRealFleet(fleet);
  }
}

function gatewayApiOf({ gatewayApi, channel }: UpOptions) {
  return gatewayApi || channel
    ? {
        version: gatewayApi ?? DEFAULT_GATEWAY_API.version,
        channel: channel ?? DEFAULT_GATEWAY_API.channel,
      }
    : undefined;
}

async function down({ state }: { state: string }): Promise<void> {
  say(`${await stopDetached(state)} components ended`);
}

function wholeNumber(text: string): number {
  if (!/^\d+$/.test(text)) {
    throw new InvalidArgumentError('not a whole number');
  }
  return Number(text);
}

function names(text: string): string[] {
  return text.split(',').filter(Boolean);
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

function program(): Command {
  const command = new Command('real-fleet').description(
    'Folders of manifests on real control planes, without containers',
  );
  command
    .command('build')
    .description('find or build the programs, once, into the cache')
    .addOption(
      new Option('--need <need>', 'how much of a cluster is wanted')
        .choices(Object.keys(NEEDS))
        .default('mesh'),
    )
    .action(build);
  command
    .command('up')
    .description('run a folder, one sub-folder a cluster, until Ctrl-C')
    .requiredOption('--dir <folder>', 'folder of manifests')
    .option('--clusters <names>', 'only these sub-folders, by comma', names)
    .option('--kubeconfig <file>', 'where to write the kubeconfig')
    .option('--no-istio', 'without istiod')
    .option('--gateway-api <version>', 'Gateway API bundle, such as v1.6.3')
    .addOption(
      new Option('--channel <channel>', 'channel of the bundle').choices([
        'standard',
        'experimental',
      ]),
    )
    .option('--mcs-api <version>', 'multi-cluster services CRDs')
    .option('--nodes <count>', 'nodes where a folder has none', wholeNumber)
    .option('--port <port>', 'port of the first cluster', wholeNumber)
    .option('--detach', 'return when it is up; `down` ends it', false)
    .option('--state <folder>', 'state of a detached fleet', DEFAULT_STATE)
    .action(up);
  command
    .command('down')
    .description('end a detached fleet and remove its state')
    .option('--state <folder>', 'state of a detached fleet', DEFAULT_STATE)
    .action(down);
  return command;
}

program()
  .parseAsync()
  .then(
    () => process.exit(0),
    error => {
      process.stderr.write(`real-fleet: ${error.message}\n`);
      process.exit(error instanceof NoBinariesError ? 2 : 1);
    },
  );
