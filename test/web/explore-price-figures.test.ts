// What the explorer works out of sold prices and Bank Rate itself, for any answer.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { spanOf, stepsIn } from '../../web/explore/bank-rate/history.ts';
import { addressText, changeOf, yearPricesOf } from '../../web/explore/prices/figures.ts';
import { queryOf, saleWishIn, withins } from '../../web/explore/prices/question.ts';

/** "2024-11" of a number of months. */
const monthName = (at: number) => `${2000 + Math.floor(at / 12)}-${String((at % 12) + 1).padStart(2, '0')}`;

const naiveMedian = (prices: readonly number[]): number => {
  const sorted = prices.toSorted((a, b) => a - b);
  const half = sorted.length / 2;
  return Number.isInteger(half)
    ? ((sorted[half - 1] ?? 0) + (sorted[half] ?? 0)) / 2
    : (sorted[Math.floor(half)] ?? 0);
};

/** Of each known month the prices of its sales. */
const known = fc.array(fc.array(fc.integer({ min: 1, max: 2_000_000 }), { maxLength: 12 }), {
  minLength: 12,
  maxLength: 40,
});
const unknown = fc.integer({ min: 0, max: 4 });

const trendOf = (months: readonly (readonly number[])[], unknownMonths: number, firstDay: string) => ({
  from: `${monthName(0)}-${firstDay}`,
  months: Array.from({ length: months.length + unknownMonths }, (_, at) => {
    const prices = months[at];
    const medianPrice = prices === undefined || prices.length === 0 ? null : naiveMedian(prices);
    return {
      month: monthName(at),
      count: prices?.length ?? null,
      lowerQuartile: medianPrice,
      medianPrice,
      upperQuartile: medianPrice,
    };
  }),
});

test('the price of a year is the median of its sales, and a year between two others without sales has none', () => {
  const dated = fc.record({
    date: fc.integer({ min: 0, max: 240 }).map((at) => `${monthName(at)}-20`),
    price: fc.integer({ min: 1, max: 2_000_000 }),
  });
  fc.assert(
    fc.property(fc.array(dated, { maxLength: 60 }), (sales) => {
      const years = yearPricesOf(sales);
      assert.equal(
        years.reduce((sum, { count }) => sum + count, 0),
        sales.length,
      );
      for (const [at, { year, count, medianPrice }] of years.entries()) {
        const own = sales.filter(({ date }) => date.startsWith(`${year}-`)).map(({ price }) => price);
        assert.equal(year, (years[0]?.year ?? 0) + at);
        assert.equal(count, own.length);
        assert.equal(medianPrice, own.length === 0 ? null : naiveMedian(own));
      }
    }),
  );
});

test('the change in a year is that of the median of all sales of six months, and of whole months that are known', () => {
  fc.assert(
    fc.property(known, unknown, fc.constantFrom('01', '17'), (months, unknownMonths, firstDay) => {
      const sales = months.flatMap((prices, at) =>
        prices.map((price) => ({ date: `${monthName(at)}-20`, price })),
      );
      const change = changeOf(trendOf(months, unknownMonths, firstDay), sales);
      const end = months.length;
      const now = months.slice(Math.max(0, end - 6), end).flat();
      const before = months.slice(Math.max(0, end - 18), Math.max(0, end - 12)).flat();
      const needed = firstDay === '01' ? 18 : 19;
      const isKnown = end >= needed && now.length >= 20 && before.length >= 20;
      assert.equal(change.kind, isKnown ? 'known' : 'unknown');
      if (change.kind === 'unknown') return;
      assert.deepEqual(change.now, { pounds: naiveMedian(now), sales: now.length });
      assert.deepEqual(change.before, { pounds: naiveMedian(before), sales: before.length });
      assert.equal(change.share, naiveMedian(now) / naiveMedian(before) - 1);
    }),
  );
});

test('where not every sale is at hand, the change is that of the mean of monthly medians, a month as often as it has sales', () => {
  fc.assert(
    fc.property(known, unknown, (months, unknownMonths) => {
      const change = changeOf(trendOf(months, unknownMonths, '01'), undefined);
      if (change.kind === 'unknown') return;
      const mean = (of: readonly (readonly number[])[]) => {
        const each = of.flatMap((prices) => prices.map(() => naiveMedian(prices)));
        return each.reduce((sum, price) => sum + price, 0) / each.length;
      };
      const end = months.length;
      const share = mean(months.slice(end - 6)) / mean(months.slice(end - 18, end - 12)) - 1;
      assert.ok(Math.abs(change.share - share) <= Math.abs(share) * 1e-9 + 1e-9);
    }),
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
