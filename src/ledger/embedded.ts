// The ledger in one SQLite file beside the releases. Admission is decided from memory; the charges of one turn
// of the event loop are committed together, and nobody learns of a charge before it is on disk.

import { randomBytes as cryptoBytes } from 'node:crypto';
import { type Spans, spansAt } from './calendar.ts';
import { EmbeddedAccounts } from './embedded-accounts.ts';
import { asLedgerError, EmbeddedStore, isRefreshDue, type KeyEntry } from './embedded-store.ts';
import type { RandomBytes } from './keys.ts';
import {
  type Admission,
  type Call,
  type Charge,
  type ChargeResult,
  type Ledger,
  LedgerRefusal,
  LedgerUnavailable,
  type OpenLedger,
  type Standing,
} from './ledger.ts';
import { openLedgerFile } from './schema.ts';
import type { AccountRow } from './statements.ts';
import type { UsageTally } from './tally.ts';

/** SQLite's own default. */
const usualLogPages = 1_000;

/** Opens the ledger file, making it (and its folder) where there is none. Throws LedgerUnavailable with one line
 *  that says what to do. */
export function openEmbeddedLedger(options: {
  readonly path: string;
  readonly randomBytes?: RandomBytes;
  /** More where a thread beside does it (checkpoints.ts). */
  readonly logPagesMost?: number;
}): OpenLedger {
  const { db, isNew } = openLedgerFile(options.path, options.logPagesMost ?? usualLogPages);
  const store = new EmbeddedStore(db);
  return {
    ledger: new EmbeddedLedger(store),
    accounts: new EmbeddedAccounts(store, options.randomBytes ?? cryptoBytes),
    isNew,
  };
}

type QueuedCharge = {
  readonly charge: Charge;
  readonly resolve: (result: ChargeResult) => void;
  readonly reject: (error: Error) => void;
};

/** Charges that wait for others no longer. */
const batchMax = 64;

const unknown: Admission = { kind: 'unknown' };

class EmbeddedLedger implements Ledger {
  readonly #store: EmbeddedStore;
  #queue: QueuedCharge[] = [];
  /** How many waited when the turn before this one ended. */
  #waitingAtTurn = 0;
  #state: 'open' | 'closed' = 'open';
  #spans: Spans = spansAt(0);

  constructor(store: EmbeddedStore) {
    this.#store = store;
  }

  admit(keyHash: string, atMs: number): Admission {
    try {
      this.#store.catchUpThisTurn();
      const key = this.#findUsable(keyHash, atMs);
      if (key === undefined) return unknown;
      if (!isRefreshDue(key.account, atMs)) return this.#count(key, atMs);
      this.#refresh(key.account.accountId, atMs);
      const refreshed = this.#findUsable(keyHash, atMs);
      return refreshed === undefined ? unknown : this.#count(refreshed, atMs);
    } catch (error) {
      throw asLedgerError(error);
    }
  }

