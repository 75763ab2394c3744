// A thread encodes what the same thread would, byte for byte, and its faults reach whoever waits.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SalesEncoder } from '../../src/sources/price-paid-encoder.ts';
import { encodeSaleParts, type SaleRows, type SaleWords } from '../../src/tables/sales-part.ts';

const words: SaleWords = {
  paons: ['1', '2'],
  saons: [''],
  streets: ['HIGH STREET', 'LOW ROAD'],
  names: ['', 'RYDE'],
  places: Uint32Array.of(1, 0, 1, 1, 1, 0, 0, 1, 1, 1),
};

const rowsOf = (length: number): SaleRows => ({
  days: Uint16Array.from({ length }, (_, row) => 20_000 + (row % 7)),
  prices: Uint32Array.from({ length }, (_, row) => 1000 + ((row * 37) % 500)),
  flags: Uint8Array.from({ length }, (_, row) => row % 20),
  postcodes: Uint32Array.from({ length }, (_, row) => 100_000 + (row % 3)),
  places: Uint32Array.from({ length }, (_, row) => row % 2),
  paons: Uint32Array.from({ length }, (_, row) => row % 2),
  saons: new Uint32Array(length),
  ids: new Uint8Array(Uint32Array.from({ length: 4 * length }, (_, word) => word * 2_654_435_761).buffer),
});

test('several areas in a row come back in order, each as it is encoded without a thread', async () => {
  const encoder = new SalesEncoder(1);
  try {
    const lengths = [300, 1, 50];
    const parts = await Promise.all(lengths.map((length) => encoder.encode({ rows: rowsOf(length), words })));
    for (const [index, length] of lengths.entries()) {
      const expected = encodeSaleParts(rowsOf(length), words);
      assert.deepEqual(Buffer.from(parts[index]?.sales ?? []), Buffer.from(expected.sales));
      assert.deepEqual(Buffer.from(parts[index]?.ids ?? []), Buffer.from(expected.ids));
    }
  } finally {
    await encoder.close();
  }
});

test('an area that cannot be encoded rejects, also those that wait behind it', async () => {
  const encoder = new SalesEncoder(1);
  try {
    const broken = { ...rowsOf(3), ids: new Uint8Array(5) };
    const results = await Promise.allSettled([
      encoder.encode({ rows: broken, words }),
      encoder.encode({ rows: rowsOf(3), words }),
    ]);
    assert.deepEqual(
      results.map(({ status }) => status),
      ['rejected', 'rejected'],
    );
  } finally {
    await encoder.close();
  }
});
