// Several replicas on one database: what they charge, count and change together is as if there were one.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import pg from 'pg';
import { hashEntry, type Link } from '../../../src/ledger/chain.ts';
import { hashKey } from '../../../src/ledger/keys.ts';
import { type ChargeResult, LedgerRefusal, type OpenLedger } from '../../../src/ledger/ledger.ts';
import { repeatable } from '../../../src/ledger/repeats.ts';
import { hourMs, minuteMs } from '../../../src/time.ts';
import { anyString } from '../../any-string.ts';
import { balanceOf, type Customer, charging, customer, kindsOf, startMs } from '../bench.ts';
import { assertSound, deadlocksIn, freshStorage, type PostgresStorage, untilBlocked } from './bench.ts';

async function withReplicas(
  count: number,
  work: (replicas: readonly OpenLedger[], storage: PostgresStorage) => Promise<void>,
): Promise<void> {
  const storage = await freshStorage();
  const replicas = await Promise.all(Array.from({ length: count }, () => storage.open()));
  try {
    await work(replicas, storage);
  } finally {
    for (const { ledger } of replicas) await ledger.close();
    await storage.remove();
  }
}

function at<T>(list: readonly T[], index: number): T {
  const found = list[index % list.length];
  assert.ok(found !== undefined);
  return found;
}

const countOf = (results: readonly ChargeResult[], kind: ChargeResult['kind']): number =>
  results.filter((result) => result.kind === kind).length;

test('1,000 parallel charges on 100 credits through four replicas: exactly 100 are charged', async () => {
  await withReplicas(4, async (replicas) => {
    const first = at(replicas, 0);
    const { accountId, caller } = await customer(first.accounts, 'basic', { allowance: 104 });
    // So that all are connected and the endpoint is known: they are to meet at the account alone, and at once.
    for (const [i, { ledger }] of replicas.entries()) await ledger.charge(charging(caller, `first ${i}`));
    const results = await Promise.all(
      Array.from({ length: 1_000 }, (_, i) => at(replicas, i).ledger.charge(charging(caller, `c${i}`))),
    );
    assert.deepEqual([countOf(results, 'charged'), countOf(results, 'insufficient')], [100, 900]);
    assert.equal(await balanceOf(first.accounts, accountId), 0);
    const usage = (await first.accounts.usageOf(accountId)).map(({ status, calls }) => [status, calls]);
    assert.deepEqual(usage, [
      [200, 104],
      [402, 900],
    ]);
    await assertSound(first);
  });
});

test('a charge that is given up elsewhere while its batch is under way is not made, the others of the batch are', async () => {
  await withReplicas(1, async ([open], storage) => {
    assert.ok(open);
    const { accountId, caller } = await customer(open.accounts, 'basic', { allowance: 10 });
    const other = new pg.Client(storage.server.url(storage.database));
    await other.connect();
    await other.query("BEGIN; INSERT INTO domesday.charge_ids (id) VALUES ('given up')");
    const results = Promise.allSettled(
      ['before', 'given up', 'after'].map((chargeId) => open.ledger.charge(charging(caller, chargeId))),
    );
    await untilBlocked(storage);
    await other.query('COMMIT');
    await other.end();
    const [before, givenUp, after] = await results;
    assert.equal(before?.status === 'fulfilled' && before.value.creditsRemaining, 9);
    assert.ok(givenUp?.status === 'rejected' && givenUp.reason instanceof LedgerRefusal);
    assert.equal(after?.status === 'fulfilled' && after.value.creditsRemaining, 8);
    assert.equal(await balanceOf(open.accounts, accountId), 8);
    await assertSound(open);
  });
});

