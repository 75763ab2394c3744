// Postcodes at the size of the country: seconds and memory of the ingest, time to open the release, and look-ups a
// second against SQLite on the same rows. Without an argument on a made-up country (`onspd`: the layout with all columns);
// with a path on that file, such as the real Code-Point Open.

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { ReleaseStore } from '../../src/release/store.ts';
import { layouts } from '../../src/tables/index.ts';
import { openPostcodes, type PostcodeRow, type Postcodes } from '../../src/tables/postcodes/postcodes.ts';
import { type Postcode, packPostcode, parsePostcode, unpackPostcode } from '../../src/uk/postcode.ts';
import { randomNumbers, writeCountry } from './country.ts';

const lookups = 200_000;
const rounds = 15;
const opens = 7;

const work = mkdtempSync(path.join(tmpdir(), 'domesday-bench-postcodes-'));
const releases = path.join(work, 'releases');
const measured = (...args: readonly string[]) =>
  JSON.parse(
    execFileSync(process.execPath, [path.join(import.meta.dirname, 'measure.ts'), ...args], {
      encoding: 'utf8',
    }),
  );
const sorted = (values: readonly number[]) => values.toSorted((a, b) => a - b);
const median = (values: readonly number[]) => sorted(values)[values.length >> 1] ?? Number.NaN;

function run(given: string | undefined): void {
  const file = given === undefined || given === 'onspd' ? makeUp(given) : given;
  console.log(`node ${process.version}; ${file} (${(statSync(file).size / 1e6).toFixed(0)} MB)`);
  const ingest = measured('ingest', releases, file);
  console.log(
    `ingest: ${ingest.rows} rows in ${ingest.seconds.toFixed(1)} s, peak memory ${ingest.peakMb} MB, part of ${(ingest.bytes / 1e6).toFixed(1)} MB`,
  );
  const times = sorted(Array.from({ length: opens }, () => Number(measured('open', releases).ms)));
  console.log(
    `open and first look-up, new process: min ${times[0]?.toFixed(0)} ms, median ${median(times).toFixed(0)} ms`,
  );
  const table = openPostcodes(new ReleaseStore(releases, layouts).openCurrent());
  compare(table, choose(table));
}

function makeUp(given: string | undefined): string {
  const layout = given === 'onspd' ? 'onspd' : 'code-point';
  const file = path.join(work, layout === 'onspd' ? 'ONSPD_NOV_2025_UK.csv' : 'codepo_gb_2025.4.csv');
  const count = writeCountry(file, layout);
  console.log(`a made-up country: ${count} postcodes in the layout of ${layout}`);
  return file;
}

/** Four of five are there, all over the country. */
function choose(table: Postcodes): readonly Postcode[] {
  const random = randomNumbers(1087);
  const all = Uint32Array.from(table.packedNumbers());
  return Array.from({ length: lookups }, () => {
    const there = all[Math.floor(random() * all.length)] ?? 0;
    if (random() < 0.8) return parse(there);
    for (let near = there + 1; ; near += 1) {
      if (table.has(near)) continue;
      const missing = tryParse(near);
      if (missing !== undefined) return missing;
    }
  });
}

const parse = (packed: number): Postcode => tryParse(packed) ?? assert.fail(`${packed}`);
function tryParse(packed: number): Postcode | undefined {
  try {
    return parsePostcode(unpackPostcode(packed));
  } catch {
    return undefined;
  }
}

type Side = { readonly name: string; find(postcode: Postcode): PostcodeRow | undefined };

/** SQLite with the one or the other schema, and both ways of locking: as it comes, where every read takes and gives
 *  back the file's lock, as it must where another process may write; and with the lock kept for good. */
function sqliteSides(file: string): readonly Side[] {
  return (['as it comes', 'lock kept'] as const).flatMap((locking) => {
    const database = new DatabaseSync(file, { readOnly: true });
    database.exec('PRAGMA cache_size = -1000000; PRAGMA mmap_size = 4000000000');
    if (locking === 'lock kept') database.exec('PRAGMA locking_mode = EXCLUSIVE');
    const byNumber = database.prepare('SELECT * FROM by_number WHERE packed = ?');
    const byText = database.prepare('SELECT * FROM by_text WHERE postcode = ?');
    return [
      {
        name: `SQLite, integer key, ${locking}`,
        find: (postcode: Postcode) => describe(byNumber.get(packPostcode(postcode)), postcode),
      },
      {
        name: `SQLite, text key, ${locking}`,
        find: (postcode: Postcode) => describe(byText.get(postcode.text), postcode),
      },
    ];
  });
}

