// The fictional town's schools: official layouts, unallocated numbers, the North Sea, and the cases that callers meet.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { firstRows } from '../../src/ingest/read/csv.ts';
import { sandbox } from '../sources/schools/desk.ts';

const read = (name: string) => {
  const [titles = [], ...rows] = firstRows(readFileSync(sandbox(name)), Number.POSITIVE_INFINITY, 'cp1252');
  return rows.map((row) => {
    assert.equal(row.length, titles.length);
    return (title: string) => row[titles.indexOf(title)] ?? assert.fail(title);
  });
};
const register = read('gias.csv');
const inspections = read('ofsted.csv');

test('numbers are not allocated, places are the town, people are nobody', () => {
  for (const cell of register) {
    assert.match(cell('URN'), /^9990\d\d$/);
    assert.match(cell('Postcode'), /^(ZZ[1-4] .*)?$/);
    assert.match(cell('SchoolWebsite'), /\.example\/$/);
    assert.equal(cell('HeadLastName'), 'Made-Up');
    const [east, north] = [Number(cell('Easting')), Number(cell('Northing'))];
    assert.ok((east === 0 && north === 0) || (east > 587_000 && north > 479_000), cell('URN'));
  }
  const known = new Set(register.map((cell) => cell('URN')));
  for (const cell of inspections) assert.ok(known.has(cell('URN')), cell('URN'));
});

test('every kind of judgement and of school is there', () => {
  const has = (rows: typeof register, title: string, value: RegExp) =>
    assert.ok(
      rows.some((cell) => value.test(cell(title))),
      `${title} ${value}`,
    );
  for (const phase of ['Primary', 'Secondary', 'All-through', 'Nursery', 'Not applicable', '16 plus']) {
    has(register, 'PhaseOfEducation (name)', new RegExp(`^${phase}$`));
  }
  for (const status of [/^Open$/, /^Closed$/, /^Open, but proposed to close$/]) {
    has(register, 'EstablishmentStatus (name)', status);
  }
  has(register, 'EstablishmentName', /’/);
  for (const grade of [/^1$/, /^2$/, /^Not judged$/, /^NULL$/]) {
    has(inspections, 'Latest OEIF overall effectiveness', grade);
  }
  has(inspections, 'Curriculum and teaching', /^Exceptional$/);
  has(inspections, 'Safeguarding standards', /^Not met$/);
  has(inspections, 'Most recent category of concern', /^SM$/);
  has(inspections, 'Ungraded inspection overall outcome', /^School remains Outstanding$/);
  has(inspections, 'Ungraded inspection overall outcome', /^Standards maintained$/);
  has(inspections, 'Does the latest OEIF graded inspection relate to the URN of the current school?', /^No$/);
});