test('one charge that stands twice in a batch is made once', async () => {
  await withReplicas(1, async ([open]) => {
    assert.ok(open);
    const { accountId, caller } = await customer(open.accounts, 'basic', { allowance: 10 });
    const poor = await customer(open.accounts, 'basic', { allowance: 1 });
    const results = await Promise.all([
      open.ledger.charge(charging(caller, 'twice', 3)),
      open.ledger.charge(charging(poor.caller, 'too dear', 3)),
      open.ledger.charge(charging(caller, 'twice', 3)),
      open.ledger.charge(charging(poor.caller, 'too dear', 3)),
    ]);
    assert.deepEqual(
      results.map(({ kind, creditsRemaining }) => [kind, creditsRemaining]),
      [
        ['charged', 7],
        ['insufficient', 1],
        ['charged', 7],
        ['insufficient', 1],
      ],
    );
    assert.equal(await balanceOf(open.accounts, accountId), 7);
    await assertSound(open);
  });
});

test('a minute’s limit holds over all replicas, for calls that come at once', async () => {
  await withReplicas(3, async (replicas) => {
    const { hash } = await customer(at(replicas, 0).accounts, 'basic');
    const admissions = await Promise.all(
      Array.from({ length: 60 }, (_, i) => at(replicas, i).ledger.admit(hash, startMs + (i % 7))),
    );
    assert.equal(kindsOf(admissions).filter((kind) => kind === 'admitted').length, 10);
    const left = admissions
      .flatMap((admission) => (admission.kind === 'admitted' ? [admission.standing.minuteRemaining] : []))
      .sort((a, b) => Number(b) - Number(a));
    assert.deepEqual(left, [9, 8, 7, 6, 5, 4, 3, 2, 1, 0], 'each is told another number');
  });
});

test('a call of the minute before that comes late takes nothing of the minute that has begun', async () => {
  await withReplicas(1, async ([open]) => {
    assert.ok(open);
    const { hash } = await customer(open.accounts, 'basic');
    const leftAt = async (atMs: number) => {
      const admission = await open.ledger.admit(hash, atMs);
      return admission.kind === 'admitted' && admission.standing.minuteRemaining;
    };
    for (const left of [9, 8, 7]) assert.equal(await leftAt(startMs + minuteMs), left);
    assert.equal(await leftAt(startMs), 9);
    assert.equal(await leftAt(startMs + minuteMs), 6);
  });
});

test('a key that is revoked, expired or of a closed account counts no call for its account', async () => {
  await withReplicas(2, async (replicas) => {
    const [one, other] = [at(replicas, 0), at(replicas, 1)];
    const { accountId, hash, caller } = await customer(one.accounts, 'basic');
    assert.equal((await other.ledger.admit(hash, startMs)).kind, 'admitted');
    await one.accounts.revokeKey(caller.keyId, startMs);
    const admissions = await Promise.all([1, 2, 3].map(() => other.ledger.admit(hash, startMs)));
    assert.deepEqual(kindsOf(admissions), ['unknown', 'unknown', 'unknown']);
    const [minute] = await one.accounts.windowsOf(accountId, 'live', startMs);
    assert.equal(minute?.used, 1);
  });
});

test('of calls that come in one turn, those after the end of their key are unknown', async () => {
  await withReplicas(1, async ([open], { server, database }) => {
    assert.ok(open);
    const { ledger, accounts } = open;
    const { accountId } = await customer(accounts, 'basic');
    const expiresAtMs = startMs + 100;
    const { key } = await accounts.createKey({ accountId, kind: 'live', expiresAtMs, atMs: startMs });
    const admissions = await Promise.all(
      [0, 99, 100, 101].map((ms) => ledger.admit(hashKey(key), startMs + ms)),
    );
    assert.deepEqual(kindsOf(admissions), ['admitted', 'admitted', 'unknown', 'unknown']);
    // A page's key that other hands have freed of its origins serves no page at all.
    const binding = { origins: ['https://www.example.com'], endpoints: ['/crime'] };
    const page = await accounts.createKey({ accountId, kind: 'publishable', binding, atMs: startMs });
    assert.equal((await ledger.admit(hashKey(page.key), startMs)).kind, 'admitted');
    await server.ask(database, 'UPDATE domesday.keys SET origins = NULL WHERE id = $1', [page.keyId]);
    assert.equal((await ledger.admit(hashKey(page.key), startMs)).kind, 'unknown');
    assert.equal((await ledger.admitPage(hashKey(page.key), '192.0.2.1', startMs)).kind, 'unknown');
  });
});

