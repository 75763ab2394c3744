// A year of usage of an account with 10 million calls, in both ledgers: how long its sums take, and for how long the event
// loop is held up meanwhile, beside the same sums straight from the usage by hour. And what the days cost whoever writes usage.

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import pg from 'pg';
import type { OpenLedger } from '../../src/ledger/ledger.ts';
import { ledgerFile, openLedger } from '../../src/ledger/open.ts';
import type { UsageWish } from '../../src/ledger/told/usage.ts';
import { startDurable } from '../replicas/durable.ts';

const [keys, endpoints, statuses, days] = [4, 9, 2, 365];
const callsARow = 16;
const startMs = Date.UTC(2025, 0, 1);
const startDay = startMs / 86_400_000;
const rounds = 15;
const groupings: readonly UsageWish['by'][] = [
  [],
  ['day'],
  ['endpoint'],
  ['day', 'endpoint'],
  ['day', 'endpoint', 'key', 'status'],
];

const numbers = (count: number) =>
  `WITH RECURSIVE n (n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM n WHERE n < ${count - 1})`;
const rows = days * 24 * keys * endpoints * statuses;
/** Row n as its columns; the same text for either engine. */
const select = `SELECT (SELECT number FROM #accounts), ${startMs} + (n / ${keys * endpoints * statuses}) * CAST(3600000 AS bigint),
  (SELECT min(number) FROM #keys) + n / ${endpoints * statuses} % ${keys},
  (SELECT min(number) FROM #endpoints) + n / ${statuses} % ${endpoints}, 200 + 4 * (n % ${statuses}), ${callsARow},
  ${callsARow} * (1 - n % ${statuses}) FROM n`;

async function makeAccount({ accounts, ledger }: OpenLedger): Promise<string> {
  const atMs = startMs;
  const { accountId } = await accounts.createAccount({ name: 'Busy', plan: 'premium', atMs });
  for (let key = 0; key < keys; key++) await accounts.createKey({ accountId, kind: 'live', atMs });
  const [first] = await accounts.listKeys(accountId);
  assert.ok(first);
  const caller = { accountId, keyId: first.keyId, mode: 'live' } as const;
  for (let number = 0; number < endpoints; number++) {
    ledger.record({ caller, endpoint: `/endpoint/${number}`, atMs: atMs - 86_400_000, status: 200 });
  }
  await accounts.usageOf(accountId);
  return accountId;
}

const middle = (values: readonly number[]) =>
  values.toSorted((a, b) => a - b)[values.length >> 1] ?? Number.NaN;

/** The longest time between two turns of the event loop while `work` is under way. */
async function heldUp<T>(work: () => Promise<T>): Promise<{ result: T; tookMs: number; longestMs: number }> {
  let longestMs = 0;
  let state: 'watching' | 'done' = 'watching';
  const startedMs = performance.now();
  let lastMs = startedMs;
  const look = () => {
    const nowMs = performance.now();
    longestMs = Math.max(longestMs, nowMs - lastMs);
    lastMs = nowMs;
    if (state === 'watching') setImmediate(look);
  };
  setImmediate(look);
  const result = await work();
  const tookMs = performance.now() - startedMs;
  longestMs = Math.max(longestMs, performance.now() - lastMs);
  state = 'done';
  return { result, tookMs, longestMs };
}

async function measure(
  name: string,
  opened: OpenLedger,
  accountId: string,
  byHour: (columns: string) => Promise<number>,
) {
  for (const by of groupings) {
    const wish = { fromDay: startDay, toDay: startDay + days - 1, by, offset: 0, limit: 100 };
    const taken: { tookMs: number; longestMs: number }[] = [];
    for (let round = 0; round < rounds; round++) {
      const { result, ...times } = await heldUp(() => opened.accounts.sumUsage(accountId, wish));
      assert.equal(result.total.calls, rows * callsARow);
      taken.push(times);
    }
    const hours: number[] = [];
    for (let round = 0; round < 3; round++) {
      const beganMs = performance.now();
      await byHour(by.map((each) => (each === 'day' ? 'hour / 86400000' : each)).join(', ') || 'account');
      hours.push(performance.now() - beganMs);
    }
    const [took, held] = [taken.map(({ tookMs }) => tookMs), taken.map(({ longestMs }) => longestMs)];
    console.log(
      `${name} by ${(by.join(',') || 'nothing').padEnd(24)} ${middle(took).toFixed(1)} ms (slowest ${Math.max(...took).toFixed(1)}), ` +
        `event loop held up ${middle(held).toFixed(1)} ms (longest ${Math.max(...held).toFixed(1)}); by hour ${middle(hours).toFixed(0)} ms`,
    );
  }
}

