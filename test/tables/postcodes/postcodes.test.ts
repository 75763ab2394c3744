// The packed table answers as a plain Map of rows does.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { encodePart, Part } from '../../../src/release/part.ts';
import { Release } from '../../../src/release/reader.ts';
import { layouts } from '../../../src/tables/index.ts';
import {
  monthNumber,
  noPoint,
  openPostcodes,
  type PostcodeRow,
  type Postcodes,
  usages,
} from '../../../src/tables/postcodes/postcodes.ts';
import { PostcodesBuilder } from '../../../src/tables/postcodes/postcodes-builder.ts';
import { nations, postcodesPart } from '../../../src/tables/postcodes/postcodes-table.ts';
import {
  type Postcode,
  packedLimit,
  packPostcode,
  parsePostcode,
  unpackPostcode,
} from '../../../src/uk/postcode.ts';

/** Through the bytes of a real part, as a release has them. */
function open(rows: readonly PostcodeRow[]): Postcodes {
  const builder = new PostcodesBuilder();
  for (const row of rows) add(builder, row);
  const bytes = encodePart(builder.finish().columns);
  const buffer = new SharedArrayBuffer(bytes.length);
  new Uint8Array(buffer).set(bytes);
  const crc32 = Part.open(buffer).checksum;
  return openPostcodes(
    new Release(
      '',
      {
        format: 'domesday-data',
        version: 1,
        id: 'made-1',
        createdAt: '2026-11-15T12:00:00Z',
        kind: 'loaded',
        parent: null,
        datasets: [],
        derived: [],
        parts: { [postcodesPart]: { bytes: bytes.length, crc32 } },
      },
      layouts,
      () => buffer,
    ),
  );
}

function add(builder: PostcodesBuilder, row: PostcodeRow): 'added' | 'already there' {
  const codes = [
    row.authorityCode,
    row.wardCode,
    row.countyCode,
    row.regionCode,
    row.lsoaCode,
    row.msoaCode,
    row.policeForceCode,
  ].map((code) => builder.code(code ?? ''));
  const [year = 0, month = 0] = (row.terminated ?? '').split('-').map(Number);
  return builder.add({
    packed: packPostcode(parse(row.postcode)),
    place: builder.place(row.nation, codes),
    latitude: row.point === null ? noPoint : Math.round(row.point.latitudeDegrees * 1e6),
    longitude: row.point === null ? 0 : Math.round(row.point.longitudeDegrees * 1e6),
    easting: 0,
    northing: 0,
    terminated: row.terminated === null ? 0 : monthNumber(year, month),
    usage: row.usage,
  });
}

const parse = (text: string): Postcode => parsePostcode(text) ?? assert.fail(`${text} is no postcode`);

function isPostcode(packed: number): boolean {
  try {
    return unpackPostcode(packed) !== '';
  } catch {
    return false;
  }
}

// Few outward codes and many units of each, next to any postcode there can be, so that pages fill up.
const crowded = fc
  .tuple(fc.constantFrom(0, 41_230_000, 764_000_000), fc.nat(300))
  .map(([first, unit]) => first + unit);
const packed = fc.oneof(crowded, fc.nat(packedLimit - 1)).filter(isPostcode);
const maybe = <T>(value: fc.Arbitrary<T>) => fc.option(value, { freq: 4 });
const code = (letter: string) =>
  maybe(fc.nat(20).map((number) => `${letter}${String(number).padStart(8, '0')}`));
const plain = { noNullPrototype: true } as const;
const row = fc.record<PostcodeRow>(
  {
    postcode: packed.map(unpackPostcode),
    nation: maybe(fc.constantFrom(...nations)),
    point: maybe(
      fc.record(
        {
          latitudeDegrees: fc.integer({ min: 49_000_000, max: 61_000_000 }).map((micro) => micro / 1e6),
          longitudeDegrees: fc.integer({ min: -9_000_000, max: 2_000_000 }).map((micro) => micro / 1e6),
        },
        plain,
      ),
    ),
    authorityCode: code('E'),
    wardCode: code('W'),
    countyCode: code('C'),
    regionCode: code('R'),
    lsoaCode: code('L'),
    msoaCode: code('M'),
    policeForceCode: code('P'),
    terminated: maybe(
      fc
        .tuple(fc.integer({ min: 1973, max: 2099 }), fc.integer({ min: 1, max: 12 }))
        .map(([year, month]) => `${year}-${String(month).padStart(2, '0')}`),
    ),
    usage: maybe(fc.constantFrom(...usages)),
  },
  plain,
);
const rows = fc.uniqueArray(row, { selector: ({ postcode }) => postcode, maxLength: 400, size: 'max' });

test('every row is found as it was given, and nothing else is', () => {
  fc.assert(
    fc.property(rows, fc.array(packed, { maxLength: 50 }), (given, asked) => {
      const table = open(given);
      const naive = new Map(given.map((item) => [item.postcode, item]));
      assert.equal(table.size, naive.size);
      for (const item of given) assert.deepEqual(table.find(parse(item.postcode)), item);
      for (const number of asked) {
        const text = unpackPostcode(number);
        assert.deepEqual(table.find(parse(text)), naive.get(text));
        assert.equal(table.has(number), naive.has(text));
      }
    }),
    { numRuns: 200 },
  );
});

test('rows come out in the order of the alphabet, by outward code, by area and all together', () => {
  fc.assert(
    fc.property(rows, (given) => {
      const table = open(given);
      const sorted = given.toSorted((a, b) => (a.postcode < b.postcode ? -1 : 1));
      assert.deepEqual(
        [...table.packedNumbers()].map(unpackPostcode),
        sorted.map(({ postcode }) => postcode),
      );
      const areas = [...new Set(sorted.map(({ postcode }) => parse(postcode).area))];
      assert.deepEqual(table.areas(), areas);
      for (const area of areas) {
        assert.deepEqual(
          [...table.inArea(area)],
          sorted.filter(({ postcode }) => parse(postcode).area === area),
        );
      }
      for (const outcode of new Set(sorted.map(({ postcode }) => parse(postcode).outcode))) {
        assert.deepEqual(
          [...table.inOutcode(outcode)],
          sorted.filter(({ postcode }) => parse(postcode).outcode === outcode),
        );
      }
    }),
    { numRuns: 100 },
  );
});

test('of two rows for one postcode the first stays', () => {
  const builder = new PostcodesBuilder();
  const [first] = fc.sample(row, { numRuns: 1, seed: 7 });
  assert.ok(first);
  assert.equal(add(builder, first), 'added');
  assert.equal(add(builder, { ...first, wardCode: 'W99999998' }), 'already there');
  assert.equal(builder.size, 1);
});

test('an empty table finds nothing', () => {
  const table = open([]);
  assert.equal(table.size, 0);
  assert.equal(table.find(parse('SW1A 1AA')), undefined);
  assert.deepEqual([...table.inArea('SW'), ...table.inOutcode('SW1A'), ...table.inOutcode('nonsense')], []);
});
