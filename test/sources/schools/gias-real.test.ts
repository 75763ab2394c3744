// The register on genuine rows of GIAS. Both files hold rows of several years under the oldest header, so each set of
// rows is tried under the header it belongs to.

import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { TestContext } from 'node:test';
import { firstRows } from '../../../src/ingest/read/csv.ts';
import { openSchools } from '../../../src/tables/schools/schools.ts';
import { distanceMetres } from '../../../src/uk/grid.ts';
import { openTestHome } from '../../ingest/home.ts';
import { realFile, testWith } from '../../requirements.ts';
import { csvOf, giasTitles } from './desk.ts';

type Rows = { readonly titles: readonly string[]; readonly rows: readonly (readonly string[])[] };

const of2019 = realFile('data/area/gias_edubase_sample_2019_cp1252.csv');
const of2017 = realFile('data/area/gias_edubase_sample_teaching-vacancies.csv');

function readReal(file: string): Rows {
  const [titles = [], ...rows] = firstRows(readFileSync(file), Number.POSITIVE_INFINITY, 'cp1252');
  return { titles, rows };
}

async function load(t: TestContext, { titles, rows }: Rows) {
  const home = openTestHome();
  t.after(() => home.remove());
  const records = rows
    .filter((row) => row.length === titles.length)
    .map((row) => Object.fromEntries(titles.map((title, index) => [title, row[index] ?? ''])));
  const text = Buffer.from(csvOf(titles, records).replaceAll('’', '\u0092'), 'latin1');
  const { release, sources } = await home.ingest([home.put('edubasealldata.csv', text)]);
  const [report] = sources;
  const rejected = Object.fromEntries((report?.rejected ?? []).map(({ reason, count }) => [reason, count]));
  return { release, rejected, kept: report?.kept, schools: openSchools(release).allOf('England') };
}

testWith(
  of2019,
  '2019: open schools with their accents, at their grid references, and no head teacher',
  async (file, t) => {
    const real = readReal(file);
    const { release, rejected, schools } = await load(t, real);
    assert.deepEqual(rejected, { 'not open': 1 });
    assert.deepEqual(schools.map(({ name }) => name).sort(), [
      'Penistone Grammar School',
      'St Thomas à Becket Church of England Aided Primary School',
    ]);
    const { point } = schools.find(({ number }) => number === 106653) ?? assert.fail();
    // Penistone lies at 53.53 N, 1.63 W.
    assert.ok(distanceMetres(point.latitudeDegrees, point.longitudeDegrees, 53.533, -1.636) < 1500);
    const heads = real.rows.map((row) => row[real.titles.indexOf('HeadLastName')] ?? '');
    for (const name of readdirSync(release.dir)) {
      const part = readFileSync(path.join(release.dir, name));
      for (const head of heads.filter((text) => text.length > 3)) assert.ok(!part.includes(head), name);
    }
  },
);

testWith(of2017, '2017: phases, and ages where there is none', async (file, t) => {
  const { rejected, schools } = await load(t, readReal(file));
  const taught = schools.map(({ number, teachesPrimary, teachesSecondary }) =>
    [number, teachesPrimary ? 'P' : '', teachesSecondary ? 'S' : ''].join(' '),
  );
  assert.deepEqual(taught.sort(), [
    '100000 P ',
    // Ages 7 to 18, 4 to 13, 10 to 18, 5 to 11; a unit for ages 14 to 16 teaches neither.
    '100001  S',
    '100002 P ',
    '100003  S',
    '100007 P ',
    '100008 P ',
  ]);
  assert.deepEqual(rejected, {
    'not open': 1,
    nursery: 1,
    'teaches neither ages 5 to 10 nor 12 to 15, or states no ages': 1,
  });
});

testWith(
  of2017,
  '2026: rows of today lie under the header of 135 columns that the sandbox has',
  async (file, t) => {
    const rows = readReal(file).rows.filter((row) => row.length === giasTitles.length);
    assert.equal(rows.length, 10);
    const at = (title: string) => giasTitles.indexOf(title);
    for (const row of rows) {
      assert.match(row[at('LSOA (code)')] ?? '', /^E01\d{6}$/);
      assert.match(row[at('LastChangedDate')] ?? '', /^\d\d-\d\d-20\d\d$/);
      assert.match(row[at('Easting')] ?? '', /^\d{6}$/);
    }
    // Their northings were left blank, so that only a school with one given can be placed.
    const placed = rows.map((row) => row.with(at('Northing'), row[0] === '105135' ? '178800' : ''));
    const { schools, rejected } = await load(t, { titles: giasTitles, rows: placed });
    assert.deepEqual(
      schools.map(({ number, name, phase }) => [number, name, phase]),
      [[105135, "St Paul's Academy", 'Secondary']],
    );
    assert.deepEqual(rejected, {
      'not open': 2,
      college: 3,
      'teaches neither ages 5 to 10 nor 12 to 15, or states no ages': 4,
    });
  },
);

testWith(of2017, 'rows of another year than the header are refused, not read askew', async (file, t) => {
  const home = openTestHome();
  t.after(() => home.remove());
  await assert.rejects(home.ingest([file]), /line 11 has 135 fields; expected 120, as in the header/);
});
