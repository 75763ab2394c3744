// The SQLite engine when the disk says no at the last moment: at COMMIT, when the batch is already in memory.

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { LedgerUnavailable, type OpenLedger } from '../../src/ledger/ledger.ts';
import { openLedger } from '../../src/ledger/open.ts';
import { dayMs } from '../../src/time.ts';
import { testWith, ulimit } from '../requirements.ts';
import { assertBooksAgree, balanceOf, charging, customer, startMs } from './bench.ts';

describe('a commit that fails', () => {
  let folder = '';
  let path = '';
  const opened: OpenLedger[] = [];
  const open = async (): Promise<OpenLedger> => {
    const ledger = await openLedger({ home: folder });
    opened.push(ledger);
    return ledger;
  };

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'domesday-ledger-'));
    path = join(folder, 'domesday.sqlite');
  });

  afterEach(async () => {
    for (const { ledger } of opened.splice(0)) await ledger.close();
    rmSync(folder, { recursive: true });
  });

  it('rejects every charge of the batch and leaves memory as the file is', async () => {
    const { ledger, accounts } = await open();
    const { accountId, caller, hash } = await customer(accounts, 'basic');
    await ledger.charge(charging(caller, 'before'));
    const other = new DatabaseSync(path);
    other.exec(`CREATE TABLE nowhere (seq INTEGER PRIMARY KEY);
      CREATE TABLE debts (seq INTEGER REFERENCES nowhere (seq) DEFERRABLE INITIALLY DEFERRED);
      CREATE TRIGGER fail_at_commit AFTER INSERT ON journal WHEN NEW.charge_id = 'bad'
      BEGIN INSERT INTO debts VALUES (NEW.seq); END`);
    ledger.admit(hash, startMs);
    ledger.record({ caller, endpoint: '/recorded', atMs: startMs, status: 404 });
    const lost = ['good', 'bad'].map((id) =>
      ledger.charge({ ...charging(caller, id), endpoint: '/first-seen-in-vain' }),
    );
    for (const charge of await Promise.allSettled(lost)) {
      assert.ok(charge.status === 'rejected' && charge.reason instanceof LedgerUnavailable);
      const { cause } = charge.reason;
      assert.ok(cause instanceof Error);
      assert.match(cause.message, /FOREIGN KEY constraint failed/, 'nothing but the commit has failed');
    }
    const admission = await ledger.admit(hash, startMs);
    assert.ok(admission.kind === 'admitted');
    assert.equal(admission.standing.creditsRemaining, 4_999);
    assert.equal(admission.standing.minuteRemaining, 8, 'both admissions count');
    assert.equal((await accounts.journalOf(accountId)).length, 2);

    await ledger.charge({ ...charging(caller, 'after'), endpoint: '/takes-the-number' });
    await ledger.charge({ ...charging(caller, 'good'), endpoint: '/first-seen-in-vain' });
    other.exec('DROP TRIGGER fail_at_commit');
    other.close();
    const journal = await accounts.journalOf(accountId, { newest: 3 });
    assert.deepEqual(
      journal.map(({ chargeId, endpoint, balanceAfter }) => [chargeId, endpoint, balanceAfter]),
      [
        ['good', '/first-seen-in-vain', 4_997],
        ['after', '/takes-the-number', 4_998],
        ['before', '/crime', 4_999],
      ],
    );
    const usage = (await accounts.usageOf(accountId)).map(({ endpoint, calls }) => [endpoint, calls]);
    assert.deepEqual(usage, [
      ['/crime', 1],
      ['/first-seen-in-vain', 1],
      ['/recorded', 1],
      ['/takes-the-number', 1],
    ]);
    await assertBooksAgree(accounts);
  });

  const strangeTriggers = {
    'is refused': { statement: "SELECT RAISE(ABORT, 'no more today')", says: /no more today/ },
    'brings another entry with it': {
      statement: `INSERT INTO journal (account, at, kind, credits, balance_after, lasting, lasting_after)
        SELECT account, at, kind, 0, balance_after, 0, lasting_after FROM journal WHERE seq = 1`,
      says: /UNIQUE constraint failed: journal.seq/,
    },
  };
  for (const [what, { statement, says }] of Object.entries(strangeTriggers))
    it(`since one of many charges ${what} takes none of them`, async () => {
      const { ledger, accounts } = await open();
      const { accountId, caller } = await customer(accounts, 'basic');
      const other = new DatabaseSync(path);
      other.exec(`CREATE TRIGGER strange BEFORE INSERT ON journal WHEN NEW.charge_id = 'c7'
        BEGIN ${statement}; END`);
      const charges = Array.from({ length: 20 }, (_, number) => ({
        ...charging(caller, `c${number}`),
        requestId: 'one request',
      }));
      await assert.rejects(ledger.chargeTogether(charges), (error) => {
        assert.ok(error instanceof LedgerUnavailable && error.cause instanceof Error);
        assert.match(error.cause.message, says);
        return true;
      });
      other.exec('DROP TRIGGER strange');
      other.close();
      assert.equal(await balanceOf(accounts, accountId), 5_000);
      const results = await ledger.chargeTogether(charges);
      assert.ok(results.every((result) => 'kind' in result && result.kind === 'charged'));
      assert.equal(await balanceOf(accounts, accountId), 4_980);
      await assertBooksAgree(accounts);
    });

  it('for an account whose anchor no date can hold stops nobody else', async () => {
    const { ledger, accounts } = await open();
    const [broken, sound] = [await customer(accounts, 'basic'), await customer(accounts, 'basic')];
    const other = new DatabaseSync(path);
    other.prepare('UPDATE accounts SET anchor_at = ? WHERE id = ?').run(2 ** 53 - 1, broken.accountId);
    other.close();
    const laterMs = startMs + 40 * dayMs;
    await assert.rejects(async () => ledger.admit(broken.hash, laterMs), LedgerUnavailable);
    assert.equal((await ledger.admit(sound.hash, laterMs)).kind, 'admitted');
    assert.equal((await ledger.charge(charging(sound.caller, 'c1', 1, laterMs))).kind, 'charged');
  });

  testWith(
    ulimit,
    'because the disk is full loses no answered charge, and charges again once there is room',
    async () => {
      const { ledger, accounts } = await open();
      const { accountId, caller, hash } = await customer(accounts, 'enterprise', { allowance: 1_000_000 });
      await ledger.close();
      // Keeps the log from being emptied, so that it is the log that finds no room.
      const reader = new DatabaseSync(path);
      reader.exec('BEGIN; SELECT count(*) FROM journal');
      const child = spawn(
        'sh',
        [
          '-c',
          'ulimit -f 1000 && exec "$0" --input-type=module -e "$1"',
          process.execPath,
          untilFull(folder),
        ],
        {
          env: { ...process.env, CALLER: JSON.stringify(caller), HASH: hash },
          stdio: ['pipe', 'pipe', 'inherit'],
        },
      );
      const told: string[] = [];
      for await (const line of createInterface({ input: child.stdout })) {
        told.push(line);
        if (line !== 'full') continue;
        assert.match(readFileSync(join(folder, 'domesday.doubtful'), 'utf8'), /"c\d+-\d+"/);
        reader.exec('ROLLBACK; PRAGMA wal_checkpoint(TRUNCATE)');
        reader.close();
        child.stdin.end('go on\n');
      }
      if (child.exitCode === null) await once(child, 'exit');
      assert.equal(child.exitCode, 0);
      const of = (word: string) =>
        told.filter((line) => line.startsWith(`${word} `)).map((line) => line.slice(word.length + 1));
      const charged = of('charged');
      const [failed] = of('failed');
      assert.ok(charged.length > 100 && failed !== undefined && told.includes('full'));
      assert.equal(existsSync(join(folder, 'domesday.doubtful')), false, 'every doubt is settled');
      const reopened = await open();
      const journal = (await reopened.accounts.journalOf(accountId)).filter(({ kind }) => kind === 'charge');
      assert.deepEqual(journal.map(({ chargeId }) => chargeId).sort(), [...charged].sort());
      assert.deepEqual(
        of('remaining'),
        [String(1_000_000 - charged.length + 1)],
        'as the file had it when full',
      );
      assert.equal(charged.at(-1), failed, 'sent again, charged once');
      assert.equal(await balanceOf(reopened.accounts, accountId), 1_000_000 - charged.length);
      await assertBooksAgree(reopened.accounts);
    },
  );
});

