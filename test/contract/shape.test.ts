// Shapes write what JSON.stringify would, leave out what they do not name, and refuse what the contract forbids.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import {
  boolean,
  integer,
  list,
  nullable,
  number,
  object,
  oneOf,
  optional,
  record,
  string,
} from '../../src/contract/shape.ts';
import { anyString } from '../any-string.ts';

const shape = object('Whole', {
  name: string(),
  kind: nullable(oneOf(['a', 'b'])),
  count: integer(),
  share: nullable(number()),
  isNew: boolean(),
  byMonth: record(integer()),
  items: list(object('Item', { price: number(), note: optional(string()) })),
  extra: optional(nullable(string())),
});

const finite = fc
  .double({ noNaN: true, noDefaultInfinity: true })
  .map((value) => (Object.is(value, -0) ? 0 : value));
const text = anyString();
const value = fc.record(
  {
    name: text,
    kind: fc.option(fc.constantFrom('a' as const, 'b' as const)),
    count: fc.integer(),
    share: fc.option(finite),
    isNew: fc.boolean(),
    byMonth: fc.dictionary(text, fc.integer()),
    items: fc.array(fc.record({ price: finite, note: text }, { requiredKeys: ['price'] })),
    extra: fc.option(text),
  },
  { requiredKeys: ['name', 'kind', 'count', 'share', 'isNew', 'byMonth', 'items'] },
);

test('any value is written as JSON.stringify writes it, and fits the schema', () => {
  const validate = new Ajv2020({ strict: true, allowUnionTypes: true }).compile(shape.schema);
  fc.assert(
    fc.property(value, (sample) => {
      const json = shape.write(sample);
      assert.deepEqual(JSON.parse(json), JSON.parse(JSON.stringify(sample)));
      assert.ok(validate(JSON.parse(json)), JSON.stringify(validate.errors));
    }),
  );
});

test('members come in the order of the shape, and unnamed ones are left out', () => {
  const small = object('Small', { b: integer(), a: integer() });
  const given = { a: 1, secret: 'x', b: 2 };
  assert.equal(small.write(given), '{"b":2,"a":1}');
});

test('what cannot be told in JSON is refused, never sent as null or 0', () => {
  assert.throws(() => number().write(Number.NaN), RangeError);
  assert.throws(() => number().write(Number.POSITIVE_INFINITY), RangeError);
  assert.throws(() => integer().write(1.5), RangeError);
  const small = object('Small', { rate: number() });
  // @ts-expect-error a member is missing: the compiler says so, and the writer too
  assert.throws(() => small.write({}), RangeError);
});
