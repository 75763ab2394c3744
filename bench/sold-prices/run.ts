// Sold prices against SQL engines: the same rows, the same questions, equal answers first, then times in one run.
// node sold-prices/run.ts [rows] [engines, with commas] [folder]; what is in the folder from before is used again.

import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { SalePage, salePage } from '../../src/endpoints/sale-page.ts';
import { noProgress } from '../../src/ingest/progress.ts';
import { runIngest } from '../../src/ingest/run.ts';
import type { Release } from '../../src/release/reader.ts';
import { ReleaseStore } from '../../src/release/store.ts';
import { pricePaid } from '../../src/sources/price-paid.ts';
import { openSales, openSalesIndex } from '../../src/tables/sales.ts';
import { select } from '../../src/tables/sales-selection.ts';
import { allLines, changeLines, createWorld, writeLines } from './generate.ts';
import { answerOf, ask, fromDayOf, type Query, queriesFor, today } from './queries.ts';
import type { Engine } from './sqlite.ts';

const rows = Number(process.argv[2] ?? 1_000_000);
const engineNames = (process.argv[3] ?? 'sqlite,duckdb,postgres')
  .split(',')
  .filter((name) => name !== 'none');
const isKept = process.argv[4] !== undefined;
const folder = process.argv[4] ?? mkdtempSync(path.join(tmpdir(), 'domesday-sold-prices-'));
mkdirSync(folder, { recursive: true });
const seed = 1;
const csv = path.join(folder, 'pp.csv');

const say = (line: string) => console.log(line);
const seconds = (sinceMs: number) => `${((performance.now() - sinceMs) / 1000).toFixed(1)} s`;
const megabytes = (bytes: number) => `${Math.round(bytes / 2 ** 20)} MB`;

say(
  `node ${process.version}, ${process.platform} ${process.arch}, ${rows.toLocaleString('en-GB')} rows, seed ${seed}`,
);
const world = createWorld(rows, seed);
if (!existsSync(csv)) {
  const startMs = performance.now();
  writeLines(csv, allLines(world, rows));
  say(`generated in ${seconds(startMs)}`);
}

const store = new ReleaseStore(path.join(folder, 'releases'));
async function ingest(id: string, file: string): Promise<void> {
  const startMs = performance.now();
  const cpu = process.cpuUsage();
  const base = store.currentId() === undefined ? undefined : store.openCurrent();
  const kind = 'loaded';
  const report = await runIngest({
    paths: [file],
    sources: [pricePaid],
    store,
    base,
    id,
    kind,
    atMs: Date.now(),
    progress: noProgress,
  });
  store.point(id);
  const { user, system } = process.cpuUsage(cpu);
  const peak = megabytes(process.resourceUsage().maxRSS * 1024);
  say(
    `${id}: ${report.sources[0]?.rows} sales in ${seconds(startMs)} (${((user + system) / 1e6).toFixed(0)} s of processor), peak ${peak}`,
  );
}
if (!store.has('ingested')) await ingest('ingested', csv);

const release = store.open('ingested');
const firstMs = performance.now();
const largest = openSales(release).find('B');
if (largest === undefined) throw new Error('the largest area is missing');
say(
  `first touch of the largest area (${largest.length} sales): ${(performance.now() - firstMs).toFixed(0)} ms`,
);

const typical = openSales(release).find('GU');
const queries = queriesFor(typical?.postcode(Math.floor(typical.length / 2)) ?? '', largest.length);

function time(repeats: number, work: () => unknown): { readonly p50: number; readonly p99: number } {
  const times: number[] = [];
  for (let index = 0; index < repeats; index++) {
    const startMs = performance.now();
    work();
    times.push(performance.now() - startMs);
  }
  times.sort((a, b) => a - b);
  return { p50: times[repeats >> 1] ?? 0, p99: times[Math.floor(repeats * 0.99)] ?? 0 };
}

/** What it costs to write the query's own page, with nothing looked up. */
function writingMs(query: Query): number {
  const segment = openSales(release).find(query.area);
  if (segment === undefined) return Number.NaN;
  const { offset, limit } = query;
  const everything = {
    classes: 2 ** 20 - 1,
    minPrice: 0,
    maxPrice: 2 ** 32,
    postcodes: undefined,
    street: undefined,
  };
  const days = { fromDay: fromDayOf(query), toDay: today };
  const count = Math.min(limit, JSON.parse(ask(release, query)).returned);
  const found = select(segment, { ...days, ...everything }).page(offset, count, {
    by: 'date',
    direction: 'falling',
  });
  const page = new SalePage(segment, found);
  return time(300, () => Buffer.from(salePage.write(page))).p50;
}

type Line = {
  readonly query: Query;
  readonly own: { readonly p50: number; readonly p99: number };
  readonly writing: number;
};
const lines: Line[] = queries.map((query) => {
  time(50, () => Buffer.from(ask(release, query)));
  return { query, own: time(300, () => Buffer.from(ask(release, query))), writing: writingMs(query) };
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
  // Their packages are those of bench/, which the checks of the whole house do without.
  const { open }: { open: (csv: string, place: string) => Promise<Engine> } = await import(`./${name}.ts`);
  const engine = await open(csv, path.join(folder, name));
  say(`${engine.name} loaded in ${seconds(startMs)}; answers must be equal:`);
  try {
    await compare(engine);
  } finally {
    await engine.close();
  }
}

say(`${'Domesday'.padEnd(50)}   p50 ms   p99 ms  page ms   × page  fastest other ÷ ours`);
for (const [index, { query, own, writing }] of lines.entries()) {
  const ratio = (fastest[index] ?? Number.NaN) / own.p50;
  const cells = [
    own.p50.toFixed(3),
    own.p99.toFixed(3),
    writing.toFixed(3),
    (own.p50 / writing).toFixed(1),
    ratio.toFixed(0),
  ];
  say(`${query.name.padEnd(50)} ${cells.map((cell) => cell.padStart(8)).join(' ')}`);
}

/** Requests arrive when they arrive, whether the one before is answered or not: waiting counts. */
function openLoop(perSecond: number, forMs: number): void {
  const waits: number[] = [];
  const gapMs = 1000 / perSecond;
  const startMs = performance.now();
  for (let index = 0; index * gapMs < forMs; index++) {
    const dueMs = startMs + index * gapMs;
    while (performance.now() < dueMs);
    const query = queries[index % queries.length];
    if (query !== undefined) Buffer.from(ask(release, query));
    waits.push(performance.now() - dueMs);
  }
  waits.sort((a, b) => a - b);
  const at = (share: number) => (waits[Math.floor(waits.length * share)] ?? Number.NaN).toFixed(2);
  say(
    `open loop, ${perSecond} requests a second of all shapes: p50 ${at(0.5)} ms, p99 ${at(0.99)} ms, p99.9 ${at(0.999)} ms`,
  );
}
openLoop(200, 5000);

function openAll(opened: Release): void {
  const before = process.memoryUsage().rss;
  for (const { area } of openSalesIndex(opened).areas) openSales(opened).find(area);
  say(`all areas open: ${megabytes(process.memoryUsage().rss)} resident (before: ${megabytes(before)})`);
}
openAll(store.open('ingested'));

const changes = path.join(folder, 'changes.csv');
writeLines(changes, changeLines(world, rows, Math.max(1000, Math.min(100_000, rows / 100))));
if (store.has('changed')) store.remove('changed');
store.point('ingested');
await ingest('changed', changes);
if (!isKept) rmSync(folder, { recursive: true, force: true });
