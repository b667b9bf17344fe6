import { ChildProcess, spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { appendFile, open } from 'node:fs/promises';
import { Socket } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

export interface StartOptions {
  /** Names the log file and the component in errors. */
  name: string;
  command: string;
  args: string[];
  env?: Record<string, string>;
  cwd?: string;
}

export interface ReadyOptions {
  timeoutMs?: number;
  signal?: AbortSignal;
}

export function killGroup(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') {
      throw error;
    }
  }
}

/** One running component: its log is a file in the state folder. */
export class Component {
  readonly name: string;
  readonly pid: number;
  readonly logFile: string;
  readonly #child: ChildProcess;
  readonly #exited: Promise<void>;

  static create(options: StartOptions, dir: string): Component {
    const logFile = join(dir, `${options.name}.log`);
    const log = openSync(logFile, 'a', 0o600);
    try {
      const child = spawn(options.command, options.args, {
        cwd: options.cwd ?? dir,
        env: { ...process.env, ...options.env },
        // A group of its own, so that Ctrl-C reaches us first and a stop reaches its children too.
        detached: true,
        stdio: ['ignore', log, log],
      });
      return new Component(options.name, child, logFile);
    } finally {
      closeSync(log);
    }
  }

  private constructor(name: string, child: ChildProcess, logFile: string) {
    this.name = name;
    this.pid = child.pid ?? 0;
    this.logFile = logFile;
    this.#child = child;
    this.#exited = new Promise(fulfil => {
      child.once('exit', () => fulfil());
      child.once('error', () => fulfil());
    });
    child.unref();
  }

  get running(): boolean {
    return (
      this.pid > 0 &&
      this.#child.exitCode === null &&
      this.#child.signalCode === null
    );
  }

  /** Asks again and again until the component answers; says why where it does not. */
  async ready(
    check: () => Promise<boolean>,
    options: ReadyOptions = {},
  ): Promise<void> {
    const until = Date.now() + (options.timeoutMs ?? 120_000);
    for (;;) {
      options.signal?.throwIfAborted();
      if (!this.running) {
        throw new Error(
          `${
            this.name
          } ended before it was ready. Its last lines:\n${await this.tail()}`,
        );
      }
      if (await check().catch(() => false)) {
        return;
      }
      if (Date.now() > until) {
        throw new Error(
          `${
            this.name
          } did not become ready. Its last lines:\n${await this.tail()}`,
        );
      }
      await sleep(100);
    }
  }

  async tail(lines = 15): Promise<string> {
    const file = await open(this.logFile, 'r').catch(() => undefined);
    if (!file) {
      return '(no log)';
    }
    try {
      const { size } = await file.stat();
      const length = Math.min(size, 16_384);
      const buffer = Buffer.alloc(length);
      await file.read(buffer, 0, length, size - length);
      return buffer
        .toString('utf8')
        .trimEnd()
        .split('\n')
        .slice(-lines)
        .join('\n');
    } finally {
      await file.close();
    }
  }

  /** Kills at once: an API server takes a minute to stop when it is asked politely. */
  async kill(): Promise<void> {
    if (!this.running) {
      return;
    }
    killGroup(this.pid);
    // The child no longer holds the event loop open, so something must until it is gone.
    const hold = setInterval(() => {}, 1_000);
    await this.#exited.finally(() => clearInterval(hold));
  }
}

/**
 * Ends components whose parent died without a word, by `kill -9` for example.
 *
 * A shell reads the ids of the running groups from a pipe. The pipe closes with
 * this process, however it ends, and the shell then kills what is still listed.
 */
class Guard {
  static #instance: Guard | undefined;
  readonly #stdin: Socket;

  static shared(): Guard {
    Guard.#instance ??= Guard.#create();
    return Guard.#instance;
  }

  static #create(): Guard {
    const script = `
      trap '' INT TERM HUP
      pids=' '
      while read -r sign pid; do
        case $sign in
          +) pids="$pids$pid " ;;
          -) pids="\${pids%% $pid *} \${pids#* $pid }" ;;
        esac
      done
      for pid in $pids; do kill -s KILL -- "-$pid" 2>/dev/null; done`;
    const child = spawn('sh', ['-c', script], {
      detached: true,
      stdio: ['pipe', 'ignore', 'ignore'],
    });
    child.unref();
    const stdin = child.stdin as Socket;
    stdin.on('error', () => {});
    stdin.unref();
    return new Guard(stdin);
  }

  private constructor(stdin: Socket) {
    this.#stdin = stdin;
  }

  watch(pid: number): void {
    this.#stdin.write(`+ ${pid}\n`);
  }

  release(pid: number): void {
    this.#stdin.write(`- ${pid}\n`);
  }
}

/**
 * The components of one fleet or control plane. Whatever happens to this
 * process, a small shell beside it (see `Guard`) ends them.
 */
export class Processes {
  readonly #dir: string;
  readonly #guard: Guard | undefined;
  readonly #components: Component[] = [];

  /** With `detach` the components outlive this process; `pids` in the folder tells `down` about them. */
  static create(options: { dir: string; detach?: boolean }): Processes {
    return new Processes(
      options.dir,
      options.detach ? undefined : Guard.shared(),
    );
  }

  private constructor(dir: string, guard: Guard | undefined) {
    this.#dir = dir;
    this.#guard = guard;
  }

  get components(): readonly Component[] {
    return this.#components;
  }

  async start(options: StartOptions): Promise<Component> {
    const component = Component.create(options, this.#dir);
    this.#components.push(component);
    if (component.pid) {
      this.#guard?.watch(component.pid);
      await appendFile(
        join(this.#dir, 'pids'),
        `${component.pid} ${options.command}\n`,
      );
    }
    return component;
  }

  async stop(component: Component): Promise<void> {
    await component.kill();
    this.#guard?.release(component.pid);
    this.#components.splice(this.#components.indexOf(component), 1);
  }

  async stopAll(): Promise<void> {
    await Promise.all(
      [...this.#components].reverse().map(component => this.stop(component)),
    );
  }
}
