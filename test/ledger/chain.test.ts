// A journal that was changed by other hands is found, and the account and entry are named. Changes are generated for every
// column; the file is changed by SQL as whoever has the file could.

import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { copyFileSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync, type SQLInputValue } from 'node:sqlite';
import { after, before, describe, it } from 'node:test';
import fc from 'fast-check';
import { hashEntry, hashingCharges } from '../../src/ledger/chain.ts';
import { openLedger } from '../../src/ledger/open.ts';
import type { JournalReport } from '../../src/ledger/told/journals.ts';
import { dayMs } from '../../src/time.ts';
import { anyString } from '../any-string.ts';
import { charging, customer, startMs } from './bench.ts';

const unguard =
  'DROP TRIGGER journal_is_never_changed; DROP TRIGGER journal_is_never_shortened; DROP TRIGGER accounts_keep_their_numbers;';

let folder = '';
before(() => {
  folder = mkdtempSync(join(tmpdir(), 'domesday-chain-'));
});
after(() => rmSync(folder, { recursive: true }));

/** Two accounts whose entries alternate, of every kind that is written today. */
async function makeLedger(home: string): Promise<{ readonly ada: string; readonly bob: string }> {
  const { ledger, accounts } = await openLedger({ home });
  const ada = await customer(accounts, 'basic', { allowance: 50 });
  const bob = await customer(accounts, 'basic', { allowance: 50 });
  for (let i = 0; i < 4; i++) {
    await ledger.charge(charging(ada.caller, `a${i}`, 1 + i, startMs + i));
    await ledger.charge({ ...charging(bob.caller, `b${i}`, 2, startMs + i), requestId: `b${i}` });
  }
  for (const { accountId } of [ada, bob]) {
    await accounts.grantCredits(accountId, { credits: 30, note: 'goodwill “\ud800”', atMs: startMs + 10 });
    await accounts.grantCredits(accountId, { credits: -5, atMs: startMs + 11 });
    await accounts.changePlan(accountId, { plan: 'standard', terms: { allowance: 70 }, atMs: startMs + 12 });
    await accounts.findAccount(accountId, startMs + 40 * dayMs);
  }
  await ledger.charge(charging(ada.caller, 'a9', 3, startMs + 41 * dayMs));
  await ledger.close();
  return { ada: ada.accountId, bob: bob.accountId };
}

async function report(home: string): Promise<JournalReport> {
  const { ledger, journals } = await openLedger({ home });
  try {
    return await journals.verify(startMs + 41 * dayMs);
  } finally {
    await ledger.close();
  }
}

const text = fc.oneof(
  anyString({ maxLength: 12 }),
  fc.constantFrom('', '"', '\\', '\u001f', '\u007f', '[', ']', '!', '#', '\ud800', 'é', '\u2028', 'key_1'),
);

it('the hash of an entry is that of its list in JSON, whatever its texts', () => {
  const textOrNull = fc.option(text);
  const number = fc.maxSafeInteger();
  fc.assert(
    fc.property(
      fc.option(fc.stringMatching(/^[\w-]{43}$/)),
      fc.record({
        accountId: fc.stringMatching(/^acc_[\w-]*$/),
        previous: fc.option(number),
        atMs: number,
        kind: fc.constantFrom('grant', 'charge', null),
        credits: number,
        lasting: number,
        balanceAfter: number,
        lastingAfter: number,
        chargeId: textOrNull,
        requestId: textOrNull,
        keyId: fc.option(fc.stringMatching(/^key_[\w-]*$/)),
        endpoint: textOrNull,
        note: textOrNull,
      }),
      (before, link) => {
        const stored = (each: string | null) => each?.toWellFormed() ?? null;
        const list = [
          before,
          link.accountId,
          link.previous,
          link.atMs,
          link.kind,
          link.credits,
          link.lasting,
        ];
        list.push(
          link.balanceAfter,
          link.lastingAfter,
          stored(link.chargeId),
          stored(link.requestId),
          link.keyId,
        );
        list.push(stored(link.endpoint), stored(link.note));
        assert.equal(hashEntry(before, link), hash('sha256', JSON.stringify(list), 'base64url'));
      },
    ),
    { numRuns: 500 },
  );
});

