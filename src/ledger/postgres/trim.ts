// Retention in the database: old entries of a journal give way to one that says what they came to.

import { readNumber } from '../../storage/rows.ts';
import { LedgerRefusal } from '../ledger.ts';
import { closeEntries } from '../retention.ts';
import { type Names, readJournalRow } from '../stored/follow.ts';
import type { Ask, Database } from './database.ts';

/** Entries replaced in one transaction. After each of them the chain holds. */
const portionEntries = 2_000;

export async function trimAccount(
  database: Database,
  names: Names,
  account: number,
  lastSeq: number,
): Promise<void> {
  while ((await database.transact((ask) => trimPortion(ask, names, account, lastSeq))) === portionEntries);
}

/** Tells how many entries it replaced. */
async function trimPortion(ask: Ask, names: Names, account: number, lastSeq: number): Promise<number> {
  // Two trims at once would each close what the other has closed.
  await ask('SELECT pg_advisory_xact_lock($1, $2)', [trimLock, 0]);
  await ask("SELECT set_config('domesday.trimming', 'on', true)");
  const rows = await ask(
    `SELECT *, NULL AS entries FROM domesday.journal WHERE account = $1 AND seq <= $2 ORDER BY seq LIMIT $3`,
    [account, lastSeq, portionEntries],
  );
  const [first, ...others] = rows.map((row) => readJournalRow(row, names).entry);
  if (first === undefined) return 0;
  const [closing] = await ask(
    'DELETE FROM domesday.closings WHERE account = $1 RETURNING seq, credits, lasting, entries, first_at',
    [account],
  );
  if ((closing === undefined ? null : readNumber(closing, 'seq')) !== first.previous)
    throw changedMeanwhile();
  const before = closing && {
    credits: readNumber(closing, 'credits'),
    lasting: readNumber(closing, 'lasting'),
    entries: readNumber(closing, 'entries'),
    firstAtMs: readNumber(closing, 'first_at'),
  };
  const { last, credits, lasting, note, entries, firstAtMs, hash } = closeEntries(before, [first, ...others]);
  await ask('DELETE FROM domesday.charge_ids WHERE id = ANY ($1)', [
    [first, ...others].flatMap(({ chargeId }) => chargeId ?? []),
  ]);
  await ask('DELETE FROM domesday.journal WHERE account = $1 AND seq <= $2', [account, last.seq]);
  await ask('DELETE FROM domesday.repeats WHERE account = $1 AND entry <= $2', [account, last.seq]);
  await ask(`INSERT INTO domesday.closings VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)`, [
    last.seq,
    account,
    last.atMs,
    credits,
    lasting,
    last.balanceAfter,
    last.lastingAfter,
    note,
    last.hash,
    entries,
    firstAtMs,
    hash,
  ]);
  return rows.length;
}

const trimLock = 0x54_52_49_4d; // "TRIM"

const changedMeanwhile = () =>
  new LedgerRefusal('The journal was changed while it was trimmed; run `domesday check`, then trim again.');
