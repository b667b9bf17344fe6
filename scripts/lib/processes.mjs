import { spawn } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { ROOT, YARN } from './paths.mjs';

const LEASH = path.join(ROOT, 'scripts/lib/leash.cjs');
/** How long a process may take to end by itself before it is made to. */
const GRACE_MS = 15_000;
/** How much later than others we may learn of the same signal. */
const SIGNAL_MS = 500;

const running = new Set();
/** Those that were asked to end. */
const ending = new WeakSet();
let stopping = false;

/** Whether a signal said that everything is to end. */
export const isStopping = () => stopping;

/** The environment of what we start: our Node.js comes first on its PATH. */
export function childEnv(extra = {}) {
  return {
    ...process.env,
    PATH: [path.dirname(process.execPath), process.env.PATH].join(
      path.delimiter,
    ),
    ...extra,
  };
}

function signalTree(child, signal) {
  if (child.exitCode !== null || child.signalCode !== null) {
    return;
  }
  try {
    if (process.platform === 'win32') {
      spawn('taskkill', ['/pid', String(child.pid), '/T', '/F']);
    } else {
      process.kill(-child.pid, signal);
    }
  } catch {
    // It has ended in the meantime.
  }
}

/** Ends a process and all that it started. */
export async function stop(child) {
  if (child.exitCode !== null || child.signalCode !== null) {
    return;
  }
  ending.add(child);
  const ended = new Promise(resolve => child.once('exit', resolve));
  signalTree(child, 'SIGTERM');
  const force = setTimeout(() => signalTree(child, 'SIGKILL'), GRACE_MS);
  await ended;
  clearTimeout(force);
}

/** Calls back when a process ends that nobody here asked to. */
export function onUnexpectedEnd(child, callback) {
  child.once('exit', async () => {
    // Ctrl-C reaches every process of a terminal, and not us first.
    await sleep(SIGNAL_MS);
    if (!stopping && !ending.has(child)) {
      callback();
    }
  });
}

/** Ends everything that was started here. */
export async function stopAll() {
  await Promise.all([...running].map(stop));
}

function track(child) {
  running.add(child);
  child.once('exit', () => running.delete(child));
  child.once('error', () => running.delete(child));
  return child;
}

/**
 * A server of ours: a process group of its own, on the leash, its output in a
 * log file.
 */
export function startServer(args, { env, cwd = ROOT, log }) {
  const out = fs.openSync(log, 'w');
  const child = spawn(process.execPath, ['--require', LEASH, ...args], {
    cwd,
    env: childEnv(env),
    detached: true,
    stdio: ['ignore', out, out, 'ipc'],
  });
  fs.closeSync(out);
  return track(child);
}

/** Starts a program that is not ours; see `run` for its output. */
export function startProgram(
  command,
  args,
  { cwd = ROOT, env, uid, gid, onOutput } = {},
) {
  const child = spawn(command, args, {
    cwd,
    env: childEnv(env),
    uid,
    gid,
    detached: process.platform !== 'win32',
    stdio: onOutput ? ['ignore', 'pipe', 'pipe'] : ['ignore', 1, 2],
  });
  child.stdout?.setEncoding('utf8').on('data', onOutput);
  child.stderr?.setEncoding('utf8').on('data', onOutput);
  return track(child);
}

/**
 * Runs a command to its end. `onOutput` gets its output in pieces; without it
 * the output goes where ours goes.
 */
export function run(command, args, { priority, ...options } = {}) {
  return new Promise((resolve, reject) => {
    const child = startProgram(command, args, options);
    if (priority && child.pid) {
      try {
        os.setPriority(child.pid, priority);
      } catch {
        // Only a courtesy to what else runs.
      }
    }
    child.once('error', reject);
    child.once('close', (code, signal) =>
      resolve(code ?? (signal === null ? 1 : 130)),
    );
  });
}

/** Runs a command and keeps what it printed. */
export async function capture(command, args, options = {}) {
  let output = '';
  const code = await run(command, args, {
    ...options,
    onOutput: piece => {
      output += piece;
      options.onOutput?.(piece);
    },
  });
  return { code, output };
}

/** A command of the checkout's packages, through the vendored Yarn. */
export const yarn = args => [process.execPath, [YARN, ...args]];

/** On Ctrl-C and the like: end what was started, then go. */
export function stopOnSignals(onStop = () => {}) {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
    process.on(signal, async () => {
      if (stopping) {
        return;
      }
      stopping = true;
      onStop();
      await stopAll();
      process.exit(signal === 'SIGINT' ? 130 : 143);
    });
  }
}
