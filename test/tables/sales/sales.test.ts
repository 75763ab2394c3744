// Whatever the filter, the columns find what a plain look at every sale finds: counts, sums, prices in order, pages.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { Scratch } from '../../../src/columns/scratch.ts';
import { encodePart, Part } from '../../../src/release/part.ts';
import { encodeSales } from '../../../src/tables/sales/encode.ts';
import { classMask, classOf, propertyTypes, typeIndexOf } from '../../../src/tables/sales/kinds.ts';
import { noPostcode } from '../../../src/tables/sales/rows.ts';
import { SalesSegment } from '../../../src/tables/sales/segment.ts';
import { GatheredSelection } from '../../../src/tables/sales/select/gathered-selection.ts';
import { type SaleFilter, select } from '../../../src/tables/sales/select/select.ts';
import type { SaleOrder, Selection } from '../../../src/tables/sales/select/selection.ts';
import type { SetSizes } from '../../../src/tables/sales/sets.ts';
import { salesTable } from '../../../src/tables/sales/table.ts';
import { formatDay, parseMonth } from '../../../src/uk/calendar.ts';
import { packPostcodeText } from '../../../src/uk/postcode.ts';

const postcodes = ['PO30 1AA', 'PO30 1AB', 'PO30 2AA', 'PO31 1AA', 'PO9 9ZZ'].map((text) => {
  const packed = packPostcodeText(text);
  assert.ok(packed !== undefined);
  return packed;
});
const streets = ['HIGH STREET', 'High Street North', 'LOW ROAD', '100% WAY', ''];
const words = {
  paons: ['1', '2'],
  saons: [''],
  streets,
  names: ['', 'RYDE', 'COWES'],
  // Every street in two towns.
  places: Uint32Array.from(streets.flatMap((_, street) => [street, 0, 1, 1, 1, street, 0, 2, 2, 2])),
};

/** Of the flags, which are a class and a tenure. */
const leasehold = 1 << 5;

type Row = { day: number; price: number; flags: number; postcode: number; place: number; id: number };

const rowOf: fc.Arbitrary<Row> = fc.record({
  day: fc.integer({ min: 20_000, max: 20_120 }),
  price: fc.constantFrom(1, 1000, 1001, 5000, 250_000, 4_000_000_000),
  flags: fc
    .tuple(fc.constantFrom(...propertyTypes), fc.constantFrom('new', 'old'), fc.constantFrom('A', 'B'))
    .map(([type, age, category]) => classOf({ type, age, category }) | leasehold),
  postcode: fc.constantFrom(...postcodes, noPostcode),
  place: fc.nat(2 * streets.length - 1),
  id: fc.nat(0xffff_ffff),
});

function segmentOf(rows: readonly Row[], sizes?: SetSizes): SalesSegment {
  const ids = new Uint32Array(4 * rows.length);
  // The number is the id's last word, written as bytes the way ids compare.
  const view = new DataView(ids.buffer);
  for (const [index, { id }] of rows.entries()) view.setUint32(16 * index + 12, id);
  const { sales } = encodeSales(
    {
      days: Uint16Array.from(rows, ({ day }) => day),
      prices: Uint32Array.from(rows, ({ price }) => price),
      flags: Uint8Array.from(rows, ({ flags }) => flags),
      postcodes: Uint32Array.from(rows, ({ postcode }) => postcode),
      places: Uint32Array.from(rows, ({ place }) => place),
      paons: new Uint32Array(rows.length),
      saons: new Uint32Array(rows.length),
      ids: new Uint8Array(ids.buffer),
    },
    words,
    sizes,
  );
  const bytes = encodePart(sales);
  const part = Part.open(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length));
  return new SalesSegment(salesTable.read(part));
}

