// The register of England's schools: what is loaded, what is left out and why, and what is refused.

import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { openSchools } from '../../../src/tables/schools/schools.ts';
import { distanceMetres } from '../../../src/uk/grid.ts';
import { type Cells, giasCsv, giasTitles, openSchoolDesk, type SchoolDesk, sandbox } from './desk.ts';

const load = async (desk: SchoolDesk, rows: readonly Cells[]) => {
  const { sources } = await desk.ingest([desk.put('edubasealldata20260831.csv', giasCsv(rows))]);
  return sources[0];
};
const rejectsOf = (report: Awaited<ReturnType<typeof load>>) =>
  Object.fromEntries((report?.rejected ?? []).map(({ reason, count }) => [reason, count]));
const englandOf = (desk: SchoolDesk) => openSchools(desk.store.openCurrent()).allOf('England');

test('open schools are kept, all others counted with their reason', async (t) => {
  const desk = await openSchoolDesk(t);
  const report = await load(desk, [
    { URN: '999101' },
    { URN: '999102', 'EstablishmentStatus (name)': 'Open, but proposed to close' },
    { URN: '999103', 'EstablishmentStatus (name)': 'Closed' },
    { URN: '999104', 'EstablishmentStatus (name)': 'Proposed to open' },
    { URN: '999105', 'EstablishmentTypeGroup (code)': '1', 'PhaseOfEducation (name)': '16 plus' },
    { URN: '999106', 'EstablishmentTypeGroup (code)': '2' },
    { URN: '999107', 'EstablishmentTypeGroup (code)': '6', 'TypeOfEstablishment (code)': '30' },
    { URN: '999108', 'EstablishmentTypeGroup (code)': '9', 'TypeOfEstablishment (code)': '25' },
    { URN: '999109', 'EstablishmentTypeGroup (code)': '9', 'TypeOfEstablishment (code)': '37' },
    { URN: '999110', 'EstablishmentTypeGroup (code)': '13', 'TypeOfEstablishment (code)': '49' },
    { URN: '999111', 'PhaseOfEducation (name)': 'Nursery' },
    { URN: '999112', 'PhaseOfEducation (name)': '16 plus' },
    { URN: '', EstablishmentName: 'Nameless number' },
    { URN: '999113', EstablishmentName: '' },
    { URN: '999101' },
  ]);
  assert.deepEqual(
    englandOf(desk)
      .map(({ number }) => number)
      .sort(),
    [999101, 999102],
  );
  assert.deepEqual(rejectsOf(report), {
    'not open': 2,
    college: 1,
    university: 1,
    'school in Wales, which the Welsh list has': 1,
    'offshore school': 1,
    'British school overseas': 1,
    'online provider': 1,
    nursery: 1,
    'teaches neither ages 5 to 10 nor 12 to 15, or states no ages': 1,
    'no URN': 1,
    'no name': 1,
    'duplicate URN': 1,
  });
  assert.deepEqual([report?.read, report?.kept, report?.asOf], [15, 2, '2026-08-31']);
});

test('the phase tells whom a school teaches; where it says nothing, the ages do', async (t) => {
  const desk = await openSchoolDesk(t);
  const cases: readonly (readonly [phase: string, low: string, high: string, teaches: string])[] = [
    ['Primary', '7', '11', 'primary'],
    ['Middle deemed primary', '9', '12', 'primary'],
    ['Secondary', '11', '16', 'secondary'],
    ['Middle deemed secondary', '9', '13', 'secondary'],
    ['All-through', '4', '18', 'both'],
    ['Not applicable', '4', '19', 'both'],
    ['Not applicable', '6', '10', 'primary'],
    ['Not applicable', '7', '18', 'secondary'],
    ['Not applicable', '12', '15', 'secondary'],
    ['Not applicable', '7', '13', 'neither'],
    ['Not applicable', '13', '18', 'neither'],
    ['Not applicable', '', '', 'neither'],
  ];
  await load(
    desk,
    cases.map(([phase, low, high], index) => ({
      URN: String(999200 + index),
      'PhaseOfEducation (name)': phase,
      StatutoryLowAge: low,
      StatutoryHighAge: high,
    })),
  );
  const found = new Map(
    englandOf(desk).map(({ number, teachesPrimary, teachesSecondary }) => [
      number,
      teachesPrimary && teachesSecondary ? 'both' : teachesPrimary ? 'primary' : 'secondary',
    ]),
  );
  assert.deepEqual(
    cases.map((_, index) => found.get(999200 + index) ?? 'neither'),
    cases.map(([, , , teaches]) => teaches),
  );
});

