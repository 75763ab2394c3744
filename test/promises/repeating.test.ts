// Promise: a call with an Idempotency-Key is charged once. Sent again within 24 hours, by any key of the account, it is
// answered from that charge; another call under the same key is refused.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import fc from 'fast-check';
import { endpoint } from '../../src/contract/endpoint.ts';
import { optionalText } from '../../src/contract/params.ts';
import { object, string } from '../../src/contract/shape.ts';
import { endpoints } from '../../src/endpoints/index.ts';
import { noonMs, openRig, type Rig } from '../rig.ts';

/** Waits a turn, so that several are under way at once, and says what it was asked. */
const echo = endpoint({
  method: 'POST',
  path: '/echo',
  summary: 'Echo',
  description: 'Says what it was asked.',
  credits: 2,
  envelope: 'data',
  datasets: ['bank-rate'],
  maxAgeSeconds: 0,
  params: { word: optionalText({ description: 'A word.' }) },
  errors: ['AUTHENTICATION_REQUIRED', 'INSUFFICIENT_CREDITS', 'INTERNAL_SERVER_ERROR'],
  answer: object('Echo', { word: string() }),
  handle: async ({ word }) => {
    await new Promise(setImmediate);
    return { word: word ?? '' };
  },
});

let rig: Rig;
let origin: string;
let releaseId: string | undefined;
before(async () => {
  rig = await openRig({
    endpoints: [...endpoints, echo],
    live: (real) => {
      const { id } = real;
      return Object.defineProperty(real, 'id', { get: () => releaseId ?? id });
    },
  });
  origin = await rig.app.listen({ host: '127.0.0.1', port: 0 });
});
after(() => rig.close());

const noLimits = { minute: null, day: null, month: null };
const rates = '/api/v1/bank-rates?limit=1';
const nothingSold = '/api/v1/area/sold-prices?area=EH';

async function send(url: string, key: string, idempotencyKey?: string, more: RequestInit = {}) {
  const headers = {
    'x-api-key': key,
    ...(idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey }),
    ...more.headers,
  };
  const reply = await fetch(`${origin}${url}`, { ...more, headers });
  const told = await reply.text();
  const body = told.startsWith('{') ? JSON.parse(told) : undefined;
  const credits = reply.headers.get('x-credits-charged');
  const replayed = reply.headers.get('idempotent-replayed');
  return { status: reply.status, headers: reply.headers, body, seen: [reply.status, credits, replayed] };
}

const charged = [200, '1', null];
const replayed = [200, '0', 'true'];
const free = [200, '0', null];
const refused = [400, '0', null];

const balanceOf = async (accountId: string) =>
  (await rig.accounts.findAccount(accountId, rig.clock.nowMs))?.balance;

async function at<T>(nowMs: number, work: () => Promise<T>): Promise<T> {
  rig.clock.nowMs = nowMs;
  try {
    return await work();
  } finally {
    rig.clock.nowMs = noonMs;
  }
}

test('sent again it is answered in full and costs nothing, on an empty balance too', async () => {
  const { accountId, key } = await rig.customer({ credits: 1 });
  const first = await send(rates, key, 'order-1');
  const again = await send(rates, key, 'order-1');
  assert.deepEqual([first.seen, again.seen], [charged, replayed]);
  assert.deepEqual(again.body, { ...first.body, billing: { ...first.body.billing, creditsCharged: 0 } });
  assert.equal(again.headers.get('x-credits-remaining'), '0');
  assert.equal((await send(rates, key)).status, 402, 'without the key it is a call of its own');
  assert.equal((await send(rates, key, 'order-2')).status, 402);
  assert.equal((await rig.accounts.journalOf(accountId)).length, 2);
  await rig.ledger.ready();
  const usage = await rig.accounts.usageOf(accountId);
  assert.deepEqual(
    usage.map(({ status, calls, credits }) => [status, calls, credits]),
    [
      [200, 2, 1],
      [402, 2, 0],
    ],
  );
});

