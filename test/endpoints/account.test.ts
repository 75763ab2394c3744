// The account endpoints over a ledger in the home, and what they promise whatever the ledger: faults, days, paging, the
// public key, and that nobody else's lock holds them up.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import fc from 'fast-check';
import { publicKey } from '../../src/ledger/public-sandbox.ts';
import { anyString } from '../any-string.ts';
import { noonMs, openRig, type Rig } from '../rig.ts';
import { accountSuite, nextOf } from './account-suite.ts';

accountSuite('SQLite', async () => ({}));

const usage = '/api/v1/account/usage';
let rig: Rig;
before(async () => {
  rig = await openRig({ publicUrl: 'https://api.example' });
  await rig.accounts.openPublicSandbox(noonMs);
});
after(() => rig.close());

const noLimits = { minute: null, day: null, month: null };

test('without days it is this month up to today by UTC, by day; with one of them, the month of the last', async () => {
  const { key } = await rig.customer({ limits: noLimits });
  const spanOf = async (query: string) => {
    const { data } = (await rig.get(`${usage}?${query}`, key)).json();
    return [data.from, data.to, data.by];
  };
  assert.deepEqual(await spanOf(''), ['2026-11-01', '2026-11-15', ['day']]);
  assert.deepEqual(await spanOf('to=2024-02-29'), ['2024-02-01', '2024-02-29', ['day']]);
  assert.deepEqual(await spanOf('from=2026-10-20'), ['2026-10-20', '2026-11-15', ['day']]);
  assert.deepEqual(await spanOf('by=status,DAY'), ['2026-11-01', '2026-11-15', ['day', 'status']]);
  assert.deepEqual(await spanOf('to=2027-01-02'), ['2027-01-01', '2027-01-02', ['day']]);
  // A quarter past midnight in London in summer is still the day before by UTC.
  rig.clock.nowMs = Date.UTC(2026, 6, 31, 23, 15);
  assert.deepEqual(await spanOf(''), ['2026-07-01', '2026-07-31', ['day']]);
  rig.clock.nowMs = noonMs;
});

test('what cannot be read is refused with its field and what to send', async () => {
  const { key } = await rig.customer({ limits: noLimits });
  for (const [query, code, field] of [
    ['from=2026-02-30', 'INVALID_DATE_FORMAT', 'from'],
    ['to=yesterday', 'INVALID_DATE_FORMAT', 'to'],
    ['by=hour', 'INVALID_PARAMETER', 'by'],
    ['by=day,,key', 'INVALID_PARAMETER', 'by'],
    ['limit=ten', 'INVALID_PARAMETER', 'limit'],
    ['offset=1.5', 'INVALID_PARAMETER', 'offset'],
    ['from=2026-11-02&to=2026-11-01', 'INVALID_PARAMETER', 'from'],
    ['from=2026-11-16', 'INVALID_PARAMETER', 'from'],
    ['from=2025-11-14&to=2026-11-15', 'INVALID_PARAMETER', 'from'],
  ] as const) {
    const reply = await rig.get(`${usage}?${query}`, key);
    const { error } = reply.json();
    assert.deepEqual([reply.statusCode, error.code, error.field], [400, code, field], query);
    assert.ok(error.message.includes(`\`${field}\``), error.message);
  }
  assert.equal((await rig.get(`${usage}?from=2025-11-15&to=2026-11-15`, key)).statusCode, 200);
  const clamped = (await rig.get(`${usage}?limit=99999&offset=-4`, key)).json().data;
  assert.equal(clamped.offset, 0);
});

