// Promise: a batch is its calls one after the other, charged in one commit; what cannot be read is refused whole, and no
// batch keeps others from being answered.

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { after, before, beforeEach, test } from 'node:test';
import fc from 'fast-check';
import { batchBounds } from '../../src/contract/batch.ts';
import { publicKey } from '../../src/ledger/public-sandbox.ts';
import { anyString } from '../any-string.ts';
import { noonMs, openRig, type Rig } from '../rig.ts';
import { growthOf, hooks, sendBatch, withMadeUp } from './bench.ts';
import { assertEqualToSingleCalls } from './equal.ts';

let rig: Rig;
/** Added to what the clock of stages and turns says. */
let aheadMs = 0;
before(async () => {
  rig = await openRig({
    endpoints: withMadeUp,
    failedKeysPerMinute: 3,
    elapsedMs: () => performance.now() + aheadMs,
  });
});
beforeEach(() => {
  aheadMs = 0;
  rig.clock.nowMs = noonMs;
  rig.logLines.length = 0;
  hooks.beforeEcho = async () => undefined;
});
after(() => rig.close());

const noLimits = { minute: null, day: null, month: null };
const rates = { path: '/bank-rates', params: { limit: 1 } };
const statusesOf = (reply: { json: () => { results: { status: number }[] } }) =>
  reply.json().results.map(({ status }) => status);
const balanceOf = async (accountId: string) =>
  (await rig.accounts.findAccount(accountId, rig.clock.nowMs))?.balance;

test('a batch equals the same calls made one after the other', () =>
  assertEqualToSingleCalls(() => rig, 120));

test('a hundred calls are one commit, counted under their own endpoints, and one line of the log', async () => {
  const { key, accountId } = await rig.customer({ credits: 1_000, limits: noLimits });
  const calls = Array.from({ length: 100 }, (_, place) => ({
    path: '/bank-rates',
    params: { limit: place + 1 },
  }));
  const grown = await growthOf(
    rig,
    [
      'domesday_ledger_batch_charges_count',
      'domesday_ledger_batch_charges_sum',
      'domesday_requests_total{endpoint="/bank-rates",status="200"}',
      'domesday_requests_total{endpoint="/batch",status="200"}',
      'domesday_request_seconds_count{endpoint="/bank-rates"}',
      'domesday_credits_charged_total{endpoint="/bank-rates"}',
      'domesday_credits_charged_total{endpoint="/batch"}',
    ],
    async () => {
      const reply = await sendBatch(rig, key, { calls }, { 'x-request-id': 'my-batch' });
      const { results, billing } = reply.json();
      assert.deepEqual(
        results.map(({ body }: { body: { rateChanges: unknown[] } }) => body.rateChanges.length),
        calls.map(({ params }) => params.limit),
      );
      assert.equal(billing.creditsCharged, 100);
    },
  );
  assert.deepEqual(grown, [1, 100, 100, 1, 0, 100, 0]);
  const journal = await rig.accounts.journalOf(accountId);
  assert.equal(journal.filter(({ requestId }) => requestId === 'my-batch').length, 100);
  const line = JSON.parse(rig.logLines.find((each) => each.includes('my-batch')) ?? '');
  assert.deepEqual([line.path, line.status, line.calls, line.credits], ['/batch', 200, 100, 100]);
});

test('one path for a list of postcodes', async () => {
  const { key } = await rig.customer();
  const postcodes = ['SW1A 1AA', 'po301ab', 'no postcode'];
  const reply = await sendBatch(rig, key, {
    path: '/area/sold-prices',
    postcodes,
    params: { months: 12, limit: '2' },
  });
  const results = reply.json().results;
  assert.deepEqual(statusesOf(reply), [200, 200, 400]);
  const single = await rig.get('/api/v1/area/sold-prices?postcode=PO301AB&months=12&limit=2', key);
  assert.deepEqual(results[1].body.data, single.json().data);
  assert.deepEqual(
    statusesOf(await sendBatch(rig, key, { path: '/nowhere', postcodes: ['SW1A 1AA'] })),
    [404],
  );
});

