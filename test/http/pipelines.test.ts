// Callers who send requests without waiting for answers, and callers who take none: others are served, memory stays bounded,
// and each answer comes in its order.

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { test } from 'node:test';
import { bundledHome, openRig, startDomesday } from '../rig.ts';
import { deafCaller, exchange, portOf, statusesIn } from './raw-sockets.ts';

const token = 'a-token-of-the-tests';
const last = 'GET /health/live HTTP/1.1\r\nconnection: close\r\n\r\n';

async function figures(url: string): Promise<{ answered: number; residentBytes: number }> {
  const text = await (
    await fetch(`${url}/metrics`, { headers: { authorization: `Bearer ${token}` } })
  ).text();
  const replies = [...text.matchAll(/^domesday_requests_total\{.*\} (\d+)$/gm)];
  const answered = replies.reduce((sum, [, count]) => sum + Number(count), 0);
  return { answered, residentBytes: Number(/^process_resident_memory_bytes (\d+)$/m.exec(text)?.[1]) };
}

const callers = 60;
for (const [what, request] of [
  ['large answers', 'GET /docs HTTP/1.1\r\n\r\n'],
  ['refusals', 'GET /x HTTP/1.1\r\n\r\n'],
  ['requests with bodies', 'PUT /x HTTP/1.1\r\ncontent-length: 1\r\n\r\nx'],
  [
    'metered calls',
    'GET /api/v1/bank-rates HTTP/1.1\r\nx-api-key: dd_test_PublicSandboxKeyForAnyone26NNv4\r\n\r\n',
  ],
] as const) {
  test(`${what} that ${callers} callers ask for by the thousand and do not read keep nobody from being served`, {
    timeout: 60_000,
  }, async () => {
    const { home, remove } = await bundledHome();
    const service = await startDomesday(home, { DOMESDAY_METRICS_TOKEN: token, DOMESDAY_LOG: 'silent' });
    const port = Number(new URL(service.url).port);
    const before = await figures(service.url);
    const each = Math.ceil(65_536 / request.length);
    const deaf = Array.from({ length: callers }, () => deafCaller(port, request.repeat(each)));
    // Their bytes were sent before, so the service has them when it hears this one.
    await Promise.all(deaf.map((socket) => new Promise((resolve) => socket.write('', resolve))));
    assert.deepEqual(statusesIn(await exchange(port, last)), [200]);
    const { answered, residentBytes } = await figures(service.url);
    assert.ok(answered < (callers * each) / 2, `${answered} of ${callers * each} were answered before`);
    const grown = (residentBytes - before.residentBytes) / 2 ** 20;
    assert.ok(grown < 250, `${grown.toFixed(0)} MB more`);
    for (const socket of deaf) socket.destroy();
    await service.stop();
    remove();
  });
}

test('whoever sends thousands ahead and reads gets every answer, in order, and a small pipeline beside it too', async () => {
  const rig = await openRig();
  const port = await portOf(rig.app);
  const requests = (count: number) =>
    Array.from({ length: count }, (_, at) => `GET /n${at} HTTP/1.1\r\nx-request-id: n${at}\r\n\r\n`).join('');
  const [many, few] = await Promise.all([
    exchange(port, requests(5_000), last),
    exchange(port, requests(3), last),
  ]);
  for (const [text, count] of [
    [many, 5_000],
    [few, 3],
  ] as const) {
    const ids = [...text.matchAll(/x-request-id: (n\d+)/g)].map(([, id]) => id);
    assert.deepEqual(
      ids,
      Array.from({ length: count }, (_, at) => `n${at}`),
    );
    assert.equal(statusesIn(text).at(-1), 200);
  }
  await rig.close();
});

test('bodies among requests sent ahead are read, and the next request is found behind them', async () => {
  const rig = await openRig();
  const port = await portOf(rig.app);
  const body = 'x'.repeat(5_000);
  const put = `PUT /docs HTTP/1.1\r\ncontent-length: ${body.length}\r\n\r\n${body}`;
  const chunked = `PUT /docs HTTP/1.1\r\ntransfer-encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\nx-trailer: y\r\n\r\n`;
  const waits = `PUT /docs HTTP/1.1\r\nexpect: 100-continue\r\ncontent-length: 2\r\n\r\nok`;
  const round = [put, chunked, 'GET /docs/errors/ HTTP/1.1\r\n\r\n', waits].join('');
  const text = await exchange(port, round.repeat(40), last);
  const statuses = statusesIn(text).filter((status) => status !== 100);
  assert.deepEqual(statuses, [...Array.from({ length: 40 }, () => [405, 405, 308, 405]).flat(), 200]);
  await rig.close();
});

test('a call that came whole is answered and charged though a broken request follows it in the same packet', async () => {
  const rig = await openRig();
  const port = await portOf(rig.app);
  const { key, accountId } = await rig.customer();
  const call = `GET /api/v1/bank-rates?limit=1 HTTP/1.1\r\nx-api-key: ${key}\r\n\r\n`;
  for (const broken of ['NONSENSE\r\n\r\n', `GET /${'x'.repeat(20_000)} HTTP/1.1\r\n\r\n`]) {
    const statuses = statusesIn(await exchange(port, call + call + broken));
    assert.deepEqual(statuses.slice(0, 2), [200, 200]);
    assert.ok([400, 431].includes(statuses[2] ?? 0), String(statuses));
    assert.equal(statuses.length, 3);
  }
  const { length } = (await rig.accounts.journalOf(accountId)).filter(({ kind }) => kind === 'charge');
  assert.equal(length, 4);
  await rig.close();
});

test('where connections are at their limit, a new one is served and the oldest that waits for nothing gives way', async () => {
  const rig = await openRig({ patience: { connectionsMax: 5 } });
  const port = await portOf(rig.app);
  const idle = Array.from({ length: 5 }, () => deafCaller(port, ''));
  const gaveWay = Promise.race(idle.map((socket) => once(socket.resume(), 'close')));
  assert.deepEqual(statusesIn(await exchange(port, last)), [200]);
  await gaveWay;
  const slow = Array.from({ length: 9 }, () => deafCaller(port, 'GET /docs HTTP/1.1\r\nx: '));
  assert.deepEqual(statusesIn(await exchange(port, last)), [200]);
  for (const socket of [...idle, ...slow]) socket.destroy();
  await rig.close();
});
