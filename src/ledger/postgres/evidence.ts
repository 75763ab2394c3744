// What the database has besides the journals, for whoever compares the two. Read at once, in the transaction that reads the
// journals.

import { type Row, readNumber, readText, readTextOrNull } from '../../storage/rows.ts';
import { quietSpan } from '../rules.ts';
import { type Evidence, usageDaysAstray } from '../stored/proofs.ts';
import { readAccount } from '../stored/records.ts';
import { recordFaults } from '../stored/versions.ts';
import type { Ask } from './database.ts';
import { migrations } from './schema/migrations.ts';

export async function gatherEvidence(ask: Ask, accounts: readonly Row[]): Promise<Evidence> {
  const keys = await ask(
    'SELECT number, id, account, kind, hash, last_four, replaced_by, origins, paths, addresses FROM domesday.keys',
  );
  const periods = await ask('SELECT account, ends_at, allowance_given FROM domesday.periods');
  // As text, a few thousand rows each: there can be millions.
  const usage =
    await ask(`SELECT json_agg(json_build_array(account, hour, key, endpoint, status, calls, credits))::text
    AS rows FROM (SELECT *, row_number() OVER () / 5000 AS portion FROM domesday.usage) AS counted GROUP BY portion`);
  const repeats = await ask(
    `SELECT entry, repeats.account, repeats.at, repeats.key AS called, call, journal.account AS payer,
      journal.at AS paid_at, journal.key, journal.charge_id, repeats.charge_id AS said_id
      FROM domesday.repeats LEFT JOIN domesday.journal ON journal.account = repeats.account AND seq = entry`,
  );
  // What was given back, which is little.
  const reversed = await ask(
    `SELECT charge.charge_id, charge.seq, charge.account, charge.at, charge.credits, charge.key, charge.endpoint
      FROM domesday.charge_ids AS reversal
      JOIN domesday.charge_ids AS known ON known.id = substr(reversal.id, length('reversal of ') + 1)
      JOIN domesday.journal AS charge ON charge.account = known.account AND charge.seq = known.seq AND charge.at = known.at
      WHERE reversal.id LIKE 'reversal of %'`,
  );
  const charges = new Map(reversed.map((row) => [readText(row, 'charge_id'), row]));
  const faults = [
    ...(await faultsOf(ask)),
    ...accounts.flatMap(faultOfSpan),
    ...repeats.flatMap(faultOfRepeat),
  ];
  return {
    keys: () => keys,
    periods: () => periods,
    usage: () => usageIn(usage),
    repeats: () => repeats,
    findCharge: (chargeId) => charges.get(chargeId),
    faults: () => faults,
  };
}

function* usageIn(portions: readonly Row[]): Generator<Row> {
  for (const portion of portions) {
    const rows: readonly unknown[][] = JSON.parse(readText(portion, 'rows'));
    for (const [account, hour, key, endpoint, status, calls, credits] of rows) {
      yield { account, hour, key, endpoint, status, calls, credits };
    }
  }
}

function faultOfSpan(row: Row): readonly string[] {
  const account = readAccount(row);
  const { startMs, endMs } = quietSpan(account);
  const isRight = readNumber(row, 'quiet_from') === startMs && readNumber(row, 'quiet_to') === endMs;
  return isRight ? [] : [`the row of ${account.accountId} and its period disagree about its next refresh`];
}

function faultOfRepeat(row: Row): readonly string[] {
  const isSame = row.payer === null || readTextOrNull(row, 'said_id') === readTextOrNull(row, 'charge_id');
  return isSame
    ? []
    : [`its memory of the call charged by entry ${readNumber(row, 'entry')} names another charge`];
}

/** What only this engine keeps: hashes beside the accounts, ids beside the journal, and references without a key. */
async function faultsOf(ask: Ask): Promise<readonly string[]> {
  const [sums] = await ask(`SELECT
    (SELECT count(*) FROM domesday.journal WHERE charge_id IS NOT NULL AND NOT EXISTS (
      SELECT FROM domesday.charge_ids AS known WHERE known.id = charge_id AND known.seq = journal.seq
        AND known.account = journal.account AND known.at = journal.at)) AS without_id,
    (SELECT count(*) FROM domesday.charge_ids AS known WHERE seq IS NOT NULL AND NOT EXISTS (
      SELECT FROM domesday.journal WHERE journal.account = known.account AND journal.seq = known.seq
        AND journal.at = known.at AND charge_id = known.id)) AS without_entry,
    (SELECT count(*) FROM domesday.usage WHERE account NOT IN (SELECT number FROM domesday.accounts)
      OR key NOT IN (SELECT number FROM domesday.keys)
      OR endpoint NOT IN (SELECT number FROM domesday.endpoints)) AS usage_of_none,
    (SELECT count(*) FROM (SELECT FROM (
      SELECT account, hour / 86400000 AS day, key, endpoint, status, calls, credits FROM domesday.usage
      UNION ALL SELECT account, day, key, endpoint, status, -calls, -credits FROM domesday.usage_days) AS both_sides
      GROUP BY account, day, key, endpoint, status HAVING sum(calls) <> 0 OR sum(credits) <> 0) AS days) AS days_astray,
    (SELECT count(*) FROM domesday.repeats WHERE account NOT IN (SELECT number FROM domesday.accounts)) AS repeats_of_none,
    (SELECT count(*) FROM domesday.identity) AS identities`);
  const hashes = await ask(`SELECT accounts.id FROM domesday.accounts JOIN domesday.entries
    ON entries.account = accounts.number AND entries.seq = accounts.newest_entry
    WHERE entries.hash IS DISTINCT FROM accounts.newest_hash`);
  const count = (column: string) => readNumber(sums, column);
  return [
    ...(count('without_id') > 0
      ? [`${count('without_id')} entries have a charge id that is not listed as used`]
      : []),
    ...(count('without_entry') > 0
      ? [`${count('without_entry')} charge ids are listed as used, but no entry has them`]
      : []),
    ...(count('usage_of_none') > 0 ? ['a row of usage refers to a missing account, key or endpoint'] : []),
    ...(count('days_astray') > 0 ? [usageDaysAstray] : []),
    ...(count('repeats_of_none') > 0 ? ['a row of repeats refers to a missing account'] : []),
    ...(count('identities') === 1 ? [] : ['its table identity was changed']),
    ...hashes.map((row) => `the row of ${readText(row, 'id')} has another hash than its newest entry`),
    ...recordFaults(
      await ask('SELECT version, name, breaks, since FROM domesday.schema_versions'),
      migrations,
    ),
  ];
}