test('what cannot be read is refused whole, says where, counts as one call, and charges nothing', async () => {
  const { key, accountId } = await rig.customer({ credits: 10, limits: noLimits });
  const long = JSON.stringify({ calls: [{ path: '/echo', params: { word: 'x'.repeat(300_000) } }] });
  const calls = (...list: unknown[]) => ({ calls: list });
  const refused: readonly (readonly [unknown, string])[] = [
    ['', 'body'],
    ['{"calls": [', 'body'],
    [long, 'body'],
    ['null', 'body'],
    [[rates], 'body'],
    [{}, 'calls'],
    [{ calls: [], more: 1 }, 'body'],
    [{ calls: [rates], postcodes: ['SW1A 1AA'] }, 'body'],
    [{ calls: { 0: rates } }, 'calls'],
    [calls(), 'calls'],
    [calls(...Array.from({ length: 101 }, () => rates)), 'calls'],
    [calls(rates, null), 'calls[1]'],
    [calls(rates, [rates]), 'calls[1]'],
    [calls(rates, { ...rates, idempotency_key: 'a' }), 'calls[1]'],
    [calls(rates, { path: 5 }), 'calls[1].path'],
    [calls(rates, { params: {} }), 'calls[1].path'],
    [calls(rates, { ...rates, params: [] }), 'calls[1].params'],
    [calls(rates, { ...rates, params: 'limit=1' }), 'calls[1].params'],
    [calls(rates, { ...rates, idempotencyKey: 7 }), 'calls[1].idempotencyKey'],
    [calls(rates, { ...rates, sandboxOutcome: {} }), 'calls[1].sandboxOutcome'],
    [{ path: '/council-tax/lookup', postcodes: [] }, 'postcodes'],
    [{ path: '/council-tax/lookup', postcodes: 'SW1A 1AA' }, 'postcodes'],
    [{ path: '/council-tax/lookup', postcodes: ['SW1A 1AA', 1] }, 'postcodes[1]'],
    [{ postcodes: ['SW1A 1AA'] }, 'path'],
    [{ path: '/bank-rates', postcodes: ['SW1A 1AA'] }, 'path'],
    [{ path: '/council-tax/lookup', postcodes: ['SW1A 1AA'], params: 1 }, 'params'],
    [{ path: '/council-tax/lookup', postcodes: ['SW1A 1AA'], params: { postcode: 'X' } }, 'params.postcode'],
  ];
  for (const [body, field] of refused) {
    const reply = await sendBatch(rig, key, body);
    const { success, error } = reply.json();
    assert.deepEqual(
      [reply.statusCode, success, error.code, error.field],
      [400, false, 'INVALID_PARAMETER', field],
    );
    assert.match(error.message, /^Send /);
    assert.equal(reply.headers['x-credits-remaining'], '10');
    assert.equal(JSON.parse(rig.logLines.at(-1) ?? '').calls, undefined);
  }
  const odd = await sendBatch(rig, key, { calls: [rates] }, { 'idempotency-key': 'with space' });
  assert.deepEqual([odd.statusCode, odd.json().error.field], [400, 'Idempotency-Key']);
  const [minute] = await rig.accounts.windowsOf(accountId, 'live', rig.clock.nowMs);
  assert.equal(minute?.used, refused.length + 1);
  assert.equal(await balanceOf(accountId), 10);
});

