/* yarn bench: what the design promises of speed and size, measured. See bench/README.md. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { resolvePackagePath } from '@backstage/backend-plugin-api';
import { measureAnalysis } from './analysis';
import { BenchContext } from './BenchContext';
import { Figure, isMet, tableOf } from './figures';
import { describeMachine, describeVersions } from './machine';
import { measureMemory } from './memory';
import { measureServiceView } from './serviceView';
import { fullSizes, quickSizes } from './sizes';
import { measureSync } from './sync';

const measurements: Record<
  string,
  (context: BenchContext) => Promise<Figure[]>
> = {
  analysis: measureAnalysis,
  view: measureServiceView,
  sync: measureSync,
  memory: measureMemory,
};

const help = `yarn bench [options]

Measures the portal's backend on simulated clusters, prints a table and writes
bench/results.json. It says what is met and what is not; it does not fail for it.

  --quick            small sizes, for a look whether all of it works
  --only NAME        one of ${Object.keys(measurements).join(
    ', ',
  )}; may be repeated
  --profile FOLDER   writes a CPU profile of every portal there
  --output FILE      where the figures go, instead of bench/results.json
`;

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      quick: { type: 'boolean', default: false },
      only: { type: 'string', multiple: true },
      profile: { type: 'string' },
      output: { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) {
    process.stdout.write(help);
    return 0;
  }
  const chosen = values.only ?? Object.keys(measurements);
  const unknown = chosen.filter(name => !measurements[name]);
  if (unknown.length > 0) {
    process.stderr.write(`--only ${unknown.join(', ')}: not known\n\n${help}`);
    return 2;
  }
  const profileTo = values.profile && resolve(values.profile);
  if (profileTo) mkdirSync(profileTo, { recursive: true });

  const machine = describeMachine();
  const context = BenchContext.create({
    sizes: values.quick ? quickSizes : fullSizes,
    profileTo,
  });
  const figures: Figure[] = [];
  const failures: Array<{ measurement: string; error: string }> = [];
  try {
    for (const name of chosen) {
      try {
        figures.push(...(await measurements[name](context)));
      } catch (error) {
        // One measurement that does not come about leaves the others alone.
        failures.push({ measurement: name, error: String(error) });
        context.say(`  ${name} did not come about: ${error}`);
      }
    }
  } finally {
    context.clear();
  }

  const output = values.output
    ? resolve(values.output)
    : resolvePackagePath('bench', 'results.json');
  const results = {
    at: new Date().toISOString(),
    size: values.quick ? 'quick' : 'full',
    machine,
    versions: describeVersions(),
    figures: figures.map(figure => ({ ...figure, met: isMet(figure) })),
    failures,
    details: context.details,
  };
  writeFileSync(output, `${JSON.stringify(results, null, 2)}\n`);
  process.stdout.write(
    `\n${machine.cpu}, ${machine.cores} cores, ${
      machine.memoryGiB
    } GiB, Node.js ${machine.node}\n\n${tableOf(figures)}\n`,
  );
  for (const { measurement, error } of failures) {
    process.stdout.write(`\n${measurement} was not measured: ${error}\n`);
  }
  return failures.length > 0 ? 1 : 0;
}

main().then(
  code => process.exit(code),
  error => {
    process.stderr.write(`${error.stack ?? error}\n`);
    process.exit(2);
  },
);