const bounds = fc.constantFrom(0, 1, 1000, 1001, 4999, 250_000, 4_000_000_000, 0xffff_ffff);
const filterOf: fc.Arbitrary<SaleFilter> = fc.record({
  fromDay: fc.integer({ min: 19_995, max: 20_125 }),
  toDay: fc.integer({ min: 19_995, max: 20_125 }),
  kinds: fc.record({
    type: fc.constantFrom(undefined, undefined, undefined, ...propertyTypes),
    age: fc.constantFrom(undefined, undefined, undefined, 'new', 'old'),
    category: fc.constantFrom(undefined, undefined, undefined, 'A', 'B'),
  }),
  minPrice: fc.oneof(fc.constant(0), bounds),
  maxPrice: fc.oneof(fc.constant(0xffff_ffff), bounds),
  postcodes: fc.constantFrom(
    undefined,
    undefined,
    ...postcodes.map((from) => ({ from, to: from + 1 })),
    { from: postcodes[0] ?? 0, to: (postcodes[2] ?? 0) + 1 },
    { from: 5, to: 5 },
  ),
  street: fc.constantFrom(undefined, undefined, 'high', 'HIGH STREET', 'o', '%', '.', 'zzz', 'STREET\nLOW'),
});
const orderOf: fc.Arbitrary<SaleOrder> = fc.record({
  by: fc.constantFrom('date', 'price'),
  direction: fc.constantFrom('rising', 'falling'),
});

const classesOf = ({ kinds: { type, age, category } }: SaleFilter): ReadonlySet<number> =>
  new Set(
    [type ?? propertyTypes]
      .flat()
      .flatMap((ownType) =>
        [age ?? (['new', 'old'] as const)]
          .flat()
          .flatMap((ownAge) =>
            [category ?? (['A', 'B'] as const)]
              .flat()
              .map((ownCategory) => classOf({ type: ownType, age: ownAge, category: ownCategory })),
          ),
      ),
  );

const knownClasses = new WeakMap<SaleFilter, ReadonlySet<number>>();
function isOfKinds({ flags }: Row, filter: SaleFilter): boolean {
  const classes = knownClasses.get(filter) ?? classesOf(filter);
  knownClasses.set(filter, classes);
  return classes.has(flags & classMask);
}

function matches(row: Row, filter: SaleFilter): boolean {
  const street = streets[row.place >> 1] ?? '';
  return (
    row.day >= filter.fromDay &&
    row.day <= filter.toDay &&
    isOfKinds(row, filter) &&
    row.price >= filter.minPrice &&
    row.price <= filter.maxPrice &&
    (filter.postcodes === undefined ||
      (row.postcode >= filter.postcodes.from && row.postcode < filter.postcodes.to)) &&
    (filter.street === undefined || street.toUpperCase().includes(filter.street.toUpperCase()))
  );
}

/** Newest first, then by id: as rows are numbered. */
const inOrder = (rows: readonly Row[]) => rows.toSorted((a, b) => b.day - a.day || a.id - b.id);

function check(found: Selection, expected: readonly Row[], all: readonly Row[], order: SaleOrder): void {
  assert.equal(found.total, expected.length);
  const totals = propertyTypes.map((_, type) => {
    const own = expected.filter(({ flags }) => typeIndexOf(flags & classMask) === type);
    return { count: own.length, sumPounds: own.reduce((sum, { price }) => sum + price, 0) };
  });
  assert.deepEqual(found.totals(), totals);
  const prices = expected.map(({ price }) => price).sort((a, b) => a - b);
  assert.deepEqual(
    prices.map((_, rank) => found.priceAt(rank)),
    prices,
  );
  const sign = order.direction === 'rising' ? 1 : -1;
  const sorted =
    order.by === 'price'
      ? expected.toSorted((a, b) => sign * (a.price - b.price))
      : sign === 1
        ? expected.toReversed()
        : expected;
  const numbers = sorted.map((row) => all.indexOf(row));
  for (const limit of [1, 3, 500]) {
    const pages: number[] = [];
    for (let offset = 0; offset < expected.length + limit; offset += limit) {
      pages.push(...found.page(offset, limit, order));
    }
    assert.deepEqual(pages, numbers);
  }
}

