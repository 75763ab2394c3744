// Tax years: two consecutive years, from 1 April on.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { formatLondonMidnight, parseDay } from '../../src/uk/calendar.ts';
import { formatTaxYear, parseTaxYear, taxYearOn } from '../../src/uk/tax-year.ts';

test('two consecutive years are a tax year, over the turn of a century too; anything else is not', () => {
  assert.equal(parseTaxYear('2026-27'), 2026);
  assert.equal(parseTaxYear('1999-00'), 1999);
  for (const text of [
    '2026-28',
    '2026-26',
    '2026-2027',
    '2026/27',
    '26-27',
    ' 2026-27',
    '2026-27 ',
    '2026-7',
    '',
  ]) {
    assert.equal(parseTaxYear(text), undefined, text);
  }
});

test('what is written is read again', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 9998 }), (year) => parseTaxYear(formatTaxYear(year)) === year),
  );
});

test('a year runs from 1 April to 31 March', () => {
  const cases = {
    '2026-03-31': 2025,
    '2026-04-01': 2026,
    '2026-12-31': 2026,
    '2027-01-01': 2026,
    '2027-03-31': 2026,
  };
  for (const [date, year] of Object.entries(cases)) assert.equal(taxYearOn(parseDay(date) ?? 0), year, date);
});

test("midnight has London's offset of that night", () => {
  const at = (date: string) => formatLondonMidnight(parseDay(date) ?? 0);
  assert.equal(at('2026-03-25'), '2026-03-25T00:00:00+00:00');
  assert.equal(at('2026-05-12'), '2026-05-12T00:00:00+01:00');
  assert.equal(at('2026-03-29'), '2026-03-29T00:00:00+00:00');
  assert.equal(at('2026-10-25'), '2026-10-25T00:00:00+01:00');
});
