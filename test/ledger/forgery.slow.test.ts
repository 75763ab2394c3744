// Any one column of any row of the ledger, changed by other hands, is told by `check`: every table, every column, several
// values. What cannot be known is listed here, each with its reason; docs/ledger.md tells it in words.

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync, type SQLInputValue, type SQLOutputValue } from 'node:sqlite';
import { after, before, describe, it } from 'node:test';
import { hashEntry } from '../../src/ledger/chain.ts';
import { LedgerUnavailable } from '../../src/ledger/ledger.ts';
import { eventLoop } from '../../src/ledger/pace.ts';
import { slicedSql, sqliteFile } from '../../src/ledger/sqlite/storage.ts';
import { verifyJournals } from '../../src/ledger/stored/journals.ts';
import { journalKinds } from '../../src/ledger/told/entries.ts';
import type { JournalReport } from '../../src/ledger/told/journals.ts';
import type { Sql } from '../../src/storage/sql.ts';
import { peopleTableNames } from '../../src/storage/tables.ts';
import { dayMs, hourMs } from '../../src/time.ts';
import { startMs } from './bench.ts';
import { makeRichLedger } from './rich-ledger.ts';

const day = (days: number) => startMs + days * dayMs;
const nowMs = day(200);
let home = '';
let db: DatabaseSync;
let sql: Sql;
before(async () => {
  home = mkdtempSync(join(tmpdir(), 'domesday-forgery-'));
  await makeRichLedger(home);
  db = new DatabaseSync(join(home, 'domesday.sqlite'), { enableForeignKeyConstraints: false });
  // Those that refuse; the usage by day follows that by hour as in earnest.
  const refusing = "SELECT name FROM sqlite_schema WHERE type = 'trigger' AND tbl_name <> 'usage'";
  for (const { name } of db.prepare(refusing).all()) db.exec(`DROP TRIGGER ${String(name)}`);
  sql = slicedSql(db, eventLoop);
});
after(() => {
  db.close();
  rmSync(home, { recursive: true });
});

type Row = Readonly<Record<string, SQLOutputValue>>;
type Edit = { readonly row: Row; readonly value: SQLInputValue };

const numberOf = (name: string) =>
  Number(db.prepare('SELECT number FROM accounts WHERE name = ?').get(name)?.number);
/** Accounts whose opening was trimmed. */
const isCut = ({ account, number }: Row) =>
  ['Ada', 'Bob', 'Cyd'].map(numberOf).includes(Number(account ?? number));
const isUsed = ({ number }: Row) =>
  db.prepare('SELECT 1 FROM usage WHERE key = ?').get(Number(number)) !== undefined;
const isCharged = (column: 'key' | 'endpoint', { number }: Row) =>
  db.prepare(`SELECT 1 FROM journal WHERE ${column} = ?`).get(Number(number)) !== undefined;
/** Of two keys of a rotation, each tells the origins of the other. */
const isBoundAlone = ({ kind, number, replaced_by: newer }: Row) =>
  kind === 'publishable' &&
  newer === null &&
  db.prepare('SELECT 1 FROM keys WHERE replaced_by = ?').get(Number(number)) === undefined;
const always = () => true;
const callsAreHere = 'calls that cost nothing, or whose entries were trimmed, are only here';
const isFree = ({ row }: Edit) => row.credits === 0 || isCut(row);
/** Before its day is over and added up, a call is counted once. */
const isFreeOfLastDay = (edit: Edit) => isFree(edit) && Number(edit.row.hour) >= lastDayOf(edit.row);
const lastDayOf = ({ account }: Row) =>
  Number(db.prepare('SELECT last_day_at FROM accounts WHERE number = ?').get(Number(account))?.last_day_at);

type Unknowable = { readonly why: string; readonly when: (edit: Edit) => boolean };

