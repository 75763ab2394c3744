// Runs benchmarks, all that take minutes or those named, keeps what they found in results.json, and makes README.md of it.
// npm run bench -- [--trial] [NAME…] | NAME ARGUMENT…

import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { cpus, loadavg, tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { type Benchmark, benchmarks } from './benchmarks.ts';
import type { Figure } from './figures.ts';
import { page, type Results } from './page.ts';

const folder = import.meta.dirname;
const resultsFile = path.join(folder, 'results.json');

const { values, positionals } = parseArgs({
  options: { trial: { type: 'boolean', default: false }, page: { type: 'boolean', default: false } },
  allowPositionals: true,
});
const namedBy = (name: string) => benchmarks.find((benchmark) => benchmark.name === name);

/** Those to run, with their arguments: after the one name of a benchmark may stand its own. */
function chosen(): readonly (readonly [Benchmark, readonly string[]])[] {
  if (values.page) return [];
  if (positionals.length === 0)
    return benchmarks.filter(({ runs }) => runs === 'all').map((each) => [each, each.args ?? []]);
  const named = positionals.map(namedBy);
  const [first] = named;
  if (first === undefined)
    throw new Error(
      `There is no benchmark "${positionals[0]}"; there are ${benchmarks.map(({ name }) => name).join(', ')}.`,
    );
  if (named.every((each) => each !== undefined)) return named.map((each) => [each, each.args ?? []]);
  return [[first, positionals.slice(1)]];
}

function run({ name, program }: Benchmark, args: readonly string[]): readonly Figure[] {
  const scratch = mkdtempSync(path.join(tmpdir(), 'domesday-bench-figures-'));
  const file = path.join(scratch, 'figures');
  console.log(`\n${name}; load average ${loadavg()[0]?.toFixed(1)}`);
  const { status } = spawnSync(process.execPath, [path.join(folder, program), ...args], {
    stdio: 'inherit',
    env: { ...process.env, BENCH_FIGURES: file },
  });
  const lines = existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n') : [];
  rmSync(scratch, { recursive: true });
  if (status !== 0) throw new Error(`${name} failed.`);
  return lines.map((line) => JSON.parse(line));
}

const git = (...args: readonly string[]) =>
  execFileSync('git', args, { cwd: folder, encoding: 'utf8' }).trim();

function whereAndWhen() {
  const [core] = cpus();
  return {
    commit: `${git('rev-parse', '--short=7', 'HEAD')}${git('status', '--porcelain', '--', '../src') === '' ? '' : '+'}`,
    date: new Date().toISOString().slice(0, 10),
    machine: `${cpus().length} cores, ${core?.model.trim() || process.arch}, Node ${process.versions.node.split('.', 2).join('.')}`,
  };
}

const results: Results = JSON.parse(readFileSync(resultsFile, 'utf8'));
for (const [benchmark, args] of chosen()) {
  const figures = run(benchmark, args);
  if (!values.trial) results[benchmark.name] = { ...whereAndWhen(), figures };
}
if (!values.trial) {
  writeFileSync(resultsFile, `${JSON.stringify(results, null, 2)}\n`);
  writeFileSync(path.join(folder, 'README.md'), page(results));
}
