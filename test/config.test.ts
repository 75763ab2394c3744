// Settings: flags win over the environment, bad ones are refused by name, secrets are not repeated.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BadSetting, readSettings, settings } from '../src/config.ts';

test('without anything set, the defaults hold', () => {
  const { host, port, home } = readSettings({}, {});
  assert.deepEqual({ host, port, home }, { host: '127.0.0.1', port: 8080, home: './var' });
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

test('the public address may have a path, loses its last slash, and has no query, fragment or user', () => {
  const read = (url: string) => readSettings({ DOMESDAY_PUBLIC_URL: url }, {}).publicUrl;
  assert.equal(read(''), undefined);
  assert.equal(read('https://data.example.com/'), 'https://data.example.com');
  assert.equal(read('http://example.com:8080/uk//'), 'http://example.com:8080/uk');
  for (const bad of [
    'data.example.com',
    'ftp://x.com',
    'https://x.com/?a=1',
    'https://x.com/#a',
    'https://u:p@x.com',
  ]) {
    assert.throws(() => read(bad), /DOMESDAY_PUBLIC_URL .* http or https address/, bad);
  }
});

test('a secret is never repeated in the refusal', () => {
  assert.throws(
    () => readSettings({ DOMESDAY_METRICS_TOKEN: 'hunter2' }, {}),
    (error) => error instanceof BadSetting && !error.message.includes('hunter2'),
  );
});

test('a mail server and a sender are ones that mails can go by', () => {
  const server = (url: string) => readSettings({ SMTP_URL: url }, {}).smtpUrl;
  assert.equal(server('smtps://user:word@mail.example.com:465'), 'smtps://user:word@mail.example.com:465');
  for (const bad of ['mail.example.com:25', 'https://mail.example.com', 'smtp://']) {
    assert.throws(() => server(bad), /^BadSetting: SMTP_URL is not usable; it must be an address such as/);
  }
  const sender = (from: string) => readSettings({ DOMESDAY_MAIL_FROM: from }, {}).mailFrom;
  assert.equal(sender('Domesday <no-reply@example.com>'), 'Domesday <no-reply@example.com>');
  assert.equal(sender('no-reply@example.com'), 'no-reply@example.com');
  for (const bad of ['nobody', 'a@b.com, c@d.com', 'A <a@b.com>\r\nBcc: c@d.com']) {
    assert.throws(() => sender(bad), /DOMESDAY_MAIL_FROM is /);
  }
});

test('no two settings share a variable or a flag', () => {
  const all = Object.values(settings);
  assert.equal(new Set(all.map(({ env }) => env)).size, all.length);
  assert.equal(new Set(all.map(({ flag }) => flag)).size, all.length);
});
