// Where a page is reached decides its cookies, its origin, and whether anybody may sign in.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { exchange, portOf } from '../http/raw-sockets.ts';
import { Browser, expectStatus, openHouse, password } from './house.ts';

const cookiesOf = (headers: Readonly<Record<string, unknown>>): readonly string[] =>
  [headers['set-cookie'] ?? []].flat().map(String);

test('over TLS cookies are of this host alone and never sent in the clear', async () => {
  await using house = await openHouse({ publicUrl: 'https://data.example.com' });
  const browser = new Browser(house, 'data.example.com', 'https');
  const email = 'a@example.com';
  expectStatus(200, await browser.post('/portal/sign-up', { email }));
  expectStatus(
    200,
    await browser.post('/portal/confirm', { token: await house.token(email, 'confirm'), password }),
  );
  const signedIn = await browser.post('/portal/sign-in', { email, password });
  expectStatus(200, signedIn);
  const cookies = cookiesOf(signedIn.headers);
  assert.equal(cookies.length, 2);
  for (const cookie of cookies) {
    assert.match(
      cookie,
      /^__Host-domesday(?:-device)?=[\w.-]+; Path=\/; Max-Age=\d+; HttpOnly; SameSite=Lax; Secure$/,
    );
  }
  assert.equal((await browser.get('/portal/me')).json().person.email, email);
  // A cookie of the name that is set without TLS is not looked at.
  const token = browser.cookies.get('__Host-domesday');
  const plain = await browser.get('/portal/me', { cookie: `domesday=${token}` });
  assert.equal(plain.json().person, null);
});

test('where the service is reached over TLS, its pages say that they are for TLS alone; elsewhere they do not', async () => {
  for (const [publicUrl, expected] of [
    ['https://data.example.com', 'max-age=31536000'],
    ['http://127.0.0.1:8080', undefined],
  ] as const) {
    await using house = await openHouse({ publicUrl });
    const { host } = new URL(publicUrl);
    for (const path of [
      '/',
      '/account',
      '/admin',
      '/portal/me',
      '/portal/sessions',
      '/portal/no-such-thing',
    ]) {
      const reply = await house.rig.app.inject({ url: path, headers: { host, accept: 'text/html' } });
      assert.equal(reply.headers['strict-transport-security'], expected, path);
    }
  }
});

test('behind TLS a write from the address of the machine itself is refused, and says where to go', async () => {
  await using house = await openHouse({ publicUrl: 'https://data.example.com' });
  const reply = await house.browser().post('/portal/sign-in', { email: 'a@example.com', password });
  assert.equal(reply.statusCode, 403);
  assert.match(reply.json().error.message, /https:\/\/data\.example\.com/);
});

test('on this machine cookies are plain, and as long as the session', async () => {
  await using house = await openHouse();
  for (const [at, host] of ['127.0.0.1:8080', 'localhost:8080', '[::1]:8080', 'localhost'].entries()) {
    const email = `person-${at}@example.com`;
    const browser = new Browser(house, host);
    expectStatus(200, await browser.post('/portal/sign-up', { email }));
    expectStatus(
      200,
      await browser.post('/portal/confirm', { token: await house.token(email, 'confirm'), password }),
    );
    const cookies = cookiesOf((await browser.post('/portal/sign-in', { email, password })).headers);
    assert.match(cookies[0] ?? '', /^domesday=[\w.-]+; Path=\/; Max-Age=\d+; HttpOnly; SameSite=Lax$/);
    assert.equal((await browser.get('/portal/me')).json().signInRefused, null);
  }
});

const inTheClear: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'a name of the network': { host: 'data.example.com' },
  'an address of the network': { host: '192.168.1.20:8080' },
  'a name that begins like this machine': { host: 'localhost.evil.example' },
  'an address that begins like this machine': { host: '127.0.0.1.evil.example' },
  'a name that leads to this machine': { host: 'rebound.evil.example:8080' },
  'a proxy that says so': { host: '127.0.0.1:8080', 'x-forwarded-for': '203.0.113.9' },
  'a proxy that tells the scheme': { host: '127.0.0.1:8080', 'x-forwarded-proto': 'http' },
  'a proxy of the newer kind': { host: '127.0.0.1:8080', forwarded: 'for=203.0.113.9' },
  'a proxy that names itself': { host: '127.0.0.1:8080', via: '1.1 proxy' },
  'a proxy that tells the address': { host: '127.0.0.1:8080', 'x-real-ip': '203.0.113.9' },
  'a proxy that tells the host': { host: '127.0.0.1:8080', 'x-forwarded-host': 'data.example.com' },
  'a proxy that tells the port': { host: '127.0.0.1:8080', 'x-forwarded-port': '80' },
  'no host at all': { host: '' },
};

test('in the clear nobody signs in, nor is a session looked at that came to be elsewhere', async () => {
  await using house = await openHouse();
  const person = await house.person('a@example.com');
  for (const [where, headers] of Object.entries(inTheClear)) {
    const told = (await person.get('/portal/me', headers)).json();
    assert.match(told.signInRefused, /DOMESDAY_PUBLIC_URL/, where);
    assert.equal(told.person, null, where);
    const own = { ...headers, origin: `http://${headers.host}` };
    const reply = await person.post('/portal/sign-in', { email: 'a@example.com', password }, own);
    assert.equal(reply.statusCode, 403, where);
    assert.match(reply.json().error.message, /DOMESDAY_PUBLIC_URL/, where);
    assert.deepEqual(cookiesOf(reply.headers), [], where);
  }
});

test('a plain proxy of this machine that speaks HTTP/1.0, as nginx may, makes nobody local', async () => {
  await using house = await openHouse();
  const port = await portOf(house.rig.app);
  const ask = (version: string) =>
    exchange(port, `GET /portal/me HTTP/${version}\r\nhost: 127.0.0.1:${port}\r\nconnection: close\r\n\r\n`);
  assert.match(await ask('1.1'), /"signInRefused":null/);
  assert.match(await ask('1.0'), /"signInRefused":"[^"]*DOMESDAY_PUBLIC_URL/);
});

test('a public address of this machine changes nothing in the clear', async () => {
  await using house = await openHouse({ publicUrl: 'http://127.0.0.1:8080' });
  const browser = house.browser();
  assert.equal((await browser.get('/portal/me')).json().signInRefused, null);
  for (const [where, headers] of Object.entries(inTheClear)) {
    const told = (await browser.get('/portal/me', headers)).json();
    assert.match(told.signInRefused, /DOMESDAY_PUBLIC_URL/, where);
    const reply = await browser.post('/portal/sign-in', { email: 'a@example.com', password }, headers);
    assert.equal(reply.statusCode, 403, where);
    assert.match(reply.json().error.message, /DOMESDAY_PUBLIC_URL/, where);
  }
});

test('a public address over plain http is no reason to take a password', async () => {
  await using house = await openHouse({ publicUrl: 'http://data.example.com' });
  const browser = new Browser(house, 'data.example.com');
  assert.match((await browser.get('/portal/me')).json().signInRefused, /DOMESDAY_PUBLIC_URL/);
  expectStatus(403, await browser.post('/portal/sign-in', { email: 'a@example.com', password }));
});
