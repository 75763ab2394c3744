// `npm run coverage`: runs the tests that concern the ledger and lists the branches of src/ledger/ that none of them
// took. Fails when one of them has no reason in test/coverage-exceptions.ts, or a reason there belongs to no line.
// `npm run coverage -- FOLDER` reads the counts that an earlier run has left in FOLDER (NODE_V8_COVERAGE). V8 does not
// count `?.` and `??=` as branches, so that neither does this.

import { spawnSync } from 'node:child_process';
import { globSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { exceptions } from './coverage-exceptions.ts';

type Range = { readonly startOffset: number; readonly endOffset: number; readonly count: number };
type Counted = { readonly isBlockCoverage: boolean; readonly ranges: readonly [Range, ...Range[]] };
type Script = { readonly url: string; readonly functions: readonly Counted[] };
type Branch = { readonly file: string; readonly line: number; readonly text: string };

const root = path.join(import.meta.dirname, '..');
const read = (file: string): string => readFileSync(file, 'utf8');
const concerned = [
  'test/ledger/**/*.test.ts',
  'test/cli/{accounts,keys,ledger*,usage}.test.ts',
  'test/cli/serve/{ledger-lost,one-service}.test.ts',
  'test/promises/{billing,half-closed,keys,limits,public-sandbox,repeating*}.test.ts',
];

/** Every process and thread leaves its counts, unless it is killed. */
function countInto(folder: string): void {
  // Functions that come from Node's compile cache are counted as a whole alone.
  const env = { ...process.env, NODE_V8_COVERAGE: folder, NODE_DISABLE_COMPILE_CACHE: '1' };
  const args = [path.join(root, 'test/run.ts'), ...globSync(concerned, { cwd: root })];
  const { status } = spawnSync(process.execPath, args, { env, stdio: 'inherit' });
  if (status !== 0) throw new Error('The tests must pass before their branches can be counted.');
}

function readScripts(folder: string): readonly Script[] {
  return readdirSync(folder).flatMap((name) => {
    try {
      const counted: { readonly result: readonly Script[] } = JSON.parse(read(path.join(folder, name)));
      return counted.result.filter(({ url }) => url.includes('/src/ledger/'));
    } catch (error) {
      // Killed while it wrote them.
      if (error instanceof SyntaxError) return [];
      throw error;
    }
  });
}

const placeOf = ({ ranges: [{ startOffset, endOffset }] }: Counted) => `${startOffset}-${endOffset}`;

/** How often each character was run, in all processes and threads together. */
function countsOf(scripts: readonly Script[], length: number): Float64Array {
  const all = scripts.flatMap(({ functions }) => functions);
  const branched = new Set(all.filter(({ isBlockCoverage }) => isBlockCoverage).map(placeOf));
  const sums = new Float64Array(length);
  for (const { functions } of scripts) {
    // Of a function with branches that a process has counted as a whole, nobody knows which it took.
    const isKnown = (each: Counted) => each.isBlockCoverage || !branched.has(placeOf(each));
    const ranges = functions.flatMap((each) =>
      isKnown(each) ? each.ranges : [{ ...each.ranges[0], count: 0 }],
    );
    // The inner one is painted over the outer one.
    ranges.sort((a, b) => a.startOffset - b.startOffset || b.endOffset - a.endOffset);
    const counts = new Float64Array(length);
    for (const { startOffset, endOffset, count } of ranges) counts.fill(count, startOffset, endOffset);
    for (const [index, count] of counts.entries()) sums[index] = (sums[index] ?? Number.NaN) + count;
  }
  return sums;
}

/** Types, comments and the inside of strings blanked; every character stays at its place. */
const codeOf = (source: string): string =>
  stripTypeScriptTypes(source).replace(
    /\/\*[\s\S]*?\*\/|\/\/.*|'(?:\\.|[^'\\\n])*'|`(?:\\.|[^`\\])*`/g,
    (text) => (/^['`]/.test(text) ? '_' : ' ') + text.slice(1).replace(/[^\n]/g, ' '),
  );

/** Where code starts that was never run. */
function neverRun(code: string, counts: Float64Array): readonly number[] {
  const starts: number[] = [];
  for (let start = 0; start < code.length; start += 1) {
    let end = start;
    while (counts[end] === 0) end += 1;
    const first = code.slice(start, end).search(/[\w$[]/);
    if (first >= 0) starts.push(start + first);
    start = end;
  }
  return starts;
}

/** Where a condition went one way alone, and the other way has no code that V8 could count. */
function oneWayAlone(code: string, counts: Float64Array): readonly number[] {
  const oneWay: number[] = [];
  for (const { 0: token, index } of code.matchAll(/\bif \(|\?\?(?!=)|\|\||&&/g)) {
    let then = index + token.length;
    for (let depth = 1; token === 'if (' && depth > 0; then += 1)
      depth += code[then] === '(' ? 1 : code[then] === ')' ? -1 : 0;
    then += code.slice(then).search(/\S/);
    // V8 counts an operator with what follows it.
    const before = counts[token === 'if (' ? index : code.slice(0, index).trimEnd().length - 1];
    if (before !== 0 && before === counts[then]) oneWay.push(index);
  }
  return oneWay;
}

function notTaken(file: string, scripts: readonly Script[]): readonly Branch[] {
  const source = read(path.join(root, file));
  const code = codeOf(source);
  const own = scripts.filter(({ url }) => url === pathToFileURL(path.join(root, file)).href);
  const counts = countsOf(own, code.length);
  const offsets = [...neverRun(code, counts), ...oneWayAlone(code, counts)].sort((a, b) => a - b);
  const lines = new Set(offsets.map((offset) => source.slice(0, offset).split('\n').length));
  return [...lines].map((line) => ({ file, line, text: source.split('\n')[line - 1]?.trim() ?? '' }));
}

const [given] = process.argv.slice(2);
const folder = given ?? mkdtempSync(path.join(tmpdir(), 'domesday-coverage-'));
if (given === undefined) {
  process.on('exit', () => rmSync(folder, { recursive: true }));
  countInto(folder);
}
const scripts = readScripts(folder);
const found = globSync('src/ledger/**/*.ts', { cwd: root }).flatMap((file) => notTaken(file, scripts));
const unexplained = found.filter(
  ({ file, text }) =>
    !exceptions.some((exception) => exception.file === file && text.startsWith(exception.text)),
);
const gone = exceptions.filter(({ file, text }) => !read(path.join(root, file)).includes(text));
console.log(`\nBranches of src/ledger/ that no test took: ${found.length}`);
for (const { file, line, text } of found) console.log(`  ${file}:${line}  ${text}`);
for (const { file, line } of unexplained) console.error(`There is no reason for ${file}:${line}.`);
for (const { file, text } of gone) console.error(`There is a reason for what is not in ${file}: ${text}`);
process.exitCode = unexplained.length + gone.length === 0 ? 0 : 1;
