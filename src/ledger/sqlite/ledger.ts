// The serving half of the SQLite engine. Admission is decided from memory; the charges of one turn of the event loop
// are committed together, and nobody learns of a charge before it is on disk.

import { readNumber } from '../../storage/rows.ts';
import { type Spans, spansAt } from '../calendar.ts';
import { ChargeQueue, givenBackAlready, noPayer } from '../charges.ts';
import {
  type Admission,
  type Call,
  type Caller,
  type Charge,
  type Charged,
  type ChargeResult,
  type Ledger,
  type LedgerRefusal,
  ledgerClosed,
  type Recollection,
  type Repeatable,
  type Tell,
  type Visitor,
  type WindowUse,
} from '../ledger.ts';
import { asLedgerError } from '../outcome.ts';
import type { Pace } from '../pace.ts';
import { Visitors } from '../public-sandbox.ts';
import { findLimitHit, isRefreshDue, keyState, minuteRemaining, quietSpan } from '../rules.ts';
import { refreshIfDue } from '../stored/posting.ts';
import type { AccountRow } from '../stored/records.ts';
import { reversalOf } from '../stored/reversals.ts';
import { GuestShares, isGuest } from '../visitors/guests.ts';
import type { MaybeLater } from '../writer.ts';
import type { SqliteStore } from './store.ts';
import type { KeyEntry } from './tally.ts';

/** How long an answer of `ready` holds. */
const readyEveryMs = 1_000;

const unknown: Admission = { kind: 'unknown' };

/** `host`: where it comes from, of a call by a key of our pages. */
type Asked = { readonly keyHash: string; readonly host: string | undefined; readonly atMs: number };

export class SqliteLedger implements Ledger {
  readonly #store: SqliteStore;
  readonly #pace: Pace;
  readonly #tell: Tell;
  readonly #charges: ChargeQueue;
  #state: 'open' | 'closed' = 'open';
  #spans: Spans = spansAt(0);
  #readiness: { readonly atMs: number; readonly told: Promise<void> } | undefined;
  readonly #visitors = new Visitors();
  readonly #guests = new GuestShares();

  constructor(store: SqliteStore, pace: Pace, tell: Tell) {
    this.#store = store;
    this.#pace = pace;
    this.#tell = tell;
    const { writer } = store;
    this.#charges = new ChargeQueue(pace, writer.metrics, {
      patienceMs: writer.patienceMs,
      faultOf: () => (this.#state === 'closed' ? ledgerClosed() : undefined),
      writes: 'in this thread',
      write: (charges, askedMs) => writer.transact(() => this.#chargeAll(charges), { askedMs }),
    });
  }

  /** At once, unless a refresh is due. */
  admit(keyHash: string, atMs: number): Admission | Promise<Admission> {
    return this.#admit({ keyHash, host: undefined, atMs });
  }

