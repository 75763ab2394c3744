// The periods of accounts in the SQLite engine: when one begins, what it gave, and what a wrong clock did to it. All of it
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
import { readNumber } from './rows.ts';
import type { AccountRow, Statements } from './statements.ts';

type Books = {
  readonly statements: Statements;
  readonly post: (account: AccountRow, posting: Posting) => void;
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
  givenBefore({ number }: AccountRow, atMs: number): number {
    const row = this.#books.statements.findGiven.get(number, atMs, atMs + monthMostMs);
    return readNumber(row, 'given');
  }

  begin(account: AccountRow, period: Period): void {
    const { upsertGiven, updatePeriod } = this.#books.statements;
    const { anchorAtMs, periodEndsAtMs, allowanceGiven } = period;
    if (account.periodEndsAtMs !== null && account.periodEndsAtMs !== periodEndsAtMs) {
      upsertGiven.run(account.number, account.periodEndsAtMs, account.allowanceGiven);
    }
    updatePeriod.run(anchorAtMs, periodEndsAtMs, allowanceGiven, account.number);
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
    const message = `The next refresh of ${account.accountId} lay at ${was}, more than a month ahead, as after a wrong clock. It is now at ${is}; no credits were given for it.`;
    this.#tell({ level: 'warn', message });
  }
}
