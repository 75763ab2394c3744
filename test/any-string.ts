// Texts of any characters, and words that JavaScript gives a meaning. fast-check's own unit for them fills a map with a million
// characters in each file that uses it, which takes seconds.

import fc from 'fast-check';

const anyCharacter = fc
  .integer({ min: 0, max: 0x10ffff })
  // A half of a pair of surrogates is no character.
  .filter((code) => code < 0xd800 || code > 0xdfff)
  .map((code) => String.fromCodePoint(code));

const words = ['__proto__', 'constructor', 'hasOwnProperty', 'prototype', 'toString', 'valueOf', 'then'];

export function anyString({ maxLength }: { readonly maxLength?: number } = {}): fc.Arbitrary<string> {
  const text = fc.string(
    maxLength === undefined ? { unit: anyCharacter } : { unit: anyCharacter, maxLength },
  );
  const fitting = words.filter(({ length }) => maxLength === undefined || length <= maxLength);
  if (fitting.length === 0) return text;
  return fc.oneof({ weight: 9, arbitrary: text }, { weight: 1, arbitrary: fc.constantFrom(...fitting) });
}
