#!/usr/bin/env node
// yarn dev: the demo fleet, and both sides of the portal with hot reload.
// This much runs on any Node.js from 18; the rest goes on in Node.js 24.
import { continueInWantedNode } from './lib/node.mjs';
import { runScript } from './lib/problem.mjs';

await runScript(async () => {
  if (!(await continueInWantedNode())) {
    return process.exitCode;
  }
  const { startDev } = await import('./lib/startDev.mjs');
  return startDev();
});
