// The SQLite engine keeps what it remembers of Idempotency-Keys bounded.

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, before, test } from 'node:test';
import type { Caller, OpenLedger } from '../../src/ledger/ledger.ts';
import { databaseFile, openLedger } from '../../src/ledger/open.ts';
import { repeatable } from '../../src/ledger/repeats.ts';
import { dayMs } from '../../src/time.ts';
import { charging, customer, startMs } from './bench.ts';

const home = mkdtempSync(join(tmpdir(), 'domesday-ledger-'));
let open: OpenLedger;
let file: DatabaseSync;
let caller: Caller;
let number = 0;
before(async () => {
  open = await openLedger({ home });
  ({ caller } = await customer(open.accounts));
  file = new DatabaseSync(databaseFile(home), { readOnly: true });
});
after(async () => {
  file.close();
  await open.ledger.close();
  rmSync(home, { recursive: true });
});

const kept = () => Number(file.prepare('SELECT count(*) AS rows FROM repeats').get()?.rows);

/** Charges that are made in one transaction. */
async function chargeTogether(calls: number, atMs: number, keys: 'with keys' | 'without'): Promise<void> {
  const charges = Array.from({ length: calls }, () => {
    number += 1;
    const plain = charging(caller, `c${number}`, 1, atMs);
    return keys === 'without' ? plain : { ...plain, repeatable: repeatable(`k${number}`, 'a call') };
  });
  await Promise.all(charges.map((charge) => open.ledger.charge(charge)));
}

test('what is a day old goes in small portions, with whatever is charged later', async () => {
  await chargeTogether(1_000, startMs, 'with keys');
  assert.equal(kept(), 1_000);
  await chargeTogether(1, startMs + dayMs - 1, 'without');
  assert.equal(kept(), 1_000);
  const left = [];
  for (let charges = 0; charges < 8; charges += 1) {
    await chargeTogether(1, startMs + 2 * dayMs, 'without');
    left.push(kept());
  }
  assert.deepEqual(left, [872, 744, 616, 488, 360, 232, 104, 0]);
});

test('what a clock that was years ahead has left goes as well', async () => {
  await chargeTogether(5, startMs + 4_000 * dayMs, 'with keys');
  await chargeTogether(1, startMs + 3 * dayMs, 'without');
  assert.equal(kept(), 0);
});

test('under steady use no more is kept than two days bring, in transactions of any size', async () => {
  const perDay = 600;
  for (let day = 10; day < 16; day += 1) {
    for (const size of [300, 200, 70, 29, 1]) {
      await chargeTogether(size, startMs + day * dayMs, 'with keys');
      assert.ok(kept() <= 2 * perDay, `${kept()} on day ${day}`);
    }
  }
});
