// A list that cannot be written costs lines of the list, never a call and never more memory than is set aside for it.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DatabaseUnavailable } from '../../src/storage/sql.ts';
import { LossyProxy } from '../ledger/postgres/proxy.ts';
import { OwnPostgres, testPostgres } from '../postgres.ts';
import { answered, openDatabase, Writer } from './writer.ts';

test('during an outage newer requests stay, the oldest are lost and counted; after it they are listed', async () => {
  const server = await OwnPostgres.make();
  try {
    const database = await server.createDatabase();
    const notices: string[] = [];
    const kept = await openDatabase(server.url(database), ({ level }) => notices.push(level));
    const writer = new Writer(kept);
    writer.requests.note(answered('acc_first'));
    await writer.requests.flush();
    await server.stop();
    const noted = 60_000;
    const perAccount = 600;
    for (let count = 0; count < noted; count += 1) {
      writer.requests.note(answered(`acc_${Math.floor(count / perAccount)}`));
    }
    await assert.rejects(writer.requests.flush(), DatabaseUnavailable);
    await assert.rejects(writer.requests.newest('acc_0'), DatabaseUnavailable);
    assert.ok(writer.lost > 0);
    assert.ok(noted - writer.lost <= 40_000, `${noted - writer.lost} are kept in memory`);
    await server.start();
    await untilWritten(writer);
    const newest = Math.floor((noted - 1) / perAccount);
    assert.equal((await writer.requests.newest(`acc_${newest}`)).requests.length, perAccount);
    assert.equal((await writer.requests.newest('acc_first')).requests.length, 1);
    const [row] = await kept.store.all('SELECT SUM(requests) AS listed FROM request_chunks');
    assert.equal(Number(row?.listed), noted - writer.lost + 1);
    assert.deepEqual(notices, ['error', 'info']);
    await writer.requests.close();
    await kept.close();
  } finally {
    await server.remove();
  }
});

test('what could be lost is at most what one account can have listed', async () => {
  const server = await OwnPostgres.make();
  try {
    const database = await server.createDatabase();
    const kept = await openDatabase(server.url(database));
    const writer = new Writer(kept);
    await server.stop('immediate');
    for (let count = 0; count < 100_000; count += 1) writer.requests.note(answered('acc_busy'));
    assert.equal(writer.lost, 0, 'none of them could have been listed');
    await writer.requests.close();
    assert.equal(writer.lost > 0, true);
    assert.match(writer.logLines.join(''), /requests are missing in the lists/);
    await kept.close();
  } finally {
    await server.remove();
  }
});

test('a write whose answer was lost is made again and listed once', async ({ mock }) => {
  // On a slow machine the list would write by itself meanwhile, and its write would be the one that is lost.
  mock.timers.enable({ apis: ['setTimeout'] });
  const server = await testPostgres();
  const database = await server.createDatabase();
  const proxy = await LossyProxy.open(server.port);
  proxy.sign = 'COMMIT';
  const kept = await openDatabase(server.url(database, proxy.port));
  const writer = new Writer(kept);
  writer.requests.note(answered('acc', { status: 404, code: 'NOT_FOUND' }));
  await writer.requests.flush();
  for (let lostAt = 0; lostAt < 3; lostAt += 1) {
    proxy.fates = [...Array.from({ length: lostAt }, () => 'pass' as const), 'after'];
    writer.requests.note(answered('acc', { status: 404, code: 'NOT_FOUND' }));
    await assert.rejects(writer.requests.flush(), DatabaseUnavailable);
    await writer.requests.flush();
  }
  assert.equal((await writer.requests.newest('acc')).requests.length, 4);
  assert.equal((await writer.requests.refusalsOfDay())[0]?.calls, 4);
  assert.equal(writer.lost, 0);
  await writer.requests.close();
  await kept.close();
  await proxy.close();
});

async function untilWritten({ requests }: Writer): Promise<void> {
  for (;;) {
    try {
      return await requests.flush();
    } catch (error) {
      if (!(error instanceof DatabaseUnavailable)) throw error;
    }
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
