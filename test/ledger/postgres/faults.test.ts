// The way to the database breaks at any moment: nothing is charged twice, nothing is charged for a call that was told of an
// outage, and the ledger recovers by itself.

import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import fc from 'fast-check';
import pg from 'pg';
import {
  type Admission,
  type Ledger,
  type LedgerNotice,
  LedgerRefusal,
  LedgerUnavailable,
} from '../../../src/ledger/ledger.ts';
import { openLedger } from '../../../src/ledger/open.ts';
import { repeatable } from '../../../src/ledger/repeats.ts';
import { OwnPostgres } from '../../postgres.ts';
import { assertBooksAgree, balanceOf, charging, customer, startMs } from '../bench.ts';
import { assertSound, freshStorage } from './bench.ts';
import { type Fate, withProxy } from './proxy.ts';

const longMs = 30_000;

test('a batch whose answer was lost is sent again and charges once, wherever it was lost; each is told what it left itself', async () => {
  await withProxy(async ({ proxy, openThrough }) => {
    const open = await openThrough(longMs);
    const { accountId, caller } = await customer(open.accounts, 'basic', { allowance: 100_000 });
    const fate = fc.constantFrom<Fate>('pass', 'before', 'after', 'during');
    let number = 0;
    let charged = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(fate, { maxLength: 5 }), fc.nat(20), async (fates, more) => {
        proxy.fates = [...fates];
        const ids = Array.from({ length: 1 + more }, () => `c${number++}`);
        const results = await Promise.all(ids.map((id) => open.ledger.charge(charging(caller, id))));
        proxy.fates = [];
        const left = 100_000 - charged;
        charged += ids.length;
        assert.deepEqual(
          results.map((result) => result.kind === 'charged' && result.creditsRemaining),
          ids.map((_, at) => left - at - 1),
        );
        assert.equal(await balanceOf(open.accounts, accountId), 100_000 - charged);
      }),
      { numRuns: 25 },
    );
    const journal = await open.accounts.journalOf(accountId);
    assert.equal(journal.length, charged + 1);
    await assertSound(open);
  });
});

test('a charge whose caller was told of an outage is given back, and its id can never be charged', async () => {
  await withProxy(async ({ proxy, told, inDoubt, openThrough, open: openDirectly, home }) => {
    const { ledger, accounts } = await openThrough(0);
    const { accountId, caller } = await customer(accounts, 'basic', { allowance: 10 });
    const mine = repeatable('key', 'call');
    for (const fate of ['before', 'after', 'during', 'held'] as const) {
      proxy.fates = [fate];
      await assert.rejects(
        ledger.charge({ ...charging(caller, fate, 3), repeatable: mine }),
        LedgerUnavailable,
      );
    }
    assert.ok(existsSync(path.join(home, 'postgres.doubtful')));
    assert.equal(await inDoubt(), 1, 'the earlier ones are settled before the next charge');
    assert.equal(await ledger.recall(caller, mine, startMs), 'new', 'what is in doubt pays for nothing');
    assert.equal((await ledger.charge(charging(caller, 'next'))).creditsRemaining, 9);
    assert.match(
      told.map(({ message }) => message).join('\n'),
      /charges in doubt, \d had been made and were given back/,
    );
    assert.equal(existsSync(path.join(home, 'postgres.doubtful')), false);
    assert.equal(await inDoubt(), 0);
    await proxy.release();
    for (const fate of ['before', 'after', 'during', 'held']) {
      await assert.rejects(ledger.charge(charging(caller, fate)), LedgerRefusal);
    }
    const direct = await openDirectly();
    assert.equal(await balanceOf(direct.accounts, accountId), 9);
    await assertSound(direct);
    await direct.ledger.close();
  });
});

