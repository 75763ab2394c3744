// Journals in the database as a whole: months, retention, and what other hands cannot change unnoticed.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import {
  type LedgerNotice,
  LedgerRefusal,
  LedgerUnavailable,
  type OpenLedger,
} from '../../../src/ledger/ledger.ts';
import { eventLoop, type Pace } from '../../../src/ledger/pace.ts';
import { Database } from '../../../src/ledger/postgres/database.ts';
import { Months, makeMonths } from '../../../src/ledger/postgres/months.ts';
import { repeatable } from '../../../src/ledger/repeats.ts';
import { dayMs } from '../../../src/time.ts';
import { charging, customer, startMs } from '../bench.ts';
import { freshStorage, type PostgresStorage } from './bench.ts';

const day = (days: number) => startMs + days * dayMs;
const nowMs = day(300);

async function withLedger(
  work: (open: OpenLedger, storage: PostgresStorage) => Promise<void>,
): Promise<void> {
  const storage = await freshStorage();
  const open = await storage.open();
  await work(open, storage);
  await open.ledger.close();
  await storage.remove();
}

async function assertSound({ journals }: OpenLedger): Promise<void> {
  const { breaks, different, contradictions } = await journals.verify(nowMs);
  assert.deepEqual([breaks, different, contradictions], [[], [], []]);
}

async function tablesOf({ server, database }: PostgresStorage, table: string): Promise<readonly string[]> {
  const { rows } = await server.ask(
    database,
    'SELECT inhrelid::regclass::text AS name FROM pg_inherits WHERE inhparent = $1::regclass ORDER BY 1',
    [`domesday.${table}`],
  );
  return rows.map(({ name }) => String(name).replace('domesday.', ''));
}

test('a month has a table of its own; a trim drops those that it emptied and touches no balance', async () => {
  await withLedger(async (open, storage) => {
    const { ledger, accounts, journals } = open;
    const database = new Database(storage.server.url(storage.database), eventLoop, () => undefined);
    for (const days of [0, 60, 60, 150, 240]) await makeMonths(database, day(days));
    await database.close();
    assert.deepEqual((await tablesOf(storage, 'journal')).slice(0, 3), [
      'journal_2026_01',
      'journal_2026_02',
      'journal_2026_03',
    ]);
    const customers = [
      await customer(accounts, 'basic'),
      await customer(accounts, 'trial', { allowance: 900 }),
    ];
    for (let days = 0; days < 300; days += 5) {
      for (const { caller, accountId } of customers) {
        await ledger.charge({
          ...charging(caller, `${accountId} ${days}`, 1, day(days)),
          repeatable: repeatable('key', `call ${days}`),
        });
      }
    }
    const standing = async () =>
      Promise.all(
        customers.map(async ({ accountId }) => ({
          account: await accounts.findAccount(accountId, nowMs),
          usage: await accounts.usageOf(accountId),
          newest: await accounts.journalOf(accountId, { newest: 20 }),
        })),
      );
    const before = await standing();
    await assertSound(open);
    const trim = { beforeMs: day(200), atMs: nowMs };
    const planned = await journals.planTrim(trim);
    assert.deepEqual(await journals.trim(trim), planned);
    assert.ok(planned.entries > 80, String(planned.entries));
    await assertSound(open);
    assert.deepEqual(await standing(), before);
    const left = await tablesOf(storage, 'journal');
    assert.ok(!left.includes('journal_2026_07') && left.includes('journal_2026_09'), left.join());
    assert.ok((await tablesOf(storage, 'usage')).includes('usage_2026_02'), 'usage stays');
    assert.deepEqual(await journals.trim(trim), { accounts: 0, entries: 0 });
    await journals.trim({ beforeMs: day(220), atMs: nowMs });
    for (const { caller } of customers) {
      assert.equal((await ledger.charge(charging(caller, `new ${caller.keyId}`, 1, nowMs))).kind, 'charged');
    }
    await assertSound(open);
    await assert.rejects(journals.trim({ beforeMs: day(290), atMs: nowMs }), LedgerRefusal);
  });
});

