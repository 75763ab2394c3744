// What the chain of the journals costs: microseconds a charge with its hash and without, in rounds that take turns, and how
// long `domesday check` follows so many chained entries. Written by the posting code itself, in commits so large that hardly
// anything but posting is measured.

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import path from 'node:path';
import { Doubts, doubtfulFile } from '../../src/ledger/doubts.ts';
import type { Caller, Charge } from '../../src/ledger/ledger.ts';
import { ledgerFile, openLedger } from '../../src/ledger/open.ts';
import { eventLoop } from '../../src/ledger/pace.ts';
import { type Movement, spend } from '../../src/ledger/rules.ts';
import { Connection, diskOf } from '../../src/ledger/sqlite/connection.ts';
import { openLedgerFile } from '../../src/ledger/sqlite/file.ts';
import { Guard } from '../../src/ledger/sqlite/keeping/guard.ts';
import { Keeper } from '../../src/ledger/sqlite/keeping/keeper.ts';
import { SqliteStore } from '../../src/ledger/sqlite/store.ts';
import { Metrics } from '../../src/metrics/metrics.ts';
import { median } from '../server.ts';

const entries = Number(process.argv[2] ?? 3_000_000);
const customers = 200;
const together = Math.min(20_000, entries);
/** Of each side. */
const rounds = 9;
const startMs = Date.UTC(2026, 0, 1);
const everyMs = 1_000;
const logPagesMost = 10_000;
const tell = () => undefined;

type Payer = Exclude<ReturnType<SqliteStore['findPayer']>, undefined>;

interface Posting {
  post(store: SqliteStore, payer: Payer, charge: Charge, movement: Movement): void;
  /** Before the commit. */
  settle(store: SqliteStore): void;
}

const withChain: Posting = {
  post: (store, payer, charge) => {
    assert.equal(store.postCharges(payer, { charges: [charge], share: 'nothing' }), 'posted');
  },
  settle: () => undefined, // the store does it
};

/** As the store does, but for the hash. */
class WithoutChain implements Posting {
  readonly #dirty = new Set<Payer['account']>();

  post(store: SqliteStore, { number, account }: Payer, charge: Charge, { credits, lasting }: Movement): void {
    account.balance += credits;
    account.lasting += lasting;
    const { chargeId, endpoint, atMs } = charge;
    const { lastInsertRowid } = store.statements.insertCharge.run(
      account.newestSeq,
      account.number,
      atMs,
      credits,
      lasting,
      account.balance,
      account.lasting,
      chargeId,
      null,
      number,
      store.endpointNumber(endpoint),
      null,
    );
    account.newestSeq = Number(lastInsertRowid);
    this.#dirty.add(account);
  }

  settle({ statements }: SqliteStore): void {
    for (const { balance, lasting, newestSeq, number } of this.#dirty) {
      statements.updateBalances.run(balance, lasting, newestSeq, number);
    }
    this.#dirty.clear();
  }
}

/** A ledger of its own, open to be filled. */
class Side {
  readonly home = mkdtempSync(path.join(process.env.BENCH_FOLDER ?? tmpdir(), 'domesday-chain-'));
  readonly #posting: Posting;
  readonly #callers: Caller[] = [];
  #store: SqliteStore | undefined;
  charges = 0;

  constructor(posting: Posting) {
    this.#posting = posting;
  }

