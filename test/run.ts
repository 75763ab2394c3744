// `npm test`: every test file, or those given. Builds the bundled home once for all of them, lets them leave nothing
// behind, and lists at the end what was not run and why.

import { globSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { run } from 'node:test';
import { spec } from 'node:test/reporters';
import { keepCompiledModules } from '../bin/compile-cache.js';
import { buildBundled, hashOfFolders, homeVariable } from './bundled-home.ts';

const root = path.join(import.meta.dirname, '..');

/** They start first, so that no long one is left alone at the end. The longest first. */
const longFiles = [
  'test/bench/sold-prices.test.ts',
  'test/promises/kill.test.ts',
  'test/tables/sales/sales.test.ts',
  'test/cli/serve.test.ts',
];

function filesToRun(given: readonly string[]): readonly string[] {
  const all = globSync(given.length > 0 ? [...given] : 'test/**/*.test.ts', { cwd: root }).sort();
  const first = longFiles.filter((file) => all.includes(file));
  return [...first, ...all.filter((file) => !first.includes(file))].map((file) => path.join(root, file));
}

// Type stripping and compiling would be a third of the run. Files under test inherit the setting.
keepCompiledModules();
const folder = mkdtempSync(path.join(tmpdir(), 'domesday-tests-'));
process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
const home = path.join(folder, 'home');
await buildBundled(home);
const homeBefore = hashOfFolders(home);
const temporary = path.join(folder, 'tmp');
mkdirSync(temporary);
process.env[homeVariable] = home;
for (const name of ['TMPDIR', 'TMP', 'TEMP']) process.env[name] = temporary;

/** Reason → tests. */
const notRun = new Map<string, string[]>();
const stream = run({ files: filesToRun(process.argv.slice(2)), concurrency: 2, timeout: 600_000 });
stream.on('test:pass', ({ skip, todo, name, file = '' }) => {
  const reason = skip ?? todo ?? false;
  if (reason === false) return;
  const tests = notRun.get(String(reason)) ?? [];
  notRun.set(String(reason), [...tests, `${path.relative(root, file)}: ${name}`]);
});
stream.on('test:summary', ({ success }) => {
  if (!success) process.exitCode = 1;
});
for await (const text of stream.compose(new spec())) process.stdout.write(text);

if (notRun.size > 0) {
  const count = [...notRun.values()].reduce((sum, tests) => sum + tests.length, 0);
  console.log(`\nNot run: ${count} tests. DOMESDAY_TEST_EVERYTHING=1 makes each of them a failure.`);
  for (const [reason, tests] of [...notRun].sort()) console.log(`  ${reason}\n    ${tests.join('\n    ')}`);
}
if (hashOfFolders(home) !== homeBefore) {
  console.log(`\nA test has changed the home that all share; it must work in a copy (test/rig.ts).`);
  process.exitCode = 1;
}
const left = readdirSync(temporary);
// A test that fails may leave its folder behind.
if (left.length > 0 && process.exitCode === undefined) {
  console.log(`\nTests have left these behind in the temporary folder: ${left.join(', ')}`);
  process.exitCode = 1;
}