test('a body that cannot be read is told what is wrong with it', async () => {
  const { key } = await rig.customer({ limits: noLimits });
  const sound = JSON.stringify({ calls: [rates] });
  const told: readonly (readonly [unknown, RegExp, Record<string, string>?])[] = [
    ['{"calls": [', /is not valid JSON\.$/],
    [`\uFEFF${sound}`, /begins with a byte order mark\.$/],
    ['[]', /^Send one JSON object with either `calls`, [^;]*$/],
    [sound, /without Content-Encoding/, { 'content-encoding': 'gzip' }],
    [{ calls: [rates], more: 1 }, /^Send the body without "more":/],
    [{ calls: [{ ...rates, parameters: {} }] }, /^Send the call without "parameters":/],
    [{ calls: [{ ...rates, ['x'.repeat(9_000)]: 1 }] }, /^Send the call without "x{40}…":/],
  ];
  for (const [body, message, headers] of told) {
    const reply = await sendBatch(rig, key, body, headers);
    assert.equal(reply.statusCode, 400);
    assert.match(reply.json().error.message, message);
  }
  const plain = await sendBatch(rig, key, sound, { 'content-encoding': 'identity' });
  assert.deepEqual(statusesOf(plain), [200]);
});

test('with a test key a call can be past the bounds of its batch, and no other call is', async () => {
  const { key } = await rig.customer({ mode: 'test' });
  const past = { ...rates, sandboxOutcome: 'batch_exhausted' };
  const reply = await sendBatch(rig, key, { calls: [rates, past, rates] });
  assert.deepEqual(statusesOf(reply), [200, 503, 200]);
  const { code, bound } = reply.json().results[1].body.error;
  assert.deepEqual([code, bound], ['BATCH_EXHAUSTED', 'bytes']);
  const live = await rig.customer();
  assert.deepEqual(statusesOf(await sendBatch(rig, live.key, { calls: [past] })), [200]);
});

test('a call that can be read but is wrong is refused by itself', async () => {
  const { key } = await rig.customer();
  const calls = [
    rates,
    { path: '/batch', params: { calls: [rates] } },
    { path: '/api/v1/bank-rates' },
    { path: '/bank-rates?limit=1' },
    { path: '/bank-rates', params: { limit: [1] } },
    { path: '/bank-rates', params: { limit: 1, other: {} } },
    { path: '/bank-rates', params: { limit: null, startDate: '' } },
    { path: '/__proto__' },
    { path: 'bank-rates' },
    { path: 'constructor', params: JSON.parse('{"__proto__": {"limit": 1}}') },
  ];
  const reply = await sendBatch(rig, key, { calls });
  assert.deepEqual(statusesOf(reply), [200, 400, 404, 404, 400, 400, 200, 404, 404, 404]);
  const { results, billing } = reply.json();
  assert.deepEqual([results[1].body.error.field, results[4].body.error.field], ['path', 'limit']);
  for (const place of [2, 3, 8]) {
    assert.match(results[place].body.error.message, /with its first slash, without \/api\/v1/);
  }
  assert.equal(billing.creditsCharged, 2);
});

test('an unknown key is 401 for the whole, and one failure of its address', async () => {
  const { key: revoked, keyId } = await rig.customer();
  await rig.accounts.revokeKey(keyId, rig.clock.nowMs);
  for (const [key, status] of [
    [revoked, 401],
    ['dd_live_none', 401],
    [undefined, 401],
    [revoked, 429],
  ] as const) {
    const reply = await sendBatch(rig, key, { calls: Array.from({ length: 5 }, () => rates) });
    assert.deepEqual([reply.statusCode, reply.json().success], [status, false]);
    assert.equal(reply.headers['x-credits-charged'], undefined);
  }
  rig.clock.nowMs = noonMs + 60_000;
  assert.equal((await sendBatch(rig, undefined, '{')).statusCode, 401, 'the key comes before the body');
});

test('limits and credits that run out are told call by call, and the batch is 200', async () => {
  const { key, accountId } = await rig.customer({ credits: 2, limits: { minute: 5 } });
  const reply = await sendBatch(rig, key, { calls: Array.from({ length: 7 }, () => rates) });
  assert.equal(reply.statusCode, 200);
  assert.deepEqual(statusesOf(reply), [200, 200, 402, 402, 402, 429, 429]);
  const { results, billing } = reply.json();
  assert.equal(results[6].headers['Retry-After'], '50');
  assert.deepEqual([billing.creditsCharged, billing.creditsRemaining, await balanceOf(accountId)], [2, 0, 0]);
});

