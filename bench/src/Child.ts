import { ChildProcess, fork } from 'node:child_process';
import { readFileSync } from 'node:fs';

const transform = require.resolve('@backstage/cli/config/nodeTransform.cjs');

/**
 * A part of the benchmark in a process of its own, so that its memory and its work
 * are its own. It answers calls by message.
 */
export class Child {
  readonly #process: ChildProcess;
  readonly #calls = new Map<
    number,
    { resolve: (value: any) => void; reject: (error: Error) => void }
  >();
  #next = 0;
  #ended: Error | undefined;

  /** `file` as `require.resolve` gives it. */
  static start(
    file: string,
    options: { profileTo?: string; maxOldSpaceMb?: number } = {},
  ): Child {
    const execArgv = ['--require', transform];
    if (options.maxOldSpaceMb) {
      execArgv.push(`--max-old-space-size=${options.maxOldSpaceMb}`);
    }
    if (options.profileTo) {
      execArgv.push('--cpu-prof', `--cpu-prof-dir=${options.profileTo}`);
    }
    return new Child(
      fork(file, [], {
        execArgv,
        env: { LOG_LEVEL: 'error', ...process.env, NODE_ENV: 'production' },
        stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
        serialization: 'advanced',
      }),
    );
  }

  private constructor(child: ChildProcess) {
    this.#process = child;
    child.on('message', (message: any) => {
      const call = this.#calls.get(message.id);
      this.#calls.delete(message.id);
      if (message.error) call?.reject(new Error(message.error));
      else call?.resolve(message.result);
    });
    child.on('exit', code => {
      this.#ended = new Error(`A process of the benchmark ended with ${code}`);
      for (const { reject } of this.#calls.values()) reject(this.#ended);
      this.#calls.clear();
    });
  }

  /** Why it can be called no more. */
  get ended(): Error | undefined {
    return this.#ended;
  }

  async call<T>(method: string, argument?: unknown): Promise<T> {
    if (this.#ended) throw this.#ended;
    const id = this.#next++;
    return new Promise<T>((resolve, reject) => {
      this.#calls.set(id, { resolve, reject });
      this.#process.send({ id, method, argument });
    });
  }

  /** Resident memory, as the kernel counts it, in MB. Linux only; undefined elsewhere. */
  residentMb(): number | undefined {
    try {
      const status = readFileSync(`/proc/${this.#process.pid}/status`, 'utf8');
      return Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1]) / 1024;
    } catch {
      return undefined;
    }
  }

  /** CPU time used so far, user and system, in seconds. Linux only. */
  cpuSeconds(): number | undefined {
    try {
      const fields = readFileSync(`/proc/${this.#process.pid}/stat`, 'utf8')
        .replace(/^.*\) /, '')
        .split(' ');
      return (Number(fields[11]) + Number(fields[12])) / 100;
    } catch {
      return undefined;
    }
  }

  async stop() {
    if (this.#ended) return;
    const gone = new Promise(resolve => this.#process.once('exit', resolve));
    // An orderly end, so that a profile is written.
    this.#process.send({ id: -1, method: 'end' });
    const timer = setTimeout(() => this.#process.kill('SIGKILL'), 20_000);
    await gone;
    clearTimeout(timer);
  }

  /** What a crash looks like from outside. */
  async kill() {
    if (this.#ended) return;
    const gone = new Promise(resolve => this.#process.once('exit', resolve));
    this.#process.kill('SIGKILL');
    await gone;
  }
}

/** The other side: answers calls with the methods given. */
export function answerCalls(
  methods: Record<string, (argument: any) => unknown>,
) {
  process.on('message', async ({ id, method, argument }: any) => {
    if (method === 'end') process.exit(0);
    try {
      const result = await methods[method](argument);
      process.send!({ id, result });
    } catch (error) {
      process.send!({ id, error: (error as Error).stack ?? String(error) });
    }
  });
  // Nothing that was started for a benchmark outlives it.
  process.on('disconnect', () => process.exit(0));
}
