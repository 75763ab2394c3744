// When counts of calls reach the file: soon after each call, but not with every charge. The clock is the test's own.

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, it } from 'node:test';
import fc from 'fast-check';
import { Doubts, doubtfulFile } from '../../src/ledger/doubts.ts';
import { databaseFile, openLedger } from '../../src/ledger/open.ts';
import { eventLoop, type Pace } from '../../src/ledger/pace.ts';
import { Connection, diskOf } from '../../src/ledger/sqlite/connection.ts';
import { SqliteLedger } from '../../src/ledger/sqlite/ledger.ts';
import { SqliteStore } from '../../src/ledger/sqlite/store.ts';
import { Metrics } from '../../src/metrics/metrics.ts';
import { type Customer, charging, customer, startMs, unwatched } from './bench.ts';

const waitMostMs = 250;

type Timer = { readonly dueMs: number; readonly work: () => void };

/** Time passes when the test says so. */
class TestPace implements Pace {
  nowMs = 0;
  readonly #timers = new Set<Timer>();
  readonly endOfTurn = eventLoop.endOfTurn;
  readonly pause = eventLoop.pause;
  readonly elapsedMs = () => this.nowMs;
  readonly later: Pace['later'] = (ms, work) => {
    const timer = { dueMs: this.nowMs + ms, work };
    this.#timers.add(timer);
    return () => this.#timers.delete(timer);
  };

  async pass(ms: number): Promise<void> {
    const endMs = this.nowMs + ms;
    for (;;) {
      const next = [...this.#timers].sort((one, other) => one.dueMs - other.dueMs)[0];
      if (next === undefined || next.dueMs > endMs) break;
      this.#timers.delete(next);
      this.nowMs = Math.max(this.nowMs, next.dueMs);
      next.work();
      await new Promise(setImmediate);
    }
    this.nowMs = endMs;
  }
}

describe('counts of calls', () => {
  let home = '';
  let ada: Customer;
  let pace: TestPace;
  let ledger: SqliteLedger;
  let file: DatabaseSync;
  let commits = 0;
  let commitMs = 0;

  beforeEach(async () => {
    home = mkdtempSync(join(tmpdir(), 'domesday-windows-'));
    const first = await openLedger({ home });
    const terms = { allowance: 1_000_000, limits: { minute: null, day: null, month: null } };
    ada = await customer(first.accounts, 'enterprise', terms);
    await first.ledger.close();
    const disk = diskOf(databaseFile(home));
    commits = 0;
    commitMs = 0;
    const commit: typeof disk.commit = (db) => {
      commits += 1;
      pace.nowMs += commitMs;
      disk.commit(db);
    };
    const connection = new Connection({ ...disk, commit }, disk.open());
    const doubts = new Doubts(doubtfulFile(join(home, 'domesday.doubtful')));
    pace = new TestPace();
    const quiet = { patienceMs: 1_000, tell: () => undefined, metrics: new Metrics() };
    const store = new SqliteStore({ connection, pace, doubts, ...quiet, ...unwatched(connection) });
    ledger = new SqliteLedger(store, pace, quiet.tell);
    file = new DatabaseSync(databaseFile(home), { readOnly: true });
  });
  afterEach(async () => {
    file.close();
    await ledger.close();
    rmSync(home, { recursive: true });
  });

  const written = () =>
    Number(file.prepare('SELECT coalesce(sum(day_count), 0) AS count FROM windows').get()?.count);
  let charges = 0;
  const charge = () => ledger.charge(charging(ada.caller, `c${++charges}`));

  it('are in the file after 250 ms at the latest, charged or not', async () => {
    const step = fc.oneof(fc.constantFrom('call', 'charge', 'free call'), fc.integer({ min: 1, max: 70 }));
    const calls: number[] = [];
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
        for (const each of steps) {
          if (typeof each === 'number') await pace.pass(each);
          else {
            await ledger.admit(ada.hash, startMs);
            calls.push(pace.nowMs);
            if (each === 'charge') await charge();
            if (each === 'free call')
              ledger.record({ caller: ada.caller, endpoint: '/x', atMs: startMs, status: 404 });
          }
          const due = calls.filter((atMs) => atMs + waitMostMs <= pace.nowMs).length;
          assert.ok(written() >= due, `${written()} of ${due} that are due`);
          assert.ok(written() <= calls.length, `${written()} of ${calls.length}`);
        }
      }),
      { numRuns: 60 },
    );
    await ledger.close();
    assert.equal(written(), calls.length);
  });

  it('are no write of their own while charges come, and not one with each of them', async () => {
    const rows = file.prepare('SELECT day_count AS count FROM windows');
    const seen = new Set<unknown>();
    for (let call = 0; call < 200; call += 1) {
      await ledger.admit(ada.hash, startMs);
      await charge();
      await pace.pass(5);
      seen.add(rows.get()?.count);
    }
    assert.equal(commits, 200);
    assert.ok(seen.size > 3 && seen.size < 10, `${seen.size} times`);
  });

  it('are no write of their own while charges come to a disk that takes long for each commit', async () => {
    commitMs = 80;
    for (let call = 0; call < 50; call += 1) {
      await ledger.admit(ada.hash, startMs);
      await charge();
      await pace.pass(1);
    }
    assert.ok(commits <= 51, `${commits} commits for 50 charges`);
  });
});
