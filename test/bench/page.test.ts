// bench/README.md is what is kept in bench/results.json, and every benchmark that the list names is there.

import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { benchmarks } from '../../bench/benchmarks.ts';
import { page } from '../../bench/page.ts';

const file = (name: string) => new URL(`../../bench/${name}`, import.meta.url);

test('the page of the benchmarks says what they last found', () => {
  const results = JSON.parse(readFileSync(file('results.json'), 'utf8'));
  assert.equal(readFileSync(file('README.md'), 'utf8'), page(results), 'run: npm run bench -- --page');
});

test('each benchmark has its program, and nothing is kept of one that is gone', () => {
  for (const { program } of benchmarks) assert.ok(existsSync(file(program)), program);
  const names = new Set(benchmarks.map(({ name }) => name));
  const kept = Object.keys(JSON.parse(readFileSync(file('results.json'), 'utf8')));
  assert.deepEqual(
    kept.filter((name) => !names.has(name)),
    [],
  );
});