test('rows that came before a month’s table was made stay in the common one, with those to come', async () => {
  await withLedger(async (open, storage) => {
    const { caller } = await customer(open.accounts, 'trial');
    const database = new Database(storage.server.url(storage.database), eventLoop, () => undefined);
    await makeMonths(database, startMs);
    await database.close();
    assert.equal((await open.ledger.charge(charging(caller, 'c1'))).kind, 'charged');
    assert.deepEqual(await tablesOf(storage, 'journal'), [
      'journal_2026_02',
      'journal_2026_03',
      'journal_other',
    ]);
    await assertSound(open);
  });
});

test('a service that runs on makes the tables of coming months as they come near, until it is stopped', async () => {
  await withLedger(async (_open, storage) => {
    const due: (() => void)[] = [];
    const byHand: Pace = {
      ...eventLoop,
      later: (_ms, work) => {
        due.push(work);
        return () => due.splice(due.indexOf(work), 1);
      },
    };
    const database = new Database(storage.server.url(storage.database), eventLoop, () => undefined);
    const months = new Months(database, byHand, () => undefined);
    await months.keep();
    const made = await tablesOf(storage, 'journal');
    assert.equal(made.length, 4, 'this month, the next two, and the common one');
    // As if it were a month later: the last is not there yet.
    await storage.server.ask(storage.database, `DROP TABLE domesday.${made.at(-2)}`);
    due.shift()?.();
    while ((await tablesOf(storage, 'journal')).length < made.length) await pause(5);
    assert.deepEqual(await tablesOf(storage, 'journal'), made);
    assert.equal(due.length, 1);
    months.stop();
    assert.deepEqual(due, []);
    await database.close();
  });
});

test('that the tables of coming months cannot be made is told, but not of a ledger that is closed', async () => {
  await withLedger(async (_open, { server, database: name }) => {
    const told: LedgerNotice[] = [];
    const database = new Database(server.url(name), eventLoop, () => undefined);
    const months = new Months(database, eventLoop, (notice) => told.push(notice));
    await database.close();
    await months.keep();
    assert.match(told[0]?.message ?? '', /no tables for the coming months yet/);
    const keeping = months.keep();
    months.stop();
    await keeping;
    assert.equal(told.length, 1);
  });
});

test('a balance that cannot be counted exactly is an outage of its account alone, and never told as another', async () => {
  await withLedger(async (open, { server, database }) => {
    const { ledger, accounts, journals } = open;
    const { hash, accountId } = await customer(accounts, 'basic');
    const other = await customer(accounts, 'basic');
    const setBalance = (balance: bigint) =>
      server.ask(database, 'UPDATE domesday.accounts SET balance = $1 WHERE id = $2', [
        String(balance),
        accountId,
      ]);
    const told = async (of: string) => {
      const admission = await ledger.admit(of, startMs);
      return admission.kind === 'admitted' && admission.standing.creditsRemaining;
    };
    await setBalance(2n ** 53n + 1n);
    await assert.rejects(told(hash), LedgerUnavailable);
    await assert.rejects(accounts.findAccount(accountId, startMs), LedgerUnavailable);
    await assert.rejects(
      journals.verify(startMs),
      /a row that no program wrote \(9007199254740993 is no number .*\); stop the service and restore/,
    );
    assert.equal(await told(other.hash), 5_000);
    await setBalance(5_000n);
    assert.equal(await told(hash), 5_000);
    await assertSound(open);
  });
});

