// Windows and anniversaries: the days on which months differ.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { anchorUpTo, hourStart, nextAnniversary, spansAt } from '../../src/ledger/calendar.ts';

const at = (text: string): number => Date.parse(text);
const anyTime = fc.integer({ min: at('2020-01-01T00:00:00Z'), max: at('2090-01-01T00:00:00Z') });
const iso = (atMs: number): string => new Date(atMs).toISOString();

describe('windows', () => {
  it('are the minute, the day and the calendar month in UTC', () => {
    assert.deepEqual(spansAt(at('2028-02-29T23:59:59.999Z')), {
      minute: { startMs: at('2028-02-29T23:59:00Z'), endMs: at('2028-03-01T00:00:00Z') },
      day: { startMs: at('2028-02-29T00:00:00Z'), endMs: at('2028-03-01T00:00:00Z') },
      month: { startMs: at('2028-02-01T00:00:00Z'), endMs: at('2028-03-01T00:00:00Z') },
    });
    assert.equal(spansAt(at('2026-12-31T12:00:00Z')).month.endMs, at('2027-01-01T00:00:00Z'));
  });

  it('hold their instant and meet without a gap', () => {
    fc.assert(
      fc.property(anyTime, (atMs) => {
        const spans = spansAt(atMs);
        for (const window of ['minute', 'day', 'month'] as const) {
          const { startMs, endMs } = spans[window];
          assert.ok(startMs <= atMs && atMs < endMs);
          assert.equal(spansAt(startMs)[window].startMs, startMs);
          assert.equal(spansAt(endMs)[window].startMs, endMs);
          assert.equal(spansAt(endMs - 1)[window].startMs, startMs);
        }
        assert.equal(iso(hourStart(atMs)), `${iso(atMs).slice(0, 13)}:00:00.000Z`);
      }),
    );
  });
});

describe('the monthly anniversary', () => {
  it('of the 31st is the last day of shorter months, and the 31st again after', () => {
    const anchorMs = at('2027-10-31T08:30:00Z');
    const found: string[] = [];
    for (let afterMs = anchorMs, i = 0; i < 6; i++) {
      afterMs = nextAnniversary(anchorMs, afterMs);
      found.push(iso(afterMs).slice(0, 16));
    }
    assert.deepEqual(found, [
      '2027-11-30T08:30',
      '2027-12-31T08:30',
      '2028-01-31T08:30',
      '2028-02-29T08:30',
      '2028-03-31T08:30',
      '2028-04-30T08:30',
    ]);
  });

  it('at its very instant is the one a month later', () => {
    const anchorMs = at('2026-05-15T10:00:00Z');
    assert.equal(iso(nextAnniversary(anchorMs, anchorMs)), '2026-06-15T10:00:00.000Z');
    assert.equal(iso(nextAnniversary(anchorMs, at('2026-06-15T09:59:59.999Z'))), '2026-06-15T10:00:00.000Z');
    assert.equal(iso(nextAnniversary(anchorMs, at('2026-06-15T10:00:00Z'))), '2026-07-15T10:00:00.000Z');
  });

  it('is the first after any instant: later than it, by at most 31 days, on the anchor’s day or the month’s last', () => {
    fc.assert(
      fc.property(anyTime, fc.nat(40 * 366 * 86_400_000), (anchorMs, elapsedMs) => {
        const afterMs = anchorMs + elapsedMs;
        const nextMs = nextAnniversary(anchorMs, afterMs);
        assert.ok(nextMs > afterMs && nextMs - afterMs <= 31 * 86_400_000);
        assert.equal(iso(nextMs).slice(10), iso(anchorMs).slice(10), 'the same time of day');
        const day = Number(iso(nextMs).slice(8, 10));
        const wanted = Number(iso(anchorMs).slice(8, 10));
        const isLastDay = iso(nextMs + 86_400_000).slice(8, 10) === '01';
        assert.ok(day === wanted || (day < wanted && isLastDay));
      }),
    );
  });

  it('never lies before the first month is over, even if the clock is set back', () => {
    const anchorMs = at('2026-05-15T10:00:00Z');
    assert.equal(iso(nextAnniversary(anchorMs, at('2025-01-01T00:00:00Z'))), '2026-06-15T10:00:00.000Z');
  });
});

describe('an anchor that lies ahead', () => {
  it('gives way to an earlier one with the same anniversaries, at most two months and a day back', () => {
    fc.assert(
      fc.property(anyTime, anyTime, fc.nat(40 * 366 * 86_400_000), (anchorMs, atMs, elapsedMs) => {
        const earlierMs = anchorUpTo(anchorMs, atMs);
        assert.ok(earlierMs <= atMs);
        if (anchorMs <= atMs) assert.equal(earlierMs, anchorMs);
        else assert.ok(atMs - earlierMs <= 63 * 86_400_000);
        const laterMs = Math.max(anchorMs, atMs) + elapsedMs;
        assert.equal(nextAnniversary(earlierMs, laterMs), nextAnniversary(anchorMs, laterMs));
      }),
    );
  });

  it('that no date can hold ends in an error, as does a time that none can', () => {
    for (const [anchorMs, atMs] of [
      [2 ** 53 - 1, at('2026-01-01T00:00:00Z')],
      [at('2026-01-01T00:00:00Z'), 2 ** 53 - 1],
      [at('2026-01-01T00:00:00Z'), -8.64e15],
    ] as const) {
      assert.throws(() => anchorUpTo(anchorMs, atMs), RangeError);
    }
  });
});
