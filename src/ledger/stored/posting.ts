// Entries of the journal but charges, and the periods of accounts: what an entry says, when a period begins, what it gave, and what a
// wrong clock did to it. All of it within a transaction that has locked the account.

import { readNumber } from '../../storage/rows.ts';
import type { Sql } from '../../storage/sql.ts';
import { type HashCharge, hashEntry } from '../chain.ts';
import type { Charge, Tell } from '../ledger.ts';
import { notes, sayTime } from '../replay.ts';
import {
  isPeriodAstray,
  isRefreshDue,
  type Movement,
  monthMostMs,
  nextRefresh,
  type Period,
  realign,
  refresh,
} from '../rules.ts';
import { type JournalEntry, type JournalKind, journalKinds } from '../told/entries.ts';
import { type AccountRow, readAccount } from './records.ts';
import type { LedgerStorage } from './storage.ts';

export type Posting = Movement & {
  readonly atMs: number;
  readonly kind: Exclude<JournalKind, 'charge' | 'closing'>;
  readonly note: JournalEntry['note'];
  /** It keeps the entry from coming twice. */
  readonly chargeId?: string;
};

/** The account's newest entry but for its number, which the storage gives. */
type Drawn = {
  readonly hash: string;
  readonly balanceAfter: number;
  readonly lastingAfter: number;
};

/** What an entry follows. */
type Before = Pick<AccountRow, 'accountId' | 'balance' | 'lasting' | 'newestSeq' | 'newestHash'>;

function drawEntry(account: Before, posting: Posting): Drawn {
  const { atMs, kind, note, chargeId = null } = posting;
  const { accountId, newestHash } = account;
  const moved = movedBy(account, posting);
  // The request id as it is read back.
  const said = { accountId, atMs, kind, chargeId, requestId: chargeId, keyId: null, endpoint: null, note };
  const { balanceAfter, lastingAfter } = moved;
  return { hash: hashEntry(newestHash, { ...said, ...moved }), balanceAfter, lastingAfter };
}

export function drawCharge(account: Before, charge: Charge, movement: Movement, hashOf: HashCharge): Drawn {
  const moved = movedBy(account, movement);
  const { balanceAfter, lastingAfter } = moved;
  return { hash: hashOf(account.newestHash, moved, charge), balanceAfter, lastingAfter };
}

function movedBy(account: Before, { credits, lasting }: Movement) {
  const { newestSeq: previous } = account;
  const balanceAfter = account.balance + credits;
  const lastingAfter = account.lasting + lasting;
  return { previous, credits, lasting, balanceAfter, lastingAfter };
}

/** Its newest state, which nobody else changes before the end of the transaction: a change of nothing locks a row in every engine. */
export async function lockAccount(sql: Sql, accountId: string): Promise<AccountRow | undefined> {
  const [row] = await sql.all('UPDATE accounts SET name = name WHERE id = ? RETURNING *', [accountId]);
  return row && readAccount(row);
}

/** An entry and the balances it leads to. */
export async function post(sql: Sql, account: AccountRow, posting: Posting): Promise<void> {
  const { atMs, kind, credits, lasting, note, chargeId = null } = posting;
  const { hash, balanceAfter, lastingAfter } = drawEntry(account, posting);
  const [row] = await sql.all(
    `INSERT INTO journal (previous, account, at, kind, credits, lasting, balance_after, lasting_after, charge_id, note, hash)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) RETURNING seq`,
    [
      account.newestSeq,
      account.number,
      atMs,
      journalKinds.indexOf(kind),
      credits,
      lasting,
      balanceAfter,
      lastingAfter,
      chargeId,
      note,
      hash,
    ],
  );
  const seq = readNumber(row, 'seq');
  await sql.all(
    'UPDATE accounts SET balance = ?, lasting = ?, newest_entry = ?, newest_hash = ? WHERE number = ?',
    [balanceAfter, lastingAfter, seq, hash, account.number],
  );
  account.balance = balanceAfter;
  account.lasting = lastingAfter;
  account.newestSeq = seq;
  account.newestHash = hash;
}

/** In a transaction of its own; once, however often it is asked. */
export async function refreshAccount(
  storage: LedgerStorage,
  accountId: string,
  atMs: number,
  tell: Tell,
): Promise<void> {
  await storage.transaction(async (sql) => {
    const account = await lockAccount(sql, accountId);
    if (account !== undefined) await refreshIfDue(sql, account, atMs, tell);
  }, 'repeat');
}

export async function refreshIfDue(sql: Sql, account: AccountRow, atMs: number, tell: Tell): Promise<void> {
  if (isPeriodAstray(account, atMs)) await putPeriodRight(sql, account, atMs, tell);
  if (!isRefreshDue(account, atMs)) return;
  const { movement, period } = refresh(account, atMs, await givenBefore(sql, account, atMs));
  await post(sql, account, { ...movement, atMs, kind: 'refresh', note: null });
  await beginPeriod(sql, account, period);
}

/** What the period that holds `atMs` gave before the account left it: 0 unless the clock has gone back. */
export async function givenBefore(sql: Sql, { number }: AccountRow, atMs: number): Promise<number> {
  const [row] = await sql.all(
    'SELECT coalesce(max(allowance_given), 0) AS given FROM periods WHERE account = ? AND ends_at > ? AND ends_at <= ?',
    [number, atMs, atMs + monthMostMs],
  );
  return readNumber(row, 'given');
}

export async function beginPeriod(sql: Sql, account: AccountRow, period: Period): Promise<void> {
  const { anchorAtMs, periodEndsAtMs, allowanceGiven } = period;
  if (account.periodEndsAtMs !== null && account.periodEndsAtMs !== periodEndsAtMs) {
    // What the period gave that is left, or the more of two.
    await sql.all(
      `INSERT INTO periods (account, ends_at, allowance_given) VALUES (?, ?, ?) ON CONFLICT (account, ends_at)
        DO UPDATE SET allowance_given = excluded.allowance_given
        WHERE periods.allowance_given < excluded.allowance_given`,
      [account.number, account.periodEndsAtMs, account.allowanceGiven],
    );
  }
  await sql.all(
    'UPDATE accounts SET anchor_at = ?, period_ends_at = ?, allowance_given = ? WHERE number = ?',
    [anchorAtMs, periodEndsAtMs, allowanceGiven, account.number],
  );
  account.anchorAtMs = anchorAtMs;
  account.periodEndsAtMs = periodEndsAtMs;
  account.allowanceGiven = allowanceGiven;
  account.refreshAtMs = nextRefresh(account.plan, period);
}

async function putPeriodRight(sql: Sql, account: AccountRow, atMs: number, tell: Tell): Promise<void> {
  const astrayMs = account.periodEndsAtMs;
  await post(sql, account, { credits: 0, lasting: 0, atMs, kind: 'correction', note: notes.realigned });
  await beginPeriod(sql, account, realign(account, atMs, await givenBefore(sql, account, atMs)));
  const [was, is] = [astrayMs, account.periodEndsAtMs].map(sayTime);
  const message = `The next refresh of ${account.accountId} was set to ${was}, more than a month ahead, as happens after a wrong clock. It is now at ${is}; no credits were given for it.`;
  tell({ level: 'warn', message });
}