test('a charge in doubt that paid for a repetition at another replica is not given back', async () => {
  await withProxy(async ({ proxy, openThrough, open: openDirectly }) => {
    const first = await openThrough(0);
    const other = await openDirectly();
    const { accountId, caller } = await customer(first.accounts, 'basic', { allowance: 10 });
    const repetition = (name: string) => ({
      ...charging(caller, `${name} again`, 3),
      repeatable: repeatable(name, 'call'),
    });
    const inDoubt = async (name: string): Promise<void> => {
      proxy.fates = ['after'];
      const charge = { ...charging(caller, name, 3), repeatable: repeatable(name, 'call') };
      await assert.rejects(first.ledger.charge(charge), LedgerUnavailable);
    };
    await inDoubt('recalled');
    assert.equal(await other.ledger.recall(caller, repeatable('recalled', 'call'), startMs), 'same');
    await inDoubt('charged');
    assert.equal((await other.ledger.charge(repetition('charged'))).kind, 'replayed');
    assert.equal((await first.ledger.charge(charging(caller, 'next'))).creditsRemaining, 3);
    // Given back first, it pays for nothing; nor does it where another call was asked for under the key.
    await inDoubt('given back');
    const unlike = repeatable('given back', 'another call');
    assert.equal(await other.ledger.recall(caller, unlike, startMs), 'other');
    assert.equal((await first.ledger.charge(charging(caller, 'later'))).creditsRemaining, 2);
    assert.equal(await other.ledger.recall(caller, repeatable('given back', 'call'), startMs), 'new');
    assert.equal((await other.ledger.charge(repetition('given back'))).kind, 'insufficient');
    assert.equal(await balanceOf(other.accounts, accountId), 2);
    await assertSound(other);
    await other.ledger.close();
  });
});

test('charges in doubt are given back by the next start where a run ended before it could', async () => {
  await withProxy(async ({ proxy, openThrough, open: openDirectly }) => {
    const first = await openThrough(0);
    const { accountId, caller } = await customer(first.accounts, 'basic', { allowance: 10 });
    proxy.fates = ['after'];
    await assert.rejects(first.ledger.charge(charging(caller, 'c1', 4)), LedgerUnavailable);
    await first.ledger.close();
    const second = await openDirectly();
    assert.equal(await balanceOf(second.accounts, accountId), 6);
    second.maintain();
    await until(async () => (await balanceOf(second.accounts, accountId)) === 10);
    await assertSound(second);
    await second.ledger.close();
  });
});

test('an operator’s change that was lost before its commit is made; of one lost with it the operator is told', async () => {
  await withProxy(async ({ proxy, openThrough }) => {
    const open = await openThrough(longMs);
    const { accountId } = await customer(open.accounts, 'basic');
    const grant = () => open.accounts.grantCredits(accountId, { credits: 1, atMs: startMs });
    proxy.sign = 'INSERT INTO journal';
    proxy.fates = ['before', 'after', 'during'];
    assert.equal((await grant()).balance, 5_001);
    proxy.sign = 'COMMIT';
    for (const fate of ['before', 'after'] as const) {
      proxy.fates = [fate];
      await assert.rejects(grant(), /check before you repeat it/);
    }
    assert.equal(await balanceOf(open.accounts, accountId), 5_002);
    await assertSound(open);
  });
});

test('a refresh that fails refuses its own charges; the others of the batch have their answers', async () => {
  await withProxy(async ({ proxy, openThrough }) => {
    const open = await openThrough(0);
    const due = await customer(open.accounts, 'basic', { allowance: 10 });
    const other = await customer(open.accounts, 'trial');
    const atMs = Date.UTC(2026, 1, 28, 12);
    await open.ledger.charge(charging(other.caller, 'before', 1));
    proxy.sign = 'SET name = name';
    proxy.fates = ['before'];
    const results = await Promise.allSettled([
      open.ledger.charge(charging(due.caller, 'c1', 1, atMs)),
      open.ledger.charge(charging(other.caller, 'c2', 1, atMs)),
    ]);
    assert.deepEqual(
      results.map(({ status }) => status),
      ['rejected', 'fulfilled'],
    );
    assert.equal((await open.ledger.charge(charging(due.caller, 'c3', 1, atMs))).creditsRemaining, 9);
    assert.equal(await balanceOf(open.accounts, other.accountId), 98);
    await assertSound(open);
  });
});

const nextMonthMs = Date.UTC(2026, 1, 28, 12);

