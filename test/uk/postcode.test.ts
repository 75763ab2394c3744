// Postcodes: what parses, what does not, and packing that keeps their order.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  packedLimit,
  packedPerOutcode,
  packedPerSector,
  packPostcode,
  packPostcodeText,
  parseArea,
  parsePostcode,
  unpackPostcode,
} from '../../src/uk/postcode.ts';
import { anyString } from '../any-string.ts';

const inwardLetters = 'ABDEFGHJLNPQRSTUWXYZ';

function letterOf(letters: string): fc.Arbitrary<string> {
  return fc.constantFrom(...letters);
}

function joined(...parts: fc.Arbitrary<string>[]): fc.Arbitrary<string> {
  return fc.tuple(...parts).map((texts) => texts.join(''));
}

const digit = letterOf('0123456789');
const leadingDigit = letterOf('123456789');
const first = letterOf('ABCDEFGHIJKLMNOPRSTUWYZ');
const firstTwo = joined(first, letterOf('ABCDEFGHKLMNOPQRSTUVWXY'));
const outcode = fc.oneof(
  joined(first, digit),
  joined(first, leadingDigit, digit),
  joined(firstTwo, digit),
  joined(firstTwo, leadingDigit, digit),
  joined(first, digit, letterOf('ABCDEFGHJKMNPRSTUVWXY')),
  joined(firstTwo, digit, letterOf('ABEHMNPRVWXY')),
  joined(fc.constant('ZZ'), digit),
);
const incode = joined(digit, letterOf(inwardLetters), letterOf(inwardLetters));
const canonical = joined(outcode, fc.constant(' '), incode);

function parsed(text: string) {
  const postcode = parsePostcode(text);
  assert.ok(postcode !== undefined, `${JSON.stringify(text)} is a postcode`);
  return postcode;
}

function sign(value: number): number {
  return Math.sign(value);
}

test('a postcode is told apart into its parts', () => {
  assert.deepEqual(parsed('SW1A 1AA'), {
    kind: 'postcode',
    text: 'SW1A 1AA',
    outcode: 'SW1A',
    incode: '1AA',
    area: 'SW',
    district: 'SW1',
    sector: 'SW1A 1',
    packed: packPostcodeText('SW1A 1AA'),
  });
  assert.deepEqual(parsed('m1 1ae'), {
    kind: 'postcode',
    text: 'M1 1AE',
    outcode: 'M1',
    incode: '1AE',
    area: 'M',
    district: 'M1',
    sector: 'M1 1',
    packed: packPostcodeText('M1 1AE'),
  });
});

test('every form the Royal Mail uses is a postcode', () => {
  for (const text of [
    'M1 1AE',
    'B33 8TH',
    'CR2 6XH',
    'DN55 1PT',
    'W1A 0AX',
    'EC1A 1BB',
    'GIR 0AA',
    'CR0 2YR',
  ]) {
    assert.equal(parsed(text).text, text);
  }
});

test('the retired London districts W1M to W1Y, which old sales carry, are postcodes', () => {
  for (const text of ['W1M 1AA', 'W1N 1AA', 'W1R 1AA', 'W1V 1AA', 'W1X 1AA', 'W1Y 1AA']) {
    assert.equal(parsed(text).district, 'W1');
  }
});

test('the made-up area ZZ is a postcode area', () => {
  assert.equal(parsed('zz11aa').text, 'ZZ1 1AA');
  assert.equal(parsed('ZZ1 1AA').area, 'ZZ');
});

test('GIR 0AA stands alone', () => {
  assert.deepEqual(parsed('gir0aa'), {
    kind: 'postcode',
    text: 'GIR 0AA',
    outcode: 'GIR',
    incode: '0AA',
    area: 'GIR',
    district: 'GIR',
    sector: 'GIR 0',
    packed: packPostcodeText('GIR 0AA'),
  });
  for (const text of ['GIR 0AB', 'GIR 1AA', 'GI1 0AA', 'GI 0AA'])
    assert.equal(parsePostcode(text), undefined);
});

test('what only looks like a postcode is refused', () => {
  const refused = [
    '',
    ' ',
    'SW1A',
    '1AA',
    'SW1A 1A',
    'SW1A 1AAA',
    'SW1A 11A',
    'SW1AA 1AA',
    'SWA1 1AA',
    'SWAN 1AA',
    'S123 1AA',
    '1SW 1AA',
    'SW1A-1AA',
    'SW1A 1AA.',
    'SW1A_1AA',
    'AB01 1AA',
    'BFPO 801',
  ];
  for (const text of refused) assert.equal(parsePostcode(text), undefined, JSON.stringify(text));
});

test('letters the Royal Mail does not use in a place are refused there', () => {
  for (const letter of 'QVX') assert.equal(parsePostcode(`${letter}1 1AA`), undefined);
  for (const letter of 'IJZ') assert.equal(parsePostcode(`A${letter}1 1AA`), undefined);
  for (const letter of 'ILOQZ') assert.equal(parsePostcode(`W1${letter} 1AA`), undefined);
  for (const letter of 'CDFGIJKLOQSTUZ') assert.equal(parsePostcode(`SW1${letter} 1AA`), undefined);
  for (const letter of 'CIKMOV') {
    assert.equal(parsePostcode(`SW1A 1${letter}A`), undefined);
    assert.equal(parsePostcode(`SW1A 1A${letter}`), undefined);
  }
});

test('letters and digits of other scripts are not taken for ours', () => {
  // Upper-casing by the language would make S of the long s and I of the dotless i.
  for (const text of ['ſW1A 1AA', 'ıP1 1AA', 'SW１A 1AA', 'ＳW1A 1AA', 'SW1A 1ÅA']) {
    assert.equal(parsePostcode(text), undefined, text);
  }
});

