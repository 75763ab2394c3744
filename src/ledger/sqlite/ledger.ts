// The serving half of the SQLite engine. Admission is decided from memory; the charges of one turn of the event loop
// are committed together, and nobody learns of a charge before it is on disk.

import { type Spans, spansAt } from '../calendar.ts';
import {
  type Admission,
  type Call,
  type Caller,
  type Charge,
  type ChargeResult,
  type Ledger,
  LedgerRefusal,
  LedgerUnavailable,
  type Recollection,
  type Repeatable,
} from '../ledger.ts';
import { Visitors } from '../public-sandbox.ts';
import { checkCharge, findLimitHit, isRefreshDue, keyState, minuteRemaining, spend } from '../rules.ts';
import { type Checkpoints, startCheckpoints } from './checkpoints.ts';
import type { AccountRow } from './statements.ts';
import { asLedgerError, type KeyEntry, type SqliteStore } from './store.ts';
import type { UsageTally } from './tally.ts';

type QueuedCharge = {
  readonly charge: Charge;
  readonly resolve: (result: ChargeResult) => void;
  readonly reject: (error: Error) => void;
};

/** A batch of this size is committed without waiting for more. */
const batchMax = 64;

const unknown: Admission = { kind: 'unknown' };

export class SqliteLedger implements Ledger {
  readonly #store: SqliteStore;
  #queue: QueuedCharge[] = [];
  /** How many waited when the turn before this one ended. */
  #waitingAtTurn = 0;
  #state: 'open' | 'closed' = 'open';
  #spans: Spans = spansAt(0);
  #checkpoints: Checkpoints | undefined;
  readonly #visitors = new Visitors();

  constructor(store: SqliteStore) {
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

  admitVisitor(host: string, atMs: number): Admission {
    return this.#visitors.admit(host, atMs);
  }

  recall({ accountId }: Caller, repeatable: Repeatable, atMs: number): Recollection {
    try {
      const account = this.#store.findAccount(accountId);
      return account === undefined ? 'new' : this.#store.repeats.recall(account, repeatable, atMs);
    } catch (error) {
      throw asLedgerError(error);
    }
  }

  charge(charge: Charge): Promise<ChargeResult> {
    const fault = checkCharge(charge);
    if (fault !== undefined) return Promise.reject(fault);
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

  /** Has the log of this ledger emptied by a thread of its own until the ledger is closed. */
  maintain(onFault: (fault: unknown) => void): void {
    this.#checkpoints = startCheckpoints(this.#store, onFault);
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
    await this.#checkpoints?.stop();
    this.#store.close();
  }

  #findUsable(keyHash: string, atMs: number): KeyEntry | undefined {
    const key = this.#store.findKey(keyHash);
    return key !== undefined && keyState(key, atMs) === 'works' ? key : undefined;
  }

  #refresh(accountId: string, atMs: number): void {
    this.#store.transact(() => {
      const account = this.#store.findAccount(accountId);
      if (account !== undefined) this.#store.refreshIfDue(account, atMs);
    });
  }

  /** Refused calls count too, so that repeating them at once gains nothing. */
  #count({ caller, account, limits, tally }: KeyEntry, atMs: number): Admission {
    const spans = this.#spansAt(atMs);
    tally.add(spans);
    this.#store.markTally(tally);
    const standing = {
      creditsRemaining: account.balance,
      refreshAtMs: account.refreshAtMs,
      limits,
      minuteRemaining: minuteRemaining(limits, tally, spans),
      minuteResetAtMs: spans.minute.endMs,
    };
    const hit = findLimitHit(limits, tally, spans);
    return hit === undefined
      ? { kind: 'admitted', caller, standing }
      : { kind: 'limited', caller, standing, ...hit };
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
    const [first] = batch;
    if (first === undefined) return;
    const results: (ChargeResult | LedgerRefusal)[] = [];
    try {
      this.#store.transact((usage) => {
        for (const { charge } of batch) results.push(this.#chargeOne(charge, usage));
        this.#store.repeats.removeOld(first.charge.atMs, batch.length);
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
    const recollection = this.#store.repeats.recallFor(account, charge);
    if (recollection !== 'new') {
      usage.add(charge, recollection === 'same' ? 200 : 400, 0);
      return resultOf(recollection === 'same' ? 'replayed' : 'mismatched', account);
    }
    const movement = spend(account, credits);
    if (movement !== 'insufficient') {
      if (this.#store.postCharge(payer, charge, movement) === 'posted') {
        this.#store.repeats.remember(account, charge);
        usage.add(charge, 200, credits);
      }
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