test('a refresh that fails refuses the calls of its account; others of the turn are admitted', async () => {
  await withProxy(async ({ proxy, openThrough }) => {
    const { ledger, accounts } = await openThrough(0);
    const due = await customer(accounts, 'basic', { allowance: 10 });
    const other = await customer(accounts, 'trial');
    await ledger.charge(charging(due.caller, 'before', 3));
    proxy.sign = 'SET name = name';
    proxy.fates = ['before'];
    const asked = [due, other, due, other].map(({ hash }) => ledger.admit(hash, nextMonthMs));
    const admissions = await Promise.allSettled(asked);
    assert.deepEqual(
      admissions.map((told) => (told.status === 'rejected' ? 'refused' : told.value.kind)),
      ['refused', 'admitted', 'refused', 'admitted'],
    );
    const again = await ledger.admit(due.hash, nextMonthMs);
    assert.equal(again.kind === 'admitted' && again.standing.creditsRemaining, 10);
  });
});

test('while a refresh waits for a lock, calls of others are admitted, however many of its own come', async () => {
  await withProxy(async ({ server, database, openThrough }) => {
    const { ledger, accounts } = await openThrough(longMs);
    const limits = { minute: null, day: null, month: null };
    const due = await customer(accounts, 'basic', { allowance: 10, limits });
    const other = await customer(accounts, 'trial', { limits });
    const holder = new pg.Client(server.url(database));
    await holder.connect();
    await holder.query('BEGIN');
    await holder.query('SELECT FROM domesday.accounts WHERE id = $1 FOR NO KEY UPDATE', [due.accountId]);
    const waiting: Promise<Admission>[] = [];
    let told = 0;
    for (let turn = 0; turn < 40; turn += 1) {
      const asked = Promise.resolve(ledger.admit(due.hash, nextMonthMs));
      waiting.push(asked);
      const count = () => {
        told += 1;
      };
      asked.then(count, count);
      assert.equal((await ledger.admit(other.hash, nextMonthMs)).kind, 'admitted');
    }
    assert.equal(told, 0);
    await holder.query('COMMIT');
    await holder.end();
    assert.ok((await Promise.all(waiting)).every(({ kind }) => kind === 'admitted'));
  });
});

test('a charge that meets the making of its month’s own tables is made', async () => {
  await withProxy(async ({ server, database, open: openDirectly }) => {
    const open = await openDirectly();
    const { accountId, caller } = await customer(open.accounts, 'basic', { allowance: 10 });
    const waits = `SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = '${database}'`;
    const monthMs = 31 * 86_400_000;
    for (const [index, table] of ['journal', 'usage'].entries()) {
      const laterMs = startMs + (24 + index) * monthMs;
      const chargeId = `while ${table} is made`;
      const making = server.ask(
        database,
        `DO $$ BEGIN
          CREATE TABLE domesday.made_${table} (LIKE domesday.${table} INCLUDING ALL);
          ALTER TABLE domesday.${table} ATTACH PARTITION domesday.made_${table} FOR VALUES FROM (${laterMs}) TO (${laterMs + monthMs});
          WHILE NOT EXISTS (${waits}) LOOP PERFORM pg_stat_clear_snapshot(), pg_sleep(0.01); END LOOP;
        END $$`,
      );
      await until(async () => {
        const { rows } = await server.ask(
          database,
          `SELECT FROM pg_locks WHERE relation = 'domesday.${table}_other'::regclass AND mode = 'AccessExclusiveLock'`,
        );
        return rows.length > 0;
      });
      const charge = { ...charging(caller, chargeId), atMs: laterMs + 3_600_000 };
      assert.equal((await open.ledger.charge(charge)).kind, 'charged');
      await making;
    }
    await assertBooksAgree(open.accounts);
    assert.equal(
      (await open.accounts.journalOf(accountId)).filter(({ kind }) => kind === 'charge').length,
      2,
    );
    await open.ledger.close();
  });
});

