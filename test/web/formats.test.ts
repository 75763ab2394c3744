// Numbers with as many decimals as others beside them. Words for times: a span is a number of units, whatever words a language has for "a year ago".

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fixedText, percentText, spanText } from '../../web/formats.ts';

test('figures that stand beside each other have as many decimals', () => {
  assert.deepEqual(
    [2.1, 2.28, 2, 1234.5].map((value) => fixedText(value, 2)),
    ['2.10', '2.28', '2.00', '1,234.50'],
  );
  assert.deepEqual([2.45, 1, 0.0009, 0].map(percentText), ['245.0%', '100.0%', '0.1%', '0%']);
});

test('a span reads as one in the middle of a sentence, never as "last year" or "yesterday"', () => {
  const now = Date.UTC(2026, 10, 15, 12);
  for (const [days, text] of [
    [0, 'less than a minute'],
    [1, '1 day'],
    [2, '2 days'],
    [31, '1 month'],
    [200, '6 months'],
    [366, '1 year'],
    [800, '2 years'],
  ] as const) {
    assert.equal(spanText(now - days * 86_400_000, now), text);
  }
});
