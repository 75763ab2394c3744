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
import { openPostcodes, type PostcodeRow, type Postcodes } from '../../src/tables/postcodes.ts';
import { type Postcode, packPostcode, parsePostcode, unpackPostcode } from '../../src/uk/postcode.ts';
import { randomNumbers, writeCountry } from './country.ts';

const lookups = 200_000;
const rounds = 9;
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
  const table = openPostcodes(new ReleaseStore(releases).openCurrent());
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

type Side = { readonly name: string; find(postcode: Postcode): unknown };

function compare(table: Postcodes, asked: readonly Postcode[]): void {
  const database = fill(table);
  const byNumber = database.prepare('SELECT * FROM by_number WHERE packed = ?');
  const byText = database.prepare('SELECT * FROM by_text WHERE postcode = ?');
  for (const postcode of asked) {
    const expected = table.find(postcode);
    assert.deepEqual(describe(byNumber.get(packPostcode(postcode)), postcode), expected);
    assert.deepEqual(describe(byText.get(postcode.text), postcode), expected);
  }
  console.log(`${asked.length} look-ups answered alike by all three; ${rounds} rounds, taking turns`);
  const sides: readonly Side[] = [
    { name: 'domesday', find: (postcode) => table.find(postcode) },
    { name: 'SQLite, INTEGER PRIMARY KEY', find: (postcode) => byNumber.get(packPostcode(postcode)) },
    { name: 'SQLite, TEXT, WITHOUT ROWID', find: (postcode) => byText.get(postcode.text) },
  ];
  for (const side of sides) time(side, asked);
  const taken = sides.map((): number[] => []);
  for (let round = 0; round < rounds; round += 1) {
    for (const [index, side] of sides.entries()) taken[index]?.push(time(side, asked));
  }
  for (const [index, { name }] of sides.entries()) {
    const times = taken[index] ?? [];
    const perSecond = (ms: number) => `${((1000 * lookups) / ms / 1e6).toFixed(2)} M/s`;
    console.log(
      `${name.padEnd(30)} best ${perSecond(Math.min(...times))}, median ${perSecond(median(times))}`,
    );
  }
  const [ours = [], ...others] = taken;
  const ratios = others.map((times) => times.map((ms, round) => ms / (ours[round] ?? Number.NaN)));
  // Against the faster of the two.
  const fairest = ratios.toSorted((a, b) => median(a) - median(b))[0] ?? [];
  console.log(
    `ratio to the faster SQLite: median ${median(fairest).toFixed(1)}, lowest round ${Math.min(...fairest).toFixed(1)}`,
  );
}

/** Milliseconds for all of them. */
function time({ find }: Side, asked: readonly Postcode[]): number {
  let found = 0;
  const begun = performance.now();
  for (const postcode of asked) if (find(postcode) !== undefined) found += 1;
  const ms = performance.now() - begun;
  assert.ok(found > 0.7 * asked.length);
  return ms;
}

const columns =
  'nation TEXT, latitude REAL, longitude REAL, authority TEXT, ward TEXT, county TEXT, region TEXT, lsoa TEXT, msoa TEXT, police TEXT, terminated TEXT, usage TEXT';

function fill(table: Postcodes): DatabaseSync {
  const database = new DatabaseSync(path.join(work, 'postcodes.sqlite'));
  database.exec('PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA page_size = 4096');
  database.exec('PRAGMA cache_size = -1000000; PRAGMA mmap_size = 4000000000');
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
  return database;
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