test('an admission puts a period right that began while the clock was years ahead, and gives nothing twice', async () => {
  await withReplicas(2, async (replicas) => {
    const [one, other] = [at(replicas, 0), at(replicas, 1)];
    const { accountId, hash, caller } = await customer(one.accounts, 'basic', { allowance: 10 });
    const standingAt = async ({ ledger }: OpenLedger, atMs: number) => {
      const admission = await ledger.admit(hash, atMs);
      assert.ok(admission.kind === 'admitted');
      const { creditsRemaining, refreshAtMs } = admission.standing;
      return [creditsRemaining, refreshAtMs];
    };
    const aheadMs = Date.UTC(2028, 0, 31, 12);
    await one.ledger.charge(charging(caller, 'c1', 3));
    assert.deepEqual(await standingAt(one, aheadMs), [10, Date.UTC(2028, 1, 29, 12)]);
    await one.ledger.charge(charging(caller, 'c2', 2, aheadMs));
    for (const replica of [other, one, other]) {
      assert.deepEqual(await standingAt(replica, startMs + 1), [8, Date.UTC(2026, 1, 28, 12)]);
    }
    assert.equal(await balanceOf(one.accounts, accountId), 8);
    await assertSound(one);
  });
});

test('counts that begin an hour of one account and go on with one of another wait for nobody in a circle', async () => {
  await withReplicas(2, async (replicas, storage) => {
    const [one, other] = [at(replicas, 0), at(replicas, 1)];
    const [ada, bob] = [await customer(one.accounts, 'basic'), await customer(one.accounts, 'basic')];
    const record = ({ ledger }: OpenLedger, { caller }: Customer, hour: number) =>
      ledger.record({ ...charging(caller, 'free', 0, startMs + hour * hourMs), status: 404 });
    for (const each of [ada, bob]) record(one, each, 0);
    await one.accounts.usageOf(ada.accountId);
    const days = new pg.Client(storage.server.url(storage.database));
    await days.connect();
    await days.query('BEGIN; SELECT FROM domesday.usage_days FOR UPDATE');
    record(one, ada, 0);
    record(one, bob, 1);
    record(other, bob, 0);
    record(other, ada, 2);
    const counted = Promise.all([one, other].map(({ accounts }) => accounts.usageOf(ada.accountId)));
    await untilBlocked(storage, 2);
    await days.end();
    await counted;
    const calls = await Promise.all(
      [ada, bob].map(async ({ accountId }) =>
        (await one.accounts.usageOf(accountId)).map((row) => row.calls),
      ),
    );
    assert.deepEqual(calls, [
      [2, 1],
      [2, 1],
    ]);
    await assertSound(one);
  });
});

test('a recalled call is marked under the lock of its account, as whoever charges has it: it waits for nobody in a circle', async () => {
  await withReplicas(1, async ([open], storage) => {
    assert.ok(open);
    const { caller } = await customer(open.accounts, 'basic');
    const called = repeatable('key', 'call');
    await open.ledger.charge({ ...charging(caller, 'c1'), repeatable: called });
    const holder = new pg.Client(storage.server.url(storage.database));
    await holder.connect();
    await holder.query('BEGIN; SELECT FROM domesday.accounts FOR NO KEY UPDATE');
    const recalled = Promise.resolve(open.ledger.recall(caller, called, startMs));
    await Promise.race([untilBlocked(storage), recalled.then(() => assert.fail('it did not wait'))]);
    // What it waits for may change the row itself.
    await holder.query('UPDATE domesday.repeats SET paid = true; COMMIT');
    await holder.end();
    assert.equal(await recalled, 'same');
    await assertSound(open);
  });
});

