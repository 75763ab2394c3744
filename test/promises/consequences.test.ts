// Promise: a call has the consequences that its answer tells, and no others: what is charged, logged and counted.

import { after, before, test } from 'node:test';
import { assertCall } from '../consequences.ts';
import { openRig, type Rig } from '../rig.ts';

const url = '/api/v1/bank-rates?limit=1';
const endpoint = '/bank-rates';
const noLimits = { minute: null, day: null, month: null };
let rig: Rig;
before(async () => {
  rig = await openRig();
});
after(() => rig.close());

const requests = (status: number) => `requests_total{endpoint="${endpoint}",status="${status}"}`;
const charged = `credits_charged_total{endpoint="${endpoint}"}`;
const cache = (result: 'hit' | 'miss') => `answer_cache_total{result="${result}"}`;
const journal = [{ kind: 'charge', credits: -1, endpoint }];
const headers = (key: string, more: Readonly<Record<string, string>> = {}) => ({ 'x-api-key': key, ...more });
const line = (status: number, credits?: number) => ({
  level: 'info',
  method: 'GET',
  path: endpoint,
  status,
  credits,
});

test('an answer is charged once, and the same question again once more', async () => {
  const { key, accountId } = await rig.customer({ credits: 3 });
  const call = { url, headers: headers(key) };
  const log = [line(200, 1)];
  const isMade = { status: 200, headers: { 'x-credits-charged': '1' }, journal, log };
  await assertCall(rig, accountId, call, {
    ...isMade,
    figures: { [requests(200)]: 1, [charged]: 1, [cache('miss')]: 1 },
  });
  await assertCall(rig, accountId, call, {
    ...isMade,
    figures: { [requests(200)]: 1, [charged]: 1, [cache('hit')]: 1 },
  });
});

test('a refusal for what was sent charges nothing', async () => {
  const { key, accountId } = await rig.customer({ credits: 3 });
  await assertCall(
    rig,
    accountId,
    { url: `${url}x`, headers: headers(key) },
    {
      status: 400,
      code: 'INVALID_LIMIT',
      headers: { 'x-credits-charged': '0', 'x-credits-remaining': '3' },
      log: [line(400, 0)],
      figures: { [requests(400)]: 1 },
    },
  );
});

test('a key that nobody has leaves no trace of an account', async () => {
  const { accountId } = await rig.customer();
  await assertCall(
    rig,
    accountId,
    { url, headers: headers('dd_live_nobody') },
    {
      status: 401,
      code: 'AUTHENTICATION_REQUIRED',
      headers: { 'x-credits-charged': undefined, 'x-ratelimit-limit': undefined },
      log: [{ level: 'info', path: endpoint, status: 401 }],
      figures: { [requests(401)]: 1 },
    },
  );
});

test('a call without credits is refused and changes no book', async () => {
  const { key, accountId } = await rig.customer({ credits: 0 });
  await assertCall(
    rig,
    accountId,
    { url, headers: headers(key) },
    {
      status: 402,
      code: 'INSUFFICIENT_CREDITS',
      log: [line(402, 0)],
      figures: { [requests(402)]: 1 },
    },
  );
});

test('a call beyond a limit is refused before anything is looked up', async () => {
  const { key, accountId } = await rig.customer({ limits: { ...noLimits, minute: 1 } });
  await rig.get(url, key);
  await assertCall(
    rig,
    accountId,
    { url, headers: headers(key) },
    {
      status: 429,
      code: 'RATE_LIMITED',
      log: [line(429, 0)],
      figures: { [requests(429)]: 1 },
    },
  );
});

test('an answer that the caller still has is free', async () => {
  const { key, accountId } = await rig.customer();
  const { etag = '' } = (await rig.get(url, key)).headers;
  await assertCall(
    rig,
    accountId,
    { url, headers: headers(key, { 'if-none-match': String(etag) }) },
    {
      status: 304,
      headers: { 'x-credits-charged': '0' },
      log: [line(304, 0)],
      figures: { [requests(304)]: 1 },
    },
  );
});

test('a call that is repeated under its key is answered again and charged once', async () => {
  const { key, accountId } = await rig.customer();
  const call = { url, headers: headers(key, { 'idempotency-key': 'once' }) };
  await rig.app.inject(call);
  await assertCall(rig, accountId, call, {
    status: 200,
    headers: { 'x-credits-charged': '0', 'idempotent-replayed': 'true' },
    log: [line(200, 0)],
    figures: { [requests(200)]: 1, [cache('hit')]: 1 },
  });
});