test('parameters are compared by what they mean', async () => {
  const { key } = await rig.customer({ limits: noLimits });
  const sold = '/api/v1/area/sold-prices';
  const same = [
    'postcode=PO33 2RX&months=36&type=S',
    'type=s&postcode=po332rx&months=36',
    'months=36&type=S&postcode=PO332RX&street=',
    'months=036&type=S&postcode=PO33%202rx',
  ];
  const seen = [];
  for (const query of same) seen.push((await send(`${sold}?${query}`, key, 'k')).seen);
  assert.deepEqual(seen, [charged, ...same.slice(1).map(() => replayed)]);
  for (const other of [`${sold}?postcode=PO33 2RX&months=37&type=S`, `${sold}?postcode=PO33 2RX`, rates]) {
    const { seen: told, body } = await send(other, key, 'k');
    assert.deepEqual(told, refused, other);
    assert.deepEqual([body.error.code, body.error.field], ['INVALID_PARAMETER', 'Idempotency-Key']);
  }
});

test('a key has 1 to 255 visible characters; another is refused before the balance and after the limits', async () => {
  const { key } = await rig.customer({ limits: noLimits });
  const { key: poor } = await rig.customer({ credits: 0 });
  const { key: testKey } = await rig.customer({ mode: 'test' });
  const { key: limited } = await rig.customer({ limits: { ...noLimits, minute: 1 } });
  await send(rates, limited);
  for (const odd of ['', 'a'.repeat(256), 'two words', 'a\tb', 'ü', 'a, b']) {
    for (const own of [key, poor, testKey]) {
      const { seen, body } = await send(rates, own, odd);
      assert.deepEqual(seen, refused, odd);
      assert.deepEqual([body.error.code, body.error.field], ['INVALID_PARAMETER', 'Idempotency-Key']);
    }
    assert.equal((await send(rates, limited, odd)).status, 429);
    assert.equal((await send(rates, 'dd_live_none', odd)).status, 401);
    assert.equal((await send('/api/v1/bank-rates?limit=0', key, odd)).body.error.code, 'INVALID_LIMIT');
  }
  const visible = Array.from({ length: 94 }, (_, place) => String.fromCharCode(0x21 + place));
  for (const sound of ['a', visible.join(''), 'z'.repeat(255)]) {
    assert.deepEqual((await send(rates, key, sound)).seen, charged);
    assert.deepEqual((await send(rates, key, sound)).seen, replayed);
  }
});

test('what was not charged is not remembered: test keys, free calls and answers, 304, refusals', async () => {
  const { key } = await rig.customer({ limits: noLimits });
  const { key: testKey } = await rig.customer({ mode: 'test' });
  const candidates = '/api/v1/council-tax/property-candidates?postcode=ZZ1 1AB';
  for (const url of [rates, candidates]) assert.deepEqual((await send(url, testKey, 'k')).seen, free);
  assert.deepEqual((await send(nothingSold, key, 'k')).seen, free);
  const etag = String((await send(rates, key)).headers.get('etag'));
  assert.equal((await send(rates, key, 'k', { headers: { 'if-none-match': etag } })).status, 304);
  assert.equal((await send('/api/v1/bank-rates?startDate=2030-01-01', key, 'k')).status, 404);
  const { key: poor, accountId } = await rig.customer({ credits: 0, plan: 'trial' });
  assert.equal((await send(rates, poor, 'k')).status, 402);
  await rig.accounts.grantCredits(accountId, { credits: 1, atMs: noonMs });
  assert.deepEqual((await send(rates, poor, 'k')).seen, charged);
  assert.deepEqual((await send(rates, key, 'k')).seen, charged);
  const unchanged = await send(rates, key, 'k', { headers: { 'if-none-match': etag } });
  assert.deepEqual([unchanged.status, unchanged.headers.get('idempotent-replayed')], [304, null]);
  assert.deepEqual((await send(nothingSold, key, 'k')).seen, refused, 'the key now stands for another call');
  const { key: besideIt } = await rig.accounts.createKey({ accountId, kind: 'test', atMs: noonMs });
  const sandboxed = await send('/api/v1/bank-rates?limit=2', besideIt, 'k');
  assert.deepEqual(sandboxed.seen, free, 'what a live key has paid for is nothing to the sandbox');
});

test('keys of an account share it, accounts do not', async () => {
  const { accountId, key } = await rig.customer();
  const { key: second } = await rig.accounts.createKey({ accountId, kind: 'live', atMs: noonMs });
  const { key: stranger } = await rig.customer();
  const seen = [];
  for (const own of [key, second, stranger]) seen.push((await send(rates, own, 'k')).seen);
  assert.deepEqual(seen, [charged, replayed, charged]);
});