const unknowable: Readonly<Record<string, Unknowable>> = {
  'accounts.name': { why: 'free text', when: always },
  'accounts.plan': { why: 'the entry was trimmed', when: ({ row }) => isCut(row) },
  'accounts.own_allowance': { why: 'the entry was trimmed', when: ({ row }) => isCut(row) },
  'accounts.own_minute_limit': { why: 'the entry was trimmed', when: ({ row }) => isCut(row) },
  'accounts.own_day_limit': { why: 'the entry was trimmed', when: ({ row }) => isCut(row) },
  'accounts.own_month_limit': { why: 'the entry was trimmed', when: ({ row }) => isCut(row) },
  'accounts.closed_at': { why: 'the entry was trimmed', when: ({ row }) => isCut(row) },
  'accounts.anchor_at': {
    why: 'trimmed; a trial account, which has no period, needs none',
    when: ({ row }) => isCut(row) && row.period_ends_at === null,
  },
  'accounts.period_ends_at': {
    why: 'trimmed, and no refresh since',
    when: ({ row }) => isCut(row) && row.name !== 'Ada',
  },
  'accounts.allowance_given': {
    why: 'trimmed, and no refresh since',
    when: ({ row, value }) => isCut(row) && row.name !== 'Ada' && Number(value) >= 0,
  },
  'keys.number': { why: 'nothing refers to it', when: ({ row }) => !isUsed(row) && row.replaced_by === null },
  'keys.id': {
    why: 'no charge names it',
    when: ({ row }) => !isCharged('key', row) && row.id !== 'key_public',
  },
  'keys.account': { why: 'it was never used', when: ({ row }) => !isUsed(row) && row.id !== 'key_public' },
  'keys.name': { why: 'free text', when: always },
  'keys.kind': {
    why: 'a key of another kind could have been charged, or was not',
    when: ({ row, value }) =>
      row.id !== 'key_public' &&
      row.origins === null &&
      ['live', 'test', 'admin'].includes(String(value)) &&
      (value !== 'test' || !isCharged('key', row)),
  },
  'keys.origins': {
    why: 'keys are not in the journal',
    when: ({ row, value }) => isBoundAlone(row) && /^https?:\/\/[a-z]/.test(String(value)),
  },
  'keys.paths': {
    why: 'keys are not in the journal',
    when: ({ row, value }) => row.kind !== 'web' && (value === null || String(value).startsWith('/')),
  },
  'keys.addresses': {
    why: 'keys are not in the journal',
    when: ({ row, value }) => row.kind !== 'web' && (value === null || /^\d.*\/\d+$/.test(String(value))),
  },
  'keys.last_four': { why: 'the key itself is not kept', when: ({ value }) => String(value).length === 4 },
  'keys.created_at': { why: 'keys are not in the journal', when: always },
  'keys.expires_at': { why: 'keys are not in the journal', when: always },
  'keys.revoked_at': { why: 'keys are not in the journal', when: always },
  'keys.replaced_by': { why: 'keys are not in the journal', when: ({ value }) => value === null },
  'endpoints.path': { why: 'no charge names it', when: ({ row }) => !isCharged('endpoint', row) },
  'windows.mode': { why: 'calls are not in the journal', when: always },
  ...Object.fromEntries(
    ['minute', 'day', 'month'].flatMap((window) =>
      ['start', 'count'].map((what) => [
        `windows.${window}_${what}`,
        { why: 'calls are not in the journal', when: always },
      ]),
    ),
  ),
  'windows.account': { why: 'calls are not in the journal', when: always },
  'usage.hour': { why: callsAreHere, when: (edit) => isFree(edit) && Number(edit.value) % hourMs === 0 },
  'usage.key': { why: callsAreHere, when: isFreeOfLastDay },
  'usage.endpoint': { why: callsAreHere, when: isFreeOfLastDay },
  'usage.status': { why: callsAreHere, when: isFreeOfLastDay },
  'usage.calls': {
    why: callsAreHere,
    when: (edit) => Number(edit.value) >= (isFree(edit) ? 0 : Number(edit.row.calls)),
  },
  'usage.credits': { why: 'charges of that time were trimmed', when: ({ row }) => isCut(row) },
  'periods.ends_at': { why: 'the entry was trimmed', when: ({ row }) => isCut(row) },
  'periods.allowance_given': { why: 'the entry was trimmed', when: ({ row }) => isCut(row) },
  'periods.account': { why: 'the entry was trimmed', when: ({ row }) => isCut(row) },
  'repeats.key': { why: 'a digest', when: ({ value }) => /^[\w-]{22}$/.test(String(value)) },
  'repeats.call': { why: 'a digest', when: ({ value }) => /^[\w-]{22}$/.test(String(value)) },
};

