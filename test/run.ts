// `npm test`: every test file, or those given. Builds the bundled home once for all of them, lets them leave nothing
// behind, and lists at the end what was not run and why.

import { createHash } from 'node:crypto';
import { chmodSync, globSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import path from 'node:path';
import { run } from 'node:test';
import { spec } from 'node:test/reporters';
import { pathToFileURL } from 'node:url';
import { keepCompiledModules } from '../bin/compile-cache.js';
import { bundled, filesIn, prebuiltVariable } from './prebuilt.ts';

const root = path.join(import.meta.dirname, '..');

/** Those of twenty seconds and more, the longest first: one that starts late leaves the other cores idle at the end. */
const longFiles = [
  'test/web/account-pages.test.ts',
  'test/web/explore-prices.test.ts',
  'test/deploy/container.test.ts',
  'test/web/admin-pages.test.ts',
  'test/ledger/loss/own-copies.test.ts',
  'test/bench/sold-prices.test.ts',
  'test/web/explore-map.test.ts',
  'test/replicas/rolling.test.ts',
  'test/cli/serve/replica.test.ts',
  'test/promises/kill.test.ts',
  'test/web/explore-crime.test.ts',
  'test/web/pages.test.ts',
  'test/promises/needs.test.ts',
  'test/web/explore-unknown.test.ts',
  'test/ledger/loss/running.test.ts',
  'test/web/explore-absent.test.ts',
  'test/data/bundled-places.test.ts',
  'test/web/docs-pages.test.ts',
  'test/cli/serve.test.ts',
  'test/web/explore-ground.test.ts',
  'test/cli/ingest-tells.test.ts',
  'test/cli/usage.test.ts',
  'test/web/explore-shift.test.ts',
  'test/cli/check-advice.test.ts',
  'test/ledger/moving/kills.test.ts',
  'test/ledger/sqlite.test.ts',
  'test/web/explore-words.test.ts',
  'test/web/explore-beside.test.ts',
  'test/ledger/simulation/simulation.test.ts',
  'test/http/docs/browser.test.ts',
  'test/web/map/first-sight.test.ts',
  'test/ledger/postgres/contract.test.ts',
  'test/update/kills.test.ts',
  'test/deploy/proxies.test.ts',
].map((file) => path.normalize(file));

function filesToRun(given: readonly string[]): readonly string[] {
  const names = given.length > 0 ? given : ['test/**/*.test.ts'];
  const all = names.flatMap((name) => {
    const found = globSync(name, { cwd: root }).sort();
    if (found.length === 0) throw new Error(`There is no test file ${name}.`);
    return found;
  });
  const first = longFiles.filter((file) => all.includes(file));
  if (given.length === 0 && first.length < longFiles.length) {
    throw new Error('test/run.ts names a long file that is no longer there.');
  }
  return [...new Set([...first, ...all])].map((file) => path.join(root, file));
}

function hashOf(place: string): string {
  const hash = createHash('sha256');
  for (const file of filesIn(place)) hash.update(`\n${file}\n`).update(readFileSync(file));
  return hash.digest('hex');
}

const files = filesToRun(process.argv.slice(2));
// Type stripping and compiling would be a third of the run. Files under test inherit the setting.
keepCompiledModules();
const folder = mkdtempSync(path.join(tmpdir(), 'domesday-tests-'));
process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));
// Servers that refuse to be root (PostgreSQL, nginx) pass through it to their own folders under another user.
chmodSync(folder, 0o711);
const [built, temporary] = [path.join(folder, 'built'), path.join(folder, 'tmp')];
for (const place of [built, temporary]) mkdirSync(place);
process.env[prebuiltVariable] = built;
for (const name of ['TMPDIR', 'TMP', 'TEMP']) process.env[name] = temporary;
const home = await bundled();
const homeBefore = hashOf(home);

/** Reason → tests. */
const notRun = new Map<string, string[]>();
// One more than there are cores, as tests also wait for the disk.
const stream = run({
  files,
  concurrency: availableParallelism() + 1,
  timeout: 600_000,
  execArgv: ['--import', pathToFileURL(path.join(root, 'test/time-limit.ts')).href],
});
stream.on('test:pass', ({ skip, todo, name, entryFile = '' }) => {
  const reason = skip ?? todo ?? false;
  if (reason === false) return;
  const tests = notRun.get(String(reason)) ?? [];
  notRun.set(String(reason), [...tests, `${path.relative(root, entryFile)}: ${name}`]);
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
if (hashOf(home) !== homeBefore) {
  console.log(`\nA test has changed the home that all share; it must work in a copy (test/prebuilt.ts).`);
  process.exitCode = 1;
}
const left = readdirSync(temporary, { withFileTypes: true });
// A test that fails may leave its folder behind.
if (left.length > 0 && process.exitCode === undefined) {
  console.log('\nTests have left these behind in the temporary folder:');
  for (const entry of left) {
    const place = path.join(temporary, entry.name);
    const within = entry.isDirectory() ? readdirSync(place, { recursive: true, encoding: 'utf8' }) : [];
    console.log(`  ${entry.name}: ${within.slice(0, 10).join(', ')}`);
  }
  process.exitCode = 1;
}