/** Calendar months by the simplest means. */
function checkMonths(found: Selection, expected: readonly Row[]): void {
  const figures = (rows: readonly Row[]) => {
    const prices = rows.map(({ price }) => price).sort((a, b) => a - b);
    const [lower, upper] = [prices[(prices.length - 1) >> 1], prices[prices.length >> 1]];
    if (lower === undefined || upper === undefined) return undefined;
    return { count: prices.length, medianPounds: (lower + upper) / 2 };
  };
  const monthOfRow = ({ day }: Row) => parseMonth(formatDay(day).slice(0, 7)) ?? 0;
  const months = [...new Set(expected.map(monthOfRow))].sort((a, b) => a - b);
  assert.deepEqual(
    found.months(),
    months.map((month) => {
      const own = expected.filter((row) => monthOfRow(row) === month);
      const ofType = (type: number) => own.filter(({ flags }) => typeIndexOf(flags & classMask) === type);
      return { month, all: figures(own), byType: propertyTypes.map((_, type) => figures(ofType(type))) };
    }),
  );
}

/** Quartiles by sorting each month, at the place (n − 1) × share. */
function checkQuartiles(found: Selection, expected: readonly Row[]): void {
  const monthOfRow = ({ day }: Row) => parseMonth(formatDay(day).slice(0, 7)) ?? 0;
  const byMonth = Map.groupBy(expected, monthOfRow);
  assert.deepEqual(
    found.monthQuartiles(),
    [...byMonth.keys()]
      .sort((a, b) => a - b)
      .map((month) => {
        const prices = (byMonth.get(month) ?? []).map(({ price }) => price).sort((a, b) => a - b);
        const at = (quarters: number) => {
          const place = (prices.length - 1) * quarters;
          const [low = 0, high = 0] = [prices[Math.floor(place / 4)], prices[Math.ceil(place / 4)]];
          return low + ((high - low) * (place % 4)) / 4;
        };
        return { month, count: prices.length, lowerPounds: at(1), medianPounds: at(2), upperPounds: at(3) };
      }),
  );
}

/** Room in which others have left things, as in the service. */
const used = new Scratch();
function usedScratch(): Scratch {
  used.reset();
  used.take(50_000).fill(0xdead_beef);
  used.reset();
  return used;
}

test('any filter over any sales: counts, sums, prices in order and the union of pages are exact', () => {
  const cases = fc.tuple(
    fc.uniqueArray(rowOf, { maxLength: 90, selector: ({ id }) => id }),
    filterOf,
    orderOf,
  );
  fc.assert(
    fc.property(cases, ([rows, filter, order]) => {
      const all = inOrder(rows);
      const found = select(segmentOf(rows), filter, usedScratch());
      const expected = all.filter((row) => matches(row, filter));
      check(found, expected, all, order);
      checkMonths(found, expected);
      checkQuartiles(found, expected);
    }),
    { numRuns: 1000 },
  );
});