test('a batch that is sent again under its Idempotency-Key is charged once, also what came after a refusal', async () => {
  const { key, accountId } = await rig.customer({ credits: 3, limits: noLimits });
  const body = { path: '/council-tax/lookup', postcodes: ['SW1A 1AA', 'SW1A 1AA', 'ZZ1 1AA'] };
  const send = () => sendBatch(rig, key, body, { 'idempotency-key': 'order-1' });
  const first = (await send()).json();
  const again = (await send()).json();
  assert.deepEqual([first.billing.creditsCharged, again.billing.creditsCharged], [2, 0]);
  assert.deepEqual(
    again.results.map(({ status, headers }: { status: number; headers: Record<string, string> }) => [
      status,
      headers['Idempotent-Replayed'],
    ]),
    [
      [200, 'true'],
      [200, 'true'],
      [404, undefined],
    ],
  );
  assert.equal(await balanceOf(accountId), 1);
  const other = await sendBatch(rig, key, { calls: [rates, rates] }, { 'idempotency-key': 'order-1' });
  assert.deepEqual(statusesOf(other), [400, 400]);
});

test('equal keys within one batch are two calls in a row', async () => {
  const { key, accountId } = await rig.customer({ credits: 1 });
  const calls = [rates, rates, { path: '/bank-rates', params: { limit: 2 } }];
  const reply = await sendBatch(rig, key, { calls: calls.map((call) => ({ ...call, idempotencyKey: 'k' })) });
  const { results } = reply.json();
  assert.deepEqual(statusesOf(reply), [200, 200, 400]);
  assert.deepEqual(
    results.map(({ creditsCharged }: { creditsCharged: number }) => creditsCharged),
    [1, 0, 0],
  );
  assert.equal(results[1].headers['Idempotent-Replayed'], 'true');
  assert.equal(await balanceOf(accountId), 0);
});

test('the sandbox answers batches, and rehearses errors of the whole and of a call', async () => {
  const { key } = await rig.customer({ mode: 'test', credits: 0 });
  const calls = [
    { path: '/council-tax/lookup', params: { postcode: 'ZZ1 1AA' } },
    { path: '/council-tax/lookup', params: { postcode: 'ZZ1 1AA' }, sandboxOutcome: 'INSUFFICIENT_CREDITS' },
  ];
  const reply = await sendBatch(rig, key, { calls });
  assert.deepEqual(statusesOf(reply), [200, 402]);
  assert.equal(reply.json().billing.mode, 'sandbox');
  const whole = await sendBatch(rig, key, { calls }, { 'x-sandbox-outcome': 'SERVICE_UNAVAILABLE' });
  assert.deepEqual([whole.statusCode, whole.json().error.code], [503, 'SERVICE_UNAVAILABLE']);
  const live = await rig.customer();
  const real = await sendBatch(rig, live.key, { calls: [{ ...rates, sandboxOutcome: 'RATE_LIMITED' }] });
  assert.deepEqual(statusesOf(real), [200]);
  const [publicly, openly] = await growthOf(
    rig,
    ['domesday_public_sandbox_requests_total', 'domesday_requests_total{endpoint="/batch",status="200"}'],
    () => sendBatch(rig, publicKey, { calls }),
  );
  assert.deepEqual([publicly, openly], [2, 1]);
});

test('answers that would be too large together are told so from the first on, and not charged', async () => {
  const { key, accountId } = await rig.customer({ credits: 50 });
  const third = { path: '/long', params: { word: String(Math.floor(batchBounds.answerBytesMax / 3)) } };
  const wrong = { path: '/bank-rates', params: { limit: 0 } };
  const reply = await sendBatch(rig, key, { calls: [third, third, third, rates, wrong] });
  assert.deepEqual(statusesOf(reply), [200, 200, 503, 503, 400]);
  const { code, bound } = reply.json().results[3].body.error;
  assert.deepEqual([code, bound], ['BATCH_EXHAUSTED', 'bytes']);
  assert.equal(await balanceOf(accountId), 48);
});