/** Compared with the seal when the ledger is opened; see the tests of its loss. */
const ofTheSeal = new Set(['identity']);

function valuesFor(table: string, column: string, row: Row): readonly SQLInputValue[] {
  const value = row[column];
  const others = db
    .prepare(`SELECT DISTINCT ${column} AS value FROM ${table} LIMIT 3`)
    .all()
    .map((each) => each.value ?? null);
  const odd: SQLInputValue[] =
    typeof value === 'string'
      ? ['', `${value}x`, value.toUpperCase()]
      : [0, -1, Number(value) + 1, Number(value) + 31 * dayMs, 2 ** 53 - 1, 2n ** 62n];
  return [null, ...odd, ...others].filter((each) => each !== value);
}

async function isTold(): Promise<boolean> {
  try {
    const { breaks, different, contradictions } = await verifyJournals(sql, sqliteFile, nowMs);
    return breaks.length + different.length + contradictions.length > 0;
  } catch (error) {
    assert.ok(error instanceof LedgerUnavailable, String(error));
    return true;
  }
}

/** In a transaction that is rolled back. undefined where the tables themselves refuse it. */
async function tells(change: () => void): Promise<boolean | undefined> {
  db.exec('BEGIN');
  try {
    try {
      change();
    } catch {
      return undefined;
    }
    return await isTold();
  } finally {
    db.exec('ROLLBACK');
  }
}

describe('one column of one row, changed by other hands', () => {
  it('is sound before', async () => {
    const { breaks, different, contradictions, entries } = await verifyJournals(sql, sqliteFile, nowMs);
    assert.deepEqual([breaks, different, contradictions], [[], [], []]);
    assert.ok(entries > 30);
  });

  it('is told, in every table and column', async () => {
    const missed = new Set<string>();
    const excused = new Set<string>();
    let told = 0;
    const tables = db.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").all();
    for (const table of tables.map(({ name }) => String(name))) {
      if (ofTheSeal.has(table) || peopleTableNames.includes(table)) continue;
      const all = db.prepare(`SELECT * FROM ${table}`).all();
      // chain.test.ts has more of the journal.
      const rows = table === 'journal' ? all.filter((_, i) => i % 6 === 0) : all;
      assert.ok(rows.length > 0, `${table} has no rows to change`);
      const keys = db.prepare('SELECT name FROM pragma_table_info(?) WHERE pk > 0').all(table);
      const where = keys.map(({ name }) => `${String(name)} = ?`).join(' AND ');
      for (const row of rows) {
        for (const column of Object.keys(row)) {
          for (const value of new Set(valuesFor(table, column, row))) {
            const same =
              column === 'request_id' && (value ?? row.charge_id) === (row[column] ?? row.charge_id);
            if (same) continue;
            const found = await tells(() => {
              const ids = keys.map(({ name }) => row[String(name)] ?? null);
              db.prepare(`UPDATE ${table} SET ${column} = ? WHERE ${where}`).run(value, ...ids);
            });
            if (found === undefined) continue;
            const name = `${table}.${column}`;
            if (found) told += 1;
            else if (unknowable[name]?.when({ row, value }) === true) excused.add(name);
            else missed.add(`${name}: ${String(row[column])} to ${String(value)} in ${JSON.stringify(row)}`);
          }
        }
      }
    }
    assert.deepEqual([...missed], []);
    assert.ok(told > 3_000, `${told} told`);
    const idle = Object.keys(unknowable).filter((name) => !excused.has(name));
    assert.deepEqual(idle, [], 'nothing is excused that is told');
  });
});