type Step = {
  readonly replica: number;
  readonly account: number;
  readonly act: 'charge' | 'repeat' | 'recall' | 'admit' | 'grant' | 'record';
};

const step: fc.Arbitrary<Step> = fc.record({
  replica: fc.nat(2),
  account: fc.nat(5),
  act: fc.constantFrom(
    'charge',
    'charge',
    'charge',
    'repeat',
    'recall',
    'admit',
    'grant',
    'record',
    'record',
  ),
});

test('random batches of several replicas over the same accounts neither deadlock nor lose a credit', async () => {
  await withReplicas(3, async (replicas, storage) => {
    const { accounts } = at(replicas, 0);
    const customers = await Promise.all(
      Array.from({ length: 6 }, () => customer(accounts, 'enterprise', { allowance: 1_000_000 })),
    );
    let number = 0;
    let runs = 0;
    const spent = new Map<string, number>();
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 50, maxLength: 300 }), async (steps) => {
        runs += 1;
        await Promise.all(
          steps.map(async ({ replica, account, act }) => {
            const { ledger, accounts: books } = at(replicas, replica);
            const { accountId, caller, hash } = at(customers, account);
            number += 1;
            // Each run begins an hour and goes on with two.
            const atMs = startMs + (runs + (number % 3)) * hourMs;
            const charge = charging(caller, `c${number}`, 1 + (number % 5), atMs);
            const repeats = repeatable(`k${number % 9}`, number % 2 === 0 ? 'call' : 'another call');
            if (act === 'admit') await ledger.admit(hash, startMs);
            else if (act === 'record') ledger.record({ ...charge, status: number % 2 === 0 ? 404 : 400 });
            else if (act === 'grant') await books.grantCredits(accountId, { credits: 1, atMs: startMs });
            else if (act === 'recall') await ledger.recall(caller, repeats, atMs);
            else {
              const wish = act === 'repeat' ? { repeatable: repeats } : {};
              const { kind } = await ledger.charge({ ...charge, ...wish });
              assert.ok(kind === 'charged' || kind === 'replayed' || kind === 'mismatched');
              if (kind === 'charged') spent.set(accountId, (spent.get(accountId) ?? 0) + charge.credits);
            }
          }),
        );
      }),
      { numRuns: 12 },
    );
    for (const { accountId } of customers) {
      const charges = (await accounts.journalOf(accountId)).filter(({ kind }) => kind === 'charge');
      assert.equal(
        charges.reduce((sum, { credits }) => sum - credits, 0),
        spent.get(accountId) ?? 0,
      );
    }
    for (const replica of replicas) await replica.accounts.usageOf(at(customers, 0).accountId);
    await assertSound(at(replicas, 0));
    for (const { ledger } of replicas) await ledger.close();
    assert.equal(await deadlocksIn(storage), 0);
  });
});

const text = anyString({ maxLength: 12 }).map((each) => each.replaceAll('\0', ''));
const amount = fc.maxSafeInteger();

