// The log that is emptied beside the thread that watches the file, by the ledger itself or by another process of ours, is no
// overwriting: a sound ledger is never given up for it. Nor does a log that begins anew hide one.

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, utimesSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, it } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { Doubts, doubtfulFile } from '../../../src/ledger/doubts.ts';
import type { Ledger } from '../../../src/ledger/ledger.ts';
import { databaseFile, openLedger } from '../../../src/ledger/open.ts';
import { eventLoop } from '../../../src/ledger/pace.ts';
import { readSeal, type Seal, sealFile } from '../../../src/ledger/seal.ts';
import { Connection, type Disk, diskOf } from '../../../src/ledger/sqlite/connection.ts';
import { openLedgerFile } from '../../../src/ledger/sqlite/file.ts';
import { Guard } from '../../../src/ledger/sqlite/keeping/guard.ts';
import { Keeper } from '../../../src/ledger/sqlite/keeping/keeper.ts';
import { SqliteLedger } from '../../../src/ledger/sqlite/ledger.ts';
import { SqliteStore } from '../../../src/ledger/sqlite/store.ts';
import { Metrics } from '../../../src/metrics/metrics.ts';
import { dayMs } from '../../../src/time.ts';
import { type Customer, charging, customer, startMs } from '../bench.ts';
import { beginCopyOfLog, overwritePart } from './bench.ts';

let home = '';
let ada: Customer;
let ledger: Ledger | undefined;
const told: string[] = [];
const tell = ({ message }: { readonly message: string }) => told.push(message);

beforeEach(async () => {
  home = mkdtempSync(join(tmpdir(), 'domesday-own-copies-'));
  const made = await openLedger({ home });
  ada = await customer(made.accounts, 'enterprise', { allowance: 100_000_000 });
  await made.ledger.close();
  told.length = 0;
});
afterEach(async () => {
  await ledger?.close();
  rmSync(home, { recursive: true });
});

/** As `openLedger` does, on a disk that commits as `commit` says. */
function serveOn(commit: Disk['commit']): Ledger {
  const file = databaseFile(home);
  const opened = openLedgerFile(file, { ifMissing: 'refuse', ifOlder: 'refuse', tell });
  const guard = new Guard(file, tell);
  const connection = new Connection({ ...diskOf(file), commit }, opened.db);
  const keeper = new Keeper({ file, opened, connection, guard, tell, copyEveryMs: 10 });
  const doubts = new Doubts(doubtfulFile(join(home, 'domesday.doubtful')));
  const patienceMs = 60_000;
  const store = new SqliteStore({
    connection,
    pace: eventLoop,
    doubts,
    patienceMs,
    tell,
    metrics: new Metrics(),
    guard,
    keeper,
  });
  const serving = new SqliteLedger(store, eventLoop, tell);
  serving.maintain();
  return serving;
}

function storedSeal(): Seal {
  const seal = readSeal(sealFile(home));
  assert.ok(seal !== 'absent');
  return seal;
}

/** The thread looks four times a second. */
const aMoment = () => wait(5);

/** Until the thread has written the next seal, or somebody was told something. */
async function untilNextSeal(work: () => Promise<void>): Promise<void> {
  const { newestEntry } = storedSeal();
  while (storedSeal().newestEntry === newestEntry && told.length === 0) await work();
}

it('after commits that reported a fault and stood, charging goes on', async () => {
  let commits = 0;
  ledger = serveOn((db) => {
    db.exec('COMMIT');
    commits += 1;
    if (commits % 3 === 0) throw Object.assign(new Error('disk I/O error'), { errcode: 1034 });
  });
  let charges = 0;
  // The thread writes the seal at every fourth look that found the file to be ours.
  for (let seals = 0; seals < 4; seals += 1) {
    const { newestEntry } = storedSeal();
    while (storedSeal().newestEntry === newestEntry) {
      charges += 1;
      assert.equal((await ledger.charge(charging(ada.caller, `c${charges}`))).kind, 'charged');
    }
  }
  assert.deepEqual(
    told.filter((message) => /overwritten|the service no longer charges/.test(message)),
    [],
  );
});

it('a log that another process of ours has copied or emptied is no reason to stop', async () => {
  const service = await openLedger({ home, tell, copyEveryMs: 10 });
  ({ ledger } = service);
  service.maintain();
  const other = diskOf(databaseFile(home)).open();
  const sealed = async (entry: number) => {
    while (storedSeal().newestEntry < entry && told.length === 0) await aMoment();
    assert.deepEqual(told, []);
  };
  const charge = async (id: string): Promise<number> => {
    await service.ledger.charge(charging(ada.caller, id));
    const [newest] = await service.accounts.journalOf(ada.accountId, { newest: 1 });
    return newest?.seq ?? assert.fail('no entry');
  };
  for (const round of [1, 2, 3]) {
    await sealed(await charge(`copied ${round}`));
    const entry = await charge(`emptied ${round}`);
    while (other.prepare('PRAGMA wal_checkpoint(TRUNCATE)').get()?.busy !== 0) await aMoment();
    await sealed(entry);
    // By whom it was copied is not known; of several times one was surely not by the thread.
    for (let copies = 0; copies < 5; copies += 1) {
      const copied = await charge(`copied by another ${round} ${copies}`);
      other.exec('PRAGMA wal_checkpoint(PASSIVE)');
      await sealed(copied);
    }
  }
  other.close();
});

