// Promise: a caller who closes its side after the last request is answered like any other, and one whose connection is
// known to be gone before the charge is not charged. Over real sockets.

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { after, before, test } from 'node:test';
import fc from 'fast-check';
import { endpoint } from '../../src/contract/endpoint.ts';
import { boolean, object } from '../../src/contract/shape.ts';
import { endpoints } from '../../src/endpoints/index.ts';
import { noonMs, openRig, type Rig } from '../rig.ts';

/** What a look-up waits for, so that a test can act while one is under way. */
let underWay: Promise<void> = Promise.resolve();
let onLookUp = () => {};

const of = <const M extends 'GET' | 'POST'>(method: M, path: `/${string}`, name: string) =>
  endpoint({
    method,
    path,
    summary: 'Slow',
    description: 'Waits.',
    credits: 1,
    envelope: 'data',
    datasets: ['bank-rate'],
    maxAgeSeconds: 0,
    params: {},
    errors: ['AUTHENTICATION_REQUIRED', 'INSUFFICIENT_CREDITS', 'INTERNAL_SERVER_ERROR'],
    answer: object(name, { ok: boolean() }),
    handle: async () => {
      onLookUp();
      await underWay;
      return { ok: true };
    },
  });

let rig: Rig;
let port: number;
/** Runs once a charge is made, before its caller hears of it. */
let onCharged = async () => {};
before(async () => {
  rig = await openRig({
    endpoints: [...endpoints, of('GET', '/slow', 'Slow'), of('POST', '/slow-post', 'SlowPost')],
    ledger: (real) =>
      Object.create(real, {
        charge: {
          value: async (...args: Parameters<typeof real.charge>) => {
            const result = await real.charge(...args);
            await onCharged();
            return result;
          },
        },
        admit: { value: (...args: Parameters<typeof real.admit>) => real.admit(...args) },
        recall: { value: (...args: Parameters<typeof real.recall>) => real.recall(...args) },
        record: { value: (...args: Parameters<typeof real.record>) => real.record(...args) },
      }),
  });
  await rig.app.listen({ host: '127.0.0.1', port: 0 });
  const address = rig.app.server.address();
  assert.ok(typeof address === 'object' && address !== null);
  port = address.port;
});
after(() => rig.close());

const noLimits = { minute: null, day: null, month: null };
const newCustomer = () => rig.customer({ limits: noLimits });

const balanceOf = async (accountId: string) => (await rig.accounts.findAccount(accountId, noonMs))?.balance;

const request = (key: string, target: string, more = '') =>
  `GET ${target} HTTP/1.1\r\nHost: x\r\nX-API-Key: ${key}\r\n${more}\r\n`;

/** Everything that comes back until the service closes. */
async function readAll(socket: Socket): Promise<string> {
  let received = '';
  socket.setEncoding('utf8').on('data', (chunk) => {
    received += chunk;
  });
  await once(socket, 'close');
  return received;
}

const statusesIn = (received: string) =>
  [...received.matchAll(/HTTP\/1\.1 (\d+) /g)].map(([, status]) => Number(status));

/** Targets with the status and the credits of their replies. */
const targets = {
  '/api/v1/bank-rates?limit=1': [200, 1],
  '/api/v1/slow': [200, 1],
  '/api/v1/bank-rates?limit=0': [400, 0],
  '/api/v1/nothing': [404, 0],
  '/health/live': [200, 0],
} as const;
type Target = keyof typeof targets;
const target = fc.constantFrom(...(Object.keys(targets) as Target[]));

