// The lists of Wales and Scotland: workbooks without coordinates, and with; what each says nothing about is left out.

import assert from 'node:assert/strict';
import path from 'node:path';
import { test } from 'node:test';
import { makeZip } from '../../../scripts/make-zip.ts';
import { openSchools } from '../../../src/tables/schools/schools.ts';
import { openHomeWithSample, openTestHome } from '../../ingest/home.ts';
import { realFiles, testWith } from '../../requirements.ts';
import {
  contactBook,
  contactRow,
  giasCsv,
  locationBook,
  locationRow,
  openSchoolDesk,
  type SchoolDesk,
  sandbox,
  welshBook,
  welshRow,
  welshTitles,
} from './desk.ts';

const taughtIn = (desk: Pick<SchoolDesk, 'store'>, nation: 'Wales' | 'Scotland') =>
  openSchools(desk.store.openCurrent())
    .allOf(nation)
    .map(({ number, phase, teachesPrimary, teachesSecondary, placing }) =>
      [number, phase, teachesPrimary ? 'P' : '', teachesSecondary ? 'S' : '', placing].join(' '),
    )
    .sort();
const rejectsOf = (report: Awaited<ReturnType<SchoolDesk['ingest']>>) =>
  Object.fromEntries((report.sources[0]?.rejected ?? []).map(({ reason, count }) => [reason, count]));

const welshRows = [
  welshRow(9992001, 'Ysgol Gynradd Zedborth', 'Primary', 'Infants & Juniors', 'ZZ3 1AA'),
  welshRow(9994001, 'Zedborth High School', 'Secondary', 'Secondary (ages 11-19)', 'ZZ3 2AA'),
  welshRow(9995001, 'Ysgol Bro Zed', 'Middle', 'Middle (ages 3-16)', 'zz31ad'),
];

test('Wales: sectors give the ages, postcodes the points; what has no ages is counted and left out', async (t) => {
  const desk = await openSchoolDesk(t);
  const report = await desk.ingest([
    desk.put(
      'address-list.ods',
      welshBook([
        ...welshRows,
        welshRow(9991001, 'Zedborth Nursery', 'Nursery', 'Nursery', 'ZZ3 1AA'),
        welshRow(9997001, 'Shore Special School', 'Special', 'Special (with post-16 provision)', 'ZZ3 1AA'),
        welshRow(9997002, 'Dune Special School', 'Special', 'Special (ages 3-19)', 'ZZ3 1AB'),
        welshRow(9992002, 'Lost School', 'Primary', 'Juniors', '---'),
        welshRow(9992003, 'Strange School', 'Cynradd?', 'Juniors', 'ZZ3 1AA'),
      ]),
    ),
  ]);
  assert.deepEqual(taughtIn(desk, 'Wales'), [
    '9992001 Primary P  postcode',
    '9994001 Secondary  S postcode',
    '9995001 Middle P S postcode',
    '9997002 Special P S postcode',
  ]);
  assert.deepEqual(rejectsOf(report), {
    nursery: 1,
    'special school, for which the list gives no ages': 1,
    'no postcode': 1,
    'unknown sector "Cynradd?"': 1,
    'independent school, for which the list gives no ages': 1,
    'pupil referral unit, for which the list gives no ages': 1,
  });
  assert.deepEqual(
    [report.sources[0]?.source, report.sources[0]?.read, report.sources[0]?.asOf],
    ['schools-wales', 10, '2026-04-01'],
  );
});

test('Wales: without postcodes, or with a column missing, the workbook is refused', async (t) => {
  const home = openTestHome();
  t.after(() => home.remove());
  await assert.rejects(
    home.ingest([home.put('wales.ods', welshBook(welshRows))]),
    /has 3 schools, and 3 of them cannot be placed: it gives no coordinates for them, and their postcodes \(such as ZZ3 1AA\) are not known, because no postcodes are loaded\. Load the postcodes of the whole country first, or in the same run/,
  );
  await home.ingest([sandbox('postcodes.csv')]);
  const titles = welshTitles.map((title) => (title === 'Sector' ? 'Type of thing' : title));
  await assert.rejects(
    home.ingest([home.put('wales.ods', welshBook(welshRows, titles))]),
    /sheet "Maintained" row 1 lacks a required column: "Sector"/,
  );
});

