// The way to a database: one that cannot be reached, and statements that it knows by name.

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { describe, it, test } from 'node:test';
import { eventLoop } from '../../../src/ledger/pace.ts';
import { Database, frequent } from '../../../src/ledger/postgres/database.ts';
import { testPostgres } from '../../postgres.ts';

test('a database that is away is tried again after a pause that doubles, up to a second', async () => {
  let tries = 0;
  const server = createServer((socket) => {
    tries += 1;
    socket.destroy();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  assert.ok(typeof address === 'object' && address !== null);
  let nowMs = 0;
  const byHand = { ...eventLoop, elapsedMs: () => nowMs };
  const url = `postgres://domesday@127.0.0.1:${address.port}/domesday`;
  const database = new Database(url, byHand, () => undefined);
  const triesAt = async (atMs: number) => {
    nowMs = atMs;
    await assert.rejects(database.ask('SELECT 1'), { name: 'Unreached' });
    return tries;
  };
  try {
    assert.equal(await triesAt(0), 1);
    let triedMs = 0;
    for (const [index, waitMs] of [50, 100, 200, 400, 800, 1_000, 1_000].entries()) {
      assert.equal(await triesAt(triedMs + waitMs - 1), index + 1, `before ${waitMs} ms have passed`);
      assert.equal(await triesAt(triedMs + waitMs), index + 2, `after ${waitMs} ms`);
      triedMs += waitMs;
    }
  } finally {
    await database.close();
    server.close();
    await once(server, 'close');
  }
});

describe('a statement that is asked often', () => {
  const names = frequent('SELECT name FROM pg_prepared_statements WHERE $1 = $1 ORDER BY name');
  const doubled = frequent('SELECT 2 * $1::bigint AS doubled');
  const inDatabase = async (work: (database: Database) => Promise<void>) => {
    const server = await testPostgres();
    const url = server.url(await server.createDatabase());
    const database = new Database(url, eventLoop, ({ message }) => assert.fail(message));
    try {
      await work(database);
    } finally {
      await database.close();
    }
  };

  it('is parsed once by a connection, under a name of its own', () =>
    inDatabase(async (database) => {
      for (const number of [1, 2, 3])
        assert.deepEqual(await database.ask(doubled, [number]), [{ doubled: 2 * number }]);
      const known = (await database.ask(names, [1])).map(({ name }) => name);
      assert.deepEqual(known, [doubled.name, names.name].sort());
    }));

  it('is answered where its name was lost, and from then on asked without', () =>
    inDatabase(async (database) => {
      await database.ask(doubled, [1]);
      await database.ask('DEALLOCATE ALL');
      assert.deepEqual(await database.ask(doubled, [2]), [{ doubled: 4 }]);
      assert.deepEqual(await database.ask(doubled, [3]), [{ doubled: 6 }]);
      assert.deepEqual(await database.ask('SELECT name FROM pg_prepared_statements'), []);
    }));

  it('is answered where another client of the same connection has given it its name', () =>
    inDatabase(async (database) => {
      await database.ask(`PREPARE ${doubled.name} AS ${doubled.text}`);
      assert.deepEqual(await database.ask(doubled, [2]), [{ doubled: 4 }]);
    }));

  it('is answered where what it calls was made anew, with other columns', () =>
    inDatabase(async (database) => {
      const made = frequent('SELECT * FROM made($1)');
      const make = (columns: string, values: string) =>
        `CREATE FUNCTION made(number bigint) RETURNS TABLE (${columns}) LANGUAGE sql AS 'SELECT ${values}'`;
      await database.ask(make('one bigint', 'number'));
      await database.ask(made, [1]);
      await database.ask('DROP FUNCTION made');
      await database.ask(make('one bigint, two bigint', 'number, 2 * number'));
      assert.deepEqual(await database.ask(made, [3]), [{ one: 3, two: 6 }]);
    }));

  it('is told as any other where the database refuses it, and keeps its name', () =>
    inDatabase(async (database) => {
      const halved = frequent('SELECT 1 / $1::bigint AS halved');
      await assert.rejects(database.ask(halved, [0]), { code: '22012' });
      await database.ask(halved, [1]);
      const known = (await database.ask(names, [1])).map(({ name }) => name);
      assert.deepEqual(known, [halved.name, names.name].sort());
    }));
});
