#!/usr/bin/env node
// npm start: the portal on the demo fleet, from a bare machine to the URL.
// This much runs on any Node.js from 18; the rest goes on in Node.js 24.
import { continueInWantedNode } from './lib/node.mjs';
import { runScript } from './lib/problem.mjs';

await runScript(async () => {
  if (!(await continueInWantedNode())) {
    return process.exitCode;
  }
  const { startDemo } = await import('./lib/startDemo.mjs');
  return startDemo();
});