  #admit(asked: Asked): Admission | Promise<Admission> {
    this.#store.guard.assertUsable();
    try {
      return this.#admitNow(asked);
    } catch (error) {
      throw asLedgerError(error);
    }
  }

  admitVisitor(visitor: Visitor, atMs: number): Admission {
    return this.#visitors.admit(visitor, atMs);
  }

  visitorWindows(visitor: Visitor, atMs: number): readonly WindowUse[] {
    return this.#visitors.windowsOf(visitor, atMs);
  }

  admitPage(keyHash: string, host: string, atMs: number): Admission | Promise<Admission> {
    return this.#admit({ keyHash, host, atMs });
  }

  recall({ accountId }: Caller, repeatable: Repeatable, atMs: number): Recollection {
    try {
      const account = this.#store.findAccount(accountId);
      return account === undefined
        ? 'new'
        : this.#store.repeats.recall(account, repeatable, atMs, this.#store.writer.isInDoubt);
    } catch (error) {
      throw asLedgerError(error);
    }
  }

  charge(charge: Charge): Promise<ChargeResult> {
    return this.#charges.add(charge);
  }

  chargeTogether(charges: readonly Charge[]): Promise<readonly Charged[]> {
    return this.#charges.addTogether(charges);
  }

  record(call: Call & { readonly status: number }): void {
    if (this.#state === 'closed') return;
    this.#store.markUsage().add(call, call.status, 0);
  }

  /** Until the ledger is closed. Doubts of an earlier run are settled. */
  maintain(): void {
    this.#store.keeper.serve();
    void this.#store.writer.settleDoubts();
  }

  /** Each look forces a commit to the disk, so that anybody who asks often would slow charging down. */
  ready(): Promise<void> {
    if (this.#state === 'closed') return Promise.reject(ledgerClosed());
    const atMs = this.#pace.elapsedMs();
    if (this.#readiness === undefined || atMs - this.#readiness.atMs >= readyEveryMs) {
      this.#readiness = { atMs, told: this.#prove() };
    }
    return this.#readiness.told;
  }

  async close(): Promise<void> {
    if (this.#state === 'closed') return;
    this.#state = 'closed';
    await this.#charges.settle();
    try {
      await this.#store.finish();
    } finally {
      await this.#store.keeper.stop();
    }
  }

  async #prove(): Promise<void> {
    await this.#charges.settle();
    await this.#store.writer.transact(() => this.#store.raisePulse());
  }

  #findUsable(keyHash: string, atMs: number): KeyEntry | undefined {
    const key = this.#store.findKey(keyHash);
    return key !== undefined && keyState(key, atMs) === 'works' ? key : undefined;
  }

  #admitNow(asked: Asked): Admission | Promise<Admission> {
    const { keyHash, atMs } = asked;
    const key = this.#findUsable(keyHash, atMs);
    if (key === undefined) return unknown;
    if (!isRefreshDue(key.account, atMs)) return this.#count(key, asked);
    return this.#refresh(key.account.accountId, atMs).then(() =>
      this.#store.read(() => this.#admitRefreshed(asked)),
    );
  }

  /** Whether or not a refresh is due again: where the clock went back meanwhile, calls of before and after it would take turns at
   *  undoing each other's period without end. */
  #admitRefreshed(asked: Asked): Admission {
    const key = this.#findUsable(asked.keyHash, asked.atMs);
    return key === undefined ? unknown : this.#count(key, asked);
  }

  #refresh(accountId: string, atMs: number): Promise<void> {
    return this.#store.writer.transact(async () => {
      const account = this.#store.findAccount(accountId);
      if (account !== undefined) await refreshIfDue(this.#store.sql, account, atMs, this.#tell);
    });
  }

  /** Refused calls count too, so that repeating them at once gains nothing; those beyond a guest's share do not. */
  #count({ caller, account, limits, tally }: KeyEntry, { host, atMs }: Asked): Admission {
    const spans = this.#spansAt(atMs);
    const beyondShare =
      host !== undefined && isGuest(caller) ? this.#guests.take(host, limits, spans) : undefined;
    if (beyondShare === undefined) {
      tally.add(spans);
      this.#store.markTally(tally);
    }
    const standing = {
      creditsRemaining: account.balance,
      refreshAtMs: account.refreshAtMs,
      limits,
      minuteRemaining: minuteRemaining(limits, tally, spans),
      minuteResetAtMs: spans.minute.endMs,
    };
    if (account.suspended !== null) return { kind: 'suspended', caller, standing };
    const hit = beyondShare ?? findLimitHit(limits, tally, spans);
    return hit === undefined
      ? { kind: 'admitted', caller, standing }
      : { kind: 'limited', caller, standing, ...hit };
  }

  #spansAt(atMs: number): Spans {
    const { startMs, endMs } = this.#spans.minute;
    if (atMs < startMs || atMs >= endMs) this.#spans = spansAt(atMs);
    return this.#spans;
  }

  /** Within a transaction. */
  #chargeAll(charges: readonly Charge[], results: Results = []): MaybeLater<Results> {
    while (results.length < charges.length) {
      const posted = this.#store.postCharges(charges, results.length, isPlain);
      if (posted.kind === 'posted') {
        posted.accounts.forEach(({ refreshAtMs }, place) => {
          results.push(resultOf('charged', { balance: posted.balances[place] ?? 0, refreshAtMs }));
        });
        continue;
      }
      const one = posted.kind === 'repeated' ? posted.count : 1;
      for (const charge of charges.slice(results.length, results.length + one)) {
        const account = this.#store.findPayer(charge.caller)?.account;
        if (account !== undefined && !isQuiet(charge, account))
          return this.#chargeRefreshed(charges, results, charge, account);
        results.push(this.#chargeOne(charge));
      }
    }
    this.#removeOld(charges);
    return results;
  }

  async #chargeRefreshed(
    charges: readonly Charge[],
    results: Results,
    next: Charge,
    account: AccountRow,
  ): Promise<Results> {
    await refreshIfDue(this.#store.sql, account, next.atMs, this.#tell);
    results.push(this.#chargeOne(next));
    return this.#chargeAll(charges, results);
  }

  #removeOld(charges: readonly Charge[]): void {
    const [first] = charges;
    if (first !== undefined) this.#store.repeats.removeOld(first.atMs, charges.length);
  }

  /** A charge that may stand already, has an Idempotency-Key, or comes when a period ends. */
  #chargeOne(charge: Charge): ChargeResult | LedgerRefusal {
    const { chargeId } = charge;
    const payer = this.#store.findPayer(charge.caller);
    if (payer === undefined) return noPayer();
    const { account } = payer;
    const recollection = this.#store.repeats.recallFor(account, charge);
    if (recollection !== 'new') {
      this.#store.usageOfWork.add(charge, recollection === 'same' ? 200 : 400, 0);
      return resultOf(recollection === 'same' ? 'replayed' : 'mismatched', account);
    }
    const { findCharge } = this.#store.statements;
    if (findCharge.get(reversalOf(chargeId)) !== undefined) return givenBackAlready();
    const made = findCharge.get(chargeId);
    if (made !== undefined) {
      return resultOf('charged', { ...account, balance: readNumber(made, 'balance_after') });
    }
    if (this.#store.postCharges([charge], 0, always).kind === 'posted') {
      this.#store.repeats.remember(account, charge);
      return resultOf('charged', account);
    }
    this.#store.usageOfWork.add(charge, 402, 0);
    return resultOf('insufficient', account);
  }
}

const always = (): boolean => true;

function isPlain({ repeatable, atMs }: Charge, account: AccountRow): boolean {
  return repeatable === undefined && isQuiet({ atMs }, account);
}

/** No refresh is due for it. */
function isQuiet({ atMs }: Pick<Charge, 'atMs'>, account: AccountRow): boolean {
  const { startMs, endMs } = quietSpan(account);
  return atMs >= startMs && atMs < endMs;
}

/** One for each charge so far, in their order. */
type Results = (ChargeResult | LedgerRefusal)[];

type Standing = Pick<AccountRow, 'balance' | 'refreshAtMs'>;

function resultOf(kind: ChargeResult['kind'], { balance, refreshAtMs }: Standing): ChargeResult {
  return { kind, creditsRemaining: balance, refreshAtMs };
}