test('case and spacing never matter', () => {
  const space = fc.constantFrom('', ' ', '  ', '\t', '\u00a0', '\n', '\u2009', '\u3000');
  const spelling = canonical.chain((text) => {
    const characters = [...text.replace(' ', '')].map((character) =>
      fc.tuple(space, fc.constantFrom(character, character.toLowerCase())).map((pair) => pair.join('')),
    );
    return fc.tuple(fc.constant(text), joined(...characters, space));
  });
  fc.assert(
    fc.property(spelling, ([text, spelt]) => {
      assert.deepEqual(parsePostcode(spelt), parsed(text));
      assert.equal(parsed(spelt).text, text);
      assert.equal(packPostcodeText(spelt), packPostcode(parsed(text)));
    }),
  );
});

test('a packed postcode unpacks to its text and stays below the limit', () => {
  fc.assert(
    fc.property(canonical, (text) => {
      const packed = packPostcode(parsed(text));
      assert.ok(Number.isInteger(packed) && packed >= 0 && packed < packedLimit);
      assert.equal(unpackPostcode(packed), text);
      assert.equal(packPostcodeText(text), packed);
    }),
    { numRuns: 1000 },
  );
  assert.equal(unpackPostcode(packPostcode(parsed('GIR 0AA'))), 'GIR 0AA');
});

test('packed postcodes sort as their texts do', () => {
  fc.assert(
    fc.property(canonical, canonical, (left, right) => {
      const byText = left < right ? -1 : left > right ? 1 : 0;
      assert.equal(sign(packPostcode(parsed(left)) - packPostcode(parsed(right))), byText);
    }),
    { numRuns: 1000 },
  );
});

test('areas, districts and sectors lie in the order of the text, those next to each other included', () => {
  const texts = [
    'A1 1AA',
    'B1 1AA',
    'B1 9ZZ',
    'B10 0AA',
    'B19 0AA',
    'B1A 0AA',
    'B1Y 0AA',
    'B2 0AA',
    'B9 9ZZ',
    'BA1 0AA',
    'BY9Y 9ZZ',
    'GH1 1AA',
    'GIR 0AA',
    'GK1 1AA',
    'ZY9Y 9ZZ',
    'ZZ0 0AA',
    'ZZ99 9ZZ',
  ];
  assert.deepEqual([...texts].sort(), texts);
  const packed = texts.map((text) => packPostcode(parsed(text)));
  assert.deepEqual(
    [...packed].sort((a, b) => a - b),
    packed,
  );
  assert.equal(new Set(packed).size, texts.length);
});

test('an outcode and a sector each hold one unbroken run of numbers', () => {
  fc.assert(
    fc.property(outcode, digit, (out, sector) => {
      const start = packPostcode(parsed(`${out} 0AA`));
      assert.equal(start % packedPerOutcode, 0);
      assert.equal(packPostcode(parsed(`${out} 9ZZ`)), start + packedPerOutcode - 1);
      const sectorStart = packPostcode(parsed(`${out} ${sector}AA`));
      assert.equal(sectorStart, start + Number(sector) * packedPerSector);
      assert.equal(packPostcode(parsed(`${out} ${sector}ZZ`)), sectorStart + packedPerSector - 1);
    }),
  );
});

test('a number no postcode packs to is refused, never turned into a wrong postcode', () => {
  const gir = packPostcode(parsed('GIR 0AA'));
  const girSecond = gir + 1;
  // Both halves have been met by then, each beside another.
  assert.equal(unpackPostcode(gir), 'GIR 0AA');
  assert.equal(unpackPostcode(packPostcode(parsed('SW1A 0AB'))), 'SW1A 0AB');
  for (const packed of [-1, packedLimit, 0.5, Number.NaN, Number.POSITIVE_INFINITY, girSecond]) {
    assert.throws(() => unpackPostcode(packed), RangeError, String(packed));
  }
  fc.assert(
    fc.property(fc.integer({ min: 0, max: packedLimit - 1 }), (packed) => {
      let text: string;
      try {
        text = unpackPostcode(packed);
      } catch (error) {
        assert.ok(error instanceof RangeError);
        return;
      }
      assert.equal(packPostcodeText(text), packed);
    }),
    { numRuns: 1000 },
  );
});

test('junk is refused and never throws', () => {
  const strict = /^([A-PR-UWYZ][A-HK-Y]?[0-9][A-Z0-9]?|GIR|ZZ[0-9][A-Z0-9]?)[0-9][ABD-HJLNP-UW-Z]{2}$/;
  const nearly = fc.string({ unit: fc.constantFrom(...'ABIQVXZgir019 \t-é'), maxLength: 10 });
  fc.assert(
    fc.property(fc.oneof(anyString(), nearly), (text) => {
      const postcode = parsePostcode(text);
      parseArea(text);
      if (postcode !== undefined) assert.match(text.replace(/\s/g, '').toUpperCase(), strict);
    }),
    { numRuns: 2000 },
  );
});

test('an area is one or two letters in any case and spacing', () => {
  assert.equal(parseArea('sw'), 'SW');
  assert.equal(parseArea(' e '), 'E');
  assert.equal(parseArea('\u00a0zz\t'), 'ZZ');
  for (const text of ['', ' ', 'SW1', 'SWA', '1', 'S-W', 'é', 'ſ']) {
    assert.equal(parseArea(text), undefined, JSON.stringify(text));
  }
});
