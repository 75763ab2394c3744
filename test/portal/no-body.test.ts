// A request may say what its body is and then have none, nor any length: it is answered as one with an empty body, at once.

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { test } from 'node:test';
import { exchange, portOf, statusesIn } from '../http/raw-sockets.ts';
import { openHouse } from './house.ts';

const contentTypes = ['application/json', 'text/plain', 'no type at all', ''];
const last = 'GET /health/live HTTP/1.1\r\nhost: 127.0.0.1\r\nconnection: close\r\n\r\n';

/** Each kind of route, and what an empty body is told there. */
const kinds = [
  ['POST /portal/sign-in', 400],
  ['POST /portal/sign-out', 200],
  ['PATCH /portal/person', 401],
  ['DELETE /portal/sessions', 401],
  ['PATCH /portal/nowhere', 404],
  ['POST /api/v1/batch', 401],
  ['PUT /docs', 405],
  ['DELETE /api/v1/bank-rates', 405],
  ['POST /nowhere', 404],
  ['GET /health/live', 200],
] as const;

const headOf = (line: string, type: string, port: number): string =>
  `${line} HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\norigin: http://127.0.0.1:${port}\r\ncontent-type: ${type}\r\n`;

test('without a length every kind of route answers as it answers an empty body, and the connection goes on', async () => {
  await using house = await openHouse();
  const port = await portOf(house.rig.app);
  for (const [line, status] of kinds) {
    for (const type of contentTypes) {
      const head = headOf(line, type, port);
      const told = statusesIn(await exchange(port, `${head}\r\n`, last));
      const empty = statusesIn(await exchange(port, `${head}content-length: 0\r\n\r\n`, last));
      assert.deepEqual(told, empty, `${line} ${type}`);
      assert.equal(told.length, 2, `${line} ${type}`);
      if (type === 'application/json') assert.equal(told[0], status, line);
    }
  }
});

test('a stop is not held up by callers who sent no length', async () => {
  await using house = await openHouse();
  const { app } = house.rig;
  const port = await portOf(app);
  const answers = [];
  for (const [line] of kinds) {
    const arrived = once(app.server, 'request');
    answers.push(exchange(port, `${headOf(line, 'application/json', port)}\r\n`));
    await arrived;
  }
  await app.close();
  const statuses = (await Promise.all(answers)).map(statusesIn);
  assert.deepEqual(
    statuses,
    kinds.map(([, status]) => [status]),
  );
});
