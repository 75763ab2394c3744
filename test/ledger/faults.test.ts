// What is read from errors and rows: a surprise is never taken for a value.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { errorCode } from '../../src/errno.ts';
import { faultOf, isRepeated, resultOf, throwUnlessOfFile } from '../../src/ledger/sqlite/faults.ts';
import { readNumber, readNumberOrNull, readText, readWord } from '../../src/storage/rows.ts';

const sqliteError = (errcode: number) => Object.assign(new Error('from SQLite'), { errcode });

test('an error is told by what lies at its bottom', () => {
  const full = new Error('told to the operator', {
    cause: Object.assign(new Error('x'), { code: 'ENOSPC' }),
  });
  assert.deepEqual([sqliteError(13), full].map(faultOf), ['full', 'full']);
  assert.deepEqual([sqliteError(10), sqliteError(10 + 256 * 4)].map(faultOf), ['disk', 'disk']);
  assert.deepEqual(
    [sqliteError(5), new Error('x'), 'a text', undefined].map(faultOf),
    Array(4).fill('other'),
  );
});

test('what is no error has neither a code nor a result', () => {
  for (const thrown of ['a text', undefined, { code: 'ENOSPC', errcode: 13 }, new Error('x')]) {
    assert.deepEqual(
      [errorCode(thrown), resultOf(thrown), isRepeated(thrown)],
      [undefined, undefined, false],
    );
  }
});

test('a fault of this program is not taken for one of a file', () => {
  for (const ofFile of [sqliteError(11), new TypeError('a is no number')]) throwUnlessOfFile(ofFile);
  for (const ours of [new RangeError('x'), 'a text']) {
    assert.throws(
      () => throwUnlessOfFile(ours),
      (thrown) => thrown === ours,
    );
  }
});

test('a column that is not of its type, or not there, is no value', () => {
  for (const row of [undefined, {}, { a: null }, { a: 7n }, { a: new Uint8Array(1) }]) {
    assert.throws(() => readNumber(row, 'a'), /a is not a number/);
    assert.throws(() => readText(row, 'a'), /a is not a text/);
  }
  assert.throws(() => readNumberOrNull(undefined, 'a'), /a is not a number/);
  assert.equal(readNumberOrNull({ a: null }, 'a'), null);
  assert.throws(() => readWord({ a: 'gold' }, 'a', ['basic', 'trial']), /a is none of basic, trial/);
});
