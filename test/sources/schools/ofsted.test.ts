// Ofsted's latest inspections: rows to ratings, the optional title line, and what is refused or left out.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { InspectionRows } from '../../../src/tables/schools/inspections.ts';
import { formatDay } from '../../../src/uk/calendar.ts';
import { realFile, testWith } from '../../requirements.ts';
import { type Cells, ofstedCsv, ofstedTitles, openSchoolDesk, type SchoolDesk } from './desk.ts';

const oeif: Cells = {
  URN: '999101',
  'Inspection start date of latest OEIF graded inspection': '05/11/2019',
  'Does the latest OEIF graded inspection relate to the URN of the current school?': 'No',
  'Latest OEIF overall effectiveness': '2',
  'Latest OEIF quality of education': '2',
};

function ratingOf(desk: SchoolDesk, urn: number) {
  const rows = new InspectionRows(desk.store.openCurrent());
  const row = rows.rowOf(urn);
  return row < 0 ? undefined : rows.at(row);
}

test('a row comes back as it was rated: tier, label, framework, day, predecessor', async (t) => {
  const desk = await openSchoolDesk(t);
  await desk.ingest([desk.put('ofsted.csv', ofstedCsv([oeif, { URN: '999102' }]))]);
  const { day, ...rating } = ratingOf(desk, 999101) ?? assert.fail();
  assert.equal(formatDay(day ?? 0), '2019-11-05');
  assert.deepEqual(rating, {
    tier: 3,
    framework: 'OEIF',
    label: 'Good',
    isOutstanding: false,
    isOfPredecessor: true,
  });
  assert.deepEqual(ratingOf(desk, 999102)?.tier, 0);
  assert.equal(ratingOf(desk, 999100), undefined);
});

test('the sandbox file has 85 columns', () => {
  assert.equal(ofstedTitles.length, 85);
});

testWith(
  realFile('data/area/ofsted_mi_latest_inspections_columns_2026.txt'),
  'the sandbox file has the official columns in their order',
  (file) => {
    assert.deepEqual(
      ofstedTitles,
      readFileSync(file, 'utf8')
        .split('\n')
        .filter((line) => line !== ''),
    );
  },
);

test('a line of title above the header is passed over and tells the day; else the name does; else the newest inspection', async (t) => {
  const desk = await openSchoolDesk(t);
  const plain = ofstedCsv([oeif]);
  const asOf = async (name: string, text: string) =>
    (await desk.ingest([desk.put(name, text)])).sources[0]?.asOf;
  assert.equal(await asOf('ofsted.csv', plain), '2019-11-05');
  assert.equal(
    await asOf('Management_information_-_latest_inspections_as_at_31_Jan_2026.csv', plain),
    '2026-01-31',
  );
  const titled = `"Management information - state-funded schools - latest inspections as at 30 June 2026"\r\n\r\n${plain}`;
  assert.equal(await asOf('mi.csv', titled), '2026-06-30');
  await assert.rejects(asOf('as_at_30_Apr_2026.csv', plain), /of 2026-04-30, and .* of 2026-06-30 is loaded/);
});

test('NULL, empty and "not applicable" cells say nothing', async (t) => {
  const desk = await openSchoolDesk(t);
  for (const nothing of ['NULL', '', 'Not applicable', 'null']) {
    const row = Object.fromEntries(ofstedTitles.map((title) => [title, nothing]));
    await desk.ingest([
      desk.put(
        'ofsted.csv',
        ofstedCsv([
          { ...row, ...oeif },
          { ...row, URN: '999102' },
        ]),
      ),
    ]);
    assert.equal(ratingOf(desk, 999102)?.label, '', nothing);
    assert.equal(ratingOf(desk, 999101)?.label, 'Good', nothing);
  }
});

test('a grade, date or category that is not known leaves the school unrated, and is counted', async (t) => {
  const desk = await openSchoolDesk(t);
  const { sources } = await desk.ingest([
    desk.put(
      'ofsted.csv',
      ofstedCsv([
        { ...oeif, URN: '999101' },
        { ...oeif, URN: '999102', 'Latest OEIF overall effectiveness': '5' },
        { ...oeif, URN: '999103', Inclusion: 'Splendid' },
        { ...oeif, URN: '999104', 'Most recent category of concern': 'XYZ' },
        { ...oeif, URN: '999105', 'Inspection start date of latest OEIF graded inspection': '31/02/2020' },
        { ...oeif, URN: 'total' },
        { ...oeif, URN: '999101' },
      ]),
    ),
  ]);
  assert.deepEqual(
    sources[0]?.rejected.map(({ reason, count, places }) => [reason, count, places[0]]),
    [
      ['unknown grade', 1, 'ofsted.csv:3'],
      ['unknown grade of the report card', 1, 'ofsted.csv:4'],
      ['unknown category of concern', 1, 'ofsted.csv:5'],
      ['date that is not like 30/06/2026', 1, 'ofsted.csv:6'],
      ['no URN', 1, 'ofsted.csv:7'],
      ['duplicate URN', 1, 'ofsted.csv:8'],
    ],
  );
  assert.equal(ratingOf(desk, 999103), undefined);
});

test('every missing column is named', async (t) => {
  const desk = await openSchoolDesk(t);
  const titles = ofstedTitles.filter(
    (title) => title !== 'Achievement' && title !== 'Latest OEIF overall effectiveness',
  );
  await assert.rejects(
    desk.ingest([desk.put('ofsted.csv', ofstedCsv([oeif], titles))]),
    /line 1 lacks 2 required columns: "Achievement", "Latest OEIF overall effectiveness"\. Is it the right file/,
  );
});