test('the database hashes a charge as the chain does, whatever its text', async () => {
  const { server, database, remove } = await freshStorage();
  const link: fc.Arbitrary<Link> = fc.record({
    accountId: text,
    previous: fc.option(amount),
    atMs: amount,
    kind: fc.constant('charge'),
    credits: amount,
    lasting: amount,
    balanceAfter: amount,
    lastingAfter: amount,
    chargeId: text,
    requestId: text,
    keyId: text,
    endpoint: text,
    note: fc.constant(null),
  });
  const links = fc.sample(fc.tuple(fc.option(fc.stringMatching(/^[\w-]{43}$/)), link), 500);
  const column = (name: keyof Link) => links.map(([, each]) => each[name]);
  const { rows } = await server.ask(
    database,
    `SELECT domesday.hash_charge_1(before, to_json(account_id)::text, previous, at, credits, lasting, balance_after, lasting_after,
        charge_id, request_id, to_json(key_id)::text || ',' || to_json(path)::text || ',null]') AS hash
      FROM unnest($1::text[], $2::text[], $3::bigint[], $4::bigint[], $5::bigint[], $6::bigint[], $7::bigint[],
        $8::bigint[], $9::text[], $10::text[], $11::text[], $12::text[])
        AS u (before, account_id, previous, at, credits, lasting, balance_after, lasting_after, charge_id, request_id,
          key_id, path)`,
    [
      links.map(([before]) => before),
      ...(
        [
          'accountId',
          'previous',
          'atMs',
          'credits',
          'lasting',
          'balanceAfter',
          'lastingAfter',
          'chargeId',
          'requestId',
          'keyId',
          'endpoint',
        ] as const
      ).map(column),
    ],
  );
  assert.deepEqual(
    rows.map(({ hash }) => hash),
    links.map(([before, each]) => hashEntry(before, each)),
  );
  await remove();
});

test('texts that PostgreSQL cannot keep are refused alone', async () => {
  await withReplicas(1, async ([replica]) => {
    assert.ok(replica);
    const { ledger, accounts } = replica;
    const { caller, accountId } = await customer(accounts, 'basic');
    const wrong = ledger.charge({ ...charging(caller, 'c1'), requestId: 'a\0b' });
    const right = ledger.charge({
      ...charging(caller, 'c2'),
      requestId: 'half a \ud800 character, \u001f "quoted"',
    });
    await assert.rejects(wrong, /NUL/);
    assert.equal((await right).kind, 'charged');
    await assert.rejects(accounts.grantCredits(accountId, { credits: 1, note: '\0', atMs: startMs }), /NUL/);
    assert.equal((await ledger.admit('\0', startMs)).kind, 'unknown');
    const call = { caller, endpoint: '/area', atMs: startMs, status: 404 };
    ledger.record(call);
    ledger.record({ ...call, endpoint: '/a\0b' });
    ledger.record({ ...call, caller: { ...caller, keyId: '\0' } });
    const free = (await accounts.usageOf(accountId)).filter(({ status }) => status === 404);
    assert.deepEqual(
      free.map(({ endpoint, calls }) => [endpoint, calls]),
      [['/area', 1]],
    );
    await assertSound(replica);
  });
});

test('a repetition is found by its key alone, also by a plan that was made while nothing was remembered', async () => {
  await withReplicas(1, async ([open], { server, database }) => {
    assert.ok(open);
    const { accountId } = await customer(open.accounts, 'basic');
    const client = new pg.Client(server.url(database));
    await client.connect();
    const recall = (keys: readonly string[]) =>
      client.query('SELECT * FROM domesday.recall_1($1, $2, $3, $4, $5, $6)', [
        keys.map(() => accountId),
        keys,
        keys.map(() => 'call'),
        keys.map(() => 0),
        keys.map(() => 10),
        [],
      ]);
    try {
      // What a transaction has read is told within it alone.
      await client.query('BEGIN');
      for (let times = 0; times < 8; times++) assert.equal((await recall(['k1'])).rowCount, 0);
      await client.query(`INSERT INTO domesday.repeats
        SELECT n, number, 'k' || n, 'call', 1, 'c' || n FROM domesday.accounts, generate_series(1, 5000) AS n
        WHERE id = '${accountId}'`);
      assert.equal((await recall(['k1', 'k5000', 'k5001'])).rowCount, 2);
      const { rows } = await client.query(
        "SELECT idx_tup_fetch FROM pg_stat_xact_user_tables WHERE schemaname = 'domesday' AND relname = 'repeats'",
      );
      assert.ok(Number(rows[0]?.idx_tup_fetch) < 100, JSON.stringify(rows));
    } finally {
      await client.end();
    }
  });
});
