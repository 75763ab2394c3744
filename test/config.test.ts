// Settings: flags win over the environment, bad ones are refused by name, secrets are not repeated.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BadSetting, readSettings, settings } from '../src/config.ts';

test('without anything set, the defaults hold', () => {
  const { host, port, home, workers } = readSettings({}, {});
  assert.deepEqual(
    { host, port, home, workers },
    { host: '127.0.0.1', port: 8080, home: './var', workers: 1 },
  );
});

test('a flag wins over the environment, which wins over the default; an empty variable counts as unset', () => {
  assert.equal(readSettings({ PORT: '1' }, {}).port, 1);
  assert.equal(readSettings({ PORT: '1' }, { port: '2' }).port, 2);
  assert.equal(readSettings({ PORT: '' }, {}).port, 8080);
});

test('a bad value is refused with the name it came by and what is allowed', () => {
  assert.throws(
    () => readSettings({ PORT: '1e3' }, {}),
    /^BadSetting: PORT is "1e3"; it must be a whole number from 0 to 65535/,
  );
  assert.throws(() => readSettings({}, { port: '-1' }), /--port is "-1"/);
  assert.throws(() => readSettings({ DOMESDAY_LOG: 'loud' }, {}), /one of silent, error/);
});

test('a secret is never repeated in the refusal', () => {
  assert.throws(
    () => readSettings({ DOMESDAY_METRICS_TOKEN: 'hunter2' }, {}),
    (error) => error instanceof BadSetting && !error.message.includes('hunter2'),
  );
});

test('no two settings share a variable or a flag', () => {
  const all = Object.values(settings);
  assert.equal(new Set(all.map(({ env }) => env)).size, all.length);
  assert.equal(new Set(all.map(({ flag }) => flag)).size, all.length);
});
