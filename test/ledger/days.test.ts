// The usage by day of a ledger file is the sum of its usage by hour, whatever order the hours come in.

import assert from 'node:assert/strict';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import fc from 'fast-check';
import { migrate } from '../../src/ledger/sqlite/migrate.ts';
import { migrations } from '../../src/ledger/sqlite/schema/migrations.ts';
import { addUsage, prepareStatements } from '../../src/ledger/sqlite/statements.ts';
import { dayMs, hourMs } from '../../src/time.ts';
import { startMs } from './bench.ts';

const accounts = [1, 2];

type Use = {
  readonly account: number;
  readonly hour: number;
  readonly endpoint: number;
  readonly calls: number;
};

const anyUse: fc.Arbitrary<Use> = fc.record({
  account: fc.constantFrom(...accounts),
  hour: fc.oneof(
    fc.integer({ min: 0, max: 24 * 5 }).map((hours) => startMs + hours * hourMs),
    // A clock that was years ahead for a while.
    fc.constantFrom(0, 1, 30).map((hours) => startMs + 1_000 * dayMs + hours * hourMs),
  ),
  endpoint: fc.constantFrom(1, 2),
  // A charge that was given back takes its call out again.
  calls: fc.constantFrom(-1, 1, 2),
});

function emptyLedger(): DatabaseSync {
  const db = new DatabaseSync(':memory:');
  migrate(db, migrations);
  for (const number of accounts) {
    db.exec(`INSERT INTO accounts (number, id, name, plan, balance, lasting, anchor_at, allowance_given, created_at)
        VALUES (${number}, 'acc_${number}', 'x', 'trial', 0, 0, 0, 0, 0);
      INSERT INTO keys (number, id, account, name, kind, hash, last_four, created_at)
        VALUES (${number}, 'key_${number}', ${number}, '', 'live', 'h${number}', 'last', 0);
      INSERT INTO endpoints (number, path) VALUES (${number}, '/${number}')`);
  }
  return db;
}

/** As anybody may write it who knows nothing of days. */
function useByHand(db: DatabaseSync, uses: readonly Use[]): void {
  const upsertUsage = db.prepare(`INSERT INTO usage (account, hour, key, endpoint, status, calls, credits)
    VALUES (?, ?, ?, ?, ?, ?, ?)
    ON CONFLICT DO UPDATE SET calls = calls + excluded.calls, credits = credits + excluded.credits`);
  for (const { account, hour, endpoint, calls } of uses)
    upsertUsage.run(account, hour, account, endpoint, 200, calls, 3 * calls);
}

function use(db: DatabaseSync, uses: readonly Use[]): void {
  const statements = prepareStatements(db);
  for (const { account, hour, endpoint, calls } of uses) {
    const sum = { calls, credits: 3 * calls };
    addUsage(statements, { account, hourStartMs: hour, key: account, endpoint, status: 200, ...sum });
  }
}

function naiveDays(uses: readonly Use[]): readonly string[] {
  const days = Map.groupBy(
    uses,
    ({ account, hour, endpoint }) => `${account} ${Math.floor(hour / dayMs)} ${endpoint}`,
  );
  const sums = [...days].map(([day, all]) => [day, all.reduce((sum, { calls }) => sum + calls, 0)] as const);
  return sums
    .filter(([, calls]) => calls !== 0)
    .map(([day, calls]) => `${day}: ${calls} ${3 * calls}`)
    .sort();
}

const toldDays = (db: DatabaseSync): readonly string[] =>
  db
    .prepare(
      `SELECT account || ' ' || day || ' ' || endpoint || ': ' || sum(calls) || ' ' || sum(credits) AS told
        FROM usage_days GROUP BY account, day, endpoint HAVING sum(calls) <> 0`,
    )
    .all()
    .map(({ told }) => String(told))
    .sort();

test('the usage by day is the sum of the usage by hour, whoever writes it', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.constantFrom(use, useByHand), anyUse), { maxLength: 60 }), (written) => {
      const db = emptyLedger();
      try {
        for (const [write, each] of written) write(db, [each]);
        assert.deepEqual(toldDays(db), naiveDays(written.map(([, each]) => each)));
      } finally {
        db.close();
      }
    }),
    { numRuns: 120 },
  );
});

test('a day that is not over takes no row in the table of days', () => {
  const db = emptyLedger();
  const rows = () => Number(db.prepare('SELECT count(*) AS rows FROM past_days').get()?.rows);
  const day = { account: 1, endpoint: 1, calls: 1 };
  use(db, [
    { ...day, hour: startMs },
    { ...day, hour: startMs + hourMs },
  ]);
  assert.equal(rows(), 0);
  use(db, [{ ...day, hour: startMs + dayMs }]);
  assert.equal(rows(), 1);
  db.close();
});
