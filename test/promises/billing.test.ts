// Promise: nothing but a 200 is charged, each 200 once, a balance never goes below zero, and every reply to a
// valid key says where the account stands.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { endpoint } from '../../src/contract/endpoint.ts';
import { boolean, object } from '../../src/contract/shape.ts';
import { endpoints } from '../../src/endpoints/index.ts';
import { noonMs, openRig, type Rig } from '../rig.ts';

/** Of the same make as the others, but free, as /council-tax/property-candidates is. */
const freeOfCharge = endpoint({
  method: 'GET',
  path: '/free',
  summary: 'Free',
  description: 'Costs nothing.',
  credits: 0,
  envelope: 'data',
  datasets: ['bank-rate'],
  maxAgeSeconds: 0,
  params: {},
  errors: ['AUTHENTICATION_REQUIRED', 'INTERNAL_SERVER_ERROR'],
  answer: object('Free', { ok: boolean() }),
  handle: () => ({ ok: true }),
});

const path = '/api/v1/bank-rates';
let rig: Rig;
before(async () => {
  rig = await openRig({ endpoints: [...endpoints, freeOfCharge] });
});
after(() => rig.close());

const balanceOf = async (accountId: string) =>
  (await rig.accounts.findAccount(accountId, rig.clock.nowMs))?.balance;
const noLimits = { minute: null, day: null, month: null };

test('300 parallel calls on 50 credits: exactly 50 answers, 250 refusals, balance 0, journal equal', async () => {
  const { accountId, key } = await rig.customer({ credits: 50, limits: noLimits });
  const replies = await Promise.all(Array.from({ length: 300 }, () => rig.get(`${path}?limit=1`, key)));
  const statuses = replies.map(({ statusCode }) => statusCode);
  assert.equal(statuses.filter((status) => status === 200).length, 50);
  assert.equal(statuses.filter((status) => status === 402).length, 250);
  assert.equal(await balanceOf(accountId), 0);
  const journal = await rig.accounts.journalOf(accountId);
  assert.equal(
    journal.reduce((sum, { credits }) => sum + credits, 0),
    0,
  );
  const remaining = replies
    .filter(({ statusCode }) => statusCode === 200)
    .map((reply) => reply.json().billing.creditsRemaining);
  assert.deepEqual(
    remaining.toSorted((a, b) => a - b),
    Array.from({ length: 50 }, (_, index) => index),
  );
});

test('a call of the API that nothing answers tells where the account stands too, and counts', async () => {
  const { key } = await rig.customer({ credits: 7, limits: { ...noLimits, minute: 10 } });
  const left: (string | undefined)[] = [];
  for (const [method, url, status] of [
    ['GET', '/api/v1/nothing', 404],
    ['DELETE', path, 405],
    ['HEAD', path, 405],
  ] as const) {
    const { statusCode, headers } = await rig.app.inject({ method, url, headers: { 'x-api-key': key } });
    assert.equal(statusCode, status);
    assert.deepEqual([headers['x-credits-charged'], headers['x-credits-remaining']], ['0', '7'], url);
    left.push(String(headers['x-ratelimit-remaining']));
  }
  assert.deepEqual(left, ['9', '8', '7']);
  const beside = await rig.app.inject({
    method: 'POST',
    url: '/api/v1/datasets',
    headers: { 'x-api-key': key },
  });
  assert.deepEqual([beside.statusCode, beside.headers['x-credits-remaining']], [405, undefined]);
  for (const unknown of [undefined, 'dd_live_nothing']) {
    const { statusCode, headers } = await rig.get('/api/v1/nothing', unknown);
    assert.deepEqual([statusCode, headers['x-credits-remaining']], [404, undefined]);
  }
});