test('while the database is away calls are told of an outage, and it is reached again by itself', async () => {
  const server = await OwnPostgres.make();
  const told: LedgerNotice[] = [];
  const database = await server.createDatabase();
  const storage = await freshStorage();
  try {
    const databaseUrl = server.url(database);
    const tell = (notice: LedgerNotice) => told.push(notice);
    const open = await openLedger({ home: storage.home, databaseUrl, tell });
    const { ledger, accounts } = open;
    const { accountId, caller, hash } = await customer(accounts, 'basic', { allowance: 5 });
    assert.equal((await ledger.charge(charging(caller, 'c1'))).kind, 'charged');
    for (const how of ['fast', 'immediate'] as const) {
      await server.stop(how);
      ledger.record({ caller, endpoint: '/area', atMs: startMs, status: 404 });
      await assertAway(ledger, () => ledger.charge(charging(caller, `lost by ${how}`)), hash);
      await server.start();
      // Before a charge, with which it is on the disk: by itself a crash may lose the last counts.
      await until(() => accounts.usageOf(accountId).then(() => true, isAway));
      await until(() => ledger.charge(charging(caller, `after ${how}`)).then(isCharged, isAway));
      await until(() => ledger.ready().then(() => true, isAway));
    }
    assert.equal(await balanceOf(accounts, accountId), 2);
    const free = (await accounts.usageOf(accountId)).find(({ status }) => status === 404);
    assert.equal(free?.calls, 2, 'counts are kept meanwhile');
    await assertSound(open);
    const messages = told.map(({ message }) => message);
    assert.equal(messages.filter((message) => message.startsWith('the database cannot be used')).length, 2);
    assert.equal(messages.filter((message) => message === 'the database can be used again').length, 2);
    await ledger.close();
  } finally {
    await server.remove();
    await storage.remove();
  }
});

async function assertAway(ledger: Ledger, charge: () => Promise<unknown>, hash: string): Promise<void> {
  await assert.rejects(charge(), LedgerUnavailable);
  await assert.rejects(async () => ledger.admit(hash, startMs), LedgerUnavailable);
  await until(() => ledger.ready().then(() => false, isUnavailable));
}

const isCharged = ({ kind }: { readonly kind: string }): boolean => kind === 'charged';
const isUnavailable = (error: unknown): boolean => error instanceof LedgerUnavailable;

/** An outage is to be waited for; anything else is wrong. */
function isAway(error: unknown): boolean {
  if (!isUnavailable(error)) throw error;
  return false;
}

async function until(isSo: () => Promise<boolean>): Promise<void> {
  while (!(await isSo())) await pause(10);
}

for (const meanwhile of ['nothing', 'another']) {
  test(`a database put back to an earlier day, where ${meanwhile} has the number of an endpoint, is charged rightly by a replica that runs on`, async () => {
    const { server, database, open: openDirectly, remove } = await freshStorage();
    const before = await openDirectly();
    const { caller, accountId } = await customer(before.accounts, 'basic', { allowance: 10 });
    await before.ledger.close();
    const earlier = await server.createDatabase(database);
    const open = await openDirectly();
    await open.ledger.charge({ ...charging(caller, 'lost'), endpoint: '/made-since' });
    if (meanwhile === 'another')
      await server.ask(earlier, "INSERT INTO domesday.endpoints (path) VALUES ('/another')");
    await server.dropDatabase(database);
    await server.asAdmin(`ALTER DATABASE ${earlier} RENAME TO ${database}`);
    await until(() =>
      open.ledger
        .charge({ ...charging(caller, 'after'), endpoint: '/made-since' })
        .then(({ kind }) => kind === 'charged', isAway),
    );
    const [charge] = (await open.accounts.journalOf(accountId)).filter(({ kind }) => kind === 'charge');
    assert.equal(charge?.endpoint, '/made-since');
    await assertSound(open);
    await open.ledger.close();
    await remove();
  });
}

test('a charge is on disk when it is told of, also where the database would not wait for that', async () => {
  const storage = await freshStorage();
  const { server, database } = storage;
  await server.asAdmin(`ALTER DATABASE ${database} SET synchronous_commit = off`);
  await server.ask(
    database,
    `CREATE TABLE waits (how text);
     CREATE FUNCTION note_wait() RETURNS trigger LANGUAGE plpgsql AS $$
       BEGIN INSERT INTO waits VALUES (current_setting('synchronous_commit')); RETURN NULL; END $$;
     CREATE TRIGGER wait_noted AFTER INSERT ON domesday.journal FOR EACH STATEMENT EXECUTE FUNCTION note_wait()`,
  );
  const open = await storage.open();
  const { caller } = await customer(open.accounts, 'basic', { allowance: 10 });
  await server.ask(database, 'DELETE FROM waits');
  await open.ledger.charge(charging(caller, 'waited for'));
  const { rows } = await server.ask(database, 'SELECT how FROM waits');
  assert.deepEqual(rows, [{ how: 'on' }]);
  await open.ledger.close();
  await storage.remove();
});
