import { parseArgs } from 'node:util';
import { Problem } from './problem.mjs';

/** Reads the command line; what it does not know is one line, with the usage. */
export function readOptions(options, usage) {
  try {
    return parseArgs({ options, args: process.argv.slice(2) }).values;
  } catch (error) {
    throw new Problem(`${error.message.split('. To ')[0]}\n${usage}`);
  }
}

/** A port from the command line or the environment. */
export function readPort(text, name) {
  const port = Number(text);
  if (!/^\d+$/.test(text) || port > 65_535) {
    throw new Problem(`${name} must be a port from 0 to 65535, not "${text}"`);
  }
  return port;
}