test('a batch that lasts too long looks nothing more up', async () => {
  const { key, accountId } = await rig.customer({ credits: 50 });
  hooks.beforeEcho = async () => {
    aheadMs += 15_000;
  };
  const slow = { path: '/echo', params: { word: 'a' } };
  const reply = await sendBatch(rig, key, { calls: [slow, slow, slow, rates] });
  assert.deepEqual(statusesOf(reply), [200, 200, 503, 503]);
  assert.equal(reply.json().results[2].body.error.bound, 'seconds');
  assert.equal(await balanceOf(accountId), 46);
});

test('a call waits for few of the long look-ups of a batch, not for one in each turn that it takes', async () => {
  const { key } = await rig.customer({ limits: noLimits });
  const origin = await listening();
  const began = Promise.withResolvers<void>();
  hooks.beforeEcho = async () => began.resolve();
  hooks.busyRuns = 0;
  const busy = Array.from({ length: 40 }, (_, place) => ({
    path: '/busy',
    params: { word: 12 + place / 1000 },
  }));
  const batch = fetch(`${origin}/api/v1/batch`, {
    method: 'POST',
    headers: { 'x-api-key': key, 'content-type': 'application/json' },
    body: JSON.stringify({ calls: [{ path: '/echo' }, ...busy] }),
  });
  await began.promise;
  const short = await fetch(`${origin}/api/v1/bank-rates?limit=1`, { headers: { 'x-api-key': key } });
  await short.text();
  assert.equal(short.status, 200);
  assert.ok(hooks.busyRuns <= 2, `${hooks.busyRuns} look-ups came first`);
  await (await batch).text();
});

test('others are answered between the look-ups of a batch', async () => {
  const { key } = await rig.customer({ limits: noLimits });
  const origin = await listening();
  const began = Promise.withResolvers<void>();
  hooks.beforeEcho = async () => began.resolve();
  hooks.busyRuns = 0;
  // Each another question: an answer that is kept would take no time.
  const busy = Array.from({ length: 99 }, (_, place) => ({
    path: '/busy',
    params: { word: 4 + place / 1000 },
  }));
  const batch = fetch(`${origin}/api/v1/batch`, {
    method: 'POST',
    headers: { 'x-api-key': key, 'content-type': 'application/json' },
    body: JSON.stringify({ calls: [{ path: '/echo' }, ...busy] }),
  });
  await began.promise;
  const health = await fetch(`${origin}/health/live`);
  await health.text();
  assert.ok(hooks.busyRuns < busy.length, `${hooks.busyRuns} look-ups came first`);
  assert.equal((await batch).status, 200);
  assert.equal(hooks.busyRuns, busy.length);
});

test('whoever has gone before the charges is charged for none', async () => {
  const { key, accountId } = await rig.customer({ credits: 10 });
  const origin = await listening();
  const began = Promise.withResolvers<void>();
  const gone = Promise.withResolvers<void>();
  hooks.beforeEcho = async () => {
    began.resolve();
    await gone.promise;
  };
  const connected = once(rig.app.server, 'connection');
  const socket = connect(Number(new URL(origin).port), '127.0.0.1');
  const [served] = await connected;
  const body = JSON.stringify({ calls: [rates, { path: '/echo' }, rates] });
  socket.write(
    `POST /api/v1/batch HTTP/1.1\r\nhost: a\r\nx-api-key: ${key}\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\nx-request-id: left\r\n\r\n${body}`,
  );
  await began.promise;
  const closed = new Promise((resolve) => served.once('close', resolve));
  socket.resetAndDestroy();
  await closed;
  gone.resolve();
  while (!rig.logLines.some((line) => line.includes('"left"'))) await new Promise(setImmediate);
  const line = JSON.parse(rig.logLines.find((each) => each.includes('"left"')) ?? '');
  assert.deepEqual([line.status, line.credits], [499, 0]);
  assert.equal(await balanceOf(accountId), 10);
});

