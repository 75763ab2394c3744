// Where a first start takes itself to be alone with the newcomer, and what it then serves.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isLoopback, withholdsSample } from '../../../src/cli/serve/reach.ts';
import { readSettings } from '../../../src/config.ts';

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

test('each setting that lets others reach the service keeps the sample from live keys, unless it is served on purpose', () => {
  for (const env of [
    { HOST: '0.0.0.0' },
    { DOMESDAY_TRUST_PROXY: '1' },
    { DOMESDAY_PUBLIC_URL: 'https://data.example.com' },
    { DATABASE_URL: 'postgres://u:p@localhost/domesday' },
  ]) {
    assert.equal(withholdsSample(readSettings(env, {})), true, JSON.stringify(env));
    assert.equal(withholdsSample(readSettings({ ...env, DOMESDAY_SAMPLE: 'serve' }, {})), false);
  }
  for (const address of ['http://localhost:8080', 'http://127.0.0.1', 'http://[::1]:8080/uk'])
    assert.equal(withholdsSample(readSettings({ DOMESDAY_PUBLIC_URL: address }, {})), false, address);
  assert.equal(withholdsSample(readSettings({}, {})), false);
});
