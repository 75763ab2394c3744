// What records promise whatever the engine. Each engine's test file runs it.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { type Records, RecordsUnavailable, type Value } from '../../src/records/records.ts';

/** Where records are kept; every opening is that of another process. */
export type RecordsPlace = {
  readonly open: () => Promise<Records>;
  readonly remove: () => Promise<void>;
};

export type RecordsEngine = { readonly name: string; readonly fresh: () => Promise<RecordsPlace> };

const put = 'INSERT INTO request_parameters_kept (account_id, since_ms) VALUES (?, ?)';
const read = 'SELECT account_id, since_ms FROM request_parameters_kept ORDER BY account_id';

export function recordsContract({ name, fresh }: RecordsEngine): void {
  const inPlace = async (openings: number, work: (...records: Records[]) => Promise<void>) => {
    const place = await fresh();
    const opened = await Promise.all(Array.from({ length: openings }, () => place.open()));
    try {
      await work(...opened);
    } finally {
      await Promise.all(opened.map((records) => records.close()));
      await place.remove();
    }
  };

  test(`${name}: every text, whole number and null comes back as it was`, async () => {
    await inPlace(1, async (records) => {
      await records.all('CREATE TABLE kept (place BIGINT PRIMARY KEY, words TEXT, figure BIGINT)');
      const words = fc.oneof(
        fc.constant(null),
        fc.string({ unit: 'grapheme' }).map((text) => text.replaceAll('\0', '')),
        fc.constantFrom('', '?', "it's", '$1', '{"a":[null]}'),
      );
      const figure = fc.oneof(fc.constant(null), fc.maxSafeInteger());
      const kept = fc.record({ words, figure }, { noNullPrototype: true });
      await fc.assert(
        fc.asyncProperty(fc.array(kept, { minLength: 1, maxLength: 8 }), async (rows) => {
          await records.all('DELETE FROM kept');
          const values = rows.flatMap((row, place): Value[] => [place, row.words, row.figure]);
          await records.all(
            `INSERT INTO kept (place, words, figure) VALUES ${rows.map(() => '(?, ?, ?)').join(', ')}`,
            values,
          );
          assert.deepEqual(await records.all('SELECT words, figure FROM kept ORDER BY place'), rows);
        }),
        { numRuns: 25 },
      );
    });
  });

  test(`${name}: what one engine could not keep is refused by both`, async () => {
    await inPlace(1, async (records) => {
      for (const odd of ['a\0b', 0.5, Number.NaN, 2 ** 53]) {
        await assert.rejects(records.all(put, [String(odd).includes('\0') ? odd : 'a', odd]), RangeError);
        const within = records.transaction((sql) => sql.all(put, ['a', odd]));
        await assert.rejects(within, RangeError);
      }
      await assert.rejects(records.all(put, [null, 1]), (error) => !(error instanceof RecordsUnavailable));
      await assert.rejects(
        records.all(put, ['a', 'no number']),
        (error) => !(error instanceof RecordsUnavailable),
      );
      assert.deepEqual(await records.all(read), []);
    });
  });

  test(`${name}: a transaction is done whole or not at all, and tells what its work tells`, async () => {
    await inPlace(2, async (records, other) => {
      const told = await records.transaction(async (sql) => {
        await sql.all(put, ['a', 1]);
        await sql.all(put, ['b', 2]);
        return 'done';
      });
      assert.equal(told, 'done');
      const reason = new Error('of its own');
      await assert.rejects(
        records.transaction(async (sql) => {
          await sql.all(put, ['c', 3]);
          throw reason;
        }),
        reason,
      );
      const rows = [
        { account_id: 'a', since_ms: 1 },
        { account_id: 'b', since_ms: 2 },
      ];
      assert.deepEqual(await records.all(read), rows);
      assert.deepEqual(await other.all(read), rows);
    });
  });

  test(`${name}: transactions of several processes are as if one came after the other`, async () => {
    await inPlace(2, async (one, two) => {
      await one.all(put, ['count', 0]);
      const raise = (records: Records) =>
        records.transaction(async (sql) => {
          const [row] = await sql.all('SELECT since_ms FROM request_parameters_kept');
          await sql.all('UPDATE request_parameters_kept SET since_ms = ?', [Number(row?.since_ms) + 1]);
        });
      for (let round = 0; round < 8; round += 1) await Promise.all([one, two].map(raise));
      assert.deepEqual(await one.all(read), [{ account_id: 'count', since_ms: 16 }]);
    });
  });

  test(`${name}: two who each look before they write do not both find nothing`, async () => {
    await inPlace(2, async (one, two) => {
      const take = (records: Records, mine: string) =>
        records.transaction(async (sql) => {
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
    await inPlace(1, async (records) => {
      await records.all(put, ['a', 1]);
      const isFault = (error: unknown) => error instanceof Error && !(error instanceof RecordsUnavailable);
      await assert.rejects(records.all(put, ['a', 2]), isFault);
      await assert.rejects(
        records.transaction((sql) => sql.all(put, ['a', 2])),
        isFault,
      );
      await assert.rejects(records.all('SELECT nothing_of_the_kind FROM nowhere'), isFault);
      const afterFault = records.transaction(async (sql) => {
        await sql.all(put, ['b', 1]);
        await sql.all('SELECT nothing_of_the_kind FROM nowhere').catch(() => undefined);
        await sql.all(put, ['c', 1]);
      });
      await assert.rejects(afterFault, isFault);
      assert.deepEqual(await records.all(read), [{ account_id: 'a', since_ms: 1 }]);
    });
  });

  test(`${name}: processes that open at once make the tables once, and find what was kept before`, async () => {
    const place = await fresh();
    for (let round = 0; round < 2; round += 1) {
      const opened = await Promise.all([place.open(), place.open(), place.open()]);
      await Promise.all(opened.map((records, at) => records.all(put, [`${round}-${at}`, at])));
      await Promise.all(opened.map((records) => records.close()));
    }
    const last = await place.open();
    assert.equal((await last.all(read)).length, 6);
    await last.close();
    await assert.rejects(last.all(read), RecordsUnavailable);
    await place.remove();
  });

  test(`${name}: records of a later program are used where nothing in them breaks this one, else refused`, async () => {
    const place = await fresh();
    const first = await place.open();
    const [newest] = await first.all('SELECT MAX(version) AS version FROM versions');
    const version = Number(newest?.version) + 1;
    await first.all('INSERT INTO versions VALUES (?, ?, ?, ?)', [version, 'later', 0, '9.8.7']);
    await setVersion(first, name, version);
    await first.close();
    const second = await place.open();
    await second.all(read);
    await second.all('UPDATE versions SET breaks = 1 WHERE version = ?', [version]);
    await second.close();
    const third = await place.open();
    await assert.rejects(third.all(read), /newer Domesday.*9\.8\.7 or later/);
    await third.close();
    await place.remove();
  });
}

/** A file has it in its header too. */
async function setVersion(records: Records, engine: string, version: number): Promise<void> {
  if (engine === 'SQLite') await records.all(`PRAGMA user_version = ${version}`);
}