test('an outage of the ledger is told, and charges nothing', async () => {
  const { LedgerUnavailable } = await import('../../src/ledger/ledger.ts');
  const broken: { at: 'admit' | 'charge' } = { at: 'charge' };
  const own = await openRig({
    ledger: (real) => ({
      admit: (...args) => {
        if (broken.at === 'admit') throw new LedgerUnavailable('away');
        return real.admit(...args);
      },
      admitVisitor: (...args) => real.admitVisitor(...args),
      visitorWindows: (...args) => real.visitorWindows(...args),
      admitPage: (...args) => real.admitPage(...args),
      recall: (...args) => real.recall(...args),
      charge: (charge) => real.charge(charge),
      chargeTogether: () => Promise.reject(new LedgerUnavailable('away')),
      record: (call) => real.record(call),
      ready: () => real.ready(),
      close: () => real.close(),
    }),
  });
  const { key, accountId } = await own.customer({ credits: 5 });
  const calls = [rates, { path: '/bank-rates', params: { limit: 0 } }, rates];
  const reply = await sendBatch(own, key, { calls });
  assert.deepEqual([reply.statusCode, statusesOf(reply)], [200, [500, 400, 500]]);
  broken.at = 'admit';
  assert.equal((await sendBatch(own, key, { calls })).statusCode, 500);
  assert.equal((await own.accounts.findAccount(accountId, own.clock.nowMs))?.balance, 5);
  await own.close();
});

test('whatever is sent is answered in the envelope, and never by a fault of ours', async () => {
  const { key } = await rig.customer({ limits: noLimits, credits: 1_000_000 });
  const text = fc.oneof(anyString(), fc.constantFrom('/bank-rates', '/echo', '/batch', 'ZZ1 1AA'));
  const odd = fc.oneof(
    fc.json({ maxDepth: 4 }).map((json): unknown => JSON.parse(json)),
    text,
  );
  const call = fc.record(
    {
      path: fc.oneof({ weight: 5, arbitrary: text }, odd),
      params: fc.oneof(
        fc.dictionary(fc.constantFrom('limit', 'word', 'postcode', '__proto__', 'toString'), odd),
        odd,
      ),
      idempotencyKey: fc.oneof({ weight: 5, arbitrary: text }, odd),
      sandboxOutcome: text,
    },
    { requiredKeys: [] },
  );
  const body = fc.oneof(
    odd,
    fc.record({
      calls: fc.oneof(fc.array(fc.oneof({ weight: 9, arbitrary: call }, odd), { maxLength: 6 }), odd),
    }),
    fc.record({ path: text, postcodes: fc.array(fc.oneof(text, odd)), params: odd }, { requiredKeys: [] }),
  );
  const texts = fc.oneof(
    { weight: 9, arbitrary: body.map((value) => JSON.stringify(value)) },
    anyString(),
    fc.nat(60_000).map((depth) => '['.repeat(depth)),
    fc.nat(20_000).map((depth) => `{"calls":${'['.repeat(depth)}${']'.repeat(depth)}}`),
    fc
      .nat(40_000)
      .map(
        (depth) =>
          `{"calls":[{"path":"/echo","params":{"word":${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}}}]}`,
      ),
  );
  await fc.assert(
    fc.asyncProperty(texts, async (sent) => {
      const reply = await sendBatch(rig, key, sent);
      assert.ok([200, 400].includes(reply.statusCode), reply.body);
      const { success, error, results = [] } = reply.json();
      assert.equal(success, reply.statusCode === 200);
      if (!success) assert.equal(typeof error.field, 'string');
      for (const { status, body: told } of results) {
        assert.ok(status < 500, JSON.stringify(told));
        assert.equal(told.success, status === 200);
      }
    }),
    { numRuns: 400 },
  );
});

let listens: Promise<string> | undefined;
function listening(): Promise<string> {
  listens ??= rig.app.listen({ host: '127.0.0.1', port: 0 });
  return listens;
}
