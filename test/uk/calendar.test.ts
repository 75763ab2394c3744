// Days, months and today in London.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  dayOf,
  formatDay,
  formatLondonMidnight,
  londonToday,
  parseDay,
  parseMonthName,
} from '../../src/uk/calendar.ts';

test('a day number reads back as its date', () => {
  fc.assert(
    fc.property(fc.integer({ min: dayOf(1, 1, 1) ?? 0, max: dayOf(9999, 12, 31) ?? 0 }), (day) => {
      assert.equal(parseDay(formatDay(day)), day);
    }),
  );
  assert.equal(parseDay('1970-01-01'), 0);
  assert.equal(parseDay('2025-12-18'), 20440);
});

test('only real dates in exactly that form are dates', () => {
  for (const text of ['2025-02-30', '2025-02-29', '2025-13-01', '2025-00-10', '2025-1-01', '18 Dec 2025']) {
    assert.equal(parseDay(text), undefined, text);
  }
  for (const text of ['', ' 2025-01-01', '2025-01-01T00:00', '0000-01-01', '20250101', '２０２５-01-01']) {
    assert.equal(parseDay(text), undefined, text);
  }
  assert.notEqual(parseDay('2024-02-29'), undefined);
});

test('today in London follows summer time', () => {
  const at = (text: string) => formatDay(londonToday(Date.parse(text)));
  assert.equal(at('2026-01-15T23:59:59Z'), '2026-01-15');
  assert.equal(at('2026-07-15T22:59:59Z'), '2026-07-15');
  assert.equal(at('2026-07-15T23:00:00Z'), '2026-07-16');
  // Summer time begins on 29 March 2026 and ends on 25 October 2026, both at 01:00 UTC.
  assert.equal(at('2026-03-28T23:30:00Z'), '2026-03-28');
  assert.equal(at('2026-03-29T23:30:00Z'), '2026-03-30');
  assert.equal(at('2026-10-24T23:30:00Z'), '2026-10-25');
  assert.equal(at('2026-10-25T23:30:00Z'), '2026-10-25');
});

test('dates and offsets in London are those of the time zone database, 1970 to 2037', () => {
  const dates = new Intl.DateTimeFormat('en-CA', { timeZone: 'Europe/London', dateStyle: 'short' });
  const offsets = new Intl.DateTimeFormat('en-GB', { timeZone: 'Europe/London', timeZoneName: 'longOffset' });
  const hours = fc.integer({ min: 0, max: Date.UTC(2037, 11, 31) / 3_600_000 });
  fc.assert(
    fc.property(hours, fc.integer({ min: 0, max: 3_599_999 }), (hour, ms) => {
      const atMs = hour * 3_600_000 + ms;
      const day = londonToday(atMs);
      assert.equal(formatDay(day), dates.format(atMs));
      const offset = /[+-]\d\d:\d\d$/.exec(offsets.format(day * 86_400_000))?.[0] ?? '+00:00';
      assert.equal(formatLondonMidnight(day), `${formatDay(day)}T00:00:00${offset}`);
    }),
    { numRuns: 1000 },
  );
});

test('month names as publishers write them', () => {
  const cases = { Jan: 1, June: 6, July: 7, 'Aug ': 8, may: 5, Sept: 9, December: 12 };
  for (const [name, month] of Object.entries(cases)) assert.equal(parseMonthName(name), month, name);
  for (const name of ['', 'Ja', 'Juni', 'Foo', '12']) assert.equal(parseMonthName(name), undefined, name);
});
