// The parts that sets of sales are made of, each against the simplest means.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { encodePart, Part } from '../../src/release/part.ts';
import { maskWithin, popcount, sortByBits } from '../../src/tables/bits.ts';
import { encodePricePlanes, PricePlanes } from '../../src/tables/price-planes.ts';
import { commonTexts } from '../../src/tables/street-names.ts';

const word = fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 });
const onesOf = (bits: number) => [...(bits >>> 0).toString(2)].filter((digit) => digit === '1').length;

test('bits are counted, masked and sorted by', () => {
  const place = fc.oneof(fc.nat(200), fc.constantFrom(0, 32, 64, 96, 128));
  fc.assert(
    fc.property(word, place, place, fc.nat(4), (bits, from, to, index) => {
      assert.equal(popcount(bits), onesOf(bits));
      const mask = maskWithin(index, from, to);
      for (let bit = 0; bit < 32; bit++) {
        const at = 32 * index + bit;
        assert.equal((mask >>> bit) & 1, at >= from && at < to ? 1 : 0);
      }
    }),
  );
  fc.assert(
    fc.property(fc.uniqueArray(fc.nat(999)), (numbers) => {
      assert.deepEqual(
        [...sortByBits(Uint32Array.from(numbers), 1000)],
        numbers.toSorted((a, b) => a - b),
      );
    }),
  );
});

test('planes of prices sum any choice of a word, up to the highest price there can be', () => {
  const price = fc.oneof(fc.integer({ min: 1, max: 5000 }), fc.constantFrom(1, 2 ** 31, 2 ** 32 - 1));
  fc.assert(
    fc.property(fc.array(price, { maxLength: 100 }), word, (prices, bits) => {
      const bytes = encodePart(encodePricePlanes(Uint32Array.from(prices)));
      const planes = new PricePlanes(
        Part.open(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length)),
      );
      for (let index = 0; 32 * index < prices.length; index++) {
        const own = prices.slice(32 * index, 32 * index + 32);
        const chosen = bits & maskWithin(0, 0, own.length);
        const sum = own.reduce((total, each, at) => total + (((chosen >>> at) & 1) === 1 ? each : 0), 0);
        assert.equal(planes.sum(index, chosen), sum);
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

function textsIn(name: string): readonly string[] {
  const texts: string[] = [];
  for (let from = 0; from < name.length; from++) {
    for (let to = from + 1; to <= name.length; to++) texts.push(name.slice(from, to));
  }
  return texts;
}