/** Charges in batches until they fail, says so, waits for room, then sends one of the failed again. */
function untilFull(home: string): string {
  return `
    import { once } from 'node:events';
    import { openLedger } from ${JSON.stringify(import.meta.resolve('../../src/ledger/open.ts'))};
    const { ledger } = await openLedger({ home: ${JSON.stringify(home)}, patienceMs: 100 });
    const caller = JSON.parse(process.env.CALLER);
    const tell = (line) => process.stdout.write(line + '\\n');
    const charge = (chargeId) =>
      ledger.charge({ caller, endpoint: '/x', atMs: ${startMs}, chargeId, requestId: 'r'.repeat(500), credits: 1 });
    let failed;
    for (let batch = 0; failed === undefined && batch < 10_000; batch++) {
      const ids = Array.from({ length: 20 }, (_, i) => 'c' + batch + '-' + i);
      const results = await Promise.allSettled(ids.map(charge));
      for (const [i, { status, reason }] of results.entries()) {
        if (status === 'fulfilled') tell('charged ' + ids[i]);
        else if (reason.name === 'LedgerUnavailable') failed = ids[i];
        else throw reason;
      }
    }
    tell('failed ' + failed);
    const admission = ledger.admit(process.env.HASH, ${startMs});
    tell('remaining ' + admission.standing.creditsRemaining);
    tell('full');
    await once(process.stdin, 'data');
    if ((await charge(failed)).kind === 'charged') tell('charged ' + failed);
    await ledger.close();`;
}
