// Retention: old entries give way to a closing entry, and nothing else changes.

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { doubtfulFile } from '../../src/ledger/doubts.ts';
import { type Accounts, LedgerRefusal, type OpenLedger } from '../../src/ledger/ledger.ts';
import { openLedger } from '../../src/ledger/open.ts';
import { repeatable } from '../../src/ledger/repeats.ts';
import { dayMs } from '../../src/time.ts';
import { type Customer, charging, customer, startMs } from './bench.ts';

const nowMs = startMs + 300 * dayMs;
const day = (days: number) => startMs + days * dayMs;

describe('a trim', () => {
  let home = '';
  let opened: OpenLedger[] = [];
  const open = async (): Promise<OpenLedger> => {
    const made = await openLedger({ home });
    opened.push(made);
    return made;
  };
  beforeEach(() => {
    home = mkdtempSync(join(tmpdir(), 'domesday-retention-'));
  });
  afterEach(async () => {
    for (const { ledger } of opened) await ledger.close();
    opened = [];
    rmSync(home, { recursive: true });
  });

  const assertSound = async ({ journals }: OpenLedger) => {
    const { breaks, different, contradictions } = await journals.verify(nowMs);
    assert.deepEqual(contradictions, []);
    assert.deepEqual([breaks, different], [[], []]);
  };
  /** All that a trim must leave as it is. */
  const standing = async (accounts: Accounts, ids: readonly string[]) =>
    Promise.all(
      ids.map(async (accountId) => ({
        account: await accounts.findAccount(accountId, startMs),
        usage: await accounts.usageOf(accountId),
        balance: (await accounts.journalOf(accountId))[0]?.balanceAfter,
      })),
    );
  const lasts = { allowance: 1_000_000 };
  /** On trial, so that no refresh comes between. */
  const twoCustomers = async ({ accounts }: OpenLedger): Promise<readonly [Customer, Customer]> => [
    await customer(accounts, 'trial', lasts),
    await customer(accounts, 'trial', lasts),
  ];

  it('of a journal without entries does nothing', async () => {
    const { journals } = await open();
    assert.deepEqual(await journals.trim({ beforeMs: day(100), atMs: nowMs }), { accounts: 0, entries: 0 });
  });

  it('leaves what follows without a contradiction: other terms, a plan after trial, a clock that goes back', async () => {
    const bench = await open();
    const { ledger, accounts, journals } = bench;
    const [trial, terms] = await twoCustomers(bench);
    const back = await customer(accounts, 'basic');
    const young = await customer(accounts, 'trial', lasts);
    await ledger.charge(charging(young.caller, 'young', 1, nowMs));
    assert.equal((await journals.trim({ beforeMs: day(100), atMs: nowMs })).accounts, 4);
    await accounts.changePlan(trial.accountId, { plan: 'basic', atMs: nowMs });
    await accounts.changePlan(terms.accountId, { plan: 'trial', terms: { allowance: 7 }, atMs: nowMs });
    await ledger.charge(charging(back.caller, 'back', 1, day(-20)));
    const [, realigned] = await accounts.journalOf(back.accountId);
    assert.match(realigned?.note ?? '', /worked out again/);
    await assertSound(bench);
  });

  it('takes what was remembered of its calls along, so that nothing refers to what is gone', async () => {
    const bench = await open();
    const { ledger, accounts, journals } = bench;
    const [ada, bob] = await twoCustomers(bench);
    const named = { repeatable: repeatable('key', 'call') };
    for (const { caller } of [ada, bob]) {
      await ledger.charge({ ...charging(caller, `${caller.keyId} remembered`, 1, day(1)), ...named });
    }
    // The closing entry has the number of the last that it stands for.
    await ledger.charge(charging(bob.caller, 'last', 1, day(2)));
    await accounts.grantCredits(ada.accountId, { credits: 5, atMs: nowMs });
    assert.deepEqual(await journals.trim({ beforeMs: day(100), atMs: nowMs }), { accounts: 2, entries: 5 });
    await assertSound(bench);
    for (const { caller } of [ada, bob]) {
      const again = { ...charging(caller, `${caller.keyId} again`, 1, nowMs), ...named };
      assert.equal((await ledger.charge(again)).kind, 'charged');
    }
    await assertSound(bench);
  });

  it('may fall between a charge and what gives it back', async () => {
    const before = await open();
    const [ada] = await twoCustomers(before);
    await before.ledger.charge(charging(ada.caller, 'doubtful', 1, day(1)));
    await before.ledger.charge(charging(ada.caller, 'young', 1, day(250)));
    await before.ledger.close();
    doubtfulFile(join(home, 'domesday.doubtful')).add(['doubtful']);
    const bench = await open();
    bench.maintain();
    await bench.ledger.charge(charging(ada.caller, 'newest', 1, nowMs));
    const kinds = async () => (await bench.accounts.journalOf(ada.accountId)).map(({ kind }) => kind);
    assert.deepEqual(await kinds(), ['charge', 'reversal', 'charge', 'charge', 'grant']);
    await bench.journals.trim({ beforeMs: day(100), atMs: nowMs });
    assert.deepEqual(await kinds(), ['charge', 'reversal', 'charge', 'closing']);
    await assertSound(bench);
  });

  const meanwhile: Readonly<Record<string, RegExp | undefined>> = {
    'DELETE FROM closings': /was changed while it was trimmed; run `domesday check`/,
    'DELETE FROM journal': undefined, // nothing is left to trim
  };
  for (const [change, message] of Object.entries(meanwhile)) {
    it(`ends where other hands do ${change} meanwhile`, async () => {
      const { ledger, accounts, journals } = await open();
      const { caller } = await customer(accounts, 'trial', lasts);
      // More than one transaction trims.
      const charges = Array.from({ length: 2_500 }, (_, i) => charging(caller, `c${i}`, 1, day(1)));
      await Promise.all(charges.map((charge) => ledger.charge(charge)));
      await ledger.charge(charging(caller, 'recent', 1, nowMs));
      const db = new DatabaseSync(join(home, 'domesday.sqlite'));
      db.exec(`CREATE TRIGGER other_hands AFTER INSERT ON closings BEGIN ${change}; END`);
      db.close();
      const trimmed = journals.trim({ beforeMs: day(100), atMs: nowMs });
      if (message === undefined) await trimmed;
      else await assert.rejects(trimmed, message);
    });
  }

  it('leaves balances, usage and younger entries; one closing entry stands for the rest', async () => {
    const open1 = await open();
    const { ledger, accounts, journals } = open1;
    const [ada, bob] = await twoCustomers(open1);
    const ids = [ada.accountId, bob.accountId];
    for (let i = 1; i <= 200; i += 20) {
      for (const { caller } of [ada, bob]) {
        await ledger.charge(charging(caller, `${caller.keyId} ${i}`, i, day(i)));
      }
    }
    await accounts.grantCredits(ada.accountId, { credits: 77, note: 'recent', atMs: day(295) });
    const before = await standing(accounts, ids);
    const entriesBefore = await accounts.journalOf(ada.accountId);
    const wanted = { beforeMs: day(100), atMs: nowMs };
    assert.deepEqual(await journals.planTrim(wanted), { accounts: 2, entries: 12 });
    assert.deepEqual(await accounts.journalOf(ada.accountId), entriesBefore, 'a plan changes nothing');
    assert.deepEqual(await journals.trim(wanted), { accounts: 2, entries: 12 });
    assert.deepEqual(await standing(accounts, ids), before);
    const kept = await accounts.journalOf(ada.accountId);
    assert.deepEqual(
      kept.slice(0, -1),
      entriesBefore.filter(({ atMs }) => atMs >= day(100)),
    );
    const last = entriesBefore.find(({ atMs }) => atMs < day(100));
    assert.deepEqual(kept.at(-1), {
      ...last,
      kind: 'closing',
      credits: last?.balanceAfter,
      lasting: 0,
      chargeId: null,
      requestId: null,
      keyId: null,
      endpoint: null,
      note: 'stands for 6 entries from 2026-01-31 to 2026-04-22',
    });
    await assertSound(open1);
    assert.deepEqual(await journals.trim(wanted), { accounts: 0, entries: 0 }, 'there is nothing left to do');
  });

  it('is refused for the last 62 days, also where only the clock is ahead', async () => {
    const open1 = await open();
    const { ledger, journals } = open1;
    const [ada] = await twoCustomers(open1);
    await ledger.charge(charging(ada.caller, 'c1', 1, day(100)));
    const trims = [
      { beforeMs: day(38) + 1, atMs: day(100) },
      { beforeMs: day(100), atMs: day(100) },
      { beforeMs: day(38) + 1, atMs: Date.UTC(2037, 0, 1) },
    ];
    for (const wanted of trims) {
      await assert.rejects(journals.trim(wanted), (error) => {
        assert.ok(error instanceof LedgerRefusal);
        assert.match(error.message, /last 62 days.*2026-03-10 or an earlier date/);
        return true;
      });
      await assert.rejects(journals.planTrim(wanted), LedgerRefusal);
    }
    assert.deepEqual(await journals.trim({ beforeMs: day(38), atMs: day(100) }), { accounts: 2, entries: 2 });
  });

  it('keeps recent entries that a wrong clock stamped, and is not stopped by them', async () => {
    const open1 = await open();
    const { ledger, accounts, journals } = open1;
    const [ada, bob] = await twoCustomers(open1);
    const times = [day(10), Date.UTC(2037, 0, 1), day(20), day(250), Date.UTC(1970, 0, 5), day(299)];
    for (const [i, atMs] of times.entries()) await ledger.charge(charging(ada.caller, `c${i}`, 1, atMs));
    await ledger.charge(charging(bob.caller, 'last', 1, nowMs));
    assert.equal((await journals.trim({ beforeMs: day(200), atMs: nowMs })).accounts, 2);
    const ids = (await accounts.journalOf(ada.accountId)).map(({ chargeId, kind }) => chargeId ?? kind);
    assert.deepEqual(ids, ['c5', 'c4', 'c3', 'closing']);
    await assertSound(open1);
  });

  it('is refused where a journal breaks, so that it hides nothing', async () => {
    const open1 = await open();
    const { ledger, accounts, journals } = open1;
    const [ada] = await twoCustomers(open1);
    await ledger.charge(charging(ada.caller, 'c1', 1, day(1)));
    await accounts.grantCredits(ada.accountId, { credits: 1, atMs: nowMs });
    const db = new DatabaseSync(join(home, 'domesday.sqlite'));
    db.exec(
      "DROP TRIGGER journal_is_never_changed; UPDATE journal SET request_id = 'other' WHERE charge_id = 'c1'",
    );
    db.close();
    await assert.rejects(
      journals.trim({ beforeMs: day(100), atMs: nowMs }),
      new RegExp(`${ada.accountId} breaks at entry 3`),
    );
  });

  it('never finds a closing entry changed without telling', async () => {
    const open1 = await open();
    const [ada] = await twoCustomers(open1);
    await open1.ledger.charge(charging(ada.caller, 'c1', 1, day(1)));
    await open1.accounts.grantCredits(ada.accountId, { credits: 1, atMs: nowMs });
    await open1.journals.trim({ beforeMs: day(100), atMs: nowMs });
    await open1.ledger.close();
    const changes = [
      'UPDATE closings SET at = at - 1',
      "UPDATE closings SET note = 'stands for 1 entry'",
      'UPDATE closings SET credits = credits + 1',
      'UPDATE closings SET hash = NULL',
      "UPDATE closings SET hash = 'x'",
      'UPDATE closings SET entries = 1',
      'UPDATE closings SET first_at = first_at + 1',
      "UPDATE closings SET closing_hash = 'x'",
      'UPDATE closings SET seq = seq + 1000',
      'DELETE FROM closings',
    ];
    for (const [i, change] of changes.entries()) {
      const copy = join(home, `copy-${i}`);
      mkdirSync(copy);
      copyFileSync(join(home, 'domesday.sqlite'), join(copy, 'domesday.sqlite'));
      const db = new DatabaseSync(join(copy, 'domesday.sqlite'));
      db.exec(change);
      db.close();
      const { ledger, journals } = await openLedger({ home: copy });
      const { breaks } = await journals.verify(nowMs);
      await ledger.close();
      assert.ok(
        breaks.some(({ accountId, seq }) => accountId === ada.accountId && seq >= 3),
        change,
      );
    }
  });

  it('that is killed at any moment leaves chains that hold, and the next one finishes it', async () => {
    const begin = await open();
    const [ada, bob] = await twoCustomers(begin);
    const charges = [];
    for (let i = 0; i < 9_000; i++) {
      charges.push(begin.ledger.charge(charging(i % 3 === 0 ? ada.caller : bob.caller, `c${i}`, 1, day(1))));
    }
    await Promise.all(charges);
    await begin.accounts.grantCredits(ada.accountId, { credits: 1, atMs: nowMs });
    const ids = [ada.accountId, bob.accountId];
    const before = await standing(begin.accounts, ids);
    // Dies after so many stretches of entries were deleted, in the middle of a portion.
    const script = `
      import { openLedger } from ${JSON.stringify(import.meta.resolve('../../src/ledger/open.ts'))};
      import { StatementSync } from 'node:sqlite';
      const all = StatementSync.prototype.all;
      let left = Number(process.argv[1]);
      StatementSync.prototype.all = function (...args) {
        if (this.sourceSQL.startsWith('DELETE FROM journal') && left-- === 0) process.kill(process.pid, 'SIGKILL');
        return all.apply(this, args);
      };
      const { journals } = await openLedger({ home: ${JSON.stringify(home)} });
      await journals.trim({ beforeMs: ${day(100)}, atMs: ${nowMs} });`;
    for (const deletions of [1, 15, 25]) {
      const child = spawn(process.execPath, ['--input-type=module', '-e', script, String(deletions)], {
        stdio: 'inherit',
      });
      const [, signal] = await once(child, 'exit');
      assert.equal(signal, 'SIGKILL');
      await assertSound(begin);
      assert.deepEqual(await standing(begin.accounts, ids), before);
    }
    const { entries } = await begin.journals.trim({ beforeMs: day(100), atMs: nowMs });
    assert.ok(entries > 0);
    await assertSound(begin);
    assert.deepEqual(
      (await begin.accounts.journalOf(bob.accountId)).map(({ kind }) => kind),
      ['closing'],
    );
  });
});
