// The parts that sets of sales are made of, each against the simplest means.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { lowestBit, maskWithin, popcount } from '../../../src/columns/bits.ts';
import { encodePart, Part } from '../../../src/release/part.ts';
import { encodeSales } from '../../../src/tables/sales/encode.ts';
import { SaleMonths } from '../../../src/tables/sales/months.ts';
import { noPostcode, placeFields } from '../../../src/tables/sales/rows.ts';
import { SaleSets } from '../../../src/tables/sales/sets.ts';
import { commonTexts } from '../../../src/tables/sales/street-names.ts';
import { salesTable } from '../../../src/tables/sales/table.ts';

const word = fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 });
const onesOf = (bits: number) => [...(bits >>> 0).toString(2)].filter((digit) => digit === '1').length;

test('bits are counted, masked and found', () => {
  const place = fc.oneof(fc.nat(200), fc.constantFrom(0, 32, 64, 96, 128));
  fc.assert(
    fc.property(word, place, place, fc.nat(4), (bits, from, to, index) => {
      assert.equal(popcount(bits), onesOf(bits));
      if (bits !== 0)
        assert.equal(
          lowestBit(bits),
          (bits >>> 0).toString(2).length - 1 - (bits >>> 0).toString(2).lastIndexOf('1'),
        );
      const mask = maskWithin(index, from, to);
      for (let bit = 0; bit < 32; bit++) {
        const at = 32 * index + bit;
        assert.equal((mask >>> bit) & 1, at >= from && at < to ? 1 : 0);
      }
    }),
  );
});

test('common texts are all texts of the names that have enough sales, each with exactly its names', () => {
  const name = fc
    .array(fc.constantFrom('A', 'b', ' ', 'RO'), { maxLength: 5 })
    .map((parts) => parts.join(''));
  const streets = fc.array(fc.tuple(name, fc.nat(20)), { maxLength: 12 });
  fc.assert(
    fc.property(streets, fc.integer({ min: 1, max: 60 }), (given, least) => {
      const names = given.map(([text]) => text.toUpperCase());
      const sales = Uint32Array.from(given, ([, count]) => count);
      const expected = new Map<string, string>();
      for (const text of names.flatMap((own) => textsIn(own))) {
        const has = names.map((own) => (own.includes(text) ? 1 : 0));
        const sum = has.reduce<number>((total, own, index) => total + own * (sales[index] ?? 0), 0);
        if (sum >= least) expected.set(text, has.join(''));
      }
      const found = commonTexts(
        given.map(([text]) => text),
        sales,
        least,
      );
      const own = found.flatMap(({ texts, has }) => texts.map((text) => [text, has.join('')] as const));
      assert.equal(own.length, expected.size);
      assert.deepEqual(new Map(own), expected);
      // Texts of the same names share a set.
      assert.equal(new Set(found.map(({ has }) => has.join(''))).size, found.length);
    }),
    { numRuns: 300 },
  );
});

test('each of a hundred sets has the sales of its own streets, and what they cost together', () => {
  const streets = Array.from({ length: 100 }, (_, street) => `ROAD ${street + 100}`);
  // Street s has s % 3 + 1 sales, each at a price of its own.
  const streetOfSale = streets.flatMap((_, street) => Array.from({ length: (street % 3) + 1 }, () => street));
  const count = streetOfSale.length;
  const numbers = Uint32Array.from(streetOfSale, (_, sale) => sale);
  const { sales } = encodeSales(
    {
      days: Uint16Array.from(numbers, (sale) => 20_000 + ((sale * 7) % 90)),
      prices: numbers.map((sale) => 1000 + sale),
      flags: new Uint8Array(count),
      postcodes: new Uint32Array(count).fill(noPostcode),
      places: Uint32Array.from(streetOfSale),
      paons: new Uint32Array(count),
      saons: new Uint32Array(count),
      ids: Uint8Array.from({ length: 16 * count }, (_, at) => (at % 16 === 0 ? at / 16 : 0)),
    },
    {
      paons: ['1'],
      saons: [''],
      streets,
      names: ['RYDE'],
      places: Uint32Array.from({ length: streets.length * placeFields }, (_, at) =>
        at % placeFields === 0 ? at / placeFields : 0,
      ),
    },
    {
      leastMembers: 1,
      salesPerBand: 16,
      all: { rowsPerCut: 50, bandsPerSum: 2 },
      common: { rowsPerCut: 70, bandsPerSum: 3 },
    },
  );
  const views = salesTable.read(Part.open(new Uint8Array(encodePart(sales)).buffer));
  const months = new SaleMonths(views);
  const sets = new SaleSets(views, months);
  for (const [street, name] of streets.entries()) {
    const set = sets.find(name) ?? assert.fail(`no set for ${name}`);
    const expected = streetOfSale.flatMap((own, sale) => (own === street ? [1000 + sale] : []));
    const found = Array.from({ length: 32 * months.words }, (_, slot) => slot)
      .filter((slot) => (((set.bits[slot >>> 5] ?? 0) >>> (slot & 31)) & 1) === 1)
      .map((slot) => months.priceOfSlot(slot));
    assert.deepEqual(
      found.sort((a, b) => a - b),
      expected,
      name,
    );
    assert.deepEqual(set.sums.at(set.sums.cuts.length - 1, months.edges.length, 0), {
      count: expected.length,
      sumPounds: expected.reduce((sum, price) => sum + price, 0),
    });
  }
});

function textsIn(name: string): readonly string[] {
  const texts: string[] = [];
  for (let from = 0; from < name.length; from++) {
    for (let to = from + 1; to <= name.length; to++) texts.push(name.slice(from, to));
  }
  return texts;
}
