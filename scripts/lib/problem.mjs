import { isStopping } from './processes.mjs';

/**
 * Something that the person at the keyboard can mend. It is shown as its one
 * line; a stack would only hide what to do.
 */
export class Problem extends Error {}

/** Runs a script's body; what it returns is the exit code. */
export async function runScript(body) {
  try {
    process.exitCode = (await body()) ?? 0;
  } catch (error) {
    // What ends because all is to end is no problem.
    if (!isStopping()) {
      console.error(error instanceof Problem ? error.message : error);
    }
    process.exitCode = 1;
  }
}
