// Finds charges in the database and gives them back, or sees to it that they can never be made.

import { type Row, readNumber, readText } from '../../../storage/rows.ts';
import type { Tell } from '../../ledger.ts';
import { reversalOf, reverse } from '../../stored/reversals.ts';
import type { Ask, Database } from '../database.ts';
import { workAtDesk } from '../desk.ts';

/** Tells how many stood. Each in a transaction of its own; whatever fails is left for the next time. */
export async function giveBack(database: Database, chargeIds: Iterable<string>, tell: Tell): Promise<number> {
  let stood = 0;
  for (const chargeId of chargeIds) {
    const was = await database.transact((ask) => giveBackOne(ask, chargeId, tell));
    if (was === 'given back') stood += 1;
  }
  return stood;
}

type Outcome = 'given back' | 'never made' | 'paid for a repetition';

async function giveBackOne(ask: Ask, chargeId: string, tell: Tell): Promise<Outcome> {
  // Waits for a transaction that is still about to make it; afterwards nobody can.
  const voided = await ask(
    'INSERT INTO domesday.charge_ids (id) VALUES ($1) ON CONFLICT DO NOTHING RETURNING id',
    [chargeId],
  );
  if (voided.length > 0) return 'never made';
  const [found] = await ask(
    `SELECT known.seq, known.at, known.account, accounts.id AS account_id
      FROM domesday.charge_ids AS known JOIN domesday.accounts ON accounts.number = known.account
      WHERE known.id = $1 AND known.seq IS NOT NULL
      AND NOT EXISTS (SELECT FROM domesday.charge_ids AS reversal WHERE reversal.id = $2)`,
    [chargeId, reversalOf(chargeId)],
  );
  if (found === undefined) return 'never made';
  const [charge] = await ask(
    'SELECT account, seq, at, credits, lasting, key, endpoint FROM domesday.journal WHERE account = $1 AND seq = $2 AND at = $3',
    [found.account, found.seq, found.at],
  );
  if (charge === undefined) return 'never made';
  // In the order in which a charge locks them.
  await ask('SELECT FROM domesday.accounts WHERE number = $1 FOR NO KEY UPDATE', [found.account]);
  const [repeat] = await ask('SELECT paid FROM domesday.repeats WHERE entry = $1 FOR UPDATE', [found.seq]);
  if (repeat?.paid === true) return 'paid for a repetition';
  await reverseOne(ask, chargeId, { ...charge, account_id: found.account_id }, tell);
  return 'given back';
}

async function reverseOne(ask: Ask, chargeId: string, charge: Row, tell: Tell): Promise<void> {
  const accountId = readText(charge, 'account_id');
  const { posting, usage } = reverse(chargeId, {
    atMs: readNumber(charge, 'at'),
    credits: readNumber(charge, 'credits'),
    lasting: readNumber(charge, 'lasting'),
  });
  await workAtDesk(ask, { accountId }, tell, (desk) => {
    const account = desk.findAccount(accountId);
    if (account !== undefined) desk.post(account, posting);
  });
  await ask('DELETE FROM domesday.repeats WHERE entry = $1', [charge.seq]);
  const { hourStartMs, status, calls, credits } = usage;
  await ask(
    `INSERT INTO domesday.usage AS stored VALUES ($1, $2, $3, $4, $5, $6, $7)
      ON CONFLICT (account, hour, key, endpoint, status)
      DO UPDATE SET calls = stored.calls + excluded.calls, credits = stored.credits + excluded.credits`,
    [charge.account, hourStartMs, charge.key, charge.endpoint, status, calls, credits],
  );
}
