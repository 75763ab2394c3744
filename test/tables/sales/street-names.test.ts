// Streets found by a part of their name are those that a plain look at every name finds.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { encodePart, Part } from '../../../src/release/part.ts';
import { StreetNames } from '../../../src/tables/sales/street-names.ts';

/** Few letters, so that texts are found, repeat and overlap; and some that mean something elsewhere. */
const letter = fc.constantFrom('A', 'B', 'O', 'o', ' ', '%', '.', 'É', 'ß', '\u{1f600}');
const name = fc.array(letter, { maxLength: 9 }).map((letters) => letters.join(''));
const text = fc.array(letter, { maxLength: 6 }).map((letters) => letters.join(''));

test('any text of any length finds the names that contain it, each once and in order', () => {
  let found = 0;
  fc.assert(
    fc.property(fc.array(name, { maxLength: 30 }), fc.array(text, { maxLength: 8 }), (names, texts) => {
      const streets = new StreetNames(Part.open(encodePart({ names }).buffer).strings('names'));
      const parts = names.map((own, index) => own.slice(index % 3, (index % 3) + 4));
      for (const wanted of [...texts, ...parts, '\n', 'A\nB']) {
        const upper = wanted.toUpperCase();
        const expected =
          upper === '' || upper.includes('\n')
            ? []
            : names.flatMap((own, index) => (own.toUpperCase().includes(upper) ? [index] : []));
        assert.deepEqual(streets.containing(wanted), expected, JSON.stringify(wanted));
        if (wanted.length > 2) found += expected.length;
      }
    }),
  );
  assert.ok(found > 100);
});