test('a charged answer says so in body and headers, and the journal names the request', async () => {
  const { accountId, key, keyId } = await rig.customer();
  const reply = await rig.get(`${path}?limit=1`, key, { 'x-request-id': 'order-4711' });
  const refreshAt = '2026-12-15T12:00:10.000Z';
  assert.deepEqual(reply.json().billing, {
    mode: 'prepaid',
    creditsCharged: 1,
    creditsRemaining: 99_999,
    creditsRefreshAt: refreshAt,
  });
  assert.equal(reply.headers['x-credits-charged'], '1');
  assert.equal(reply.headers['x-credits-remaining'], '99999');
  assert.equal(reply.headers['x-credits-refresh-at'], refreshAt);
  const [newest] = await rig.accounts.journalOf(accountId);
  assert.deepEqual(
    { kind: newest?.kind, credits: newest?.credits, request: newest?.requestId, key: newest?.keyId },
    { kind: 'charge', credits: -1, request: 'order-4711', key: keyId },
  );
});

test('a caller who repeats a request id is still charged for each call', async () => {
  const { accountId, key } = await rig.customer();
  for (let call = 0; call < 3; call += 1) await rig.get(`${path}?limit=1`, key, { 'x-request-id': 'same' });
  assert.equal(await balanceOf(accountId), 99_997);
});

test('refused calls cost nothing and still tell the balance', async () => {
  const { accountId, key } = await rig.customer();
  for (const query of ['limit=0', 'startDate=yesterday', 'startDate=2030-01-01']) {
    const { statusCode, headers } = await rig.get(`${path}?${query}`, key);
    assert.ok(statusCode === 400 || statusCode === 404, `${query}: ${statusCode}`);
    assert.equal(headers['x-credits-charged'], '0');
    assert.equal(headers['x-credits-remaining'], '100000');
  }
  assert.equal(await balanceOf(accountId), 100_000);
});

test('an empty balance is refused with 402 before the lookup, free endpoints still answer', async () => {
  const { key } = await rig.customer({ credits: 0 });
  const refused = await rig.get(`${path}?limit=1`, key);
  assert.equal(refused.statusCode, 402);
  assert.equal(refused.json().error.code, 'INSUFFICIENT_CREDITS');
  const free = await rig.get('/api/v1/free', key);
  assert.equal(free.statusCode, 200);
  assert.equal(free.json().billing, undefined);
  assert.equal(free.headers['x-credits-charged'], '0');
});

test('a trial balance shows no refresh: null in the body, no header', async () => {
  const { key } = await rig.customer({ plan: 'trial' });
  const { headers, ...reply } = await rig.get(`${path}?limit=1`, key);
  assert.equal(reply.json().billing.creditsRefreshAt, null);
  assert.equal(reply.json().billing.creditsRemaining, 99);
  assert.equal('x-credits-refresh-at' in headers, false);
});

test('on the monthly anniversary the balance is the allowance again', async () => {
  const { key } = await rig.customer({ credits: 10 });
  await rig.get(`${path}?limit=1`, key);
  rig.clock.nowMs = Date.UTC(2026, 11, 15, 12, 0, 11);
  try {
    const { billing } = (await rig.get(`${path}?limit=1`, key)).json();
    assert.equal(billing.creditsRemaining, 9);
    assert.equal(billing.creditsRefreshAt, '2027-01-15T12:00:10.000Z');
  } finally {
    rig.clock.nowMs = noonMs;
  }
});

test('usage is counted by key, endpoint, status and hour', async () => {
  const { accountId, key, keyId } = await rig.customer();
  await rig.get(`${path}?limit=1`, key);
  await rig.get(`${path}?limit=1`, key);
  await rig.get(`${path}?limit=0`, key);
  // Counters of uncharged calls are written with the next charge.
  await rig.get(`${path}?limit=1`, key);
  const usage = await rig.accounts.usageOf(accountId);
  const hourStartMs = Date.UTC(2026, 10, 15, 12);
  assert.deepEqual(
    usage.toSorted((a, b) => a.status - b.status),
    [
      { hourStartMs, accountId, keyId, endpoint: '/bank-rates', status: 200, calls: 3, credits: 3 },
      { hourStartMs, accountId, keyId, endpoint: '/bank-rates', status: 400, calls: 1, credits: 0 },
    ],
  );
});
