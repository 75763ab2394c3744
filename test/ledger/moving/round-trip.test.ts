// A ledger that is moved into a database and back is the one that it was, and goes on wherever it is.

import assert from 'node:assert/strict';
import path from 'node:path';
import { test } from 'node:test';
import { hashKey } from '../../../src/ledger/keys.ts';
import type { OpenLedger } from '../../../src/ledger/ledger.ts';
import { portionRows } from '../../../src/ledger/moving/tables.ts';
import { openLedger } from '../../../src/ledger/open.ts';
import { balanceOf, charging, customer, type Engine, startMs, writeCounts } from '../bench.ts';
import { modelContract } from '../model.ts';
import { makeRichLedger } from '../rich-ledger.ts';
import { contentsOf, fillPeople, Pair, withPair } from './bench.ts';

async function assertSound({ journals, accounts }: OpenLedger): Promise<void> {
  const { breaks, different, contradictions } = await journals.verify(startMs);
  assert.deepEqual([breaks, different, contradictions], [[], [], []]);
  for (const { kind } of await accounts.recomputeBalances()) assert.equal(kind, 'equal');
}

test('every row of every table comes back as it was, also of a ledger that has been through everything', async () => {
  await withPair(async (pair) => {
    await makeRichLedger(pair.home);
    const filled = await pair.openFile();
    await fillPeople(filled.database);
    await pair.closeAll();
    const before = contentsOf(pair.file);
    assert.match(
      await pair.moveIn(),
      /^Moved to the database test_\w+ on 127\.0\.0\.1:\d+: \d+ accounts and the account of/,
    );
    await assertSound(await pair.openDatabase());
    await pair.closeAll();
    const backup = path.join(pair.folder, 'backup.sqlite');
    await pair.run('database', 'backup', backup);
    assert.deepEqual(contentsOf(backup), before);
    assert.match(await pair.moveOut(), /^Moved to .*home-.*is now in .*domesday-before-/s);
    assert.deepEqual(contentsOf(pair.file), before);
    await assertSound(await pair.openFile());
  });
});

test('keys work, numbers go on and nothing is charged twice on either side of a move', async () => {
  await withPair(async (pair) => {
    const first = await openLedger({ home: pair.home });
    const { accountId, caller, hash } = await customer(first.accounts, 'premium');
    await first.ledger.charge(charging(caller, 'before', 2));
    await first.ledger.close();
    await pair.moveIn();
    const second = await pair.openDatabase();
    assert.equal((await second.ledger.admit(hash, startMs)).kind, 'admitted');
    await second.ledger.charge(charging(caller, 'before', 2));
    await second.ledger.charge(charging(caller, 'between', 3));
    const made = await second.accounts.createKey({ accountId, kind: 'live', atMs: startMs });
    await customer(second.accounts);
    await pair.closeAll();
    await pair.moveOut();
    const third = await pair.openFile();
    for (const each of [hash, hashKey(made.key)])
      assert.equal((await third.ledger.admit(each, startMs)).kind, 'admitted');
    for (const [id, credits] of [
      ['before', 2],
      ['between', 3],
      ['after', 5],
    ] as const)
      await third.ledger.charge(charging(caller, id, credits));
    const entries = await third.accounts.journalOf(accountId);
    assert.deepEqual(
      entries.map(({ chargeId, credits }) => chargeId ?? credits),
      ['after', 'between', 'before', 100_000],
    );
    assert.equal((await third.accounts.findAccount(accountId, startMs))?.balance, 99_990);
    await assertSound(third);
  });
});

for (const entries of [portionRows, portionRows + 1]) {
  test(`a journal of ${entries} entries, which is no less than one portion, goes there and back whole`, async () => {
    await withPair(async (pair) => {
      const { ledger, accounts } = await openLedger({ home: pair.home });
      const { accountId, caller } = await customer(accounts, 'premium');
      const charges = Array.from({ length: entries - 1 }, (_, i) => charging(caller, `c${i}`));
      await Promise.all(charges.map((charge) => ledger.charge(charge)));
      await ledger.close();
      const before = contentsOf(pair.file);
      const said = new RegExp(`1 account, ${entries.toLocaleString('en-GB')} entries`);
      assert.match(await pair.moveIn(), said);
      const there = await pair.openDatabase();
      await assertSound(there);
      assert.equal(await balanceOf(there.accounts, accountId), 100_000 - charges.length);
      await pair.closeAll();
      assert.match(await pair.moveOut(), said);
      assert.deepEqual(contentsOf(pair.file), before);
      await assertSound(await pair.openFile());
    });
  });
}

/** Begins as a file, and is now here, now there. */
const moving: Engine = {
  name: 'SQLite and PostgreSQL by turns',
  fresh: async () => {
    const pair = await Pair.make();
    const { home, url: databaseUrl } = pair;
    let place: 'file' | 'database' = 'file';
    return {
      open: () => openLedger(place === 'file' ? { home } : { home, databaseUrl }),
      nextRequest: () => new Promise((resolve) => setImmediate(resolve)),
      settle: writeCounts,
      move: async () => {
        await (place === 'file' ? pair.moveIn() : pair.moveOut());
        place = place === 'file' ? 'database' : 'file';
        const open = await (place === 'file' ? pair.openFile() : pair.openDatabase());
        await assertSound(open);
        await pair.closeAll();
      },
      remove: () => pair.remove(),
    };
  },
  runs: (usual) => Math.ceil(usual / 8),
};

modelContract(moving);