describe('rows that belong together, changed by other hands', () => {
  /** What is told after the change, which is then undone. */
  async function toldAfter(change: () => void): Promise<readonly string[]> {
    db.exec('BEGIN');
    try {
      change();
      const { contradictions } = await verifyJournals(sql, sqliteFile, nowMs);
      return contradictions.map(({ subject, problem }) => `${subject}: ${problem}`);
    } finally {
      db.exec('ROLLBACK');
    }
  }

  it('a suspension that no entry tells, and one that was taken away, are told as what they are', async () => {
    const whole = db
      .prepare('SELECT * FROM accounts WHERE closed_at IS NULL')
      .all()
      .filter((row) => !isCut(row));
    const free = whole.find(({ suspended_at: at, id }) => at === null && id !== 'acc_public');
    const suspended = whole.find(({ suspended_at: at }) => at !== null);
    assert.ok(free && suspended);
    const set = db.prepare('UPDATE accounts SET suspended_at = ?, suspended_because = ? WHERE number = ?');
    const made = await toldAfter(() => set.run(5, 'made up', free.number ?? null));
    assert.match(
      made.join(),
      new RegExp(`^${free.id}: .* not suspended; .*suspended since 1970.* because "made up"$`),
    );
    const taken = await toldAfter(() => set.run(null, null, suspended.number ?? null));
    assert.match(taken.join(), new RegExp(`^${suspended.id}: .*suspended since.* not suspended$`, 's'));
  });

  it('a call that is remembered for a charge that was given back is told', async () => {
    const reversal = db.prepare("SELECT charge_id FROM journal WHERE charge_id LIKE 'reversal of %'").get();
    const chargeId = String(reversal?.charge_id).slice('reversal of '.length);
    const given = db.prepare('SELECT seq, account, at FROM journal WHERE charge_id = ?').get(chargeId);
    assert.ok(given);
    const digest = 'a'.repeat(43);
    const told = await toldAfter(() =>
      db
        .prepare('INSERT INTO repeats (entry, account, key, call, at) VALUES (?, ?, ?, ?, ?)')
        .run(given.seq ?? null, given.account ?? null, digest, digest, given.at ?? null),
    );
    assert.match(told.join(), /was given back/);
  });

  it('of an account whose journal is broken nothing is told that rests on it', async () => {
    const charged = db.prepare('SELECT account, max(seq) AS seq FROM journal WHERE key IS NOT NULL').get();
    assert.ok(charged);
    const account = Number(charged.account);
    const id = String(db.prepare('SELECT id FROM accounts WHERE number = ?').get(account)?.id);
    const takeUsage = () => {
      db.prepare('DELETE FROM usage WHERE account = ?').run(account);
      db.prepare('DELETE FROM past_days WHERE account = ?').run(account);
      db.prepare('UPDATE accounts SET last_day_at = 0 WHERE number = ?').run(account);
    };
    const isOfUsage = (each: string) => each.startsWith(id) && each.includes('charges are not in its usage');
    assert.ok((await toldAfter(takeUsage)).some(isOfUsage));
    const broken = await toldAfter(() => {
      takeUsage();
      db.prepare("UPDATE journal SET hash = 'other' WHERE seq = ?").run(Number(charged.seq));
    });
    assert.ok(!broken.some(isOfUsage), broken.join());
  });
});

/** As hands would that know how the ledger is made: every hash of the account is worked out again. */
function hashAgain(account: number): void {
  const rows = db
    .prepare(
      `SELECT journal.*, accounts.id AS account_id, keys.id AS key_id, path FROM journal
       JOIN accounts ON accounts.number = journal.account LEFT JOIN keys ON keys.number = journal.key
       LEFT JOIN endpoints ON endpoints.number = journal.endpoint WHERE journal.account = ? ORDER BY seq`,
    )
    .all(account);
  const text = (value: SQLOutputValue | undefined) => (typeof value === 'string' ? value : null);
  let hash: string | null = null;
  for (const row of rows) {
    hash = hashEntry(hash, {
      accountId: String(row.account_id),
      previous: row.previous === null ? null : Number(row.previous),
      atMs: Number(row.at),
      kind: journalKinds[Number(row.kind)] ?? null,
      credits: Number(row.credits),
      lasting: Number(row.lasting),
      balanceAfter: Number(row.balance_after),
      lastingAfter: Number(row.lasting_after),
      chargeId: text(row.charge_id),
      requestId: text(row.request_id) ?? text(row.charge_id),
      keyId: text(row.key_id),
      endpoint: text(row.path),
      note: text(row.note),
    });
    db.prepare('UPDATE journal SET hash = ? WHERE seq = ?').run(hash, Number(row.seq));
  }
  if (rows.length > 0) db.prepare('UPDATE accounts SET newest_hash = ? WHERE number = ?').run(hash, account);
}

