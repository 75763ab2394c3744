// The dictionaries of bytes and of tuples against a Map, for whatever is given and however often.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { ByteDictionary, TextDictionary } from '../../src/columns/byte-dictionary.ts';
import { TupleDictionary } from '../../src/columns/tuple-dictionary.ts';

/** Codes in the order in which keys first come. */
function codesOf(keys: readonly string[]): readonly number[] {
  const known = new Map<string, number>();
  return keys.map((key) => {
    const code = known.get(key) ?? known.size;
    known.set(key, code);
    return code;
  });
}

// Few different bytes, zero among them, so that runs repeat and differ in their length alone.
const run = fc.array(fc.constantFrom(0, 1, 65, 255), { maxLength: 9 });

test('runs of bytes have the codes that a Map gives them, short and long, with zeros at their end', () => {
  fc.assert(
    fc.property(fc.array(run), (runs) => {
      const dictionary = new ByteDictionary();
      const bytes = Uint8Array.from(runs.flat());
      let at = 0;
      const codes = runs.map(({ length }) => {
        at += length;
        return dictionary.codeOf(bytes, at - length, at);
      });
      assert.deepEqual(codes, codesOf(runs.map((one) => one.join())));
      assert.equal(dictionary.length, new Set(runs.map((one) => one.join())).size);
    }),
  );
});

test('many runs are found again after the dictionary has grown', () => {
  const words = Array.from({ length: 20_000 }, (_, word) => `${word % 7_000} Quay ${word % 3}`);
  const dictionary = new TextDictionary();
  const codes = words.map((word) => dictionary.codeOfText(word));
  assert.deepEqual(codes, codesOf(words));
  assert.deepEqual(dictionary.texts, [...new Set(words)]);
});

test('a text has single quotes where its bytes have them doubled', () => {
  const dictionary = new TextDictionary();
  const bytes = Buffer.from('The ""Anchor""');
  assert.equal(dictionary.codeOf(bytes, 0, bytes.length, 1), 0);
  assert.deepEqual(dictionary.texts, ['The "Anchor"']);
});

test('tuples of any width have the codes that a Map gives them, and are found or not', () => {
  const widths = fc.integer({ min: 1, max: 5 });
  const number = fc.oneof(fc.nat(3), fc.constantFrom(2 ** 31, 2 ** 32 - 1));
  fc.assert(
    fc.property(widths, fc.array(number, { maxLength: 400 }), (width, numbers) => {
      const given = Uint32Array.from(numbers.slice(0, numbers.length - (numbers.length % width)));
      const keys = Array.from({ length: given.length / width }, (_, tuple) =>
        given.subarray(tuple * width, (tuple + 1) * width).join(),
      );
      const dictionary = new TupleDictionary(width);
      const codes = keys.map((_, tuple) => {
        const isKnown = dictionary.find(given, tuple * width) !== -1;
        assert.equal(isKnown, keys.indexOf(keys[tuple] ?? '') < tuple);
        return dictionary.codeOf(given, tuple * width);
      });
      assert.deepEqual(codes, codesOf(keys));
      assert.equal(dictionary.values.length, dictionary.length * width);
      dictionary.clear();
      assert.ok(keys.every((_, tuple) => dictionary.find(given, tuple * width) === -1));
    }),
  );
});

test('many tuples are found again after the dictionary has grown, in the order they came', () => {
  const dictionary = new TupleDictionary(2);
  // Many have the same first number, or the same second.
  const pairs = Uint32Array.from({ length: 40_000 }, (_, at) =>
    at % 2 === 0 ? (at / 2) % 4 : (at * 7_919) % 6_007,
  );
  const keys = Array.from({ length: pairs.length / 2 }, (_, at) => `${pairs[2 * at]},${pairs[2 * at + 1]}`);
  assert.deepEqual(
    keys.map((_, at) => dictionary.codeOf(pairs, 2 * at)),
    codesOf(keys),
  );
  const kept = dictionary.values;
  assert.deepEqual(
    Array.from({ length: kept.length / 2 }, (_, at) => `${kept[2 * at]},${kept[2 * at + 1]}`),
    [...new Set(keys)],
  );
});
