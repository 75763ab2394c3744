// Attacks on the pages' interface by other sites, by what a body may hold, and by where a page is reached.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { routes } from '../../src/portal/routes.ts';
import {
  askedBy,
  type Browser,
  expectStatus,
  type House,
  inAccount,
  isWrite,
  openHouse,
  password,
} from './house.ts';

let house: House;
let owner: Browser;
let accountId: string;

before(async () => {
  house = await openHouse();
  owner = await house.person('owner@example.com');
  accountId = await house.account(owner);
});

after(() => house.close());

const everyRoute = () =>
  routes.map(({ name }) => {
    const { method, path } = askedBy(name);
    return { name, method, url: inAccount(path, accountId) };
  });

const writes = () => everyRoute().filter(({ method }) => isWrite(method));

const foreign: Readonly<Record<string, Readonly<Record<string, string | undefined>>>> = {
  'a page of another site': { 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' },
  'another site whose Origin is lost': { 'sec-fetch-site': 'cross-site', origin: undefined },
  'a sibling of the same site': { 'sec-fetch-site': 'same-site', origin: 'http://sub.127.0.0.1:8080' },
  'a typed address': { 'sec-fetch-site': 'none' },
  'an old browser on another site': { 'sec-fetch-site': undefined, origin: 'https://evil.example' },
  'a page without an origin': { 'sec-fetch-site': undefined, origin: 'null' },
  'nobody that says where it comes from': { 'sec-fetch-site': undefined, origin: undefined },
  'a page that says two things': { 'sec-fetch-site': 'same-origin', origin: 'https://evil.example' },
  'another port of this machine': { 'sec-fetch-site': undefined, origin: 'http://127.0.0.1:8081' },
  'our name over another scheme': { 'sec-fetch-site': undefined, origin: 'https://127.0.0.1:8080' },
};

for (const [who, headers] of Object.entries(foreign)) {
  test(`no write is taken from ${who}`, async () => {
    for (const { method, url } of writes()) {
      const reply = await owner.ask(method, url, {}, headers);
      assert.equal(reply.statusCode, 403, `${method} ${url}: ${reply.body}`);
      assert.match(reply.json().error.message, /pages of http:\/\/127\.0\.0\.1:8080 alone/);
    }
    const renamed = await owner.ask('PATCH', '/portal/person', { name: 'Mallory' }, headers);
    assert.equal(renamed.statusCode, 403);
    assert.equal((await owner.get('/portal/me')).json().person.name, null);
  });
}

test('a browser that sends only its Origin may write', async () => {
  const reply = await owner.ask('PATCH', '/portal/person', { name: null }, { 'sec-fetch-site': undefined });
  expectStatus(200, reply);
});

test('no write is taken in a form that pages of others can send without asking', async () => {
  const types = [
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'text/plain',
    'text/plain; application/json',
    'application/jsonp',
    '',
    'no type at all',
    undefined,
  ];
  for (const type of types) {
    for (const { method, url } of writes()) {
      const reply = await owner.ask(method, url, {}, { 'content-type': type });
      assert.equal(reply.statusCode, 400, `${type} ${method} ${url}: ${reply.body}`);
      assert.match(reply.json().error.message, /Content-Type: application\/json/);
    }
    await owner.ask('PATCH', '/portal/person', { name: 'Mallory' }, { 'content-type': type });
  }
  assert.equal((await owner.get('/portal/me')).json().person.name, null);
});

test('a session that somebody planted before the sign-in is not the one that is signed in', async () => {
  const planted = 'A'.repeat(43);
  const victim = house.browser();
  victim.cookies.set('domesday', planted);
  await victim.signIn('owner@example.com');
  assert.notEqual(victim.cookies.get('domesday'), planted);
  const attacker = house.browser();
  attacker.cookies.set('domesday', planted);
  assert.equal((await attacker.get('/portal/me')).json().person, null);
  // Nor does a session that was there before live on beside the new one.
  const earlier = victim.cookies.get('domesday');
  await victim.signIn('owner@example.com');
  const thief = house.browser();
  thief.cookies.set('domesday', earlier ?? '');
  assert.equal((await thief.get('/portal/me')).json().person, null);
});

test('two cookies of the same name are nobody: one of them is not ours', async () => {
  const token = owner.cookies.get('domesday');
  const twice = { cookie: `domesday=${'B'.repeat(43)}; domesday=${token}` };
  assert.equal((await owner.get('/portal/me', twice)).json().person, null);
});

test('a session is worth nothing after sign-out, a new password or its end from the list', async () => {
  const person = await house.person('theft@example.com');
  const stolen = () => {
    const thief = house.browser();
    thief.cookies.set('domesday', person.cookies.get('domesday') ?? '');
    return thief;
  };
  const beforePassword = stolen();
  expectStatus(200, await beforePassword.get('/portal/sessions'));
  const next = 'another quiet meadow';
  expectStatus(200, await person.post('/portal/password', { current: password, next }));
  expectStatus(401, await beforePassword.get('/portal/sessions'));
  expectStatus(200, await person.get('/portal/sessions'));
  const beforeSignOut = stolen();
  expectStatus(200, await person.post('/portal/sign-out'));
  assert.equal(person.cookies.has('domesday'), false);
  expectStatus(401, await beforeSignOut.get('/portal/sessions'));
});

test('no parameter leads anywhere else: nothing here redirects', async () => {
  for (const { name, method, url } of everyRoute()) {
    const query = '?next=https://evil.example&return_to=//evil.example&redirect=https://evil.example';
    const reply = isWrite(method)
      ? await owner.ask(method, `${url}${query}`, { next: 'https://evil.example' })
      : await owner.ask('HEAD', `${url}${query}`);
    assert.ok(reply.statusCode < 300 || reply.statusCode >= 400, `${name} ${reply.statusCode}`);
    assert.equal(reply.headers.location, undefined);
  }
});

test('nobody sets what no page sets', async () => {
  const person = await house.person('more@example.com');
  const more: readonly (readonly ['POST' | 'PATCH' | 'DELETE', string, string])[] = [
    ['PATCH', '/portal/person', '{"name":"M","standing":"operator"}'],
    ['PATCH', '/portal/person', '{"name":"M","personId":"per_1","confirmed":"yes"}'],
    ['PATCH', '/portal/person', '{"name":"M","__proto__":{"standing":"operator"}}'],
    ['PATCH', '/portal/person', '{"name":"M","constructor":{}}'],
    ['POST', '/portal/accounts', '{"name":"A","plan":"enterprise"}'],
    ['POST', '/portal/accounts', '{"name":"A","terms":{"allowance":1000000}}'],
    ['POST', '/portal/sign-up', `{"email":"x@example.com","standing":"operator"}`],
    ['PATCH', `/portal/accounts/${accountId}`, '{"parameters":"kept","plan":"premium","balance":5}'],
    ['POST', `/portal/accounts/${accountId}/keys`, '{"kind":"live","accountId":"acc_other"}'],
    ['POST', `/portal/accounts/${accountId}/keys`, '{"kind":"admin"}'],
    ['POST', `/portal/accounts/${accountId}/keys`, '{"kind":"web"}'],
    ['POST', `/portal/accounts/${accountId}/plan`, '{"plan":"premium","creditsPerMonth":1000000}'],
    ['POST', `/portal/accounts/${accountId}/invites`, '{"email":"x@example.com","role":"operator"}'],
    ['POST', `/portal/accounts/${accountId}/web-key`, '{"expiresAtMs":99999999999999}'],
  ];
  for (const [method, url, text] of more) {
    const browser = url.includes(accountId) ? owner : person;
    const reply = await browser.ask(method, url, text);
    assert.equal(reply.statusCode, 400, `${method} ${url} ${text}: ${reply.body}`);
    assert.ok(reply.json().error.field, reply.body);
  }
  const me = (await person.get('/portal/me')).json().person;
  assert.deepEqual([me.name, me.standing], [null, 'customer']);
  const { accounts } = (await person.get('/portal/accounts')).json();
  assert.deepEqual(accounts, []);
  const { keys } = (await owner.get(`/portal/accounts/${accountId}/keys`)).json();
  assert.deepEqual(keys, []);
});

test('a key that somebody types into a name or a note is refused, and kept nowhere', async () => {
  const operator = await house.operator('keeper@example.com');
  const person = await house.person('slip@example.com');
  const own = await house.account(await house.person('slips@example.com'), 'Slips');
  const { key } = await house.rig.accounts.createKey({
    accountId: own,
    kind: 'live',
    atMs: house.rig.clock.nowMs,
  });
  const { keyId } = (await owner.post(`/portal/accounts/${accountId}/keys`, { kind: 'test' })).json();
  const at = (path: string) => `/portal/accounts/${accountId}${path}`;
  const admin = (path: string) => `/portal/admin/accounts/${accountId}${path}`;
  const places: readonly (readonly [Browser, 'POST' | 'PATCH', string, string, object])[] = [
    [person, 'PATCH', '/portal/person', 'name', {}],
    [person, 'POST', '/portal/accounts', 'name', {}],
    [owner, 'POST', at('/keys'), 'name', { kind: 'live' }],
    [owner, 'PATCH', at(`/keys/${keyId}`), 'name', {}],
    [owner, 'POST', at('/plan'), 'note', { plan: 'standard' }],
    [operator, 'POST', admin('/credits'), 'reason', { credits: 1 }],
    [operator, 'POST', admin('/suspend'), 'reason', {}],
    [operator, 'POST', '/portal/admin/accounts', 'name', { plan: 'trial' }],
  ];
  for (const [browser, method, url, field, rest] of places) {
    for (const text of [key, `my key ${key}`, key.slice(0, -3)]) {
      const reply = await browser.ask(method, url, { ...rest, [field]: text });
      assert.equal(reply.statusCode, 400, `${method} ${url}: ${reply.body}`);
      assert.equal(reply.json().error.field, field);
      assert.ok(!reply.body.includes(key.slice(8, 20)), reply.body);
    }
  }
  // What only looks like the beginning of one is a name.
  expectStatus(200, await owner.ask('PATCH', at(`/keys/${keyId}`), { name: 'the dd_live_ one' }));
  expectStatus(200, await owner.post(at(`/keys/${keyId}/revoke`)));
});

test('neither sign-up nor reset nor sign-in nor an invitation tells whether an address is known', async () => {
  const stranger = house.browser();
  const pairs: readonly (readonly [string, (email: string) => unknown, Browser])[] = [
    ['/portal/sign-up', (email) => ({ email }), stranger],
    ['/portal/reset-request', (email) => ({ email }), stranger],
    ['/portal/sign-in', (email) => ({ email, password: 'a wrong guess of it' }), stranger],
    [`/portal/accounts/${accountId}/invites`, (email) => ({ email, role: 'reader' }), owner],
  ];
  const known = await house.person('known@example.com');
  assert.ok(known);
  for (const [url, body, browser] of pairs) {
    const one = await browser.post(url, body('known@example.com'));
    const other = await browser.post(url, body('unknown@example.com'));
    assert.equal(one.statusCode, other.statusCode, url);
    assert.equal(one.body, other.body, url);
    const shown = ({ headers }: typeof one) =>
      Object.keys(headers).filter((name) => name !== 'x-request-id' && name !== 'date');
    assert.deepEqual(shown(one), shown(other), url);
  }
});

test('an account is not taken before its owner has it', async () => {
  const email = 'victim@example.com';
  const theirs = 'chosen by the attacker';
  const attacker = house.browser();
  for (let at = 0; at < 5; at += 1) {
    expectStatus(400, await attacker.post('/portal/sign-up', { email, password: theirs }));
    expectStatus(200, await attacker.post('/portal/sign-up', { email }));
  }
  const victim = house.browser();
  expectStatus(200, await victim.post('/portal/sign-up', { email }));
  const token = await house.token(email, 'confirm');
  expectStatus(200, await victim.post('/portal/confirm', { token, password }));
  expectStatus(401, await attacker.post('/portal/sign-in', { email, password: theirs }));
  expectStatus(200, await victim.post('/portal/sign-in', { email, password }));
});

test('script in a name stays text: the reply is JSON that no browser runs, and a CSV no spreadsheet works out', async () => {
  const script = '<script>alert(1)</script>';
  const formula = '=HYPERLINK("https://evil.example")';
  const person = await house.person('script@example.com');
  const own = await house.account(person, script);
  expectStatus(200, await person.ask('PATCH', '/portal/person', { name: script }));
  expectStatus(200, await person.post(`/portal/accounts/${own}/keys`, { kind: 'live', name: formula }));
  const overview = await person.get(`/portal/accounts/${own}`);
  assert.equal(overview.json().account.name, script);
  assert.match(String(overview.headers['content-type']), /^application\/json/);
  assert.equal(overview.headers['x-content-type-options'], 'nosniff');
  assert.match(String(overview.headers['content-security-policy']), /default-src 'none'/);
  assert.equal(overview.headers['cross-origin-resource-policy'], 'same-origin');
  const { keys } = (await person.get(`/portal/accounts/${own}/keys`)).json();
  assert.equal(keys[0].name, formula);
  const operator = await house.operator('reader-of-totals@example.com');
  const credits = { credits: 5, reason: formula };
  expectStatus(200, await operator.post(`/portal/admin/accounts/${own}/credits`, credits));
  const statement = await person.get(`/portal/accounts/${own}/statement.csv?month=2026-11`);
  expectStatus(200, statement);
  assert.match(statement.body, /'=HYPERLINK/);
  assert.doesNotMatch(statement.body, /,"?=HYPERLINK/);
});

test('a body that is too long is refused, and nothing else of it is told', async () => {
  const reply = await owner.ask('PATCH', '/portal/person', { name: 'x'.repeat(100_000) });
  assert.equal(reply.statusCode, 413);
  assert.equal(reply.json().error.code, 'TOO_LARGE');
});