test('what other hands change is told', async () => {
  await withLedger(async (open, { server, database }) => {
    const { ledger, accounts, journals } = open;
    const { caller, accountId } = await customer(accounts, 'basic');
    const other = await customer(accounts, 'basic');
    for (const id of ['c1', 'c2']) {
      await ledger.charge({ ...charging(caller, id, 2), repeatable: repeatable(id, id) });
    }
    await accounts.grantCredits(accountId, { credits: 7, note: 'goodwill', atMs: startMs });
    await assertSound(open);
    await assert.rejects(server.ask(database, 'UPDATE domesday.journal SET credits = 0'), /append-only/);
    await assert.rejects(server.ask(database, 'DELETE FROM domesday.journal'), /append-only/);
    await assert.rejects(server.ask(database, 'DELETE FROM domesday.accounts'), /never deleted/);
    const forgeries = [
      "UPDATE domesday.journal SET credits = credits - 1 WHERE charge_id = 'c1'",
      "UPDATE domesday.journal SET at = at + 1 WHERE charge_id = 'c1'",
      "UPDATE domesday.journal SET request_id = 'another' WHERE charge_id = 'c2'",
      "UPDATE domesday.journal SET note = 'badwill' WHERE note = 'goodwill'",
      "UPDATE domesday.journal SET hash = NULL WHERE charge_id = 'c2'",
      "DELETE FROM domesday.journal WHERE charge_id = 'c1'",
      "DELETE FROM domesday.charge_ids WHERE id = 'c1'",
      "UPDATE domesday.charge_ids SET seq = NULL WHERE id = 'c1'",
      "INSERT INTO domesday.charge_ids VALUES ('c9', 99, 1, 1)",
      "UPDATE domesday.repeats SET charge_id = 'c1' WHERE charge_id = 'c2'",
      'UPDATE domesday.repeats SET at = at + 1',
      'UPDATE domesday.usage SET credits = credits + 1',
      'UPDATE domesday.usage SET endpoint = 99',
      `UPDATE domesday.accounts SET balance = balance + 1 WHERE id = '${accountId}'`,
      `UPDATE domesday.accounts SET newest_hash = 'another' WHERE id = '${accountId}'`,
      `UPDATE domesday.accounts SET plan = 'premium' WHERE id = '${other.accountId}'`,
      `UPDATE domesday.keys SET account = (SELECT number FROM domesday.accounts WHERE id = '${other.accountId}')`,
      "UPDATE domesday.schema_versions SET since = '0.0.1'",
    ];
    const { rows: columns } = await server.ask(
      database,
      `SELECT table_name AS table, string_agg(column_name, ', ') AS names FROM information_schema.columns
        WHERE table_schema = 'domesday' AND is_generated = 'NEVER' AND table_name = ANY ($1) GROUP BY 1`,
      [copied],
    );
    const putBack = columns.map(
      ({ table, names }) =>
        `DELETE FROM domesday.${table}; INSERT INTO domesday.${table} (${names}) SELECT ${names} FROM kept.${table};`,
    );
    const toldOf = async (forgery: string): Promise<string> => {
      await server.ask(
        database,
        `CREATE SCHEMA kept; SET session_replication_role = replica;
          ${copied.map((table) => `CREATE TABLE kept.${table} AS TABLE domesday.${table};`).join('')} ${forgery}`,
      );
      const { breaks, different, contradictions } = await journals.verify(startMs);
      await server.ask(
        database,
        `SET session_replication_role = replica;
          ${putBack.join('')}
          DROP SCHEMA kept CASCADE`,
      );
      return [...breaks, ...different, ...contradictions].map((each) => JSON.stringify(each)).join('\n');
    };
    for (const forgery of forgeries) assert.notEqual(await toldOf(forgery), '', forgery);
    const saying: readonly (readonly [forgery: string, said: RegExp])[] = [
      ['UPDATE domesday.repeats SET account = 99', /a row of repeats refers to a missing row of accounts/],
      ['DELETE FROM domesday.identity', /its table identity was changed/],
    ];
    for (const [forgery, said] of saying) assert.match(await toldOf(forgery), said);
    await assertSound(open);
  });
});

const copied = [
  'journal',
  'charge_ids',
  'repeats',
  'usage',
  'accounts',
  'keys',
  'identity',
  'schema_versions',
];
