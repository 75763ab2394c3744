// Postcodes at the size of the country: seconds and memory of the ingest, time to open the release, and look-ups a second against
// SQLite on the same rows. node postcodes/run.ts [FILE], such as the real Code-Point Open; without one the country is made up.

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { randomFrom } from '../../scripts/random.ts';
import { noProgress } from '../../src/ingest/progress.ts';
import { runIngest } from '../../src/ingest/run.ts';
import { ReleaseStore } from '../../src/release/store.ts';
import { sources } from '../../src/sources/index.ts';
import { layouts } from '../../src/tables/index.ts';
import { openPostcodes, type Postcodes } from '../../src/tables/postcodes/postcodes.ts';
import { type Postcode, packPostcode, parsePostcode, unpackPostcode } from '../../src/uk/postcode.ts';
import { report } from '../figures.ts';
import { inTurns, median, processorMs, ratioOf, showRatio } from '../rounds.ts';
import { writeCountry } from './country.ts';

const lookups = 200_000;
const rounds = 15;
const opens = 7;

async function ingest(folder: string, file: string) {
  const store = new ReleaseStore(folder, layouts);
  const begun = performance.now();
  const { release, sources: reports } = await runIngest({
    paths: [file],
    sources,
    derivations: [],
    store,
    base: undefined,
    id: 'bench',
    kind: 'loaded',
    atMs: Date.UTC(2026, 10, 15),
    progress: noProgress,
  });
  store.point(release.id);
  const rows = reports.find(({ dataset }) => dataset === 'postcodes')?.rows;
  // maxRSS is in KiB.
  const peakMb = Math.round((process.resourceUsage().maxRSS * 1024) / 1e6);
  return { seconds: (performance.now() - begun) / 1000, peakMb, rows };
}

/** Until the first answer. */
function open(folder: string) {
  const begun = performance.now();
  const postcode = parsePostcode('SW1A 1AA') ?? assert.fail();
  openPostcodes(new ReleaseStore(folder, layouts).openCurrent()).find(postcode);
  return { ms: performance.now() - begun };
}

/** Each measurement is in a process of its own, so that memory and first-time costs are its own. */
const measured = (...args: readonly string[]) =>
  JSON.parse(execFileSync(process.execPath, [import.meta.filename, ...args], { encoding: 'utf8' }));

/** Undefined where no postcode has that number. */
function postcodeOf(packed: number): Postcode | undefined {
  try {
    return parsePostcode(unpackPostcode(packed));
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

/** Four of five are there, all over the country. */
function choose(table: Postcodes): readonly Postcode[] {
  const random = randomFrom(1087);
  const all = Uint32Array.from(table.packedNumbers());
  return Array.from({ length: lookups }, () => {
    const there = all[Math.floor(random() * all.length)] ?? 0;
    if (random() < 0.8) return parsePostcode(unpackPostcode(there)) ?? assert.fail();
    for (let near = there + 1; ; near += 1) {
      const missing = table.has(near) ? undefined : postcodeOf(near);
      if (missing !== undefined) return missing;
    }
  });
}

/** What SQLite gives back is compared as text, and timed as the bare row that its driver makes. */
type Find = (postcode: Postcode) => object | undefined;

/** Keyed by the packed postcode, which is the faster of its schemas, and with the file's lock kept for good. */
function fillSqlite(table: Postcodes, file: string): Find {
  const database = new DatabaseSync(file);
  database.exec(
    'PRAGMA journal_mode = OFF; PRAGMA locking_mode = EXCLUSIVE; PRAGMA cache_size = -1000000; PRAGMA mmap_size = 4000000000',
  );
  const columns = ['latitude', 'longitude', 'nation', 'authority', 'ward', 'county', 'region'].concat(
    ...['lsoa', 'msoa', 'police', 'terminated', 'usage'],
  );
  database.exec(`CREATE TABLE postcode (packed INTEGER PRIMARY KEY, ${columns.join()}); BEGIN`);
  const insert = database.prepare(`INSERT INTO postcode VALUES (?, ${columns.map(() => '?').join()})`);
  for (const area of table.areas()) {
    for (const row of table.inArea(area)) {
      const packed = packPostcode(parsePostcode(row.postcode) ?? assert.fail(row.postcode));
      const { latitudeDegrees = null, longitudeDegrees = null } = row.point ?? {};
      const { nation, authorityCode, wardCode, countyCode, regionCode } = row;
      const { lsoaCode, msoaCode, policeForceCode, terminated, usage } = row;
      insert.run(
        ...[packed, latitudeDegrees, longitudeDegrees, nation, authorityCode, wardCode, countyCode],
        ...[regionCode, lsoaCode, msoaCode, policeForceCode, terminated, usage],
      );
    }
  }
  database.exec('COMMIT; ANALYZE');
  const one = database.prepare('SELECT * FROM postcode WHERE packed = ?');
  return (postcode) => one.get(packPostcode(postcode));
}

async function compare(table: Postcodes, work: string): Promise<void> {
  const asked = choose(table);
  const sides: Readonly<Record<string, Find>> = {
    domesday: (postcode) => table.find(postcode),
    SQLite: fillSqlite(table, path.join(work, 'postcodes.sqlite')),
  };
  for (const postcode of asked) {
    const [own, theirs] = [table.find(postcode), sides.SQLite?.(postcode)];
    assert.equal(theirs === undefined, own === undefined, postcode.text);
    if (own === undefined || theirs === undefined) continue;
    assert.deepEqual(
      new Map(Object.entries(theirs)).get('latitude') ?? null,
      own.point?.latitudeDegrees ?? null,
    );
  }
  const names = Object.keys(sides);
  const taken = await inTurns(names, rounds, (name) =>
    processorMs(() => {
      for (const postcode of asked) sides[name]?.(postcode);
    }),
  );
  const ratio = ratioOf(taken('SQLite'), taken('domesday'));
  for (const name of names)
    console.log(`${name.padEnd(10)} ${(lookups / median(taken(name)) / 1000).toFixed(2)} M look-ups/s`);
  console.log(`SQLite ÷ domesday: ${showRatio(ratio)}`);
  const { median: value, lowest: worst } = ratio;
  report([{ what: 'look-ups: SQLite ÷ ours, processor time', value, unit: '×', worst }]);
}

const [step, folder = '', file = ''] = process.argv.slice(2);
if (step === 'ingest') console.log(JSON.stringify(await ingest(folder, file)));
else if (step === 'open') console.log(JSON.stringify(open(folder)));
else {
  const work = mkdtempSync(path.join(tmpdir(), 'domesday-bench-postcodes-'));
  try {
    const made = path.join(work, 'codepo_gb_2025.4.csv');
    if (step === undefined) writeCountry(made, 'code-point');
    const releases = path.join(work, 'releases');
    console.log(measured('ingest', releases, step ?? made));
    const times = Array.from({ length: opens }, () => Number(measured('open', releases).ms));
    console.log(`open and first look-up, new process: median ${median(times).toFixed(0)} ms`);
    await compare(openPostcodes(new ReleaseStore(releases, layouts).openCurrent()), work);
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}
