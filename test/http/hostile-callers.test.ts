// Slow callers are cut off when the time-outs say so; odd, broken and vanishing ones never harm the service.

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { after, before, test } from 'node:test';
import fc from 'fast-check';
import { servicePatience } from '../../src/http/wire/listen.ts';
import { openRig, type Rig } from '../rig.ts';
import { deafCaller, exchange, portOf, statusesIn } from './raw-sockets.ts';

const last = 'GET /health/live HTTP/1.1\r\nconnection: close\r\n\r\n';
/** For callers who have to be cut off. */
let impatient: Rig;
let impatientPort: number;
/** For all others: on a busy machine a test may be slow as well. */
let patient: Rig;
let port: number;
before(async () => {
  impatient = await openRig({ patience: { headersMs: 150, requestMs: 300, lookEveryMs: 50 } });
  impatientPort = await portOf(impatient.app);
  patient = await openRig();
  port = await portOf(patient.app);
});
after(async () => {
  await impatient.close();
  await patient.close();
});

test('time-outs are looked at often enough to hold to a second, those of headers before those of requests', () => {
  const { headersMs, requestMs, lookEveryMs } = servicePatience;
  assert.deepEqual([headersMs, requestMs], [10_000, 15_000]);
  assert.ok(lookEveryMs < 1000, `${lookEveryMs}`);
});

/** Sends one byte after another for as long as the other side is there. */
async function drip(begin: string, drop: string): Promise<string> {
  const socket = connect(impatientPort, '127.0.0.1');
  let text = '';
  socket.on('data', (chunk) => {
    text += chunk;
  });
  socket.on('error', () => {});
  socket.write(begin);
  const dripping = setInterval(() => socket.write(drop), 10);
  await once(socket, 'close');
  clearInterval(dripping);
  return text;
}

for (const [what, begin, drop] of [
  ['sends nothing', '', ''],
  ['stops in its first line', 'GET /do', ''],
  ['sends its first line byte by byte', 'GET /', 'x'],
  ['sends headers byte by byte', 'GET /docs HTTP/1.1\r\nx: ', 'x'],
  ['sends header after header', 'GET /docs HTTP/1.1\r\n', 'a: b\r\n'],
  ['sends a body byte by byte', 'POST /docs HTTP/1.1\r\ncontent-length: 999999\r\n\r\n', 'x'],
  ['sends a body chunk by chunk', 'PUT /docs HTTP/1.1\r\ntransfer-encoding: chunked\r\n\r\n', '1\r\nx\r\n'],
  ['stops in its body', 'POST /x HTTP/1.1\r\ncontent-length: 9\r\n\r\nx', ''],
  ['sends trailers without end', 'PUT /x HTTP/1.1\r\ntransfer-encoding: chunked\r\n\r\n0\r\n', 'a: b\r\n'],
  ['begins a second request slowly', 'GET /health/live HTTP/1.1\r\n\r\nGET /docs HTTP/1.1\r\nx: ', 'x'],
] as const) {
  test(`whoever ${what} is told 408 and cut off`, { timeout: 20_000 }, async () => {
    const text = await drip(begin, drop);
    assert.deepEqual(statusesIn(text), what.startsWith('begins') ? [200, 408] : [408]);
    assert.match(text, /"code":"REQUEST_TIMEOUT"/);
  });
}

test('a refusal arrives though its caller still sends megabytes and closes behind them', async () => {
  const body = Buffer.alloc(3_000_000, 'x');
  for (const [start, status] of [
    ['PUT /docs', 405],
    ['GET /docs', 200],
    ['POST /nowhere', 404],
    [`GET /${'x'.repeat(9_000)}`, 414],
  ] as const) {
    const head = `${start} HTTP/1.1\r\nconnection: close\r\ncontent-length: ${body.length}\r\n\r\n`;
    assert.deepEqual(statusesIn(await exchange(port, head, body)), [status], start.slice(0, 20));
  }
  assert.deepEqual(statusesIn(await exchange(port, 'NONSENSE\r\n\r\n', body)), [400]);
  assert.deepEqual(
    statusesIn(await exchange(port, `GET / HTTP/1.1\r\nx: ${'x'.repeat(17_000)}`, body)),
    [431],
  );
});

test('a body that is refused is not read to its end, whoever sends it and however', {
  timeout: 30_000,
}, async () => {
  const { key } = await patient.customer({ plan: 'enterprise', credits: 20 });
  const json = 'content-type: application/json\r\n';
  const long = Buffer.alloc(40_000_000, 'x');
  const chunk = Buffer.concat([Buffer.from(`${long.length.toString(16)}\r\n`), long]);
  for (const [start, status] of [
    ['PUT /docs HTTP/1.1\r\n', 405],
    ['GET /docs HTTP/1.1\r\n', 200],
    ['POST /nowhere HTTP/1.1\r\n', 404],
    [`POST /api/v1/batch HTTP/1.1\r\nx-api-key: ${key}\r\n${json}`, 400],
  ] as const) {
    for (const [length, body] of [
      [`content-length: ${long.length}`, long],
      ['transfer-encoding: chunked', chunk],
    ] as const) {
      const served = once(patient.app.server, 'connection');
      const told = exchange(port, `${start}connection: close\r\n${length}\r\n\r\n`, body);
      const [socket]: Socket[] = await served;
      assert.deepEqual(statusesIn(await told), [status], `${start.slice(0, 20)} ${length}`);
      assert.ok(
        (socket?.bytesRead ?? 0) < 20_000_000,
        `${socket?.bytesRead} bytes were read of ${start.slice(0, 20)}`,
      );
    }
  }
});