describe('several columns, changed together', () => {
  const reportAfter = async (change: string, account = 0): Promise<JournalReport> => {
    db.exec('BEGIN');
    try {
      db.exec(change);
      hashAgain(account);
      return await verifyJournals(sql, sqliteFile, nowMs);
    } finally {
      db.exec('ROLLBACK');
    }
  };
  const problemsAfter = async (change: string, account = 0) =>
    (await reportAfter(change, account)).contradictions.map(({ problem }) => problem);
  const firstOf = (account: number) =>
    Number(db.prepare('SELECT min(seq) AS seq FROM journal WHERE account = ?').get(account)?.seq);

  it('with hashes worked out again for what did not change, nothing is told', async () => {
    const { breaks, contradictions } = await reportAfter('', numberOf('Hal'));
    assert.deepEqual([breaks, contradictions], [[], []]);
  });

  it('an account without any entry is told', async () => {
    const hal = numberOf('Hal');
    const problems =
      await problemsAfter(`DELETE FROM journal WHERE account = ${hal}; DELETE FROM usage WHERE account = ${hal}; DELETE FROM past_days WHERE account = ${hal};
      UPDATE accounts SET last_day_at = 0, newest_entry = NULL, newest_hash = NULL, balance = 0, lasting = 0 WHERE number = ${hal}`);
    assert.deepEqual(problems, ['it has no entries, not even its opening']);
  });

  it('a first entry that is no opening is told, also where its hash is right', async () => {
    const hal = numberOf('Hal');
    for (const note of ["'welcome'", 'NULL']) {
      const change = `UPDATE journal SET note = ${note} WHERE seq = ${firstOf(hal)}`;
      assert.ok((await problemsAfter(change, hal)).includes('its first entry is not an opening'));
    }
  });

  it('a change from a plan that the account never had changes nothing, also where its hash is right', async () => {
    const hal = numberOf('Hal');
    const change = `UPDATE accounts SET plan = 'standard' WHERE number = ${hal};
      UPDATE journal SET note = 'plan premium to standard' WHERE account = ${hal} AND kind = 3`;
    const problems = await problemsAfter(change, hal);
    assert.ok(
      problems.includes('its journal says that it is on basic; its row says standard'),
      String(problems),
    );
  });

  it('a remembered call that is a grant is told', async () => {
    const change =
      'UPDATE repeats SET entry = (SELECT min(seq) FROM journal WHERE journal.account = repeats.account)';
    const [problem] = await problemsAfter(`${change} WHERE entry = (SELECT max(entry) FROM repeats)`);
    assert.match(problem ?? '', /^its memory of the call .* names no charge of this account$/);
  });

  it('usage that is gone is not told of an account whose journal breaks', async () => {
    const eve = numberOf('Eve');
    const newest = `(SELECT max(seq) FROM journal WHERE account = ${eve})`;
    const { breaks, contradictions } = await reportAfter(
      `UPDATE journal SET hash = 'x' WHERE seq = ${newest}; DELETE FROM usage WHERE account = ${eve};
        DELETE FROM past_days WHERE account = ${eve}; UPDATE accounts SET last_day_at = 0 WHERE number = ${eve}`,
    );
    assert.equal(breaks.length, 1);
    assert.deepEqual(contradictions, []);
  });

  it('a table that is gone is no row of other hands: it fails as it is', async () => {
    const copy = join(home, 'copy.sqlite');
    db.prepare('VACUUM INTO ?').run(copy);
    const other = new DatabaseSync(copy);
    other.exec('DROP TABLE usage');
    const ofOther = slicedSql(other, eventLoop);
    await assert.rejects(verifyJournals(ofOther, sqliteFile, nowMs), /no such table/);
    other.close();
  });
});
