// What the explorer works out of sold prices and Bank Rate itself, for any answer.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { spanOf, stepsIn } from '../../web/explore/bank-rate/history.ts';
import { addressText, changeOf } from '../../web/explore/prices/figures.ts';
import { queryOf, saleWishIn, withins } from '../../web/explore/prices/question.ts';

const month = fc.oneof(
  fc.record({ count: fc.integer({ min: 1, max: 400 }), medianPrice: fc.integer({ min: 1, max: 2_000_000 }) }),
  fc.constant({ count: 0, medianPrice: null }),
);

const monthsOf = (
  known: readonly { readonly count: number; readonly medianPrice: number | null }[],
  unknown: number,
) =>
  [...known, ...Array.from({ length: unknown }, () => ({ count: null, medianPrice: null }))].map(
    (each, at) => ({
      month: `${2000 + Math.floor(at / 12)}-${String((at % 12) + 1).padStart(2, '0')}`,
      lowerQuartile: each.medianPrice,
      upperQuartile: each.medianPrice,
      ...each,
    }),
  );

test('the change in a year is that of each sale at its month’s median, and months that are not known change nothing', () => {
  fc.assert(
    fc.property(
      fc.array(month, { minLength: 12, maxLength: 40 }),
      fc.integer({ min: 0, max: 4 }),
      (known, unknown) => {
        const change = changeOf(monthsOf(known, unknown));
        // By hand: a list of all sales.
        const sales = (from: number, to: number) =>
          known
            .slice(from, to)
            .flatMap(({ count, medianPrice }) => Array.from({ length: count }, () => medianPrice ?? 0));
        const average = (list: readonly number[]) => list.reduce((sum, each) => sum + each, 0) / list.length;
        const now = sales(known.length - 6, known.length);
        const before = sales(known.length - 18, known.length - 12);
        const isKnown = known.length >= 18 && now.length >= 5 && before.length >= 5;
        assert.equal(change.kind, isKnown ? 'known' : 'unknown');
        if (change.kind === 'known') {
          const share = average(now) / average(before) - 1;
          assert.ok(Math.abs(change.share - share) <= Math.abs(share) * 1e-9 + 1e-9);
        }
      },
    ),
  );
});

test('whatever is chosen stands in the address and is read from it again; what is usual does not', () => {
  const text = fc.string({ minLength: 1, maxLength: 12 });
  const chosen = fc.record({
    within: fc.constantFrom(...withins),
    months: text,
    type: text,
    minPrice: text,
    maxPrice: text,
    street: text,
    newBuild: text,
    category: text,
    sort: text,
    order: text,
    offset: text,
  });
  fc.assert(
    fc.property(chosen, (wish) => {
      const query = new URLSearchParams();
      for (const [name, value] of Object.entries(queryOf(wish)))
        if (value !== undefined) query.set(name, value);
      assert.deepEqual(saleWishIn(new URLSearchParams(query.toString())), { ...wish });
    }),
  );
  const usual = saleWishIn(new URLSearchParams());
  assert.deepEqual(
    Object.values(queryOf(usual)).filter((value) => value !== undefined),
    [],
  );
});

test('an address is written in ordinary letters, and its postcode stays', () => {
  const written = (address: string, postcode: string) => addressText({ address, postcode });
  assert.equal(written('12A HIGH STREET, RYDE, PO33 2RX', 'PO33 2RX'), '12A High Street, Ryde, PO33 2RX');
  assert.equal(
    written("FLAT 3, ST JOHN'S COURT, 7 - 8 QUEEN'S ROAD, COWES", ''),
    "Flat 3, St John's Court, 7 - 8 Queen's Road, Cowes",
  );
  fc.assert(
    fc.property(fc.string(), fc.constantFrom('', 'PO33 2RX'), (line, postcode) => {
      const address = `${line.toUpperCase()}${postcode}`;
      assert.equal(written(address, postcode).toUpperCase().length, address.toUpperCase().length);
      assert.ok(written(address, postcode).endsWith(postcode));
    }),
  );
});

test('the rate in force at any day of a span is the one that the whole history says', () => {
  const dayMs = 86_400_000;
  const changes = fc
    .uniqueArray(fc.integer({ min: 0, max: 18_000 }), { minLength: 1, maxLength: 60 })
    .map((days) =>
      days
        .sort((a, b) => b - a)
        .map((day, at) => ({
          date: new Date(Date.UTC(1975, 0) + day * dayMs).toISOString().slice(0, 10),
          rate: at + 1,
        })),
    );
  fc.assert(
    fc.property(
      changes,
      fc.constantFrom('all', '30', '10', '5'),
      fc.integer({ min: 0, max: 365 * 30 }),
      (rateChanges, span, back) => {
        const history = {
          current: { rate: 1, effectiveFrom: '2026-01-01', label: 'Bank Rate' },
          rateChanges,
        };
        const nowMs = Date.UTC(2026, 10, 16);
        const [from, to] = spanOf(history, span, nowMs);
        assert.equal(to, nowMs);
        const shown = stepsIn(history, from);
        const day = new Date(Math.max(from, nowMs - back * dayMs)).toISOString().slice(0, 10);
        const inForce = rateChanges.find(({ date }) => date <= day);
        assert.deepEqual(
          shown.findLast(({ date }) => date <= day),
          inForce,
        );
      },
    ),
  );
});
