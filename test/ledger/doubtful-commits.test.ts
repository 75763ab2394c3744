// Commits that report a fault and may stand all the same, over a real file: what SQLite leaves behind, and what the
// ledger makes of it. Every order of such faults is tried by the simulation.

import assert from 'node:assert/strict';
import {
  appendFileSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { type DoubtNotes, Doubts, doubtfulFile } from '../../src/ledger/doubts.ts';
import { LedgerRefusal, LedgerUnavailable, type OpenLedger, type Tell } from '../../src/ledger/ledger.ts';
import { openLedger } from '../../src/ledger/open.ts';
import { eventLoop, type Pace } from '../../src/ledger/pace.ts';
import { Connection, type Disk, diskOf } from '../../src/ledger/sqlite/connection.ts';
import { SqliteLedger } from '../../src/ledger/sqlite/ledger.ts';
import { SqlitePortable } from '../../src/ledger/sqlite/portable.ts';
import { StoreSql } from '../../src/ledger/sqlite/sql.ts';
import { SqliteStorage } from '../../src/ledger/sqlite/storage.ts';
import { SqliteStore } from '../../src/ledger/sqlite/store.ts';
import { StoredAccounts } from '../../src/ledger/stored/accounts.ts';
import { Metrics } from '../../src/metrics/metrics.ts';
import { minuteMs } from '../../src/time.ts';

import {
  assertBooksAgree,
  balanceOf,
  type Customer,
  charging,
  customer,
  startMs,
  unwatched,
} from './bench.ts';

describe('a commit of which nobody knows', () => {
  let folder = '';
  let home = '';
  let ada: Customer;
  const opened: { readonly ledger: OpenLedger['ledger'] }[] = [];

  const open = async (at = home): Promise<OpenLedger> => {
    const ledger = await openLedger({ home: at });
    opened.push(ledger);
    return ledger;
  };
  const syncFailed = () => Object.assign(new Error('disk I/O error'), { errcode: 1034 });

  /** The ledger of this home on a disk that commits as `commit` says. */
  const openOn = (
    commit: Disk['commit'],
    part: Partial<Disk> = {},
    patienceMs = 60_000,
    changedNotes: Partial<DoubtNotes> = {},
    pace: Pace = eventLoop,
  ) => {
    const path = join(home, 'domesday.sqlite');
    const real = diskOf(path);
    const disk: Disk = { ...real, commit, ...part };
    const doubts = new Doubts({ ...doubtfulFile(join(home, 'domesday.doubtful')), ...changedNotes });
    const connection = new Connection(disk, real.open());
    const told: string[] = [];
    const tell: Tell = ({ message }) => told.push(message);
    const store = new SqliteStore({
      connection,
      pace,
      doubts,
      patienceMs,
      tell,
      metrics: new Metrics(),
      ...unwatched(connection),
    });
    const ledger = new SqliteLedger(store, pace, tell);
    opened.push({ ledger });
    const sql = new StoreSql(store, pace);
    const storage = new SqliteStorage(store, sql, pace);
    const accounts = new StoredAccounts(storage, (count) => Buffer.alloc(count, 7), tell);
    const database = new SqlitePortable(sql, tell);
    return { ledger, accounts, database, told, watch: () => store.writer.settleDoubts() };
  };

  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'domesday-doubts-'));
    home = join(folder, 'home');
    const { accounts, ledger } = await openLedger({ home });
    ada = await customer(accounts, 'enterprise', { allowance: 100 });
    await ledger.close();
  });
  afterEach(async () => {
    for (const { ledger } of opened.splice(0)) await ledger.close();
    rmSync(folder, { recursive: true });
  });

  const journalIds = async ({ accounts }: Pick<OpenLedger, 'accounts'>) =>
    (await accounts.journalOf(ada.accountId)).flatMap(({ chargeId }) => chargeId ?? []).reverse();

  it('that stands is answered as charged, once', async () => {
    let faults = 1;
    const { ledger, accounts } = openOn((db) => {
      db.exec('COMMIT');
      if (faults-- > 0) throw syncFailed();
    });
    const result = await ledger.charge(charging(ada.caller, 'c1'));
    assert.deepEqual([result.kind, result.creditsRemaining], ['charged', 99]);
    assert.deepEqual(await journalIds({ accounts }), ['c1']);
    await assertBooksAgree(accounts);
  });

  it('that does not stand is made again and answered as charged, once', async () => {
    let faults = 3;
    const { ledger, accounts } = openOn((db) => {
      if (faults-- > 0) throw syncFailed();
      db.exec('COMMIT');
    });
    assert.equal((await ledger.charge(charging(ada.caller, 'c1'))).kind, 'charged');
    assert.deepEqual(await journalIds({ accounts }), ['c1']);
    await assertBooksAgree(accounts);
  });

  for (const [what, faults] of [
    ['stands', 0],
    ['does not stand', 3],
  ] as const)
    it(`of a change of people that ${what} is looked up: it is answered as done, and was done once`, async () => {
      let left = faults;
      let isTold = false;
      const { database } = openOn((db) => {
        if (left-- > 0) throw syncFailed();
        db.exec('COMMIT');
        if (!isTold && faults === 0) {
          isTold = true;
          throw syncFailed();
        }
      });
      await database.transaction((sql) =>
        sql.all("INSERT INTO people_trials (address_hash, begun_ms) VALUES ('once', 1)"),
      );
      await database.all("UPDATE people_trials SET begun_ms = begun_ms + 1 WHERE address_hash = 'once'");
      const [row] = await database.all(
        'SELECT COUNT(*) AS rows_there, MAX(begun_ms) AS begun_ms FROM people_trials',
      );
      assert.deepEqual([row?.rows_there, row?.begun_ms], [1, 2]);
    });

  it('for longer than the patience is an outage, and given back at the next start if it stands', async () => {
    let state: 'well' | 'gone' = 'well';
    const first = openOn(
      (db) => {
        db.exec('COMMIT');
        state = 'gone';
        throw syncFailed();
      },
      {
        open: () => {
          throw syncFailed();
        },
      },
      30,
    );
    await first.watch();
    for (const id of ['c1', 'c2']) {
      await assert.rejects(first.ledger.charge(charging(ada.caller, id)), LedgerUnavailable);
    }
    assert.equal(state, 'gone');
    assert.equal(first.told.length, 1, 'told once');
    assert.match(first.told[0] ?? '', /^the ledger cannot be written; calls are not charged/);
    opened.splice(0); // it crashes here
    assert.match(readFileSync(join(home, 'domesday.doubtful'), 'utf8'), /"c1"/);

    const second = openOn((db) => db.exec('COMMIT'));
    assert.equal(await balanceOf(second.accounts, ada.accountId), 99);
    await second.watch();
    assert.deepEqual(second.told, ['of 1 charges in doubt, 1 had been made and were given back']);
    assert.equal(await balanceOf(second.accounts, ada.accountId), 100);
    const [entry] = await second.accounts.journalOf(ada.accountId);
    assert.deepEqual([entry?.kind, entry?.credits, entry?.chargeId], ['reversal', 1, 'reversal of c1']);
    assert.equal(existsSync(join(home, 'domesday.doubtful')), false);
    assert.deepEqual(
      (await second.accounts.usageOf(ada.accountId)).map(({ calls, credits }) => [calls, credits]),
      [[0, 0]],
    );
    await assert.rejects(second.ledger.charge(charging(ada.caller, 'c1')), LedgerRefusal);
    assert.equal((await second.ledger.charge(charging(ada.caller, 'c3'))).creditsRemaining, 99);
    await assertBooksAgree(second.accounts);
  });

  it('whose note can be neither made nor removed is told, kept in memory, and given back once', async () => {
    let disk: 'well' | 'gone' = 'gone';
    const refuse = () => {
      throw new Error('the folder is gone');
    };
    const { ledger, accounts, told } = openOn(
      (db) => {
        db.exec('COMMIT');
        if (disk === 'gone') throw syncFailed();
      },
      {
        open: () => {
          if (disk === 'gone') throw syncFailed();
          return diskOf(join(home, 'domesday.sqlite')).open();
        },
      },
      30,
      { add: refuse, remove: refuse },
    );
    await assert.rejects(ledger.charge(charging(ada.caller, 'c1')), LedgerUnavailable);
    assert.ok(told.some((message) => /charges in doubt cannot be noted; .*: c1$/.test(message)));
    disk = 'well';
    assert.equal((await ledger.charge(charging(ada.caller, 'c2'))).creditsRemaining, 99);
    assert.ok(told.includes('the note of charges in doubt cannot be removed'));
    assert.equal((await ledger.charge(charging(ada.caller, 'c3'))).creditsRemaining, 98);
    await assertBooksAgree(accounts);
  });

  it('takes along the calls of its own minute only', async () => {
    let disk: 'well' | 'gone' = 'gone';
    let laterMs = 0;
    const failed = Promise.withResolvers<void>();
    const { ledger, accounts } = openOn(
      (db) => {
        db.exec('COMMIT');
        if (disk === 'well') return;
        failed.resolve();
        throw syncFailed();
      },
      {
        open: () => {
          if (disk === 'gone') throw syncFailed();
          return diskOf(join(home, 'domesday.sqlite')).open();
        },
      },
      60_000,
      {},
      { ...eventLoop, elapsedMs: () => eventLoop.elapsedMs() + laterMs },
    );
    await ledger.admit(ada.hash, startMs);
    // So long that the charge takes the count along.
    laterMs = 40;
    const charged = ledger.charge(charging(ada.caller, 'c1'));
    await failed.promise;
    await ledger.admit(ada.hash, startMs + minuteMs);
    disk = 'well';
    assert.equal((await charged).kind, 'charged');
    const used = await accounts.windowsOf(ada.accountId, 'live', startMs + minuteMs);
    assert.deepEqual(
      used.map((window) => window.used),
      [1, 2, 2],
    );
  });

  it('is noted by name: a line that is none names nobody', () => {
    const notes = doubtfulFile(join(home, 'domesday.doubtful'));
    notes.add(['c1']);
    appendFileSync(join(home, 'domesday.doubtful'), '\n7\nnull\n"cut sho');
    notes.add(['c2']);
    assert.deepEqual(notes.read(), ['c1', 'c2']);
  });

  it('of an operator is not repeated: whether it was done is for the operator to look up', async () => {
    let faults = 1;
    const { accounts } = openOn((db) => {
      db.exec('COMMIT');
      if (faults-- > 0) throw syncFailed();
    });
    const granting = accounts.grantCredits(ada.accountId, { credits: 5, atMs: 0 });
    await assert.rejects(granting, /nobody knows whether this was done/);
    assert.equal(await balanceOf(accounts, ada.accountId), 105);
  });

  const file = (at: string, suffix = '') => join(at, `domesday.sqlite${suffix}`);
  const copyTo = (name: string): string => {
    const at = join(folder, name);
    mkdirSync(at);
    for (const suffix of ['', '-wal']) copyFileSync(file(home, suffix), file(at, suffix));
    return at;
  };
  /** What a machine finds that comes up after a power cut: the file and its log. */
  const afterCrash = async (name: string) => journalIds(await open(copyTo(name)));
  /** What a failed sync leaves in the log: whole pages behind the end that every open connection knows. */
  const leaveInTheAir = async (chargeId: string): Promise<void> => {
    const at = copyTo(`with ${chargeId}`);
    const lengthBefore = readFileSync(file(at, '-wal')).length;
    const ahead = await open(at);
    await ahead.ledger.charge(charging(ada.caller, chargeId));
    appendFileSync(file(home, '-wal'), readFileSync(file(at, '-wal')).subarray(lengthBefore));
  };

  it('hangs in the log until a crash brings it back, unless another commit came between', async () => {
    const { ledger } = await open();
    await ledger.charge(charging(ada.caller, 'before'));
    await leaveInTheAir('ghost');
    assert.deepEqual(await afterCrash('at once'), ['before', 'ghost']);
    await ledger.charge(charging(ada.caller, 'after'));
    assert.deepEqual(await afterCrash('later'), ['before', 'after']);
  });

  it('hangs there no longer once its doubt is settled, even if there was nothing to give back', async () => {
    const { ledger, told, watch } = openOn((db) => db.exec('COMMIT'));
    await ledger.charge(charging(ada.caller, 'before'));
    await leaveInTheAir('ghost');
    doubtfulFile(join(home, 'domesday.doubtful')).add(['ghost']);
    await watch();
    assert.deepEqual(told, ['of 1 charges in doubt, 0 had been made and were given back']);
    assert.deepEqual(await afterCrash('later'), ['before']);
  });
});
