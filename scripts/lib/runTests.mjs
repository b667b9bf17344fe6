import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { findBrowser } from './browser.mjs';
import { ensureFrontend } from './frontend.mjs';
import { ensureInstalled } from './install.mjs';
import { readOptions } from './options.mjs';
import { ROOT } from './paths.mjs';
import { startPostgres } from './postgres.mjs';
import { Problem } from './problem.mjs';
import { run, capture, stopAll, stopOnSignals, yarn } from './processes.mjs';
import { say, step } from './progress.mjs';
import { ensureRealBinaries } from './realBinaries.mjs';

const GB = 1024 ** 3;
const PARTS = ['types', 'format', 'lint', 'api', 'unit', 'build', 'e2e'];

const USAGE = `Usage: npm test -- [--only PART,...] [--browser any|packaged] [--grep TEXT]
  --only     some of: ${PARTS.join(', ')} (default: all of them, in this order)
  --browser  for e2e: the machine's browser, else the packaged one; or that one in any case
  --grep     for e2e: only the tests whose titles match`;

/** Jest's processes need memory each; a machine of two cores runs two. */
function jestWorkers() {
  const byMemory = Math.floor(os.totalmem() / (2 * GB));
  return Math.max(1, Math.min(os.availableParallelism(), byMemory));
}

/** What a check without tests of its own contributes: it holds, or not. */
const asOne = code =>
  code === 0 ? { passed: 1, failed: 0 } : { passed: 0, failed: 1 };