  charge(charge: Charge): Promise<ChargeResult> {
    if (!Number.isSafeInteger(charge.credits) || charge.credits < 1) {
      return Promise.reject(new RangeError('A charge takes a whole number of credits, at least 1.'));
    }
    // One bad charge must not take the others of its batch down with it.
    if (!Number.isSafeInteger(charge.atMs)) {
      return Promise.reject(new RangeError('A charge is made at a whole number of milliseconds.'));
    }
    if (charge.caller.mode === 'test') return Promise.reject(new RangeError('A test key is never charged.'));
    if (this.#state === 'closed') return Promise.reject(closed());
    return new Promise((resolve, reject) => {
      if (this.#queue.length === 0) {
        this.#waitingAtTurn = 0;
        setImmediate(this.#endTurn);
      }
      this.#queue.push({ charge, resolve, reject });
    });
  }

  record(call: Call & { readonly status: number }): void {
    if (this.#state === 'closed') return;
    this.#store.markUsage().add(call, call.status, 0);
  }

  async ready(): Promise<void> {
    if (this.#state === 'closed') throw closed();
    this.#runQueue();
    this.#store.transact(() => undefined);
  }

  async close(): Promise<void> {
    if (this.#state === 'closed') return;
    this.#state = 'closed';
    this.#runQueue();
    this.#store.close();
  }

  #findUsable(keyHash: string, atMs: number): KeyEntry | undefined {
    const key = this.#store.findKey(keyHash);
    return key === undefined || (key.expiresAtMs !== null && atMs >= key.expiresAtMs) ? undefined : key;
  }

  #refresh(accountId: string, atMs: number): void {
    this.#store.transact(() => {
      const account = this.#store.findAccount(accountId);
      if (account !== undefined) this.#store.refreshIfDue(account, atMs);
    });
  }

  /** Refused calls count too: hammering on a closed door does not open it sooner. */
  #count({ caller, account, limits, tally }: KeyEntry, atMs: number): Admission {
    const spans = this.#spansAt(atMs);
    tally.add(spans);
    this.#store.markTally(tally);
    const standing: Standing = {
      creditsRemaining: account.balance,
      refreshAtMs: account.refreshAtMs,
      limits,
      minuteRemaining:
        limits.minute === null
          ? null
          : Math.max(0, limits.minute - tally.countIn('minute', spans.minute.startMs)),
      minuteResetAtMs: spans.minute.endMs,
    };
    // Longest first: of several limits hit, the one that ends last is when it is worth trying again.
    for (const window of ['month', 'day', 'minute'] as const) {
      const limit = limits[window];
      if (limit === null || tally.countIn(window, spans[window].startMs) <= limit) continue;
      return { kind: 'limited', caller, standing, window, limit, resetAtMs: spans[window].endMs };
    }
    return { kind: 'admitted', caller, standing };
  }

  #spansAt(atMs: number): Spans {
    const { startMs, endMs } = this.#spans.minute;
    if (atMs < startMs || atMs >= endMs) this.#spans = spansAt(atMs);
    return this.#spans;
  }

  /** A commit costs as much as forty charges, so while turns still bring charges it waits for the next turn. */
  readonly #endTurn = (): void => {
    const waiting = this.#queue.length;
    if (waiting > this.#waitingAtTurn && waiting < batchMax) {
      this.#waitingAtTurn = waiting;
      setImmediate(this.#endTurn);
    } else this.#runQueue();
  };

  readonly #runQueue = (): void => {
    const batch = this.#queue;
    this.#queue = [];
    if (batch.length === 0) return;
    const results: (ChargeResult | LedgerRefusal)[] = [];
    try {
      this.#store.transact((usage) => {
        for (const { charge } of batch) results.push(this.#chargeOne(charge, usage));
      });
    } catch (error) {
      for (const { reject } of batch) reject(asLedgerError(error));
      return;
    }
    for (const [index, { resolve, reject }] of batch.entries()) {
      const result = results[index];
      if (result === undefined || result instanceof LedgerRefusal) reject(result ?? closed());
      else resolve(result);
    }
  };

  #chargeOne(charge: Charge, usage: UsageTally): ChargeResult | LedgerRefusal {
    const { caller, atMs, chargeId, credits } = charge;
    const payer = this.#store.findPayer(caller.keyId);
    if (payer === undefined || payer.account.accountId !== caller.accountId) {
      return new LedgerRefusal('There is no such account and key.');
    }
    const { account } = payer;
    this.#store.refreshIfDue(account, atMs);
    if (account.balance >= credits) {
      if (this.#store.postCharge(payer, charge) === 'posted') usage.add(charge, 200, credits);
      return resultOf('charged', account);
    }
    if (this.#store.statements.findCharge.get(chargeId) !== undefined) return resultOf('charged', account);
    usage.add(charge, 402, 0);
    return resultOf('insufficient', account);
  }
}

function resultOf(kind: ChargeResult['kind'], { balance, refreshAtMs }: AccountRow): ChargeResult {
  return { kind, creditsRemaining: balance, refreshAtMs };
}

function closed(): LedgerUnavailable {
  return new LedgerUnavailable('The ledger is closed.');
}
