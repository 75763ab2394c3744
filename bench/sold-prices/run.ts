// Sold prices against SQL engines: the same rows, the same questions, equal answers first, then times in one run.
// node sold-prices/run.ts [rows] [engines, with commas] [folder]; what is in the folder from before is used again.

import { execFileSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import path from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { openSales } from '../../src/tables/sales/sales.ts';
import { type Figure, report } from '../figures.ts';
import { type Engine, openEngine } from './engines.ts';
import { BenchFolder, say, seconds } from './folder.ts';
import { answerOf, ask, type Query, queriesFor } from './queries.ts';
import { measureShapes, time, writingMs } from './shapes.ts';

const [rowCount = '1000000', engines = 'sqlite,duckdb,postgres', place] = process.argv.slice(2);
const engineNames = engines.split(',').filter((name) => name !== 'none');
const folder = new BenchFolder(Number(rowCount), place);
const { store, csv } = folder;
folder.generate();
if (!store.has('ingested')) {
  // In a process of its own, so that what it leaves in memory is not counted below.
  const ingest = path.join(import.meta.dirname, 'ingest.ts');
  execFileSync(process.execPath, [ingest, rowCount, folder.path, 'release'], { stdio: 'inherit' });
}

const release = store.open('ingested');
// First an area of middle size, so that the program itself is there.
const typical = openSales(release).find('GU');
const firstMs = performance.now();
const largest = openSales(release).find('B');
if (typical === undefined || largest === undefined) throw new Error('areas are missing');
say(
  `first touch of the largest area (${largest.length} sales): ${(performance.now() - firstMs).toFixed(0)} ms`,
);

const queries = queriesFor(typical.postcode(Math.floor(typical.length / 2)), largest.length);

type Line = {
  readonly query: Query;
  readonly own: { readonly p50: number; readonly p99: number };
  readonly writing: number;
};
// Every engine has been asked before it is timed; ours is in addition compiled by what it meets.
for (const query of queries) time(500, () => Buffer.from(ask(release, query)));
const lines: Line[] = queries.map((query) => {
  time(50, () => Buffer.from(ask(release, query)));
  return {
    query,
    own: time(300, () => Buffer.from(ask(release, query))),
    writing: writingMs(release, query),
  };
});
const fastest = queries.map(() => Number.POSITIVE_INFINITY);

async function compare(engine: Engine): Promise<void> {
  for (const [index, { query, own }] of lines.entries()) {
    const expected = answerOf(ask(release, query));
    const answer = await engine.ask(query);
    if (!isDeepStrictEqual(answer, expected)) {
      throw new Error(
        `${engine.name} answers "${query.name}" otherwise:\n${JSON.stringify(answer)}\n${JSON.stringify(expected)}`,
      );
    }
    const times: number[] = [];
    for (
      const endMs = performance.now() + 5000;
      times.length < 30 && (times.length < 3 || performance.now() < endMs);
    ) {
      const startMs = performance.now();
      await engine.ask(query);
      times.push(performance.now() - startMs);
    }
    times.sort((a, b) => a - b);
    const p50 = times[times.length >> 1] ?? Number.NaN;
    fastest[index] = Math.min(fastest[index] ?? p50, p50);
    say(
      `  ${engine.name.padEnd(11)} ${query.name.padEnd(48)} p50 ${p50.toFixed(2).padStart(9)} ms  ×${(p50 / own.p50).toFixed(0)}`,
    );
  }
}

for (const name of engineNames) {
  const startMs = performance.now();
  const engine = await openEngine(name, csv, folder.path);
  say(`${engine.name} loaded in ${seconds(startMs)}; answers must be equal:`);
  try {
    await compare(engine);
  } finally {
    await engine.close();
  }
}

say(`${'Domesday'.padEnd(50)}   p50 ms   p99 ms  page ms   × page  fastest other ÷ ours`);
const figures: Figure[] = [];
for (const [index, { query, own, writing }] of lines.entries()) {
  const ratio = (fastest[index] ?? Number.NaN) / own.p50;
  figures.push({ what: `${query.name}: fastest engine ÷ ours`, value: ratio, unit: '×' });
  const cells = [
    own.p50.toFixed(3),
    own.p99.toFixed(3),
    writing.toFixed(3),
    (own.p50 / writing).toFixed(1),
    ratio.toFixed(0),
  ];
  say(`${query.name.padEnd(50)} ${cells.map((cell) => cell.padStart(8)).join(' ')}`);
}

measureShapes(release, say);

if (place === undefined) rmSync(folder.path, { recursive: true, force: true });
if (engineNames.length > 0) report(figures);