test('Wales: where postcodes are a sample, the list is refused and the schools of before stay', async (t) => {
  const home = await openHomeWithSample();
  t.after(() => home.remove());
  const before = taughtIn(home, 'Wales');
  const list = home.put('wales.ods', welshBook(welshRows));
  await assert.rejects(
    home.ingest([list]),
    /3 of them cannot be placed: .*only the bundled sample of postcodes is loaded/,
  );
  assert.deepEqual(taughtIn(home, 'Wales'), before);
  // Postcodes that come in the same run count, in whatever order they are given.
  await home.ingest([list, sandbox('postcodes.csv')]);
  assert.equal(taughtIn(home, 'Wales').length, 3);
});

test('a school in a postcode that is not loaded is counted, and more than one in twenty refused', async (t) => {
  const schools = (count: number, lost: number) =>
    Array.from({ length: count }, (_, at) => ({
      number: at + 1,
      name: `School ${at + 1}`,
      postcode: at < lost ? 'ZZ99 9ZZ' : 'ZZ3 1AA',
    }));
  const lists = {
    Wales: (rows: ReturnType<typeof schools>) =>
      welshBook(
        rows.map(({ number, name, postcode }) =>
          welshRow(9_990_000 + number, name, 'Primary', 'Juniors', postcode),
        ),
      ),
    Scotland: (rows: ReturnType<typeof schools>) =>
      contactBook(
        rows.map(({ number, name, postcode }) =>
          contactRow(5_900_000 + number, name, postcode, { primary: 'Yes' }),
        ),
      ),
    England: (rows: ReturnType<typeof schools>) =>
      giasCsv(
        rows.map(({ number, name, postcode }) => ({
          URN: String(999_000 + number),
          EstablishmentName: name,
          Postcode: postcode,
          Easting: '',
          Northing: '',
        })),
      ),
  };
  for (const [nation, make] of Object.entries(lists)) {
    const desk = await openSchoolDesk(t);
    const file = nation === 'England' ? 'list.csv' : 'list.ods';
    await assert.rejects(
      desk.ingest([desk.put(file, make(schools(40, 3)))]),
      /has 40 schools, and 3 of them cannot be placed/,
      nation,
    );
    const report = await desk.ingest([desk.put(file, make(schools(40, 2)))]);
    assert.deepEqual(
      [report.sources[0]?.rows, Object.values(rejectsOf(report)).includes(2)],
      [38, true],
      nation,
    );
  }
});

testWith(
  realFiles('data/places/newport', 'data/codepoint_open'),
  'slow: the Welsh list of 2021 needs the postcodes of the country, and nearly all its schools are found in them',
  async (place, t) => {
    const home = openTestHome();
    t.after(() => home.remove());
    const list = path.join(place('data/places/newport'), 'address-list-schools-wales-20210825.ods');
    await assert.rejects(home.ingest([list, sandbox('postcodes.csv')]), /cannot be placed/);
    const report = await home.ingest([list, place('data/codepoint_open')]);
    const schools = report.sources.find(({ dataset }) => dataset === 'schools-wales');
    assert.ok(schools !== undefined && schools.rows > 1_350, `${schools?.rows}`);
  },
);

