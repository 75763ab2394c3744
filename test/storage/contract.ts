// What the portable SQL promises whatever the engine. Each engine's test file runs it.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { OpenLedger } from '../../src/ledger/ledger.ts';
import type { Row } from '../../src/storage/rows.ts';
import { type Database, DatabaseUnavailable, type Value } from '../../src/storage/sql.ts';

/** Where a database is; every opening is that of another process. */
type Place = {
  readonly open: () => Promise<OpenLedger>;
  readonly remove: () => Promise<void>;
};

type Engine = { readonly name: string; readonly fresh: () => Promise<Place> };

const put = 'INSERT INTO request_parameters_kept (account_id, since_ms) VALUES (?, ?)';
const read = 'SELECT account_id, since_ms FROM request_parameters_kept ORDER BY account_id';

/** Rows of SQLite have no prototype. */
const plain = (rows: readonly Row[]) => rows.map((row) => ({ ...row }));

export function storageContract({ name, fresh }: Engine): void {
  const inPlace = async (openings: number, work: (...databases: Database[]) => Promise<void>) => {
    const place = await fresh();
    const opened = await Promise.all(Array.from({ length: openings }, () => place.open()));
    try {
      await work(...opened.map(({ database }) => database));
    } finally {
      await Promise.all(opened.map(({ ledger }) => ledger.close()));
      await place.remove();
    }
  };

  test(`${name}: every text, whole number and null comes back as it was`, async () => {
    await inPlace(1, async (database) => {
      await database.all('CREATE TABLE kept (place BIGINT PRIMARY KEY, words TEXT, figure BIGINT)');
      const words = fc.oneof(
        fc.constant(null),
        fc.string({ unit: 'grapheme' }).map((text) => text.replaceAll('\0', '')),
        fc.constantFrom('', '?', "it's", '$1', '{"a":[null]}'),
      );
      const figure = fc.oneof(fc.constant(null), fc.maxSafeInteger());
      const kept = fc.record({ words, figure }, { noNullPrototype: true });
      await fc.assert(
        fc.asyncProperty(fc.array(kept, { minLength: 1, maxLength: 8 }), async (rows) => {
          await database.all('DELETE FROM kept');
          const values = rows.flatMap((row, place): Value[] => [place, row.words, row.figure]);
          await database.all(
            `INSERT INTO kept (place, words, figure) VALUES ${rows.map(() => '(?, ?, ?)').join(', ')}`,
            values,
          );
          assert.deepEqual(plain(await database.all('SELECT words, figure FROM kept ORDER BY place')), rows);
        }),
        { numRuns: 25 },
      );
    });
  });

  test(`${name}: what one engine could not keep is refused by both`, async () => {
    await inPlace(1, async (database) => {
      for (const odd of ['a\0b', 0.5, Number.NaN, 2 ** 53]) {
        await assert.rejects(database.all(put, [String(odd).includes('\0') ? odd : 'a', odd]), RangeError);
        const within = database.transaction((sql) => sql.all(put, ['a', odd]));
        await assert.rejects(within, RangeError);
      }
      await assert.rejects(database.all(put, [null, 1]), (error) => !(error instanceof DatabaseUnavailable));
      await assert.rejects(
        database.all(put, ['a', 'no number']),
        (error) => !(error instanceof DatabaseUnavailable),
      );
      assert.deepEqual(plain(await database.all(read)), []);
    });
  });

  test(`${name}: a transaction is done whole or not at all, and tells what its work tells`, async () => {
    await inPlace(2, async (database, other) => {
      const told = await database.transaction(async (sql) => {
        await sql.all(put, ['a', 1]);
        await sql.all(put, ['b', 2]);
        return 'done';
      });
      assert.equal(told, 'done');
      const reason = new Error('of its own');
      await assert.rejects(
        database.transaction(async (sql) => {
          await sql.all(put, ['c', 3]);
          throw reason;
        }),
        reason,
      );
      const rows = [
        { account_id: 'a', since_ms: 1 },
        { account_id: 'b', since_ms: 2 },
      ];
      assert.deepEqual(plain(await database.all(read)), rows);
      assert.deepEqual(plain(await other.all(read)), rows);
    });
  });

  test(`${name}: transactions of several processes are as if one came after the other`, async () => {
    await inPlace(2, async (one, two) => {
      await one.all(put, ['count', 0]);
      const raise = (database: Database) =>
        database.transaction(async (sql) => {
          const [row] = await sql.all('SELECT since_ms FROM request_parameters_kept');
          await sql.all('UPDATE request_parameters_kept SET since_ms = ?', [Number(row?.since_ms) + 1]);
        });
      for (let round = 0; round < 8; round += 1) await Promise.all([one, two, one].map(raise));
      assert.deepEqual(plain(await one.all(read)), [{ account_id: 'count', since_ms: 24 }]);
    });
  });

  test(`${name}: two who each look before they write do not both find nothing`, async () => {
    await inPlace(2, async (one, two) => {
      const take = (database: Database, mine: string) =>
        database.transaction(async (sql) => {
          const rows = await sql.all(read);
          if (rows.length > 0) return 'taken';
          await sql.all(put, [mine, 1]);
          return 'mine';
        });
      for (let round = 0; round < 5; round += 1) {
        const outcomes = await Promise.all([take(one, 'one'), take(two, 'two')]);
        assert.deepEqual(outcomes.toSorted(), ['mine', 'taken']);
        await one.all('DELETE FROM request_parameters_kept');
      }
    });
  });

  test(`${name}: a value that is there already is a fault of the statement, not an outage`, async () => {
    await inPlace(1, async (database) => {
      await database.all(put, ['a', 1]);
      const isFault = (error: unknown) => error instanceof Error && !(error instanceof DatabaseUnavailable);
      await assert.rejects(database.all(put, ['a', 2]), isFault);
      await assert.rejects(
        database.transaction((sql) => sql.all(put, ['a', 2])),
        isFault,
      );
      await assert.rejects(database.all('SELECT nothing_of_the_kind FROM nowhere'), isFault);
      const afterFault = database.transaction(async (sql) => {
        await sql.all(put, ['b', 1]);
        await sql.all('SELECT nothing_of_the_kind FROM nowhere').catch(() => undefined);
        await sql.all(put, ['c', 1]);
      });
      await assert.rejects(afterFault, isFault);
      assert.deepEqual(plain(await database.all(read)), [{ account_id: 'a', since_ms: 1 }]);
    });
  });

  test(`${name}: what was kept is there for who opens it again, and nothing is asked of one that is closed`, async () => {
    const place = await fresh();
    const first = await place.open();
    await first.database.all(put, ['a', 1]);
    await first.ledger.close();
    const second = await place.open();
    assert.equal((await second.database.all(read)).length, 1);
    await second.ledger.close();
    await assert.rejects(second.database.all(read), DatabaseUnavailable);
    await assert.rejects(second.database.all(put, ['b', 2]), DatabaseUnavailable);
    await place.remove();
  });
}
