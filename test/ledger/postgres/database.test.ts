// The way to a database that cannot be reached.

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { test } from 'node:test';
import { eventLoop } from '../../../src/ledger/pace.ts';
import { Database } from '../../../src/ledger/postgres/database.ts';

test('a database that is away is tried again after a pause that doubles, up to a second', async () => {
  let tries = 0;
  const server = createServer((socket) => {
    tries += 1;
    socket.destroy();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  assert.ok(typeof address === 'object' && address !== null);
  let nowMs = 0;
  const byHand = { ...eventLoop, elapsedMs: () => nowMs };
  const url = `postgres://domesday@127.0.0.1:${address.port}/domesday`;
  const database = new Database(url, byHand, () => undefined);
  const triesAt = async (atMs: number) => {
    nowMs = atMs;
    await assert.rejects(database.ask('SELECT 1'), { name: 'Unreached' });
    return tries;
  };
  try {
    assert.equal(await triesAt(0), 1);
    let triedMs = 0;
    for (const [index, waitMs] of [50, 100, 200, 400, 800, 1_000, 1_000].entries()) {
      assert.equal(await triesAt(triedMs + waitMs - 1), index + 1, `before ${waitMs} ms have passed`);
      assert.equal(await triesAt(triedMs + waitMs), index + 2, `after ${waitMs} ms`);
      triedMs += waitMs;
    }
  } finally {
    await database.close();
    server.close();
    await once(server, 'close');
  }
});
