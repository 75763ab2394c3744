// Where a first start takes itself to be alone with the newcomer.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isLoopback } from '../../../src/cli/serve/greeting.ts';

test('loopback is this machine alone, in each way it is written', () => {
  for (const host of [
    '127.0.0.1',
    '127.9.8.7',
    '::1',
    '0:0:0:0:0:0:0:1',
    '::ffff:127.0.0.1',
    'localhost',
    'LocalHost',
  ])
    assert.equal(isLoopback(host), true, host);
  for (const host of [
    '0.0.0.0',
    '::',
    '10.0.0.1',
    '128.0.0.1',
    '::ffff:10.0.0.1',
    'fe80::1',
    'localhost.example',
    '127.0.0.1.example',
    '',
  ])
    assert.equal(isLoopback(host), false, host);
});