function compare(table: Postcodes, asked: readonly Postcode[]): void {
  const ours: Side = { name: 'domesday', find: (postcode) => table.find(postcode) };
  const sides = [ours, ...sqliteSides(fill(table))];
  for (const side of sides) {
    for (const postcode of asked) assert.deepEqual(side.find(postcode), table.find(postcode), side.name);
    time(side, asked);
  }
  console.log(
    `${asked.length} look-ups answered alike by all; ${rounds} rounds, taking turns, processor time`,
  );
  const taken = new Map(sides.map((side): [Side, number[]] => [side, []]));
  for (let round = 0; round < rounds; round += 1) {
    for (const [side, times] of taken) times.push(time(side, asked));
  }
  const own = taken.get(ours) ?? [];
  for (const [{ name }, times] of taken) {
    const perSecond = (ms: number) => `${((1000 * lookups) / ms / 1e6).toFixed(2)} M/s`;
    const ratios = times.map((ms, round) => ms / (own[round] ?? Number.NaN));
    console.log(
      `${name.padEnd(34)} best ${perSecond(Math.min(...times))}, median ${perSecond(median(times))}; domesday is ${median(ratios).toFixed(1)} times as fast, ${Math.min(...ratios).toFixed(1)} in the lowest round`,
    );
  }
}

/** Milliseconds of processor time, garbage collection included, for all of them; the clock would also count what
 *  other programs do meanwhile. */
function time(side: Side, asked: readonly Postcode[]): number {
  let found = 0;
  const begun = process.cpuUsage();
  for (const postcode of asked) if (side.find(postcode) !== undefined) found += 1;
  const { user, system } = process.cpuUsage(begun);
  const ms = (user + system) / 1000;
  assert.ok(found > 0.7 * asked.length);
  return ms;
}

const columns =
  'nation TEXT, latitude REAL, longitude REAL, authority TEXT, ward TEXT, county TEXT, region TEXT, lsoa TEXT, msoa TEXT, police TEXT, terminated TEXT, usage TEXT';

/** Returns the file. */
function fill(table: Postcodes): string {
  const file = path.join(work, 'postcodes.sqlite');
  const database = new DatabaseSync(file);
  database.exec('PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA page_size = 4096');
  database.exec(
    'PRAGMA locking_mode = EXCLUSIVE; PRAGMA cache_size = -1000000; PRAGMA mmap_size = 4000000000',
  );
  database.exec(`CREATE TABLE by_number (packed INTEGER PRIMARY KEY, ${columns})`);
  database.exec(`CREATE TABLE by_text (postcode TEXT PRIMARY KEY, ${columns}) WITHOUT ROWID`);
  const marks = Array.from({ length: 13 }, () => '?').join();
  const statements: readonly [StatementSync, StatementSync] = [
    database.prepare(`INSERT INTO by_number VALUES (${marks})`),
    database.prepare(`INSERT INTO by_text VALUES (${marks})`),
  ];
  database.exec('BEGIN');
  for (const area of table.areas()) {
    for (const row of table.inArea(area)) {
      const values = [
        row.nation,
        row.point?.latitudeDegrees ?? null,
        row.point?.longitudeDegrees ?? null,
        row.authorityCode,
        row.wardCode,
        row.countyCode,
        row.regionCode,
        row.lsoaCode,
        row.msoaCode,
        row.policeForceCode,
        row.terminated,
        row.usage,
      ];
      const parsed = parsePostcode(row.postcode) ?? assert.fail(row.postcode);
      statements[0].run(packPostcode(parsed), ...values);
      statements[1].run(row.postcode, ...values);
    }
  }
  database.exec('COMMIT; ANALYZE');
  database.close();
  return file;
}

function describe(found: ReturnType<StatementSync['get']>, { text }: Postcode): PostcodeRow | undefined {
  if (found === undefined) return undefined;
  const {
    latitude,
    longitude,
    authority,
    ward,
    county,
    region,
    lsoa,
    msoa,
    police,
    nation,
    terminated,
    usage,
  } = found;
  const point =
    latitude === null ? null : { latitudeDegrees: Number(latitude), longitudeDegrees: Number(longitude) };
  const row = {
    postcode: text,
    nation,
    point,
    authorityCode: authority,
    wardCode: ward,
    countyCode: county,
    regionCode: region,
    lsoaCode: lsoa,
    msoaCode: msoa,
    policeForceCode: police,
    terminated,
    usage,
  };
  // A row of text columns; the comparison with the table's answer is what checks it.
  return row as PostcodeRow;
}

try {
  run(process.argv[2]);
} finally {
  rmSync(work, { recursive: true, force: true });
}