test('odd requests are answered in the envelope', async () => {
  const many = Array.from({ length: 500 }, (_, at) => `h${at}: 1\r\n`).join('');
  for (const [request, statuses] of [
    ['CONNECT example.com:443 HTTP/1.1\r\n\r\n', [405]],
    [`TRACE /docs HTTP/1.1\r\n\r\n${last}`, [405, 200]],
    [`GET http://example.com/health/live HTTP/1.1\r\n\r\n${last}`, [200, 200]],
    ['GET /docs/errors/ HTTP/1.1\r\nconnection: upgrade, close\r\nupgrade: websocket\r\n\r\n', [308]],
    [`OPTIONS * HTTP/1.1\r\n\r\n${last}`, [404, 200]],
    ['GET /\0 HTTP/1.1\r\n\r\n', [400]],
    ['GET / HTTP/1.1\r\nx: a\0b\r\n\r\n', [400]],
    ['PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', [400]],
    ['\x16\x03\x01\x02\x00\x01', [400]],
    ['PUT /x HTTP/1.1\r\ncontent-length: 1\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n', [400]],
    ['PUT /x HTTP/1.1\r\ntransfer-encoding: chunked\r\n\r\nZZ\r\n', [400]],
    [`GET /health/live HTTP/1.1\r\n${many}\r\n${last}`, [200, 200]],
  ] as const) {
    assert.deepEqual(
      statusesIn(await exchange(port, request)),
      statuses,
      JSON.stringify(request.slice(0, 60)),
    );
  }
});

test('whatever bytes come, cut anywhere and reset at any moment, the service goes on and reports no fault', async () => {
  const pieces = fc.constantFrom(
    'GET /docs HTTP/1.1\r\n\r\n',
    'GET /api/v1/bank-rates HTTP/1.1\r\nx-api-key: dd_test_PublicSandboxKeyForAnyone26NNv4\r\n\r\n',
    'PUT /x HTTP/1.1\r\ncontent-length: 5\r\n\r\nab',
    'PUT /x HTTP/1.1\r\ntransfer-encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\na: b\r\n\r\n',
    'PUT /x HTTP/1.1\r\nexpect: 100-continue\r\ncontent-length: 2\r\n\r\n',
    'GET / HTTP/1.1\r\nexpect: tea\r\n\r\n',
    'CONNECT a:1 HTTP/1.1\r\n\r\n',
    'GET /docs HTTP/1.1\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n',
    'GET / HTTP/1.0\r\n\r\n',
    '\r\n',
    '\0',
    'x',
  );
  const text = fc
    .array(fc.oneof(pieces, fc.string()), { minLength: 1, maxLength: 12 })
    .map((all) => all.join(''));
  const leaving = fc.constantFrom('end', 'reset', 'reset at the first byte');
  await fc.assert(
    fc.asyncProperty(text, fc.integer({ min: 1, max: 60 }), leaving, async (sent, repeat, how) => {
      // Whoever waits for a byte that never comes is cut off.
      const socket = connect(impatientPort, '127.0.0.1');
      socket.on('error', () => {});
      if (how === 'reset at the first byte') socket.once('data', () => socket.resetAndDestroy());
      else socket.resume();
      await once(socket, 'connect');
      socket.write(sent.repeat(repeat));
      if (how === 'end') socket.end();
      if (how === 'reset') socket.resetAndDestroy();
      await once(socket, 'close');
    }),
    { numRuns: 100 },
  );
  // Where this test was slower than its patience, it says so, and is asked again.
  let answer: readonly number[] = [408];
  while (answer[0] === 408) answer = statusesIn(await exchange(impatientPort, last));
  assert.deepEqual(answer, [200]);
  const faults = impatient.logLines.filter((line) => /"level":"(error|warn)"/.test(line));
  assert.deepEqual(faults, []);
});

test('callers who vanish in the midst of large answers leave nothing behind', async () => {
  const callers = Array.from({ length: 50 }, () =>
    deafCaller(port, 'GET /docs HTTP/1.1\r\n\r\n'.repeat(100)),
  );
  await Promise.all(callers.map((socket) => once(socket, 'connect')));
  assert.deepEqual(statusesIn(await exchange(port, last)), [200]);
  for (const socket of callers) socket.resetAndDestroy();
  assert.deepEqual(statusesIn(await exchange(port, last)), [200]);
});
