// Callers who do not read what they asked for, over real sockets.

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import { connect, type Socket } from 'node:net';
import { after, test } from 'node:test';
import { answerHalfClosed } from '../../src/http/wire/half-closed.ts';
import { cutStalledReaders } from '../../src/http/wire/stalled-readers.ts';

/** More than the system's own buffers of a connection take. */
const body = Buffer.alloc(32 * 2 ** 20, 'x');
const answer: RequestListener = (request, response) => response.end(request.url === '/long' ? body : 'short');
const server = createServer(answer);
cutStalledReaders(server, { lookEveryMs: 50, looks: 2, bytesMax: Number.POSITIVE_INFINITY });
answerHalfClosed(server);
await once(server.listen(0, '127.0.0.1'), 'listening');
after(() => server.close());

function ask(path: string, from = server): Socket {
  const address = from.address();
  assert.ok(typeof address === 'object' && address !== null);
  const socket = connect(address.port, '127.0.0.1');
  socket.write(`GET ${path} HTTP/1.1\r\nhost: x\r\n\r\n`);
  return socket;
}

test('one who asks and does not read is cut off; others go on', { timeout: 30_000 }, async () => {
  const idle = ask('/short');
  await once(idle, 'data');
  const accepted = new Promise<Socket>((resolve) => server.once('connection', resolve));
  const stalled = ask('/long');
  stalled.pause();
  await once(await accepted, 'close');
  stalled.destroy();
  idle.write('GET /short HTTP/1.1\r\nhost: x\r\n\r\n');
  const [reply] = await once(idle, 'data');
  assert.match(String(reply), /^HTTP\/1.1 200/);
  idle.destroy();
});

test('one who closes its side and does not read is cut off too', { timeout: 30_000 }, async () => {
  const accepted = new Promise<Socket>((resolve) => server.once('connection', resolve));
  const stalled = ask('/long');
  stalled.pause();
  stalled.end();
  await once(await accepted, 'close');
  stalled.destroy();
});

test('where all together wait for too much, one look without reading is enough', {
  timeout: 30_000,
}, async () => {
  const small = createServer(answer);
  cutStalledReaders(small, { lookEveryMs: 50, looks: Number.POSITIVE_INFINITY, bytesMax: 2 ** 20 });
  await once(small.listen(0, '127.0.0.1'), 'listening');
  const accepted = new Promise<Socket>((resolve) => small.once('connection', resolve));
  const stalled = ask('/long', small);
  stalled.pause();
  await once(await accepted, 'close');
  stalled.destroy();
  await new Promise((resolve) => small.close(resolve));
});
