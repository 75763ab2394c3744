// Numbers of every size and sign against BigInt, and messages that lie about their length.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { ByteWriter } from '../../../scripts/osm-pbf-writer.ts';
import { Fields, ProtobufFault, unpackDeltas, unpackNumbers } from '../../../src/ingest/read/protobuf.ts';

const safe = fc.oneof(fc.integer({ min: -300, max: 300 }), fc.maxSafeInteger());

test('fields have the numbers and bytes that were written, whatever lies between', () => {
  fc.assert(
    fc.property(
      fc.array(fc.tuple(fc.integer({ min: 1, max: 2_000 }), fc.oneof(safe, fc.uint8Array()))),
      (written) => {
        const message = new ByteWriter();
        for (const [field, content] of written) {
          if (typeof content === 'number') message.number(field, content);
          else message.bytes(field, content);
        }
        const bytes = message.done();
        const fields = new Fields().over(bytes);
        const read: [number, number | Uint8Array][] = [];
        while (fields.next()) {
          const { field, start, end, value } = fields;
          read.push([field, end > 0 ? Uint8Array.from(bytes.subarray(start, end)) : value]);
        }
        assert.deepEqual(read, written);
      },
    ),
  );
});

test('packed differences and numbers are those that were written', () => {
  const around = fc.array(fc.integer({ min: -(2 ** 45), max: 2 ** 45 }), { minLength: 1 });
  fc.assert(
    fc.property(around, fc.array(fc.nat(2 ** 31 - 1), { minLength: 1 }), (values, numbers) => {
      const bytes = new ByteWriter().packedDeltas(1, values).packed(2, numbers).done();
      const fields = new Fields().over(bytes);
      const sums = new Float64Array(bytes.length);
      const plain = new Uint32Array(bytes.length);
      assert.ok(fields.next());
      assert.deepEqual([...sums.subarray(0, unpackDeltas(bytes, fields.start, fields.end, sums))], values);
      assert.ok(fields.next());
      assert.deepEqual(
        [...plain.subarray(0, unpackNumbers(bytes, fields.start, fields.end, plain))],
        numbers,
      );
    }),
  );
});

test('what reaches beyond its message, has no end or an unknown type is a fault', () => {
  const walk = (...bytes: readonly number[]) => {
    const fields = new Fields().over(Uint8Array.from(bytes));
    while (fields.next());
  };
  assert.throws(() => walk(0x0a, 5, 1, 2), ProtobufFault);
  assert.throws(() => walk(0x08, 0x80), ProtobufFault);
  assert.throws(() => walk(0x08, ...Array(11).fill(0xff), 1), ProtobufFault);
  assert.throws(() => walk(0x0b), ProtobufFault);
  assert.throws(() => walk(0x09, 1, 2), ProtobufFault);
  assert.throws(() => unpackDeltas(Uint8Array.of(0x80), 0, 1, new Float64Array(4)), ProtobufFault);
  assert.throws(() => unpackNumbers(Uint8Array.of(0x80), 0, 1, new Uint32Array(4)), ProtobufFault);
});