/** What pages of the dashboard wait for beside sums. */
async function measureTold(name: string, { accounts }: OpenLedger, accountId: string) {
  const atMs = startMs + (days - 1) * 86_400_000;
  const told: Record<string, () => Promise<unknown>> = {
    'use of keys': () => accounts.keyUse(accountId),
    'use of accounts': () => accounts.accountsUse([accountId], atMs),
    'totals of a month': () => accounts.monthTotals('2025-06'),
    'statement of the first month': () => accounts.statement(accountId, '2025-01', atMs),
    'statement of the last month': () => accounts.statement(accountId, '2025-12', atMs),
  };
  for (const [what, ask] of Object.entries(told)) {
    const taken: { tookMs: number; longestMs: number }[] = [];
    for (let round = 0; round < rounds; round++) taken.push(await heldUp(ask));
    const [took, held] = [taken.map(({ tookMs }) => tookMs), taken.map(({ longestMs }) => longestMs)];
    console.log(
      `${name} ${what.padEnd(28)} ${middle(took).toFixed(1)} ms (slowest ${Math.max(...took).toFixed(1)}), event loop held up ${middle(held).toFixed(1)} ms (longest ${Math.max(...held).toFixed(1)})`,
    );
  }
}

const home = mkdtempSync(path.join(tmpdir(), 'domesday-usage-'));
console.log(
  `node ${process.version}, ${rows} rows by hour, ${rows * callsARow} calls, load average ${loadavg()[0]?.toFixed(1)}`,
);
try {
  const made = await openLedger({ home });
  const accountId = await makeAccount(made);
  await made.ledger.close();
  const db = new DatabaseSync(ledgerFile(home));
  db.exec(`INSERT INTO usage ${numbers(rows)} ${select.replaceAll('#', '')}`);
  const opened = await openLedger({ home });
  await measure(
    'SQLite',
    opened,
    accountId,
    async (columns) => db.prepare(`SELECT sum(calls) FROM usage GROUP BY ${columns}`).all().length,
  );
  await measureTold('SQLite', opened, accountId);
  await opened.ledger.close();
  measureWrites(db);
  db.close();

  const database = await startDurable();
  const client = new pg.Client(database.url);
  await client.connect();
  const inDatabase = await openLedger({ home: path.join(home, 'beside'), databaseUrl: database.url });
  const itsAccount = await makeAccount(inDatabase);
  await client.query(`INSERT INTO domesday.usage ${numbers(rows)} ${select.replaceAll('#', 'domesday.')}`);
  await client.query('ANALYZE domesday.usage, domesday.usage_days');
  await measure(
    'PostgreSQL',
    inDatabase,
    itsAccount,
    async (columns) =>
      (await client.query(`SELECT sum(calls) FROM domesday.usage GROUP BY ${columns}`)).rows.length,
  );
  await measureTold('PostgreSQL', inDatabase, itsAccount);
  await inDatabase.ledger.close();
  await client.end();
  await database.close();
} finally {
  rmSync(home, { recursive: true, force: true });
}
console.log(`load average ${loadavg()[0]?.toFixed(1)}`);

/** An upsert of usage as a commit makes them, with the days and without, in turns; nothing of it is kept. */
function measureWrites(db: DatabaseSync): void {
  const upsert = `INSERT INTO usage VALUES ((SELECT max(number) FROM accounts), ${startMs} + 40000 * CAST(86400000 AS integer), ?, 1, 200, 1, 1)
    ON CONFLICT DO UPDATE SET calls = calls + excluded.calls, credits = credits + excluded.credits`;
  const many = 50_000;
  const rate = () => {
    const statement = db.prepare(upsert);
    const beganMs = performance.now();
    for (let n = 0; n < many; n++) statement.run(1 + (n % keys));
    return ((performance.now() - beganMs) * 1000) / many;
  };
  const [withDays, without]: [number[], number[]] = [[], []];
  for (let round = 0; round < 5; round++) {
    db.exec('BEGIN');
    withDays.push(rate());
    for (const { name } of db
      .prepare("SELECT name FROM sqlite_schema WHERE type = 'trigger' AND tbl_name = 'usage'")
      .all())
      db.exec(`DROP TRIGGER ${name}`);
    without.push(rate());
    db.exec('ROLLBACK');
  }
  console.log(
    `SQLite, an upsert of usage: ${middle(withDays).toFixed(1)} µs with the days, ${middle(without).toFixed(1)} without`,
  );
}
