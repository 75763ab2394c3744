// The periods of accounts, whatever the engine: when one begins, what it gave, and what a wrong clock did to it. All of it
// within a transaction, so that of two connections only one makes a refresh.

import type { Tell } from '../ledger.ts';
import { notes, sayTime } from '../replay.ts';
import {
  isPeriodAstray,
  isRefreshDue,
  monthMostMs,
  nextRefresh,
  type Period,
  realign,
  refresh,
} from '../rules.ts';
import type { Posting } from './posting.ts';
import type { AccountRow } from './records.ts';

type Books = {
  readonly post: (account: AccountRow, posting: Posting) => void;
  /** The most that a period gave which the account has left and which ends in (afterMs, upToMs]; 0 without one. */
  readonly findGiven: (account: AccountRow, afterMs: number, upToMs: number) => number;
  /** Keeps what a period gave that the account leaves, or the more of two. */
  readonly keepGiven: (account: AccountRow, endsAtMs: number, allowanceGiven: number) => void;
  readonly updatePeriod: (account: AccountRow, period: Period) => void;
};

export class Periods {
  readonly #books: Books;
  readonly #tell: Tell;

  constructor(books: Books, tell: Tell) {
    this.#books = books;
    this.#tell = tell;
  }

  refreshIfDue(account: AccountRow, atMs: number): void {
    if (isPeriodAstray(account, atMs)) this.#realign(account, atMs);
    if (!isRefreshDue(account, atMs)) return;
    const { movement, period } = refresh(account, atMs, this.givenBefore(account, atMs));
    this.#books.post(account, { ...movement, atMs, kind: 'refresh', note: null });
    this.begin(account, period);
  }

  /** What the period that holds `atMs` gave before the account left it: 0 unless the clock has gone back. */
  givenBefore(account: AccountRow, atMs: number): number {
    return this.#books.findGiven(account, atMs, atMs + monthMostMs);
  }

  begin(account: AccountRow, period: Period): void {
    const { anchorAtMs, periodEndsAtMs, allowanceGiven } = period;
    if (account.periodEndsAtMs !== null && account.periodEndsAtMs !== periodEndsAtMs) {
      this.#books.keepGiven(account, account.periodEndsAtMs, account.allowanceGiven);
    }
    this.#books.updatePeriod(account, period);
    account.anchorAtMs = anchorAtMs;
    account.periodEndsAtMs = periodEndsAtMs;
    account.allowanceGiven = allowanceGiven;
    account.refreshAtMs = nextRefresh(account.plan, period);
  }

  #realign(account: AccountRow, atMs: number): void {
    const astrayMs = account.periodEndsAtMs;
    const posting = { credits: 0, lasting: 0, atMs, kind: 'correction', note: notes.realigned } as const;
    this.#books.post(account, posting);
    this.begin(account, realign(account, atMs, this.givenBefore(account, atMs)));
    const [was, is] = [astrayMs, account.periodEndsAtMs].map(sayTime);
    const message = `The next refresh of ${account.accountId} was set to ${was}, more than a month ahead, as happens after a wrong clock. It is now at ${is}; no credits were given for it.`;
    this.#tell({ level: 'warn', message });
  }
}
