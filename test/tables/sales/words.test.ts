// Sales in their lasting order with their words in order: the same, whatever order rows and words came in.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { settleWords } from '../../../src/tables/sales/encode.ts';
import { inOrder, orderOf } from '../../../src/tables/sales/order.ts';
import { placeFields, type SaleWords } from '../../../src/tables/sales/rows.ts';

const text = fc.constantFrom('', 'A', 'B', 'HIGH STREET', 'É', 'ROSE COTTAGE', '10', '9');
const wordsOf: fc.Arbitrary<SaleWords> = fc
  .record({
    paons: fc.array(text, { minLength: 1, maxLength: 6 }),
    saons: fc.array(text, { minLength: 1, maxLength: 6 }),
    streets: fc.array(text, { minLength: 1, maxLength: 6 }),
    names: fc.array(text, { minLength: 1, maxLength: 6 }),
    seeds: fc.array(fc.nat(999), { minLength: placeFields, maxLength: 8 * placeFields }),
  })
  .map(({ seeds, ...words }) => {
    const whole = seeds.slice(0, seeds.length - (seeds.length % placeFields));
    const places = Uint32Array.from(whole, (seed, at) =>
      at % placeFields === 0 ? seed % words.streets.length : seed % words.names.length,
    );
    return { ...words, places };
  });

/** A row's words as texts. */
function textsOf(words: SaleWords, paon: number, saon: number, place: number): readonly string[] {
  const [street = -1, ...names] = words.places.subarray(place * placeFields, (place + 1) * placeFields);
  const found = [
    words.paons[paon],
    words.saons[saon],
    words.streets[street],
    ...names.map((name) => words.names[name]),
  ];
  return found.map((item) => item ?? assert.fail('a word that is not there'));
}

test('settled words: every row has the texts it had; each text once, in order, and none that nobody uses', () => {
  const rowSeeds = fc.array(fc.tuple(fc.nat(999), fc.nat(999), fc.nat(999)), { maxLength: 20 });
  fc.assert(
    fc.property(wordsOf, rowSeeds, (words, seeds) => {
      const limit = words.places.length / placeFields;
      const paons = Uint32Array.from(seeds, ([seed]) => seed % words.paons.length);
      const saons = Uint32Array.from(seeds, ([, seed]) => seed % words.saons.length);
      const places = Uint32Array.from(seeds, ([, , seed]) => seed % limit);
      const settled = settleWords({ paons, saons, places }, words);
      const before = seeds.map((_, row) =>
        textsOf(words, paons[row] ?? 0, saons[row] ?? 0, places[row] ?? 0),
      );
      const after = seeds.map((_, row) =>
        textsOf(
          settled.words,
          settled.paonOf[paons[row] ?? 0] ?? -1,
          settled.saonOf[saons[row] ?? 0] ?? -1,
          settled.placeOf[places[row] ?? 0] ?? -1,
        ),
      );
      assert.deepEqual(after, before);
      const used = (columns: readonly number[]) =>
        [...new Set(before.flatMap((texts) => columns.map((column) => texts[column] ?? '')))].sort();
      assert.deepEqual(settled.words.paons, used([0]));
      assert.deepEqual(settled.words.saons, used([1]));
      assert.deepEqual(settled.words.streets, used([2]));
      assert.deepEqual(settled.words.names, used([3, 4, 5, 6]));
      const distinct = new Set(before.map((texts) => texts.slice(2).join('\n')));
      assert.equal(settled.words.places.length, distinct.size * placeFields);
      const tuples = Array.from({ length: distinct.size }, (_, place) => [
        ...settled.words.places.subarray(place * placeFields, (place + 1) * placeFields),
      ]);
      const key = (tuple: readonly number[]) => tuple.map((code) => String(code).padStart(4, '0')).join();
      assert.deepEqual(
        tuples,
        tuples.toSorted((a, b) => (key(a) < key(b) ? -1 : 1)),
      );
    }),
  );
});

test('rows in order: newest first, then by the bytes of the id, also where ids begin alike', () => {
  const rowOf = fc.record({
    day: fc.constantFrom(0, 1, 20_000, 0xffff),
    id: fc.tuple(fc.constantFrom(0, 1, 0x80, 0xff), fc.constantFrom(0, 0x7f, 0xff), fc.nat(255)),
  });
  fc.assert(
    fc.property(fc.array(rowOf, { maxLength: 60 }), (rows) => {
      const length = rows.length;
      const ids = new Uint8Array(16 * length);
      for (const [row, { id }] of rows.entries()) {
        ids[16 * row] = id[0];
        ids[16 * row + 4] = id[1];
        ids[16 * row + 15] = id[2];
      }
      const days = Uint16Array.from(rows, ({ day }) => day);
      const key = (row: number) =>
        `${String(0xffff - (days[row] ?? 0)).padStart(5, '0')} ${Buffer.from(ids.subarray(16 * row, 16 * row + 16)).toString('hex')}`;
      const expected = rows.map((_, row) => key(row)).sort();
      assert.deepEqual(Array.from(orderOf({ days, ids }), key), expected);
      const numbers = Uint32Array.from(rows, (_, row) => row);
      const columns = {
        prices: numbers,
        postcodes: numbers,
        places: numbers,
        paons: numbers,
        saons: numbers,
      };
      const sorted = inOrder({ days, flags: Uint8Array.from(numbers), ids, ...columns });
      assert.deepEqual(Array.from(sorted.prices, key), expected);
      assert.deepEqual(
        Array.from(sorted.days),
        Array.from(sorted.prices, (row) => days[row]),
      );
      assert.deepEqual(
        Buffer.from(sorted.ids),
        Buffer.concat(Array.from(sorted.prices, (row) => ids.subarray(16 * row, 16 * row + 16))),
      );
      for (const name of ['postcodes', 'places', 'paons', 'saons'] as const) {
        assert.deepEqual(sorted[name], sorted.prices);
      }
    }),
  );
});
