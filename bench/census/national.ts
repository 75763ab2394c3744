// Made-up census tables of national size through the ingest: 35,672 LSOAs, or 188,880 output areas with their look-up.
// cd bench && npm run census [-- FOLDER FOR SCRATCH]

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { randomFrom } from '../../scripts/random.ts';
import { noProgress } from '../../src/ingest/progress.ts';
import { runIngest } from '../../src/ingest/run.ts';
import { ReleaseStore } from '../../src/release/store.ts';
import { nomisTables } from '../../src/sources/census/nomis.ts';
import { sources } from '../../src/sources/index.ts';
import { openCensus } from '../../src/tables/census/census.ts';
import { layouts } from '../../src/tables/index.ts';
import { nomisText } from './made-up.ts';

const lsoas = 35_672;
const outputAreas = 188_880;
const folder = mkdtempSync(path.join(process.argv[2] ?? tmpdir(), 'census-national-'));

const random = randomFrom(1);
const lsoaCode = (index: number) => `E01${String(index + 1).padStart(6, '0')}`;
const outputAreaCode = (index: number) => `E00${String(index + 1).padStart(6, '0')}`;

function writeTables(place: string, count: number, codeOf: (index: number) => string): readonly string[] {
  mkdirSync(place, { recursive: true });
  return nomisTables.map((table) => {
    const file = path.join(place, `census2021-${table.id.toLowerCase()}.csv`);
    writeFileSync(file, nomisText(table, count, codeOf, random));
    return file;
  });
}

/** Processor time since `before`, as other work may run on the machine. */
function cpuMicros(before: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(before);
  return user + system;
}

async function time(title: string, paths: readonly string[], id: string): Promise<void> {
  const store = new ReleaseStore(path.join(folder, 'releases'), layouts);
  let peak = 0;
  const watch = setInterval(() => {
    peak = Math.max(peak, process.memoryUsage().rss);
  }, 20);
  const start = performance.now();
  const before = process.cpuUsage();
  const { release, sources: reports } = await runIngest({
    paths,
    sources,
    derivations: [],
    store,
    base: undefined,
    id,
    kind: 'loaded',
    atMs: 0,
    progress: noProgress,
  });
  const seconds = (performance.now() - start) / 1000;
  const cpuSeconds = cpuMicros(before) / 1e6;
  clearInterval(watch);
  const census = openCensus(release);
  const codes = Array.from({ length: 1000 }, (_, index) => lsoaCode((index * 7919) % lsoas));
  const lookUps = 1_000_000;
  const from = process.cpuUsage();
  for (let turn = 0; turn < lookUps; turn += 1) census.find(codes[turn % codes.length] ?? '');
  const micros = cpuMicros(from) / lookUps;
  const bytes = Object.values(release.manifest.parts).reduce((sum, part) => sum + part.bytes, 0);
  console.log(
    `${title}: ${reports[0]?.read} rows in ${seconds.toFixed(1)} s (${cpuSeconds.toFixed(1)} s of processor), ${(peak / 2 ** 20).toFixed(0)} MB resident at most, ${reports[0]?.rows} areas, ${(bytes / 2 ** 20).toFixed(1)} MB of parts; a look-up takes ${micros.toFixed(2)} µs of processor`,
  );
}

try {
  await time('LSOAs', writeTables(path.join(folder, 'lsoa'), lsoas, lsoaCode), 'lsoas');
  const lookup = path.join(folder, 'lookup.csv');
  const pairs = Array.from(
    { length: outputAreas },
    (_, index) => `${outputAreaCode(index)},${lsoaCode(Math.floor((index * lsoas) / outputAreas))}`,
  );
  writeFileSync(lookup, `OA21CD,LSOA21CD\n${pairs.join('\n')}\n`);
  const tables = writeTables(path.join(folder, 'oa'), outputAreas, outputAreaCode);
  await time('Output areas', [lookup, ...tables], 'output-areas');
} finally {
  rmSync(folder, { recursive: true, force: true });
}