test('whatever a caller has sent before closing its side is answered, in order, and charged once', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(target, { minLength: 1, maxLength: 6 }),
      fc.array(target, { maxLength: 2 }),
      fc.nat(200),
      async (asked, answeredBefore, cut) => {
        const { accountId, key } = await newCustomer();
        const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
        const all = readAll(socket);
        for (const each of answeredBefore) {
          socket.write(request(key, each));
          await once(socket, 'data');
        }
        const bytes = asked.map((each) => request(key, each)).join('');
        socket.write(bytes.slice(0, cut));
        socket.end(bytes.slice(cut));
        const expected = [...answeredBefore, ...asked].map((each) => targets[each]);
        assert.deepEqual(
          statusesIn(await all),
          expected.map(([status]) => status),
        );
        const charged = expected.reduce((sum, [, credits]) => sum + credits, 0);
        assert.equal(await balanceOf(accountId), 100_000 - charged);
      },
    ),
    { numRuns: 60 },
  );
});

test('a body is read to its end before a half-closed caller is answered', async () => {
  const { accountId, key } = await newCustomer();
  const head = `POST /api/v1/slow-post HTTP/1.1\r\nHost: x\r\nX-API-Key: ${key}\r\nContent-Type: application/json\r\n`;
  const whole = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
  whole.end(`${head}Content-Length: 2\r\n\r\n{}`);
  assert.deepEqual(statusesIn(await readAll(whole)), [200]);
  const short = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
  short.end(`${head}Content-Length: 20\r\n\r\n{}`);
  assert.deepEqual(statusesIn(await readAll(short)), [400], 'a body that never comes whole');
  assert.equal(await balanceOf(accountId), 99_999);
});

/** Sends one call, waits until its look-up has begun, and resets the connection; resolves once the service knows. */
async function resetDuringLookUp(bytes: string, goOn: () => void): Promise<void> {
  const begun = new Promise<void>((resolve) => {
    onLookUp = resolve;
  });
  const accepted = once(rig.app.server, 'connection');
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => {});
  socket.write(bytes);
  const [serverSide] = await accepted;
  await begun;
  onLookUp = () => {};
  const closed = new Promise((resolve) => serverSide.once('close', resolve));
  socket.resetAndDestroy();
  await closed;
  goOn();
}

const statusesOf = async (accountId: string) =>
  (await rig.accounts.usageOf(accountId)).map(({ status, calls, credits }) => [status, calls, credits]);

test('a caller whose connection broke before the charge is not charged; the call is counted as 499', async () => {
  const { accountId, key } = await newCustomer();
  const gate = Promise.withResolvers<void>();
  underWay = gate.promise;
  await resetDuringLookUp(request(key, '/api/v1/slow', 'Idempotency-Key: k\r\n'), gate.resolve);
  underWay = Promise.resolve();
  const reply = await rig.get('/api/v1/slow', key, { 'idempotency-key': 'k' });
  assert.deepEqual(
    [reply.headers['x-credits-charged'], reply.headers['idempotent-replayed']],
    ['1', undefined],
  );
  assert.equal(await balanceOf(accountId), 99_999);
  await rig.ledger.ready();
  assert.deepEqual(await statusesOf(accountId), [
    [200, 1, 1],
    [499, 1, 0],
  ]);
});

test('after the charge it stands, and the Idempotency-Key gives the answer that was not heard', async () => {
  const { accountId, key } = await newCustomer();
  const charged = Promise.withResolvers<void>();
  const goOn = Promise.withResolvers<void>();
  onCharged = async () => {
    charged.resolve();
    await goOn.promise;
  };
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => {});
  socket.write(request(key, '/api/v1/bank-rates?limit=1', 'Idempotency-Key: k\r\n'));
  await charged.promise;
  onCharged = async () => {};
  socket.resetAndDestroy();
  goOn.resolve();
  assert.equal(await balanceOf(accountId), 99_999);
  const reply = await rig.get('/api/v1/bank-rates?limit=1', key, { 'idempotency-key': 'k' });
  assert.deepEqual([reply.statusCode, reply.headers['idempotent-replayed']], [200, 'true']);
  assert.equal(reply.headers['x-credits-charged'], '0');
  assert.equal(await balanceOf(accountId), 99_999);
});
