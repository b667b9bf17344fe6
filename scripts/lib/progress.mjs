/** How often long work says that it is still going on. */
const EVERY_MS = 15_000;

const seconds = since => Math.round((Date.now() - since) / 1000);

/** One line of what is going on. Results go to stdout, progress to stderr. */
export function say(line) {
  process.stderr.write(`${line}\n`);
}

/** Says what is done, again every few seconds, and how long it took. */
export async function step(label, work) {
  const since = Date.now();
  say(`- ${label} ...`);
  const timer = setInterval(
    () => say(`  ${label}: ${seconds(since)} s so far`),
    EVERY_MS,
  );
  try {
    const result = await work();
    if (seconds(since) > 0) {
      say(`  done in ${seconds(since)} s`);
    }
    return result;
  } finally {
    clearInterval(timer);
  }
}