test('whatever is sent is answered, or refused in the envelope', async () => {
  const { key } = await rig.customer({ limits: noLimits });
  const odd = fc.oneof(
    anyString(),
    fc.constantFrom(
      '0001-01-01',
      '9999-12-31',
      '2026-11-15',
      'day,day',
      'key',
      '1e9',
      '-0',
      '9007199254740993',
    ),
  );
  const sent = fc.record({ from: odd, to: odd, by: odd, limit: odd, offset: odd }, { requiredKeys: [] });
  await fc.assert(
    fc.asyncProperty(sent, fc.constantFrom('application/json', 'text/csv', '*/*'), async (query, accept) => {
      const reply = await rig.get(`${usage}?${new URLSearchParams(query)}`, key, { accept });
      if (reply.statusCode === 200) return;
      const { success, error } = reply.json();
      assert.deepEqual([reply.statusCode, success], [400, false], reply.body);
      assert.ok(['INVALID_DATE_FORMAT', 'INVALID_PARAMETER'].includes(error.code), error.code);
      assert.ok(error.field in query, error.field);
    }),
    { numRuns: 300 },
  );
});

test('no answer is kept: there is no ETag, and no caller is told that it has it already', async () => {
  const { key } = await rig.customer({ limits: noLimits });
  for (const url of ['/api/v1/account', usage]) {
    const first = await rig.get(url, key);
    assert.equal(first.headers.etag, undefined);
    assert.equal(first.headers['cache-control'], 'no-store');
    assert.match(String(first.headers['x-data-release']), /./);
    assert.equal(first.headers['x-data-as-of'], undefined);
    const again = await rig.get(url, key, { 'if-none-match': '*' });
    assert.equal(again.statusCode, 200);
    assert.notEqual(again.body, first.body, 'the call in between is told');
  }
});

test('the link to the next page is whole, and goes on with the same days after midnight', async () => {
  const { key } = await rig.customer({ limits: noLimits });
  await rig.get('/api/v1/bank-rates?limit=1', key);
  await rig.get('/api/v1/nothing', key);
  const first = await rig.get(`${usage}?by=endpoint&limit=1`, key);
  const link = nextOf(first) ?? assert.fail('there is no next page');
  const sent = new URLSearchParams({
    by: 'endpoint',
    from: '2026-11-01',
    limit: '1',
    offset: '1',
    to: '2026-11-15',
  });
  assert.equal(link, `https://api.example${usage}?${sent}`);
  const past = await rig.get(`${usage}?by=endpoint&offset=100`, key);
  assert.deepEqual([past.json().data.rows, past.json().data.totalResults], [[], 3]);
  assert.equal(nextOf(past), undefined);
});

test('a call that is not written yet is told', async () => {
  const { key } = await rig.customer({ limits: noLimits });
  await rig.get(usage, key);
  assert.equal((await rig.get('/api/v1/bank-rates?limit=0', key)).statusCode, 400);
  const { data } = (await rig.get(`${usage}?by=endpoint,status`, key)).json();
  assert.deepEqual(data.rows, [
    { endpoint: '/account/usage', status: 200, calls: 1, credits: 0 },
    { endpoint: '/bank-rates', status: 400, calls: 1, credits: 0 },
  ]);
  assert.equal((await rig.get('/api/v1/account', key)).json().data.windows.minute.used, 4);
});

test('the public key tells of nobody: windows of the own address, and usage that is made up', async () => {
  const from = (remoteAddress: string, url: string) =>
    rig.app.inject({ url, remoteAddress, headers: { 'x-api-key': publicKey } });
  for (let call = 0; call < 5; call++) await from('192.0.2.1', '/api/v1/bank-rates?limit=1');
  const ask = `${usage}?from=2026-11-01&to=2026-11-15&by=day,endpoint,key,status`;
  const mine = (await from('192.0.2.2', ask)).json().data;
  const theirs = (await from('192.0.2.1', ask)).json().data;
  assert.equal(mine.fictional, true);
  assert.deepEqual(mine, theirs);
  assert.ok(mine.rows.length > 0 && mine.total.calls > 0);
  assert.ok(mine.rows.every(({ key }: { key: string }) => key === 'key_example'));
  const standing = (await from('192.0.2.2', '/api/v1/account')).json().data;
  assert.deepEqual(
    [standing.accountId, standing.credits.total, standing.windows.minute.used],
    ['acc_public', 0, 2],
  );
  const { key } = await rig.customer();
  assert.equal((await rig.get(usage, key)).json().data.fictional, false);
});