test('slow: the same holds for tens of thousands of sales, over many blocks of rows and prices', () => {
  const many = rowOf.map((row) => ({
    ...row,
    price: row.price === 5000 ? 1001 + (row.id % 3000) : row.price,
  }));
  const seeds = fc
    .sample(many, { numRuns: 40_000, seed: 7 })
    .map((row, index) => ({ ...row, id: index * 7 }));
  const all = inOrder(seeds);
  const segment = segmentOf(seeds);
  const filters = fc.sample(filterOf, { numRuns: 150, seed: 11 });
  // Prices that few sales have, under every other filter.
  const rare = filters.slice(0, 50).map((filter) => ({ ...filter, minPrice: 1500, maxPrice: 1600 }));
  for (const [index, filter] of [...filters, ...rare].entries()) {
    const found = select(segment, filter);
    const expected = all.filter((row) => matches(row, filter));
    assert.equal(found.total, expected.length);
    const sorted = expected.map(({ price }) => price).sort((a, b) => a - b);
    for (const share of [0, 0.25, 0.5, 0.999]) {
      const rank = Math.floor(expected.length * share);
      if (rank >= expected.length) continue;
      assert.equal(found.priceAt(rank), sorted[rank]);
      assert.deepEqual(
        [...found.page(rank, 20, { by: 'date', direction: 'falling' })].map((row) => all[row]),
        expected.slice(rank, rank + 20),
        `filter ${index}`,
      );
    }
    const totals = found.totals();
    assert.equal(
      totals.reduce((sum, { sumPounds }) => sum + sumPounds, 0),
      expected.reduce((sum, { price }) => sum + price, 0),
    );
  }
});

test('a deep page under a price filter is the same as counting there by hand, also past the first search steps', () => {
  let state = 7;
  const next = (below: number) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
  const all = inOrder(
    Array.from({ length: 40_000 }, (_, id) => ({
      day: 20_000 + next(3000),
      price: 1 + next(1000),
      flags: classOf({ type: 'T', age: 'old', category: 'A' }),
      postcode: noPostcode,
      place: 0,
      id,
    })),
  );
  const filter: SaleFilter = {
    fromDay: 20_000,
    toDay: 30_000,
    kinds: { type: undefined, age: undefined, category: undefined },
    minPrice: 100,
    maxPrice: 900,
    postcodes: undefined,
    street: undefined,
  };
  const expected = all.flatMap((row, number) => (matches(row, filter) ? [number] : []));
  const found = select(segmentOf(all), filter);
  assert.equal(found.total, expected.length);
  // Also just at, before and after where a search that halves the rows stops.
  const halvings = [5000, 10_000, 15_000, 20_000, 25_000, 30_000, 35_000].flatMap((row) => {
    const before = expected.filter((number) => number < row).length;
    return [before - 1, before, before + 1];
  });
  for (const offset of [0, 1, 8192, 12_345, expected.length - 3, ...halvings]) {
    const page = found.page(offset, 50, { by: 'date', direction: 'falling' });
    assert.deepEqual([...page], expected.slice(offset, offset + 50), `offset ${offset}`);
  }
});

const gridOf = fc.record({
  rowsPerCut: fc.integer({ min: 1, max: 50 }),
  bandsPerSum: fc.integer({ min: 1, max: 4 }),
});
const sizesOf: fc.Arbitrary<SetSizes> = fc.record({
  leastMembers: fc.constant(1),
  salesPerBand: fc.integer({ min: 1, max: 40 }),
  all: gridOf,
  common: gridOf,
});
const fewOf = fc.record({
  sorted: fc.constantFrom(0, 0, 512),
  looked: fc.constantFrom(0, 0, 8192),
  summed: fc.constantFrom(0, 0, 8192),
});

test('sets and gathered sales tell the same as looking at each, wherever months, cuts and bands lie', () => {
  const cases = fc.tuple(
    fc.uniqueArray(rowOf, { minLength: 1, maxLength: 120, selector: ({ id }) => id }),
    filterOf,
    orderOf,
    sizesOf,
    fewOf,
  );
  const ways = new Set<string>();
  fc.assert(
    fc.property(cases, ([rows, filter, order, sizes, few]) => {
      const all = inOrder(rows);
      const found = select(segmentOf(rows, sizes), filter, usedScratch(), few);
      const isGathered = found instanceof GatheredSelection;
      ways.add(`${filter.postcodes === undefined} ${filter.street === undefined} ${isGathered}`);
      const expected = all.filter((row) => matches(row, filter));
      check(found, expected, all, order);
      checkMonths(found, expected);
    }),
    { numRuns: 2000 },
  );
  // A common text has a set; other texts and postcodes are gathered.
  for (const way of [
    'true true false',
    'true false false',
    'true false true',
    'false true true',
    'false false true',
  ]) {
    assert.ok(ways.has(way), way);
  }
});