test('it is remembered for 24 hours', async () => {
  const { key } = await rig.customer();
  const dayMs = 86_400_000;
  assert.deepEqual((await send(rates, key, 'k')).seen, charged);
  const atTimes = [noonMs + dayMs - 1, noonMs - dayMs / 2, noonMs + dayMs];
  const seen = [];
  for (const nowMs of atTimes) seen.push((await at(nowMs, () => send(rates, key, 'k'))).seen);
  assert.deepEqual(seen, [replayed, replayed, charged]);
});

test('the data of now answers, though another release was charged for', async () => {
  const { key } = await rig.customer();
  const first = await send(rates, key, 'k');
  releaseId = 'another';
  const again = await send(rates, key, 'k');
  releaseId = undefined;
  assert.deepEqual([first.seen, again.seen], [charged, replayed]);
  assert.equal(again.headers.get('x-data-release'), 'another');
});

test('a POST is compared by the members of its body', async () => {
  const { key, accountId } = await rig.customer();
  const post = (body: string) =>
    send('/api/v1/echo', key, 'k', {
      method: 'POST',
      body,
      headers: { 'content-type': 'application/json' },
    });
  assert.deepEqual((await post('{"word":"a"}')).seen, [200, '2', null]);
  const again = await post('{ "word" : "a" }\n');
  assert.deepEqual([again.seen, again.body.data], [replayed, { word: 'a' }]);
  assert.deepEqual((await post('{"word":"b"}')).seen, refused);
  assert.equal(await balanceOf(accountId), 99_998);
});

/** One call of a crowd that is sent at once. */
const wave = fc.array(
  fc.record({
    who: fc.constantFrom('a', 'a second key', 'b'),
    idempotencyKey: fc.constantFrom('k', 'l', undefined),
    word: fc.constantFrom('x', 'y'),
    method: fc.constantFrom('GET', 'POST'),
  }),
  { minLength: 1, maxLength: 12 },
);

test('in any crowd of calls and repetitions each key is charged for one call, and only that one is answered', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(wave, { minLength: 1, maxLength: 3 }), async (waves) => {
      const a = await rig.customer({ limits: noLimits });
      const b = await rig.customer({ limits: noLimits });
      const second = await rig.accounts.createKey({ accountId: a.accountId, kind: 'live', atMs: noonMs });
      const callers = { a, 'a second key': { ...second, accountId: a.accountId }, b };
      const stands = new Map<string, string>();
      const spent = new Map([
        [a.accountId, 0],
        [b.accountId, 0],
      ]);
      for (const calls of waves) {
        const replies = await Promise.all(
          calls.map(async ({ who, idempotencyKey, word, method }) => {
            const { key, accountId } = callers[who];
            const url =
              method === 'GET' ? `/api/v1/bank-rates?limit=${word === 'x' ? 1 : 2}` : '/api/v1/echo';
            const more =
              method === 'GET'
                ? {}
                : {
                    method,
                    body: JSON.stringify({ word }),
                    headers: { 'content-type': 'application/json' },
                  };
            const { seen, status } = await send(url, key, idempotencyKey, more);
            const price = method === 'GET' ? 1 : 2;
            const name = idempotencyKey === undefined ? undefined : `${accountId} ${idempotencyKey}`;
            return { seen, status, price, accountId, name, meaning: `${method} ${word}` };
          }),
        );
        for (const { seen, price, accountId, name, meaning } of replies) {
          if (seen[1] !== String(price)) continue;
          assert.deepEqual(seen, [200, String(price), null]);
          spent.set(accountId, Number(spent.get(accountId)) + price);
          if (name === undefined) continue;
          assert.ok(!stands.has(name), 'a second charge for one key');
          stands.set(name, meaning);
        }
        for (const { seen, status, price, name, meaning } of replies) {
          if (name === undefined) assert.deepEqual(seen, [200, String(price), null]);
          else assert.equal(status, stands.get(name) === meaning ? 200 : 400);
        }
      }
      for (const [accountId, credits] of spent) assert.equal(await balanceOf(accountId), 100_000 - credits);
    }),
    { numRuns: 40 },
  );
});