/** Prints as it comes, and keeps it, to read the closing line from. */
async function runAndRead(args, options) {
  const [command, commandArgs] = yarn(args);
  const { code, output } = await capture(command, commandArgs, {
    ...options,
    onOutput: piece => process.stdout.write(piece),
  });
  // eslint-disable-next-line no-control-regex
  return { code, output: output.replace(/\u001b\[[\d;]*m/g, '') };
}

const countIn = (line, word) =>
  Number(line?.match(new RegExp(`(\\d+) ${word}`))?.[1] ?? 0);

/** The text of each package's API report, by its path. */
function readApiReports() {
  const plugins = path.join(ROOT, 'plugins');
  return new Map(
    fs
      .readdirSync(plugins)
      .map(name => path.join(plugins, name, 'report.api.md'))
      .filter(file => fs.existsSync(file))
      .map(file => [file, fs.readFileSync(file, 'utf8')]),
  );
}

/** The compiler orders the members of a union as it met them, which differs from run to run. */
const inOneOrder = text => text?.split('\n').sort().join('\n');

/** A run that ended badly is a failure, whatever its closing line says. */
const withExitCode = (counts, code) =>
  code !== 0 && counts.failed === 0 ? { ...counts, failed: 1 } : counts;

const checks = {
  async types() {
    const [command, args] = yarn(['tsc']);
    return asOne(await run(command, args));
  },

  async format() {
    const [command, args] = yarn(['prettier', '--check', '.']);
    return asOne(await run(command, args));
  },

  async lint() {
    const [command, args] = yarn(['backstage-cli', 'repo', 'lint']);
    return asOne(await run(command, args));
  },

  /** The committed reports say what the packages export; `yarn api-reports` writes them. */
  async api() {
    const committed = readApiReports();
    // Reports are made from what the type check writes.
    await capture(...yarn(['tsc']));
    const [command, args] = yarn(['api-reports']);
    const code = await run(command, args);
    const stale = [...readApiReports()].filter(
      ([file, text]) => inOneOrder(text) !== inOneOrder(committed.get(file)),
    );
    for (const [file, text] of committed) fs.writeFileSync(file, text);
    for (const [file] of stale) {
      say(`${path.relative(ROOT, file)} is out of date: run yarn api-reports`);
    }
    return asOne(code || stale.length);
  },

  async unit({ realBin }) {
    const given =
      process.env.BACKSTAGE_TEST_DATABASE_POSTGRES18_CONNECTION_STRING;
    const postgres = given
      ? undefined
      : await step('Starting PostgreSQL for the tests', startPostgres);
    try {
      const { code, output } = await runAndRead(
        [
          'backstage-cli',
          'repo',
          'test',
          '--watch=false',
          `--maxWorkers=${jestWorkers()}`,
        ],
        {
          env: {
            CI: '1',
            BACKSTAGE_TEST_DISABLE_DOCKER: '1',
            BACKSTAGE_TEST_DATABASE_POSTGRES18_CONNECTION_STRING:
              given ?? postgres.url,
            ...(realBin ? { MESH_REAL_BIN: realBin } : {}),
          },
        },
      );
      const closing = output.match(/^Tests:.*$/gm)?.at(-1);
      return withExitCode(
        {
          passed: countIn(closing, 'passed'),
          failed: countIn(closing, 'failed'),
          skipped: countIn(closing, 'skipped'),
        },
        code,
      );
    } finally {
      await postgres?.stop();
    }
  },

  async build() {
    await ensureFrontend();
    return asOne(0);
  },

  async e2e({ browser, grep }) {
    await ensureFrontend();
    const found = await findBrowser(browser);
    say(`- The end-to-end tests run in ${found.name}`);
    const { code, output } = await runAndRead(
      [
        'workspace',
        'e2e',
        'playwright',
        'test',
        ...(grep ? ['--grep', grep] : []),
      ],
      { env: found.env },
    );
    const lines = output.split('\n');
    const closing = word =>
      lines.findLast(line => new RegExp(`^\\s+\\d+ ${word}`).test(line));
    return withExitCode(
      {
        passed: countIn(closing('passed'), 'passed'),
        failed: countIn(closing('failed'), 'failed'),
        skipped:
          countIn(closing('skipped'), 'skipped') +
          countIn(closing('did not run'), 'did not run'),
      },
      code,
    );
  },
};

function readParts(only) {
  const parts = only ? only.split(',').map(part => part.trim()) : PARTS;
  const unknown = parts.filter(part => !PARTS.includes(part));
  if (unknown.length > 0) {
    throw new Problem(`--only does not know ${unknown.join(', ')}\n${USAGE}`);
  }
  return PARTS.filter(part => parts.includes(part));
}

const summaryLine = (part, { passed, failed, skipped }) =>
  `${part}: ${passed} passed, ${failed} failed${
    skipped ? `, ${skipped} skipped` : ''
  }`;

/** Runs the parts one after the other; a failed one does not hide the next. */
export async function runTests() {
  const options = readOptions(
    {
      only: { type: 'string' },
      browser: { type: 'string', default: 'any' },
      grep: { type: 'string' },
      help: { type: 'boolean', default: false },
    },
    USAGE,
  );
  if (options.help) {
    process.stdout.write(`${USAGE}\n`);
    return 0;
  }
  if (!['any', 'packaged'].includes(options.browser)) {
    throw new Problem(`--browser is any or packaged\n${USAGE}`);
  }
  const parts = readParts(options.only);

  stopOnSignals();
  try {
    await ensureInstalled();
    // Building control planes from source takes long where it is done for the
    // first time: it goes on beside the checks that need none.
    const real = parts.includes('unit')
      ? ensureRealBinaries()
      : Promise.resolve({});
    real.catch(() => {});

    const results = [];
    for (const part of parts) {
      say(`\n== ${part}`);
      const since = Date.now();
      let counts;
      try {
        const realBin =
          part === 'unit'
            ? (await step('Waiting for the real control planes', () => real))
                .dir
            : undefined;
        counts = await checks[part]({ ...options, realBin });
      } catch (error) {
        process.stderr.write(
          `${error instanceof Problem ? error.message : error.stack}\n`,
        );
        counts = { passed: 0, failed: 1 };
      }
      results.push(
        `${summaryLine(part, counts)} (${Math.round(
          (Date.now() - since) / 1000,
        )} s)`,
      );
      if (counts.failed > 0) {
        process.exitCode = 1;
      }
    }

    const { leftOut } = await real.catch(() => ({}));
    process.stdout.write(
      `\n${[...results, ...(leftOut ? [leftOut] : [])].join('\n')}\n`,
    );
    return process.exitCode ?? 0;
  } finally {
    await stopAll();
  }
}