it('charges by one key have the hashes of entries, whatever their texts', () => {
  const number = fc.maxSafeInteger();
  const plain = fc.stringMatching(/^[\w-]{1,12}$/);
  const balances = fc.record({
    previous: fc.option(number),
    credits: number,
    lasting: number,
    balanceAfter: number,
    lastingAfter: number,
  });
  const charges = (id: fc.Arbitrary<string>) =>
    fc.array(
      fc.record({
        chargeId: id,
        requestId: fc.option(fc.oneof(plain, text)),
        endpoint: fc.oneof(plain, text),
        atMs: number,
        moved: balances,
      }),
      { maxLength: 5 },
    );
  fc.assert(
    fc.property(
      fc.option(fc.oneof(plain, text)),
      fc.oneof(charges(plain), charges(fc.oneof(plain, text))),
      fc.record({ accountId: text, keyId: text }),
      // Another hash than that of the charge before: of a charge in between.
      fc.option(text, { freq: 4 }),
      (first, made, { accountId, keyId }, between) => {
        const caller = { accountId, keyId, mode: 'live' } as const;
        const hashOf = hashingCharges(caller);
        let before = first;
        for (const { moved, requestId, ...own } of made) {
          const said = { ...own, requestId: requestId ?? own.chargeId };
          const hashed = hashOf(before, moved, { ...said, caller, credits: 1 });
          const link = { ...said, ...moved, accountId, keyId, kind: 'charge', note: null };
          assert.equal(hashed, hashEntry(before, link));
          before = between ?? hashed;
        }
      },
    ),
    { numRuns: 500 },
  );
});

type Entry = Readonly<Record<string, SQLInputValue>>;