test('a lowest price above the highest finds nothing, and nothing adds up to nothing', () => {
  const rows = [20_000, 20_028].map((day, id) => ({
    day,
    price: 1,
    flags: classOf({ type: 'D', age: 'new', category: 'A' }) | leasehold,
    postcode: noPostcode,
    place: 0,
    id,
  }));
  const segment = segmentOf(rows, {
    leastMembers: 1,
    salesPerBand: 1,
    all: { rowsPerCut: 2, bandsPerSum: 1 },
    common: { rowsPerCut: 2, bandsPerSum: 1 },
  });
  const filter: SaleFilter = {
    fromDay: 20_001,
    toDay: 20_028,
    kinds: { type: undefined, age: undefined, category: undefined },
    minPrice: 4_000_000_000,
    maxPrice: 0,
    postcodes: undefined,
    street: undefined,
  };
  const found = select(segment, filter, new Scratch(), { sorted: 0, looked: 0, summed: 0 });
  check(found, [], inOrder(rows), { by: 'date', direction: 'rising' });
});

const terracedRow = (id: number, price: number): Row => ({
  day: 20_000 + (Math.imul(id, 7919) % 400),
  price,
  flags: classOf({ type: 'T', age: 'old', category: 'A' }),
  postcode: postcodes[0] ?? 0,
  place: 0,
  id,
});
const ofOnePostcode: SaleFilter = {
  fromDay: 20_010,
  toDay: 20_390,
  kinds: { type: undefined, age: undefined, category: undefined },
  minPrice: 1000,
  maxPrice: 0xffff_ffff,
  postcodes: { from: postcodes[0] ?? 0, to: (postcodes[0] ?? 0) + 1 },
  street: undefined,
};

test('thousands of sales of one postcode have exact pages and prices in every order, near and far', () => {
  const rows = Array.from({ length: 9000 }, (_, id) =>
    terracedRow(id, id % 3 === 0 ? 0xffff_ffff - (id % 500) : 100 * (Math.imul(id, 31) % 900)),
  );
  const all = inOrder(rows);
  const numberOf = new Map(all.map((row, number) => [row, number]));
  const found = select(segmentOf(rows), ofOnePostcode, usedScratch());
  const expected = all.filter((row) => matches(row, ofOnePostcode));
  assert.equal(found.total, expected.length);
  const rising = expected.toSorted((a, b) => a.price - b.price);
  const sorted = {
    date: { rising: expected.toReversed(), falling: expected },
    price: { rising, falling: expected.toSorted((a, b) => b.price - a.price) },
  };
  for (const share of [0, 0.1, 0.25, 0.5, 0.7, 0.9999]) {
    const offset = Math.floor(expected.length * share);
    assert.equal(found.priceAt(offset), rising[offset]?.price);
    for (const by of ['date', 'price'] as const) {
      for (const direction of ['rising', 'falling'] as const) {
        const wanted = sorted[by][direction].slice(offset, offset + 20).map((row) => numberOf.get(row));
        assert.deepEqual([...found.page(offset, 20, { by, direction })], wanted);
      }
    }
  }
  checkMonths(found, expected);
});

test('more sales of one postcode than a sum of 32 bits can take are added up exactly', () => {
  const rows = Array.from({ length: 290_000 }, (_, id) => terracedRow(id, 0xffff_ffff - (id % 100)));
  const expected = rows.filter((row) => matches(row, ofOnePostcode));
  assert.deepEqual(select(segmentOf(rows), ofOnePostcode).totals()[propertyTypes.indexOf('T')], {
    count: expected.length,
    sumPounds: expected.reduce((sum, { price }) => sum + price, 0),
  });
});
