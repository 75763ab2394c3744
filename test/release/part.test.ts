// A part comes back as it was written, and no damage to it goes unnoticed.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { OutOfRange } from '../../src/out-of-range.ts';
import { type Columns, encodePart, Part, PartFault, type PartFaultKind } from '../../src/release/part.ts';

function shared(bytes: Uint8Array): SharedArrayBuffer {
  const buffer = new SharedArrayBuffer(bytes.byteLength);
  new Uint8Array(buffer).set(bytes);
  return buffer;
}

const faultOf = (bytes: Uint8Array): PartFaultKind | undefined => {
  try {
    Part.open(shared(bytes));
    return undefined;
  } catch (error) {
    if (error instanceof PartFault) return error.kind;
    throw error;
  }
};

const example: Columns = {
  day: Int32Array.of(-1, 0, 20440),
  rate: Float64Array.of(10.875, 3.75, 0.1),
  kind: Uint8Array.of(1, 2, 3),
  name: ['', 'Ynys Môn', 'Zedbury'],
};

test('every column type comes back as it was written', () => {
  fc.assert(
    fc.property(
      fc.record({
        u8: fc.uint8Array(),
        i8: fc.int8Array(),
        u16: fc.uint16Array(),
        i16: fc.int16Array(),
        u32: fc.uint32Array(),
        i32: fc.int32Array(),
        f32: fc.float32Array(),
        f64: fc.float64Array(),
        strings: fc.array(fc.string({ unit: 'grapheme' })),
        ascii: fc.array(fc.string({ unit: 'binary-ascii' })),
      }),
      (columns) => {
        const part = Part.open(shared(encodePart(columns)));
        assert.deepEqual([...part.u8('u8')], [...columns.u8]);
        assert.deepEqual([...part.i8('i8')], [...columns.i8]);
        assert.deepEqual([...part.u16('u16')], [...columns.u16]);
        assert.deepEqual([...part.i16('i16')], [...columns.i16]);
        assert.deepEqual([...part.u32('u32')], [...columns.u32]);
        assert.deepEqual([...part.i32('i32')], [...columns.i32]);
        assert.deepEqual([...part.f32('f32')], [...columns.f32]);
        assert.deepEqual([...part.f64('f64')], [...columns.f64]);
        for (const name of ['strings', 'ascii'] as const) {
          const strings = part.strings(name);
          const oneByOne = Array.from({ length: strings.length }, (_, index) => strings.at(index));
          assert.deepEqual(oneByOne, columns[name]);
          assert.deepEqual(strings.list(), columns[name]);
        }
      },
    ),
  );
});

test('strings of a column with more text than is kept decoded are the same', () => {
  const texts = Array.from({ length: 300 }, (_, index) => `${index} `.repeat(1000));
  const strings = Part.open(shared(encodePart({ texts }))).strings('texts');
  assert.deepEqual(
    texts.map((_, index) => strings.at(index)),
    texts,
  );
});

test('columns are views over the shared buffer, not copies', () => {
  const buffer = shared(encodePart(example));
  const rate = Part.open(buffer).f64('rate');
  assert.equal(rate.buffer, buffer);
  assert.equal(rate.byteOffset % 8, 0);
});

test('a typed array that is a slice of a larger one is written as the slice', () => {
  const part = Part.open(shared(encodePart({ a: Uint16Array.of(9, 1, 2, 9).subarray(1, 3) })));
  assert.deepEqual([...part.u16('a')], [1, 2]);
});

test('every flipped bit is noticed', () => {
  const bytes = encodePart(example);
  for (let at = 0; at < bytes.length; at += 1) {
    for (let bit = 0; bit < 8; bit += 1) {
      const damaged = Buffer.from(bytes);
      damaged[at] = (damaged[at] ?? 0) ^ (1 << bit);
      assert.notEqual(faultOf(damaged), undefined, `byte ${at}, bit ${bit}`);
    }
  }
});

test('a part cut off anywhere is refused, and so is one with bytes to spare', () => {
  const bytes = encodePart(example);
  for (let length = 0; length < bytes.length; length += 1) {
    const fault = faultOf(bytes.subarray(0, length));
    assert.equal(fault, length < 8 ? 'not-a-part' : 'truncated', `${length} bytes`);
  }
  assert.equal(faultOf(Buffer.concat([bytes, Buffer.alloc(8)])), 'truncated');
});

test('a part of a future version is called that, whatever else it holds', () => {
  const bytes = encodePart(example);
  bytes.writeUInt32LE(2, 8);
  assert.throws(() => Part.open(shared(bytes)), {
    kind: 'newer-version',
    message: 'it has format version 2, but this program reads up to version 1',
  });
});

test('each fault has its own kind', () => {
  const bytes = encodePart(example);
  const flipped = (at: number) => {
    const damaged = Buffer.from(bytes);
    damaged[at] = (damaged[at] ?? 0) ^ 1;
    return damaged;
  };
  assert.equal(faultOf(Buffer.from('date,rate,series\n2025-12-18,3.75,Official Bank Rate\n')), 'not-a-part');
  assert.equal(faultOf(flipped(40)), 'checksum');
  assert.equal(faultOf(flipped(bytes.length - 1)), 'checksum');
});

test('a missing column, or one of another type, is named', () => {
  const part = Part.open(shared(encodePart(example)));
  assert.throws(() => part.f64('price'), { kind: 'no-such-column', message: 'it has no column price' });
  assert.throws(() => part.u8('rate'), { message: 'its column rate is of type f64, not u8' });
  assert.throws(() => part.strings('name').at(3), OutOfRange);
});

test('an empty part is a part', () => {
  assert.deepEqual(Part.open(shared(encodePart({}))).columns, []);
});
