import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fetchAndParse } from './bareLoop';
import { Portal } from './Portal';
import { Simulator } from './Simulator';
import { Sizes } from './sizes';

/** What every measurement shares: sizes, folders, and a way to say how far it is. */
export class BenchContext {
  readonly sizes: Sizes;
  readonly profileTo?: string;
  readonly details: Record<string, unknown> = {};
  readonly #directory = mkdtempSync(join(tmpdir(), 'mesh-bench-'));

  static create(options: { sizes: Sizes; profileTo?: string }): BenchContext {
    return new BenchContext(options.sizes, options.profileTo);
  }

  private constructor(sizes: Sizes, profileTo?: string) {
    this.sizes = sizes;
    this.profileTo = profileTo;
  }

  directory(name: string): string {
    const directory = join(this.#directory, name);
    mkdirSync(directory, { recursive: true });
    return directory;
  }

  say(text: string) {
    process.stderr.write(`${new Date().toISOString().slice(11, 19)} ${text}\n`);
  }

  /** Figures behind the figures, for results.json. */
  detail(name: string, value: unknown) {
    this.details[name] = value;
  }

  async settle(portal: Portal, simulator: Simulator, objects?: number) {
    let said = performance.now();
    const times = await portal.settled({
      objects: objects ?? (await fetchAndParse(simulator)).objects,
      timeoutMs: this.sizes.settleTimeoutMs,
      onProgress: progress => {
        if (performance.now() - said > 10_000) {
          said = performance.now();
          this.say(
            `  ${progress.objects} objects stored, ${progress.services} services, ${progress.queue} units wait`,
          );
        }
      },
    });
    this.say(
      `  stored after ${(times.storedMs / 1000).toFixed(
        1,
      )} s, analysed after ${(times.analysedMs / 1000).toFixed(1)} s`,
    );
    return times;
  }

  clear() {
    rmSync(this.#directory, { recursive: true, force: true });
  }
}