for (const mode of ['PASSIVE', 'TRUNCATE']) {
  it(`a log that another process of ours copies all the time (${mode}), and that begins anew between two looks, is no reason to stop`, async () => {
    const service = await openLedger({ home, tell, copyEveryMs: 10 });
    ({ ledger } = service);
    service.maintain();
    const other = diskOf(databaseFile(home)).open();
    let charges = 0;
    const charge = async () => {
      charges += 1;
      await service.ledger.charge(charging(ada.caller, `c${charges}`));
    };
    for (let seals = 0; seals < 8; seals += 1) {
      await untilNextSeal(async () => {
        for (let more = 0; more < seals % 3; more += 1) await charge();
        other.exec(`PRAGMA wal_checkpoint(${mode})`);
        await charge();
      });
    }
    other.close();
    assert.deepEqual(told, []);
  });
}

it('a copy of the log that another process has begun, and not ended or was cut off in, is no reason to stop', async () => {
  const service = await openLedger({ home, tell, copyEveryMs: 10 });
  ({ ledger } = service);
  service.maintain();
  let charges = 0;
  const sealed = () =>
    untilNextSeal(async () => {
      charges += 1;
      await service.ledger.charge(charging(ada.caller, `c${charges}`));
    });
  await sealed();
  const reader = diskOf(databaseFile(home)).open();
  reader.exec('BEGIN; SELECT count(*) FROM journal');
  await sealed();
  await sealed();
  // Everything that the reader sees is copied, so that the thread copies nothing more and leaves what is noted here.
  beginCopyOfLog(databaseFile(home));
  for (const at of [1, 2, 3]) {
    utimesSync(databaseFile(home), at, at);
    await sealed();
  }
  reader.close();
  await sealed();
  await sealed();
  assert.deepEqual(told, []);
});

it('commits that came behind a reader, were copied by another process and made room for a new log are no reason to stop', async () => {
  const service = await openLedger({ home, tell, copyEveryMs: 10 });
  ({ ledger } = service);
  service.maintain();
  const other = diskOf(databaseFile(home)).open();
  const reader = diskOf(databaseFile(home)).open();
  let charges = 0;
  const charge = async () => {
    charges += 1;
    await service.ledger.charge(charging(ada.caller, `c${charges}`));
  };
  for (let rounds = 0; rounds < 8; rounds += 1) {
    await charge();
    // The log cannot begin anew before it ends.
    reader.exec('BEGIN; SELECT count(*) FROM journal');
    await untilNextSeal(aMoment);
    // Mostly between two looks of the thread.
    await charge();
    reader.exec('COMMIT');
    other.exec('PRAGMA wal_checkpoint(PASSIVE)');
    await charge();
    await untilNextSeal(aMoment);
  }
  reader.close();
  other.close();
  assert.deepEqual(told, []);
});

it('a part that is overwritten is noticed while charges keep coming, though the log begins anew after every copy', async () => {
  const service = await openLedger({ home, tell, copyEveryMs: 10 });
  ({ ledger } = service);
  service.maintain();
  let charges = 0;
  const charge = async () => {
    charges += 1;
    await service.ledger.charge(charging(ada.caller, `c${charges}`)).catch(() => undefined);
  };
  // Behind a commit that comes during a copy the log does not begin anew.
  const chargeNowAndThen = async () => {
    await charge();
    await eventLoop.pause(20);
  };
  for (let first = 0; first < 500; first += 1) await charge();
  await untilNextSeal(chargeNowAndThen);
  // One that falls into a copy may go unnoticed.
  for (let writes = 0; writes < 3 && told.length === 0; writes += 1) {
    await Promise.all([overwritePart(databaseFile(home)), untilNextSeal(chargeNowAndThen)]);
    await untilNextSeal(chargeNowAndThen);
  }
  assert.match(told.join(), /domesday\.sqlite was overwritten while the service ran/);
});

it('entries that a trim beside the service replaced are no loss', async () => {
  const service = await openLedger({ home, tell, copyEveryMs: 10 });
  ({ ledger } = service);
  service.maintain();
  const sealedTo = async (entry: number) => {
    while (storedSeal().newestEntry < entry && told.length === 0) await aMoment();
    assert.deepEqual(told, []);
  };
  const atMs = startMs + 100 * dayMs;
  for (let i = 1; i <= 40; i += 1) await ledger.charge(charging(ada.caller, `c${i}`));
  await ledger.charge(charging(ada.caller, 'late', 1, atMs));
  const [newest] = await service.accounts.journalOf(ada.accountId, { newest: 1 });
  const entry = newest?.seq ?? assert.fail('no entry');
  await sealedTo(entry);
  const command = await openLedger({ home, tell, copyEveryMs: 10 });
  const { entries } = await command.journals.trim({ beforeMs: startMs + dayMs, atMs });
  await command.ledger.close();
  assert.ok(entries > 30);
  for (const more of [1, 2, 3]) {
    await ledger.charge(charging(ada.caller, `after ${more}`, 1, atMs));
    await sealedTo(entry + more);
  }
});
