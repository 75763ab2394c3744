// Columns that do not fit each other are refused when an area is opened, and what no sale can be is an error: never a
// number or a letter that an answer would carry.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { OutOfRange } from '../../../src/out-of-range.ts';
import { type Columns, encodePart, Part, PartFault } from '../../../src/release/part.ts';
import { encodeSales } from '../../../src/tables/sales/encode.ts';
import { noPostcode, type SaleRows } from '../../../src/tables/sales/rows.ts';
import { SalesSegment } from '../../../src/tables/sales/segment.ts';
import { salesTable } from '../../../src/tables/sales/table.ts';

const words = {
  paons: ['1'],
  saons: [''],
  streets: ['HIGH STREET'],
  names: ['RYDE'],
  places: new Uint32Array(5),
};
const rows: SaleRows = {
  days: Uint16Array.of(20_000, 19_000),
  prices: Uint32Array.of(100, 200),
  flags: new Uint8Array(2),
  postcodes: new Uint32Array(2).fill(noPostcode),
  places: new Uint32Array(2),
  paons: new Uint32Array(2),
  saons: new Uint32Array(2),
  ids: Uint8Array.from({ length: 32 }, (_, at) => at),
};

const grid = { rowsPerCut: 1, bandsPerSum: 1 };
/** Small enough for every text to have a set. */
const sizes = { leastMembers: 1, salesPerBand: 1, all: grid, common: grid };

const columnsOf = () => encodeSales(rows, words, sizes).sales;
const open = (columns: Columns) =>
  new SalesSegment(salesTable.read(Part.open(new Uint8Array(encodePart(columns)).buffer)));

test('a class or a tenure that is none is an error, not another one', () => {
  const known = open(columnsOf());
  assert.equal(known.propertyType(0), 'D');
  assert.equal(known.estate(0), 'F');
  const unknown = open({ ...columnsOf(), flags: Uint8Array.of(5 << 2, 3 << 5) });
  assert.throws(() => unknown.propertyType(0), OutOfRange);
  assert.throws(() => unknown.estate(1), OutOfRange);
  assert.throws(() => encodeSales({ ...rows, flags: Uint8Array.of(5 << 2, 0) }, words), OutOfRange);
});

/** The column with one more value. */
function longer(values: Columns[string]): Columns[string] {
  if (values instanceof Float64Array) return Float64Array.of(...values, 0);
  if (values instanceof Uint32Array) return Uint32Array.of(...values, 0);
  if (values instanceof Uint16Array) return Uint16Array.of(...values, 0);
  if (values instanceof Uint8Array) return Uint8Array.of(...values, 0);
  return assert.fail('there is no such column');
}

test('columns of numbers whose lengths do not agree are refused when the area is opened', () => {
  const columns = columnsOf();
  assert.ok(open(columns));
  for (const [name, column] of Object.entries(columns)) {
    // Nothing else in the part says how many postcodes there are.
    if (Array.isArray(column) || name === 'postcodes') continue;
    assert.throws(
      () => open({ ...columns, [name]: longer(column) }),
      (error) => error instanceof PartFault || error instanceof OutOfRange,
      name,
    );
  }
});