  async open(): Promise<void> {
    const { ledger, accounts } = await openLedger({ home: this.home });
    for (let i = 0; i < customers; i++) {
      const terms = { allowance: 1_000_000_000, limits: { minute: null, day: null, month: null } };
      const made = await accounts.createAccount({ name: `C${i}`, plan: 'enterprise', terms, atMs: startMs });
      const { accountId } = made;
      const { keyId } = await accounts.createKey({ accountId, kind: 'live', atMs: startMs });
      this.#callers.push({ accountId, keyId, mode: 'live' });
    }
    await ledger.close();
    const file = ledgerFile(this.home);
    const opened = openLedgerFile(file, { ifMissing: 'refuse', ifOlder: 'refuse', tell });
    const guard = new Guard(file, tell);
    const connection = new Connection(diskOf(file), opened.db);
    connection.setLogPagesMost(logPagesMost);
    const keeper = new Keeper({ file, opened, connection, guard, tell, copyEveryMs: 250 });
    const doubts = new Doubts(doubtfulFile(path.join(this.home, 'ledger.doubtful')));
    const patienceMs = 60_000;
    this.#store = new SqliteStore({
      connection,
      pace: eventLoop,
      doubts,
      patienceMs,
      tell,
      metrics: new Metrics(),
      guard,
      keeper,
    });
  }

  async round(): Promise<Spent> {
    const store = this.#store;
    assert.ok(store);
    const taking = measure();
    await store.writer.transact(() => {
      for (let i = 0; i < together; i++) this.#charge(store, this.charges + i);
      this.#posting.settle(store);
    });
    this.charges += together;
    return taking();
  }

  #charge(store: SqliteStore, number: number): void {
    const caller = this.#callers[number % customers];
    const payer = caller && store.findPayer(caller.keyId);
    assert.ok(payer);
    const chargeId = `run-${String(number).padStart(9, '0')}`;
    const atMs = startMs + number * everyMs;
    const charge = { caller, endpoint: '/bank-rates', atMs, chargeId, requestId: chargeId, credits: 1 };
    store.periods.refreshIfDue(payer.account, atMs);
    const movement = spend(payer.account, charge.credits);
    assert.ok(movement !== 'insufficient');
    this.#posting.post(store, payer, charge, movement);
    store.usageOfWork.add(charge, 200, charge.credits);
  }

  async close(): Promise<void> {
    await this.#store?.finish();
    await this.#store?.keeper.stop();
    this.#store = undefined;
  }

  async remove(): Promise<void> {
    await this.close();
    rmSync(this.home, { recursive: true });
  }
}

type Spent = { readonly seconds: number; readonly processor: number };

function measure(): () => Spent {
  const startedMs = performance.now();
  const usedBefore = process.cpuUsage();
  return () => {
    const { user, system } = process.cpuUsage(usedBefore);
    return { seconds: (performance.now() - startedMs) / 1_000, processor: (user + system) / 1e6 };
  };
}

const load = () => `load ${loadavg()[0]?.toFixed(1)}`;

const chained = new Side(withChain);
const unchained = new Side(new WithoutChain());
try {
  await chained.open();
  await unchained.open();
  const filling = measure();
  const spent: Record<'with its hash' | 'without', Spent[]> = { 'with its hash': [], without: [] };
  for (let round = 0; round < rounds && chained.charges < entries; round += 1) {
    spent['with its hash'].push(await chained.round());
    spent.without.push(await unchained.round());
  }
  console.log(`node ${process.version}, ${customers} accounts, ${together} charges in a commit, ${load()}`);
  for (const [name, side] of Object.entries(spent)) {
    const each = (figure: keyof Spent) =>
      ((median(side.map((taken) => taken[figure])) / together) * 1e6).toFixed(1);
    console.log(
      `a charge ${name}: ${each('processor')} µs of the processor, ${each('seconds')} µs by the clock (median of ${side.length} rounds)`,
    );
  }
  while (chained.charges < entries) await chained.round();
  await chained.close();
  const megabytes = (statSync(ledgerFile(chained.home)).size / 2 ** 20).toFixed(0);
  console.log(
    `${chained.charges} charges, ${megabytes} MB, made in ${filling().seconds.toFixed(0)} s, ${load()}`,
  );
  const { ledger, journals } = await openLedger({ home: chained.home });
  const following = measure();
  const report = await journals.verify(startMs + entries * everyMs);
  const followed = following();
  await ledger.close();
  assert.deepEqual([report.breaks, report.different, report.contradictions], [[], [], []]);
  console.log(
    `check of ${report.entries} entries: ${followed.seconds.toFixed(1)} s, ${followed.processor.toFixed(1)} s of the processor`,
  );
} finally {
  await chained.remove();
  await unchained.remove();
}
