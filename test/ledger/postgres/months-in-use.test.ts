// Months of the journal are made and dropped beside everybody who reads and charges: nobody reads a part of it, and nobody waits for
// one who has stopped.

import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import pg from 'pg';
import type { Caller, OpenLedger } from '../../../src/ledger/ledger.ts';
import { backUpDatabase } from '../../../src/ledger/moving/backup.ts';
import { openLedger } from '../../../src/ledger/open.ts';
import { eventLoop } from '../../../src/ledger/pace.ts';
import { Database, toRebuild } from '../../../src/ledger/postgres/database.ts';
import { makeMonths } from '../../../src/ledger/postgres/months.ts';
import { dayMs } from '../../../src/time.ts';
import { charging, customer, startMs } from '../bench.ts';
import { freshStorage, type PostgresStorage, untilBlocked } from './bench.ts';
import { LossyProxy } from './proxy.ts';

const nowMs = startMs + 150 * dayMs;
const trim = { beforeMs: startMs + 60 * dayMs, atMs: nowMs };

type Scene = {
  readonly storage: PostgresStorage;
  readonly open: OpenLedger;
  readonly database: Database;
  readonly caller: Caller;
};

/** Entries of three months, two of which a trim empties. */
async function withMonths(work: (scene: Scene) => Promise<void>): Promise<void> {
  const storage = await freshStorage();
  const database = new Database(storage.server.url(storage.database), eventLoop, () => undefined);
  await makeMonths(database, startMs);
  const open = await storage.open();
  const { caller } = await customer(open.accounts, 'trial', { allowance: 100 });
  for (let days = 0; days < 80; days += 5)
    await open.ledger.charge(charging(caller, `day ${days}`, 1, startMs + days * dayMs));
  await open.ledger.charge(charging(caller, 'now', 1, nowMs));
  try {
    await work({ storage, open, database, caller });
  } finally {
    await open.ledger.close();
    await database.close();
    await storage.remove();
  }
}

for (const reader of ['check', 'backup'] as const) {
  test(`a ${reader} has every entry or what stands for it, also where a trim drops months while it reads`, async () => {
    await withMonths(async ({ storage, open }) => {
      const proxy = await LossyProxy.open(storage.server.port);
      const url = storage.server.url(storage.database, proxy.port);
      // By then the reader has its view of everything, and has not read the journal.
      proxy.sign = reader === 'check' ? 'FROM periods' : 'domesday.windows';
      proxy.fates = ['waits'];
      const file = path.join(storage.home, 'backup.sqlite');
      const slow = await openLedger({ home: storage.home, databaseUrl: url });
      const reading =
        reader === 'check' ? slow.journals.verify(nowMs) : backUpDatabase(url, file, nowMs, () => undefined);
      const goOn = await proxy.untilWaiting();
      await open.journals.trim(trim);
      goOn();
      const read = await reading;
      const found = 'unsound' in read ? read.unsound : read;
      assert.ok(found !== null, 'a backup of this version was looked at');
      const { breaks, contradictions, different } = found;
      assert.deepEqual([breaks, contradictions, different], [[], [], []]);
      rmSync(file, { force: true });
      await slow.ledger.close();
      await proxy.close();
    });
  });
}

test('one who stops in the middle of changing tables holds charges up for seconds, not for good', async () => {
  await withMonths(async ({ open, database, caller }) => {
    const locked = Promise.withResolvers<void>();
    const woken = Promise.withResolvers<void>();
    const stopped = database.transact(async (ask) => {
      await ask('LOCK TABLE domesday.journal IN ACCESS EXCLUSIVE MODE');
      locked.resolve();
      await woken.promise;
      await ask('SELECT 1');
    }, toRebuild);
    await locked.promise;
    const ended = assert.rejects(stopped);
    const charge = () => open.ledger.charge(charging(caller, 'after it', 1, nowMs));
    try {
      const { kind } = await charge().catch(charge);
      assert.equal(kind, 'charged');
    } finally {
      woken.resolve();
    }
    await ended;
  });
});

test('a month that readers use is dropped later, and none of them is ended for it', async () => {
  await withMonths(async ({ storage, open }) => {
    const reader = new pg.Client(storage.server.url(storage.database));
    await reader.connect();
    // It looks for a circle sooner than the drop would have given way by the time that changes of tables have.
    await reader.query("SET deadlock_timeout = '400ms'");
    // As every reader does at first; then it goes to the months.
    await reader.query('BEGIN; LOCK TABLE ONLY domesday.journal IN ACCESS SHARE MODE');
    const trimmed = open.journals.trim(trim);
    await untilBlocked(storage);
    assert.ok((await reader.query('SELECT FROM domesday.journal')).rowCount);
    await trimmed;
    await reader.end();
    const months = `SELECT FROM pg_inherits WHERE inhparent = 'domesday.journal'::regclass`;
    const before = (await storage.server.ask(storage.database, months)).rowCount ?? 0;
    await open.journals.trim({ ...trim, beforeMs: trim.beforeMs + dayMs });
    const after = (await storage.server.ask(storage.database, months)).rowCount ?? 0;
    assert.ok(after < before);
  });
});
