// Names of requests: none twice, and in the order in which they were given.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { idSource } from '../../src/http/wire/request-ids.ts';

test('ids of one source are all different and sorted as text', () => {
  const newId = idSource((size) => new Uint8Array(size), Date.UTC(2026, 10, 15));
  const ids = Array.from({ length: 5_000 }, newId);
  assert.deepEqual(ids, [...new Set(ids)].sort());
  assert.match(ids[0] ?? '', /^[0-9a-z]{9}-0{12}-000001$/);
  assert.equal(ids[36 ** 2 - 1]?.slice(-6), '000100');
});

test('sources that began at the same moment give different ids', () => {
  const startedAtMs = Date.UTC(2026, 10, 15);
  const one = idSource((size) => new Uint8Array(size).fill(1), startedAtMs);
  const other = idSource((size) => new Uint8Array(size).fill(2), startedAtMs);
  assert.notEqual(one(), other());
});
