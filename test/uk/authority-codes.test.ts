// Recoded authorities resolve both ways.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { currentAuthorityCode, findFormerAuthorityCode } from '../../src/uk/authority-codes.ts';

const recodings = [
  ['E08000016', 'E08000038'],
  ['E08000019', 'E08000039'],
  ['S12000015', 'S12000047'],
  ['S12000024', 'S12000048'],
  ['S12000046', 'S12000049'],
  ['S12000044', 'S12000050'],
] as const;

test('a recoded authority is found under its former and its current code', () => {
  for (const [former, current] of recodings) {
    assert.equal(currentAuthorityCode(former), current);
    assert.equal(currentAuthorityCode(current), current);
    assert.equal(findFormerAuthorityCode(current), former);
    assert.equal(findFormerAuthorityCode(former), undefined);
  }
});

test('every other code stays as it is', () => {
  for (const code of ['E09000001', 'S12000033', '', 'rubbish']) {
    assert.equal(currentAuthorityCode(code), code);
    assert.equal(findFormerAuthorityCode(code), undefined);
  }
});
