// Tables for callers: whatever the texts hold, a reader of RFC 4180 gets them back, and a spreadsheet no formula.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { writeCsv } from '../../src/contract/csv.ts';
import { firstRows } from '../../src/ingest/read/csv.ts';

const read = (csv: string) => firstRows(Buffer.from(csv), Number.POSITIVE_INFINITY, 'utf-8');
const text = fc.string({
  unit: fc.constantFrom('a', 'ŵ', ' ', ',', '"', '\r', '\n', '=', '-', '+', '@', '\t'),
});

test('fields come back as they were, but for the apostrophe before what begins like a formula', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(text, text, fc.integer())), (rows) => {
      const [titles, ...fields] = read(writeCsv(['one', 'two', 'three'], rows));
      assert.deepEqual(titles, ['one', 'two', 'three']);
      assert.deepEqual(
        fields,
        rows.map((row) =>
          row.map((field) =>
            typeof field === 'string' && /^[=+\-@\t\r]/.test(field) ? `'${field}` : String(field),
          ),
        ),
      );
    }),
  );
});

test('a line ends with CR LF, an unknown is empty, and a negative number stays a number', () => {
  assert.equal(
    writeCsv(['a', 'b', 'c', 'd'], [['=1+1', null, -1.29, 'x, "y"']]),
    `a,b,c,d\r\n'=1+1,,-1.29,"x, ""y"""\r\n`,
  );
  assert.equal(writeCsv(['a'], []), 'a\r\n');
});
