import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { ensureBinaries } from './binaries';
import { ApplyReport } from './manifests/applyFolder';
import { RealFleet, RealFleetOptions } from './RealFleet';
import { startRealFleet } from './startRealFleet';

/** @public */
export interface RunRealFleetOptions extends RealFleetOptions {
  /** File for the kubeconfig; in the working folder's cache by default. */
  kubeconfig?: string;
}

/** The programs are not there and cannot be built; the message says how to get them. */
export class NoBinariesError extends Error {
  constructor(reason: string, howToGet: string) {
    super(
      `There are no real control planes on this machine: ${reason}. ${howToGet}`,
    );
    this.name = 'NoBinariesError';
  }
}

/**
 * Runs a folder on real control planes for a person at a terminal: builds what
 * is missing, says what happens, writes a kubeconfig, and stops on Ctrl-C.
 *
 * @public
 */
export async function runRealFleet(
  options: RunRealFleetOptions,
): Promise<void> {
  const interrupt = new AbortController();
  const interrupted = new Promise<void>(done => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) {
      process.once(signal, () => {
        interrupt.abort(new Error('interrupted'));
        done();
      });
    }
  });
  const fleet = await startAndTell({
    ...options,
    signal: interrupt.signal,
  }).catch(error => {
    if (interrupt.signal.aborted) {
      return undefined;
    }
    throw error;
  });
  // Without it nothing would hold the process: the components do not.
  const hold = setInterval(() => {}, 60_000);
  await interrupted;
  clearInterval(hold);
  await fleet?.stop();
}

/** Starts a folder and tells on the terminal what came of it. */
export async function startAndTell(
  options: RunRealFleetOptions,
): Promise<RealFleet> {
  const say = options.onProgress ?? sayOnTerminal;
  const binaries = await ensureBinaries({
    need: options.istio === false ? 'cluster' : 'mesh',
    onProgress: say,
  });
  if (!binaries.available) {
    throw new NoBinariesError(binaries.reason, binaries.howToGet);
  }
  const began = Date.now();
  const fleet = await startRealFleet({ ...options, onProgress: say });
  const file = resolve(
    options.kubeconfig ??
      join('node_modules', '.cache', 'fleet', 'kubeconfig.yaml'),
  );
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, fleet.kubeconfig(), { mode: 0o600 });
  for (const { report } of fleet.clusters) {
    linesOf(report).forEach(say);
  }
  const { running, total } = await fleet.settle();
  say(`${running} of ${total} pods run`);
  for (const { name, url } of fleet.clusters) {
    say(`${name.padEnd(16)} ${url}`);
  }
  const seconds = Math.round((Date.now() - began) / 1000);
  say(
    `up in ${seconds} s; kubeconfig: ${file}  (kubectl --kubeconfig ${file} get services -A)`,
  );
  return fleet;
}

/** What a person should know of a folder that was applied: nothing of what went as written. */
export function linesOf(report: ApplyReport): string[] {
  const line =
    (verb: string) =>
    ({ object, file, why }: ApplyReport['refused'][number]) =>
      `${report.cluster}${file ? `/${file}` : ''}: ${object} ${verb}: ${why}`;
  return [
    ...report.changed.map(line('changed')),
    ...report.refused.map(line('not applied')),
  ];
}

function sayOnTerminal(line: string): void {
  process.stdout.write(`${line}\n`);
}
