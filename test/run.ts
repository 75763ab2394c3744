// `npm test` runs the tests at hand; `npm run test:slow` the files called *.slow.test.ts, and of the others the tests whose names
// begin with "slow: "; `npm run test:everything` both. Paths after it run those files alone. All files of a run share one bundled
// home, one PostgreSQL and one browser, several files share a process, and nothing may be left behind.

import { createHash } from 'node:crypto';
import {
  chmodSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import path from 'node:path';
import { type RunOptions, run } from 'node:test';
import { pathToFileURL } from 'node:url';
import { keepCompiledModules } from '../bin/compile-cache.js';
import { browserVariable, serveBrowser } from './browser.ts';
import { OwnPostgres, postgresVariable } from './postgres.ts';
import { bundled, filesIn, prebuiltVariable } from './prebuilt.ts';
import { report } from './report.ts';
import { browser } from './requirements.ts';

const root = path.join(import.meta.dirname, '..');
const isSlow = (file: string) => file.endsWith('.slow.test.ts');
/** A slow test in a file at hand. */
const slowName = '/^slow: /';
const hasSlowTests = (file: string) =>
  !isSlow(file) && /['"`]slow: /.test(readFileSync(path.join(root, file), 'utf8'));

/** How many files share a process, as starting it and loading the program would be half of the time of many, and how many
 *  processes run at once: slow tests wait for browsers, proxies and databases most of the time. */
type Sharing = { readonly files: number; readonly processes: number };
const quick: Sharing = { files: 12, processes: availableParallelism() + 1 };
const slow: Sharing = { files: 3, processes: 2 * availableParallelism() };

type Asked = 'at hand' | 'slow' | 'everything' | readonly string[];

function asked(words: readonly string[]): Asked {
  const files = words.filter((word) => !word.startsWith('--'));
  if (files.length > 0) return files;
  if (words.includes('--slow')) return 'slow';
  return words.includes('--everything') ? 'everything' : 'at hand';
}

function filesToRun(which: Asked): readonly string[] {
  const given = typeof which === 'string' ? ['test/**/*.test.ts'] : which;
  const files = given.flatMap((name) => {
    const found = globSync(name, { cwd: root }).sort();
    if (found.length === 0) throw new Error(`There is no test file ${name}.`);
    return found;
  });
  if (which === 'at hand') return files.filter((file) => !isSlow(file));
  return which === 'slow' ? files.filter((file) => isSlow(file) || hasSlowTests(file)) : files;
}

/** The longest first: one that starts late leaves the other cores idle. */
const longest = [
  'web/account-pages',
  'web/explore-absent',
  'cli/serve/replica',
  'data/bundled-places',
  'ledger/loss/running',
  'ledger/moving/kills',
  'bench/sold-prices',
  'deploy/container',
  'replicas/rolling',
  'web/admin-pages',
  'promises/needs',
  'web/explore-pages',
  'promises/kill',
].map((name) => path.normalize(`test/${name}.slow.test.ts`));

const inGroups = (files: readonly string[], size: number): readonly (readonly string[])[] =>
  Array.from({ length: Math.ceil(files.length / size) }, (_, at) => files.slice(at * size, (at + 1) * size));

/** What each process runs. */
const processesFor = (files: readonly string[], quickFiles: number): readonly (readonly string[])[] => [
  ...longest.filter((file) => files.includes(file)).map((file) => [file]),
  ...inGroups(
    files.filter((file) => isSlow(file) && !longest.includes(file)),
    slow.files,
  ),
  ...inGroups(
    files.filter((file) => !isSlow(file)),
    quickFiles,
  ),
];

/** A program that runs these files, each as a suite of its own, whose hooks are then its own too. One is loaded after the other:
 *  whatever they share would else be loaded within the suite of either. */
function programFor(files: readonly string[]): string {
  const suites = files.map((file) => {
    const address = JSON.stringify(pathToFileURL(path.join(root, file)).href);
    return `await new Promise((loaded) => void suite(${JSON.stringify(file)}, () => import(${address}).then(loaded)));`;
  });
  return `import { suite } from 'node:test';\n${suites.join('\n')}\n`;
}

function hashOf(place: string): string {
  const hash = createHash('sha256');
  for (const file of filesIn(place)) hash.update(`\n${file}\n`).update(readFileSync(file));
  return hash.digest('hex');
}

const which = asked(process.argv.slice(2));
const files = filesToRun(which);
// Type stripping and compiling would be a third of the run. Files under test inherit the setting.
keepCompiledModules();
const folder = mkdtempSync(path.join(tmpdir(), 'domesday-tests-'));
process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));
// Servers that refuse to be root (PostgreSQL, nginx) pass through it to their own folders under another user.
chmodSync(folder, 0o711);
const place = (name: string): string => {
  mkdirSync(path.join(folder, name));
  return path.join(folder, name);
};
const [built, temporary, programs, servers] = [
  place('built'),
  place('tmp'),
  place('programs'),
  place('servers'),
];
chmodSync(servers, 0o711);
process.env[prebuiltVariable] = built;
const pointTemporaryFilesTo = (where: string) => {
  for (const name of ['TMPDIR', 'TMP', 'TEMP']) process.env[name] = where;
};
pointTemporaryFilesTo(servers);
const home = await bundled();
const homeBefore = hashOf(home);
// A file that runs alone starts what it needs itself.
const isShared = files.length > 1;
const postgres = isShared ? await OwnPostgres.make() : undefined;
if (postgres !== undefined) process.env[postgresVariable] = String(postgres.port);
const shownBy = isShared && browser.kind === 'there' ? await serveBrowser(browser.value) : undefined;
if (shownBy !== undefined) process.env[browserVariable] = shownBy.address;
pointTemporaryFilesTo(temporary);

/** `names`: the tests of these files that are run, or not. */
const start = (
  chosen: readonly string[],
  names: Pick<RunOptions, 'testNamePatterns' | 'testSkipPatterns'>,
  sharing = quick,
) =>
  run({
    files: processesFor(chosen, sharing.files).map((group) => {
      const program = path.join(programs, `${group[0]?.replaceAll('/', '-')}.mjs`);
      writeFileSync(program, programFor(group));
      return program;
    }),
    concurrency: sharing.processes,
    timeout: 900_000,
    execArgv: ['--import', pathToFileURL(path.join(root, 'test/time-limit.ts')).href],
    ...names,
  });
const runs =
  which === 'at hand'
    ? [() => start(files, { testSkipPatterns: slowName })]
    : which === 'slow'
      ? [
          () => start(files.filter(isSlow), {}, slow),
          () => start(files.filter(hasSlowTests), { testNamePatterns: slowName }, slow),
        ]
      : [() => start(files, {})];
if (!(await report(runs))) process.exitCode = 1;
await shownBy?.close();
await postgres?.remove();

if (hashOf(home) !== homeBefore) {
  console.log(`\nA test has changed the home that all share; it must work in a copy (test/prebuilt.ts).`);
  process.exitCode = 1;
}
const left = readdirSync(temporary, { withFileTypes: true });
// A test that fails may leave its folder behind.
if (left.length > 0 && process.exitCode === undefined) {
  console.log('\nTests have left these behind in the temporary folder:');
  for (const entry of left) {
    const at = path.join(temporary, entry.name);
    const within = entry.isDirectory() ? readdirSync(at, { recursive: true, encoding: 'utf8' }) : [];
    console.log(`  ${entry.name}: ${within.slice(0, 10).join(', ')}`);
  }
  process.exitCode = 1;
}
