// Who may explore real places without signing in, and on whose account: nobody unless the operator has opened it, and on the
// newcomer's own machine the demo account.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Browser, type House, openHouse } from './house.ts';

const askKey = (house: House) => house.browser().post('/portal/explore/key');
const ownPage = { 'sec-fetch-site': 'same-origin' };

const call = (
  { rig }: House,
  key: string,
  {
    url = '/api/v1/bank-rates?limit=1',
    from = '192.0.2.1',
    headers = ownPage,
  }: Partial<{
    url: string;
    from: string;
    headers: Record<string, string>;
  }> = {},
) => rig.app.inject({ url, remoteAddress: from, headers: { 'x-api-key': key, ...headers } });

test('closed, nobody gets a key, whoever asks', async () => {
  await using house = await openHouse();
  const reply = await askKey(house);
  assert.deepEqual([reply.statusCode, reply.json().error.code], [403, 'NOT_ALLOWED']);
  const signedIn = await house.person('ada@example.com');
  assert.equal((await signedIn.post('/portal/explore/key')).statusCode, 403);
});

test('a newcomer’s demo account pays on this machine alone, and one that a customer calls so never does', async () => {
  await using house = await openHouse({ demoPays: 'on this machine' });
  assert.equal((await askKey(house)).statusCode, 403, 'there is no account yet');
  const { accounts, clock } = house.rig;
  const demo = await accounts.createAccount({ name: 'demo', plan: 'premium', atMs: clock.nowMs });
  const { payer, key } = (await askKey(house)).json();
  assert.equal(payer, 'demo');
  assert.equal((await call(house, key)).statusCode, 200);
  assert.equal((await accounts.findAccount(demo.accountId, clock.nowMs))?.balance, demo.balance - 1);
  const proxied = await house.browser().post('/portal/explore/key', {}, { 'x-forwarded-for': '203.0.113.9' });
  assert.equal(proxied.statusCode, 403);
  await accounts.closeAccount(demo.accountId, clock.nowMs);
  await accounts.createAccount({ name: 'demo', plan: 'premium', atMs: clock.nowMs });
  assert.equal((await askKey(house)).statusCode, 403);
});

test('no other account pays in its place, and it pays for nobody who comes over the network', async () => {
  await using house = await openHouse({ demoPays: 'on this machine' });
  await house.rig.accounts.createAccount({ name: 'Acme', plan: 'premium', atMs: house.rig.clock.nowMs });
  assert.equal((await askKey(house)).statusCode, 403);
  await using reachable = await openHouse({
    demoPays: 'on this machine',
    publicUrl: 'https://data.example.com',
  });
  await reachable.rig.accounts.createAccount({
    name: 'demo',
    plan: 'premium',
    atMs: reachable.rig.clock.nowMs,
  });
  const visitor = new Browser(reachable, 'data.example.com', 'https');
  assert.equal((await visitor.post('/portal/explore/key')).statusCode, 403);
});

test('opened, all visitors get one key: for our own pages, not for what tells of the account, so many calls a day', async () => {
  await using house = await openHouse({ env: { DOMESDAY_VISITORS: '60' } });
  const { payer, key } = (await askKey(house)).json();
  assert.equal(payer, 'visitors');
  assert.equal((await askKey(house)).json().key, key);
  assert.equal((await call(house, key)).statusCode, 200);
  const elsewhere = await call(house, key, { headers: {} });
  assert.deepEqual([elsewhere.statusCode, elsewhere.json().error.code], [403, 'KEY_NOT_ALLOWED']);
  const account = await call(house, key, { url: '/api/v1/account' });
  assert.deepEqual([account.statusCode, account.json().error.code], [403, 'KEY_NOT_ALLOWED']);
  const statusesOf = async (from: string, calls: number) => {
    const statuses = [];
    for (let count = 0; count < calls; count += 1)
      statuses.push((await call(house, key, { from })).statusCode);
    return statuses;
  };
  // 25 are the least that one address gets; the first call of all taught the service whose key this is.
  assert.equal((await statusesOf('192.0.2.2', 30)).filter((status) => status === 200).length, 25);
  const limited = await call(house, key, { from: '192.0.2.2', url: '/api/v1/nothing-here' });
  assert.equal(limited.statusCode, 404);
  const refused = (await call(house, key, { from: '192.0.2.2' })).json().error;
  assert.match(refused.message, /Visitors who are not signed in get 25 requests per day/);
  // All others together get what is left of the 60.
  const others = [...(await statusesOf('192.0.2.3', 25)), ...(await statusesOf('192.0.2.4', 25))];
  assert.equal(others.filter((status) => status === 200).length, 60 - 3 - 25);
});

test('an address that asks for keys without end is told to wait', async () => {
  await using house = await openHouse({ env: { DOMESDAY_VISITORS: '1000' } });
  const statuses = [];
  for (let asked = 0; asked < 31; asked += 1) statuses.push((await askKey(house)).statusCode);
  assert.deepEqual(statuses, [...Array.from({ length: 30 }, () => 200), 429]);
  const { error } = (await askKey(house)).json();
  assert.ok(error.retryAfterSeconds >= 1 && error.retryAfterSeconds <= 60);
  house.rig.clock.nowMs += error.retryAfterSeconds * 1000;
  assert.equal((await askKey(house)).statusCode, 200);
});

test('a visitors’ account that the operator closed or suspended pays for nobody', async () => {
  await using house = await openHouse({ env: { DOMESDAY_VISITORS: '1000' } });
  const { accounts, clock } = house.rig;
  assert.equal((await askKey(house)).statusCode, 200);
  await accounts.suspendAccount('acc_visitors', { atMs: clock.nowMs, reason: 'abuse' });
  assert.equal((await askKey(house)).statusCode, 403);
  await accounts.resumeAccount('acc_visitors', clock.nowMs);
  assert.equal((await askKey(house)).statusCode, 200);
  await accounts.closeAccount('acc_visitors', clock.nowMs);
  assert.equal((await askKey(house)).statusCode, 403);
});
