#!/usr/bin/env node
// npm test: everything that is checked, from a bare machine to the summary.
// This much runs on any Node.js from 18; the rest goes on in Node.js 24.
import { continueInWantedNode } from './lib/node.mjs';
import { runScript } from './lib/problem.mjs';

await runScript(async () => {
  if (!(await continueInWantedNode())) {
    return process.exitCode;
  }
  const { runTests } = await import('./lib/runTests.mjs');
  return runTests();
});