const contactRows = [
  contactRow(5_900_001, 'Zedhaven Primary School', 'ZZ4 1AA', { primary: 'Yes' }),
  contactRow(5_900_002, 'Zedhaven High School', 'ZZ4 1AB', { secondary: 'Yes' }),
  contactRow(5_900_003, 'Outer Isle School', 'ZZ4 1AD', { primary: 'Yes', secondary: 'Yes' }),
];
const locations = locationBook([
  locationRow(5_900_001, 'Primary', 'Zedhaven Primary School', 54.21, 0.91),
  locationRow(5_900_003, 'Primary', 'Outer Isle School', 54.22, 0.92),
  locationRow(5_900_003, 'Secondary', 'Outer Isle School', 54.22, 0.92),
  locationRow(5_900_008, 'Primary', 'Gone Primary School', 54.2, 0.9),
  locationRow(5_900_009, 'Special', 'Pier School', 54.2, 0.9),
]);

test('Scotland: departments of the open schools give the ages; closed ones are in another sheet', async (t) => {
  for (const sheet of ['Open Schools', 'Publicly funded schools open']) {
    const desk = await openSchoolDesk(t);
    const report = await desk.ingest([
      desk.put(
        'contact.xlsx',
        contactBook(
          [
            ...contactRows,
            contactRow(5_900_004, 'Pier School', 'ZZ4 1AA', { special: 'Yes' }),
            contactRow(5_900_005, 'Nowhere Primary School', null, { primary: 'Yes' }),
          ],
          sheet,
        ),
      ),
    ]);
    assert.deepEqual(taughtIn(desk, 'Scotland'), [
      '5900001 Primary P  postcode',
      '5900002 Secondary  S postcode',
      '5900003 Primary and secondary P S postcode',
    ]);
    assert.deepEqual(rejectsOf(report), {
      'neither a primary nor a secondary department (nursery or special, for which the list gives no ages)': 1,
      'no postcode': 1,
    });
    assert.equal(report.sources[0]?.asOf, '2026-07-31');
  }
});

test('Scotland: the table of locations alone is a list, and needs no postcodes', async (t) => {
  const home = openTestHome();
  t.after(() => home.remove());
  // It is published as a workbook in an archive.
  const archive = makeZip({ 'SG_SchoolRoll_2023.xlsx': locations });
  const report = await home.ingest([home.put('SG_SchoolRoll_2023-12-12.zip', archive)]);
  assert.equal(report.sources[0]?.asOf, '2023-12-12');
  assert.deepEqual(taughtIn(home, 'Scotland'), [
    '5900001 Primary P  coordinates',
    '5900003 Primary and secondary P S coordinates',
    '5900008 Primary P  coordinates',
  ]);
  assert.deepEqual(rejectsOf(report), { 'special school, for which the list gives no ages': 1 });
});

test('Scotland: the contact list says which schools there are, the table where they lie, in whatever order they come', async (t) => {
  const joined = [
    '5900001 Primary P  coordinates',
    '5900002 Secondary  S postcode',
    '5900003 Primary and secondary P S coordinates',
  ];
  const together = await openSchoolDesk(t);
  const contact = (desk: SchoolDesk) => desk.put('contact.xlsx', contactBook(contactRows));
  const table = (desk: SchoolDesk) => desk.put('locations.xlsx', locations);
  await together.ingest([contact(together), table(together)]);
  assert.deepEqual(taughtIn(together, 'Scotland'), joined);

  const listFirst = await openSchoolDesk(t);
  await listFirst.ingest([contact(listFirst)]);
  const report = await listFirst.ingest([table(listFirst)]);
  assert.deepEqual(taughtIn(listFirst, 'Scotland'), joined);
  assert.equal(rejectsOf(report)['not in the loaded contact list'], 1);
  assert.equal(report.sources[0]?.edition, 'contact list of 2026-07-31');

  const listAgain = await listFirst.ingest([contact(listFirst)]);
  assert.equal(listAgain.sources[0]?.kept, 3);
  assert.deepEqual(taughtIn(listFirst, 'Scotland'), joined);
});

test('Scotland: a workbook without one sheet of open schools, or without a column, is refused', async (t) => {
  const desk = await openSchoolDesk(t);
  await assert.rejects(
    desk.ingest([desk.put('contact.xlsx', contactBook(contactRows, 'Schools'))]),
    /has 0 sheets of open schools; expected one called like "Open Schools"/,
  );
});