test('a grid reference gives the point; without a usable one the postcode does; without either the school is left out', async (t) => {
  const desk = await openSchoolDesk(t);
  const junk = [
    { Easting: '', Northing: '' },
    { Easting: '0', Northing: '0' },
    { Easting: '7', Northing: '0' },
    { Easting: '9999999', Northing: '480000' },
    { Easting: 'n/a', Northing: '480000' },
  ];
  const report = await load(desk, [
    { URN: '999300', Easting: '590000', Northing: '480000', Postcode: '' },
    // Of so many, two that cannot be placed are few.
    ...Array.from({ length: 40 }, (_, index) => ({ URN: String(999400 + index) })),
    ...junk.map((cells, index) => ({ URN: String(999301 + index), Postcode: 'ZZ2 1AA', ...cells })),
    { URN: '999310', Easting: '', Northing: '', Postcode: 'ZZ9 9ZZ' },
    { URN: '999311', Easting: '', Northing: '', Postcode: 'ZZ2 9ZZ' },
    { URN: '999312', Easting: '', Northing: '', Postcode: '' },
    { URN: '999313', Easting: '', Northing: '', Postcode: 'unknown' },
  ]);
  const placed = new Map(englandOf(desk).map((school) => [school.number, school]));
  const metresFrom = (number: number, lat: number, long: number) => {
    const { latitudeDegrees = 0, longitudeDegrees = 0 } = placed.get(number)?.point ?? {};
    return distanceMetres(latitudeDegrees, longitudeDegrees, lat, long);
  };
  assert.ok(metresFrom(999300, 54.180581, 0.909995) < 5);
  for (const [index] of junk.entries()) {
    assert.ok(metresFrom(999301 + index, 54.183614, 0.933201) < 1, `${index}`);
    assert.equal(placed.get(999301 + index)?.placing, 'postcode');
  }
  assert.deepEqual(rejectsOf(report), {
    'no usable grid reference, and the postcode has no location, or is not among those loaded': 2,
    'no usable grid reference, and no postcode': 1,
    'no usable grid reference, and its postcode is not valid': 1,
  });
});

test('names keep their Windows-1252 letters, and those of a file saved again as UTF-8', async (t) => {
  const desk = await openSchoolDesk(t);
  const text = giasCsv([{ EstablishmentName: 'St Thomas à Becket’s "Old" School' }]);
  const cp1252 = Buffer.from(text.replaceAll('’', '\u0092'), 'latin1');
  const bytes = { cp1252, 'utf-8': Buffer.from(text), 'utf-8 with a mark': Buffer.from(`\ufeff${text}`) };
  for (const [encoding, content] of Object.entries(bytes)) {
    await desk.ingest([desk.put('gias.csv', content)]);
    assert.equal(englandOf(desk)[0]?.name, 'St Thomas à Becket’s "Old" School', encoding);
  }
});

test('columns are found by name wherever they stand, and each missing one is named', async (t) => {
  const desk = await openSchoolDesk(t);
  const turned = giasTitles.toReversed().map((title) => ` ${title.toUpperCase()}`);
  const upper = giasCsv([{}]).split('\r\n');
  const cells = (upper[1] ?? '').split(',').reverse().join(',');
  await desk.ingest([desk.put('turned.csv', `${turned.join(',')}\r\n${cells}\r\n`)]);
  assert.equal(englandOf(desk).length, 1);
  for (const missing of ['EstablishmentName', 'Easting', 'EstablishmentStatus (name)', 'LastChangedDate']) {
    const titles = giasTitles.filter((title) => title !== missing);
    await assert.rejects(
      desk.ingest([desk.put('gias.csv', giasCsv([{}], titles))]),
      (error: Error) =>
        error.message.includes(`line 1 lacks a required column: "${missing}"`) &&
        error.name === 'FileRefused',
    );
  }
});

test('a file that is cut off or has no rows is refused', async (t) => {
  const desk = await openSchoolDesk(t);
  const whole = giasCsv([{}, { URN: '999102' }]);
  const refuses = (files: readonly string[], message: RegExp) => assert.rejects(desk.ingest(files), message);
  await refuses([desk.put('cut.csv', whole.slice(0, -60))], /line 3 has \d+ fields; expected 135/);
  await refuses([desk.put('empty.csv', giasCsv([]))], /has a header and no rows\./);
  await refuses(
    [desk.put('none.csv', giasCsv([{ 'EstablishmentStatus (name)': 'Closed' }]))],
    /has no school to load; its rows: 1 not open/,
  );
});

test('a newer edition takes the place of the one before and counts what it takes out; an older or much smaller one does not', async (t) => {
  const desk = await openSchoolDesk(t);
  const many = Array.from({ length: 60 }, (_, at) => ({ URN: String(999101 + at) }));
  await load(desk, many);
  const report = await load(
    desk,
    many.slice(1).map((row) => ({ ...row, LastChangedDate: '30-09-2026' })),
  );
  assert.deepEqual(report?.revised, [
    { reason: 'school that is no longer in the list', count: 1, places: ['999101 A School'] },
  ]);
  await assert.rejects(load(desk, many), /the file is of 2026-08-31, and .* of 2026-09-30 is loaded/);
  await assert.rejects(
    load(
      desk,
      many.slice(21).map((row) => ({ ...row, LastChangedDate: '31-10-2026' })),
    ),
    /would replace .* and these would be lost: .*20 of 59 rows[\s\S]*add --replace/,
  );
  assert.equal(englandOf(desk).length, 59);
});

test('names of people are in no part of the release', async (t) => {
  const desk = await openSchoolDesk(t);
  await desk.ingest([sandbox('gias.csv'), sandbox('ofsted.csv')]);
  assert.ok(readFileSync(sandbox('gias.csv')).includes('Made-Up'), 'the fixture has names of people');
  const { dir } = desk.store.openCurrent();
  for (const name of readdirSync(dir)) {
    assert.ok(!readFileSync(path.join(dir, name)).includes('Made-Up'), name);
  }
});