describe('a journal changed by other hands', () => {
  let sound = '';
  let ids = { ada: '', bob: '' };
  let entries: readonly Entry[] = [];
  let count = 0;

  before(async () => {
    sound = join(folder, 'sound');
    ids = await makeLedger(sound);
    const db = new DatabaseSync(join(sound, 'domesday.sqlite'));
    entries = db.prepare('SELECT * FROM journal ORDER BY seq').all();
    db.close();
  });

  /** What is found after the changes, in a copy. */
  async function after(change: (db: DatabaseSync) => void): Promise<JournalReport> {
    const home = join(folder, `changed-${count++}`);
    const path = join(home, 'domesday.sqlite');
    mkdirSync(home);
    copyFileSync(join(sound, 'domesday.sqlite'), path);
    const db = new DatabaseSync(path, { enableForeignKeyConstraints: false });
    db.exec(unguard);
    change(db);
    db.close();
    const found = await report(home);
    rmSync(home, { recursive: true });
    return found;
  }
  const assertFound = ({ breaks }: JournalReport, accountIds: readonly string[], seqs: readonly number[]) => {
    const named = breaks.find(({ accountId, seq }) => accountIds.includes(accountId) && seqs.includes(seq));
    assert.ok(named, JSON.stringify(breaks));
  };
  const idOf = (entry: Entry) => (Number(entry.account) === 1 ? ids.ada : ids.bob);
  /** The entry itself or the next of its account. */
  const around = (entry: Entry) => {
    const next = entries.find(({ previous }) => previous === entry.seq);
    return [Number(entry.seq), ...(next === undefined ? [] : [Number(next.seq)])];
  };

  it('is sound before', async () => {
    const { breaks, different, stepsBack, astray, ...rest } = await after(() => undefined);
    assert.deepEqual([breaks, different, stepsBack, astray], [[], [], [], []]);
    assert.deepEqual(rest, { customers: 2, journals: 2, entries: entries.length, contradictions: [] });
  });

  const anyNumber = fc.oneof(
    fc.integer({ min: 0, max: 90 }),
    fc.constantFrom(2 ** 53 - 1, 2n ** 62n, startMs, startMs + 1),
  );
  const anyText = fc.oneof(fc.string(), fc.constantFrom(null, 'a1', '', 'A1'));
  const changes: Readonly<Record<string, fc.Arbitrary<SQLInputValue>>> = {
    seq: fc.integer({ min: 100, max: 200 }),
    previous: fc.option(fc.integer({ min: 1, max: 40 })),
    account: fc.constantFrom(1, 2, 9),
    at: anyNumber,
    kind: fc.oneof(fc.integer({ min: 0, max: 9 }), fc.constant(2n ** 62n)),
    credits: fc.oneof(anyNumber, fc.integer({ min: -90, max: 90 })),
    lasting: fc.oneof(anyNumber, fc.integer({ min: -90, max: 90 })),
    balance_after: anyNumber,
    lasting_after: anyNumber,
    charge_id: anyText,
    request_id: anyText,
    key: fc.constantFrom(null, 1, 2, 9),
    endpoint: fc.constantFrom(null, 1, 9),
    note: anyText,
    hash: fc.oneof(fc.constant(null), fc.string(), fc.constant('other entry’s')),
  };

  for (const [column, arbitrary] of Object.entries(changes)) {
    it(`in ${column} is found and named`, async () => {
      assert.deepEqual(
        Object.keys(entries[0] ?? {}).sort(),
        Object.keys(changes).sort(),
        'no column is left out',
      );
      await fc.assert(
        fc.asyncProperty(fc.nat(entries.length - 1), arbitrary, async (index, wanted) => {
          const entry = entries[index];
          assert.ok(entry);
          const value =
            wanted === 'other entry’s' ? (entries[(index + 1) % entries.length]?.hash ?? null) : wanted;
          fc.pre(value !== entry[column]);
          // Both say that the request had the id of the charge.
          fc.pre(
            column !== 'request_id' || (value ?? entry.charge_id) !== (entry.request_id ?? entry.charge_id),
          );
          let isMade = true;
          const found = await after((db) => {
            try {
              db.prepare(`UPDATE journal SET ${column} = ? WHERE seq = ?`).run(value, entry.seq ?? null);
            } catch {
              isMade = false; // refused by what the tables themselves demand
            }
          });
          fc.pre(isMade);
          const seqs = [...around(entry), ...(column === 'seq' ? [Number(value)] : [])];
          assertFound(
            found,
            [idOf(entry)],
            column === 'account' ? [...seqs, ...entries.map(({ seq }) => Number(seq))] : seqs,
          );
        }),
        { numRuns: 12 },
      );
    });
  }

  it('by deleting any entry is found', async () => {
    for (const entry of entries) {
      const found = await after((db) => db.exec(`DELETE FROM journal WHERE seq = ${entry.seq}`));
      assertFound(found, [idOf(entry)], around(entry));
    }
  });

  it('by deleting all entries of an account is found at the one that it names', async () => {
    const found = await after((db) => db.exec('DELETE FROM journal WHERE account = 1'));
    const newest = entries.findLast(({ account }) => account === 1);
    assertFound(found, [ids.ada], [Number(newest?.seq)]);
  });

  it('by another balance of the account is found, with what its journal comes to', async () => {
    const [newest] = entries.filter(({ account }) => account === 1).reverse();
    for (const column of ['balance', 'lasting']) {
      const { breaks, different } = await after((db) =>
        db.exec(`UPDATE accounts SET ${column} = ${column} + 1 WHERE number = 1`),
      );
      assert.deepEqual(breaks, []);
      assert.deepEqual(
        different.map(({ accountId, journalSum }) => [accountId, journalSum]),
        [[ids.ada, newest?.balance_after]],
      );
    }
  });

  it('by deleting an entry and closing the gap is found', async () => {
    for (const entry of entries) {
      const found = await after((db) => {
        db.exec(`DELETE FROM journal WHERE seq = ${entry.seq}`);
        db.prepare('UPDATE journal SET previous = ? WHERE previous = ?').run(
          entry.previous ?? null,
          entry.seq ?? null,
        );
      });
      assertFound(found, [idOf(entry)], around(entry));
    }
  });

  it('by exchanging what two entries say is found', async () => {
    const columns =
      'at, kind, credits, lasting, balance_after, lasting_after, charge_id, request_id, key, endpoint, note, hash';
    const charges = entries.filter(({ kind, account }) => kind === 2 && account === 1);
    for (const [i, one] of charges.entries()) {
      for (const two of charges.slice(i + 1)) {
        const found = await after((db) => {
          db.exec('CREATE TEMP TABLE held AS SELECT * FROM journal; UPDATE journal SET charge_id = NULL');
          for (const [to, from] of [
            [one, two],
            [two, one],
          ] as const) {
            db.exec(
              `UPDATE journal SET (${columns}) = (SELECT ${columns} FROM held WHERE held.seq = ${from.seq}) WHERE seq = ${to.seq}`,
            );
          }
          db.exec(
            'UPDATE journal SET charge_id = (SELECT charge_id FROM held WHERE held.seq = journal.seq) WHERE charge_id IS NULL',
          );
        });
        assertFound(found, [ids.ada], [...around(one), ...around(two)]);
      }
    }
  });

  it('by another newest entry of the account is found', async () => {
    for (const newest of [null, 1, 3, 5, 500]) {
      const found = await after((db) =>
        db.prepare('UPDATE accounts SET newest_entry = ? WHERE number = 1').run(newest),
      );
      assert.equal(found.breaks.length, 1);
      assert.equal(found.breaks[0]?.accountId, ids.ada);
    }
  });

  it('by a forged entry whose own hash is right is found, wherever it is put', async () => {
    for (const entry of entries.filter(({ account }) => account === 1)) {
      const found = await after((db) => {
        const balanceAfter = Number(entry.balance_after) + 1;
        const hash = hashEntry(String(entry.hash), {
          accountId: ids.ada,
          previous: Number(entry.seq),
          atMs: startMs,
          kind: 'grant',
          credits: 1,
          lasting: 0,
          balanceAfter,
          lastingAfter: Number(entry.lasting_after),
          chargeId: null,
          requestId: null,
          keyId: null,
          endpoint: null,
          note: null,
        });
        db.prepare(
          'INSERT INTO journal (previous, account, at, kind, credits, lasting, balance_after, lasting_after, hash) VALUES (?, 1, ?, 0, 1, 0, ?, ?, ?)',
        ).run(entry.seq ?? null, startMs, balanceAfter, entry.lasting_after ?? null, hash);
      });
      assertFound(found, [ids.ada], [entries.length + 1, ...around(entry)]);
    }
  });

  it('by taking all hashes away is found', async () => {
    const found = await after((db) => db.exec('UPDATE journal SET hash = NULL'));
    assert.deepEqual(
      found.breaks.map(({ seq }) => seq),
      [1, 2],
    );
  });

  it('by changing entry and hash is found at the entry after it', async () => {
    const [first] = entries;
    assert.ok(first);
    const found = await after((db) => {
      const hash = hashEntry(null, {
        accountId: ids.ada,
        previous: null,
        atMs: startMs,
        kind: 'grant',
        credits: 50,
        lasting: 0,
        balanceAfter: 50,
        lastingAfter: 0,
        chargeId: null,
        requestId: null,
        keyId: null,
        endpoint: null,
        note: 'forged',
      });
      db.prepare("UPDATE journal SET note = 'forged', hash = ? WHERE seq = 1").run(hash);
    });
    assertFound(found, [ids.ada], around(first).slice(1));
  });
});
