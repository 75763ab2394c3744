// The table gives back what was put in, against a plain list of rows.

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import fc from 'fast-check';
import { encodePart, Part } from '../../../src/release/part.ts';
import { Release } from '../../../src/release/reader.ts';
import { layouts } from '../../../src/tables/index.ts';
import {
  encodeValuations,
  type ValuationRow,
  Valuations,
  valuationsPart,
} from '../../../src/tables/valuations.ts';
import { packPostcodeText, parsePostcode } from '../../../src/uk/postcode.ts';

const postcodes = ['AB1 1AA', 'AB1 1AB', 'AB12 9ZZ', 'AB99 1XY'];
const lists = [
  { name: 'NORTH', authority: 'E06000001', day: 20_000, postcodes: [], homes: 0 },
  { name: 'SOUTH', authority: '', day: 20_000, postcodes: [], homes: 0 },
];

const row: fc.Arbitrary<ValuationRow> = fc.record({
  postcode: fc.constantFrom(...postcodes).map((text) => packPostcodeText(text) ?? 0),
  address: fc
    .array(fc.constantFrom('FLAT 1', 'FLAT 10', 'FLAT 2', '1 MILL LANE', 'TŶ GWYN', 'OXMERE', ''), {
      minLength: 1,
      maxLength: 4,
    })
    .map((parts) => parts.join(', ')),
  band: fc.constantFrom(...'ABCDEFGHI'),
  reference: fc.constantFrom('', 'R/1', 'R/2'),
  uprn: fc.constantFrom(0, 1, 999_999_999_999),
  effective: fc.constantFrom(undefined, 0, -5000, 20_000),
  list: fc.constantFrom(0, 1),
});

const sorted = (values: readonly unknown[]) => values.map((value) => JSON.stringify(value)).sort();

test('every postcode has exactly its entries, and all rows come back', () => {
  const dir = mkdtempSync(path.join(tmpdir(), 'domesday-valuations-'));
  fc.assert(
    fc.property(fc.array(row, { maxLength: 30 }), (rows) => {
      const bytes = encodePart(encodeValuations('AB', rows));
      const name = valuationsPart('AB');
      const shared = new SharedArrayBuffer(bytes.length);
      new Uint8Array(shared).set(bytes);
      const entry = { bytes: bytes.length, crc32: Part.open(shared).checksum };
      const release = new Release(
        dir,
        {
          format: 'domesday-data',
          version: 1,
          id: 'made',
          createdAt: '',
          kind: 'loaded',
          parent: null,
          datasets: [],
          derived: [],
          parts: { [name]: entry },
        },
        layouts,
        () => shared,
      );
      const table = new Valuations(release, lists);
      for (const text of [...postcodes, 'AB2 2AA']) {
        const postcode = parsePostcode(text);
        assert.ok(postcode);
        const expected = rows
          .filter((one) => one.postcode === packPostcodeText(text))
          .map(({ address, band, reference, uprn, effective, list }) => ({
            address,
            band,
            reference,
            uprn,
            effective,
            list: lists[list],
          }));
        assert.deepEqual(sorted(table.entriesOf(postcode)), sorted(expected));
      }
      const key = ({ postcode, address, band, reference, uprn, effective, list }: ValuationRow) => [
        postcode,
        address,
        band,
        reference,
        uprn,
        effective,
        list,
      ];
      assert.deepEqual(sorted([...table.rowsOf(name)].map(key)), sorted(rows.map(key)));
    }),
  );
  rmSync(dir, { recursive: true });
});
