// `domesday ledger trim`, and what `domesday check` says about journals and clocks.

import assert from 'node:assert/strict';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { accounts } from '../../src/cli/accounts.ts';
import { check } from '../../src/cli/check.ts';
import { CommandRefused, WrongUsage } from '../../src/cli/command.ts';
import { ledger } from '../../src/cli/ledger.ts';
import { dayMs } from '../../src/time.ts';
import { Desk, textOf } from './ledger-desk.ts';

describe('domesday ledger trim', () => {
  let desk: Desk;
  let accountId = '';
  beforeEach(async () => {
    desk = new Desk();
    const made = await desk.json(accounts, 'create', '--name', 'Ada', '--plan', 'trial');
    accountId = textOf(made.accountId);
    desk.nowMs += dayMs;
    await desk.run(accounts, 'credit', accountId, '5');
    desk.nowMs += 99 * dayMs;
    await desk.run(accounts, 'credit', accountId, '7');
  });
  afterEach(() => desk.remove());

  const rows = async () => (await desk.run(accounts, 'show', accountId)).split('\n\n').at(-1) ?? '';

  it('says what it would do, does it when told so, and the journal says what is no longer there', async () => {
    const before = await rows();
    const would = await desk.run(ledger, 'trim', '--before', '2026-03-01');
    assert.equal(
      would,
      'This would replace 2 entries in 1 journal by one closing entry each. Nothing was changed; add --yes to do it.\n',
    );
    assert.equal(await rows(), before);
    assert.equal(
      await desk.run(ledger, 'trim', '--before', '2026-03-01', '--yes'),
      'Replaced 2 entries in 1 journal by one closing entry each.\n',
    );
    const shown = await desk.run(accounts, 'show', accountId);
    assert.match(shown, /closing +\+105 +105 +5 +- +stands for 2 entries from 2026-01-31 to 2026-02-01/);
    assert.match(shown, /Journal +adds up to the balance/);
    const again = await desk.json(ledger, 'trim', '--before', '2026-03-01', '--yes');
    assert.deepEqual(again, { done: true, entries: 0, accounts: 0 });
    assert.match(
      await desk.run(ledger, 'trim', '--before', '2026-03-01'),
      /^There are no entries before 2026-03-01/,
    );
  });

  it('takes a number of days to keep, as a timer gives it', async () => {
    // Now is 2026-05-11; 70 days before it is 2026-03-02.
    assert.match(await desk.run(ledger, 'trim', '--keep-days', '101'), /no entries before 2026-01-30/);
    assert.match(
      await desk.run(ledger, 'trim', '--keep-days', '70', '--yes'),
      /^Replaced 2 entries in 1 journal/,
    );
    for (const days of ['61', '-1', '70.5', 'some']) {
      await assert.rejects(desk.run(ledger, 'trim', '--keep-days', days), WrongUsage);
    }
    await assert.rejects(desk.run(ledger, 'trim', '--keep-days', '70', '--before', '2026-03-01'), WrongUsage);
    await assert.rejects(desk.run(ledger, 'trim'), /--before DATE or --keep-days N/);
  });

  it('refuses dates that are too near or none', async () => {
    await assert.rejects(desk.run(ledger, 'trim', '--before', '2026-03-11', '--yes'), (error) => {
      assert.ok(error instanceof CommandRefused);
      assert.match(
        error.message,
        /^Entries of the last 62 days are always kept; name 2026-03-10 or an earlier date\.$/,
      );
      return true;
    });
    for (const date of ['2026-02-30', '1 March', '2026-3-1', '2026-03-01T00:00:00Z']) {
      await assert.rejects(desk.run(ledger, 'trim', '--before', date), WrongUsage);
    }
    await assert.rejects(desk.run(ledger, 'trim'), WrongUsage);
  });
});

describe('domesday check', () => {
  let desk: Desk;
  let accountId = '';
  beforeEach(async () => {
    desk = new Desk();
    accountId = textOf((await desk.json(accounts, 'create', '--name', 'Ada', '--plan', 'basic')).accountId);
    await desk.run(accounts, 'credit', accountId, '5');
  });
  afterEach(() => desk.remove());

  type Shown = {
    readonly subject: string;
    readonly level: string;
    readonly finding: string;
    readonly advice?: string;
  };
  /** The home has no release, so that check always ends with a problem. */
  const findings = async (): Promise<Shown[]> => {
    let printed = '';
    const io = {
      env: { DOMESDAY_HOME: desk.home },
      out: (text: string) => {
        printed += text;
      },
      err: () => undefined,
      isTerminal: false,
      asTyped: (text: string) => text,
      now: () => desk.nowMs,
    };
    await assert.rejects(check.run(['--json'], io), CommandRefused);
    return JSON.parse(printed).findings;
  };
  const about = async (subject: string) => (await findings()).filter((each) => each.subject === subject);
  const change = (sql: string) => {
    const db = new DatabaseSync(join(desk.home, 'domesday.sqlite'));
    db.exec(`DROP TRIGGER IF EXISTS journal_is_never_changed; ${sql}`);
    db.close();
  };

  it('says that journals hold', async () => {
    const [whole] = await about('journals');
    assert.deepEqual(whole, {
      level: 'ok',
      subject: 'journals',
      finding: '1 journal, one for each account, with 2 entries: all correct.',
    });
  });

  it('names account and entry where a journal breaks', async () => {
    change("UPDATE journal SET note = 'none' WHERE seq = 2");
    const [found] = await about(accountId);
    assert.equal(found?.level, 'problem');
    assert.match(found?.finding ?? '', /^Its journal breaks at entry 2: its hash does not match/);
    assert.match(found?.advice ?? '', /restore the ledger from a backup/);
    assert.deepEqual(await about('journals'), []);
  });

  it('lists a refresh that a wrong clock moved, and changes nothing', async () => {
    const rightMs = desk.nowMs;
    desk.nowMs = Date.UTC(2037, 0, 5);
    await desk.run(accounts, 'credit', accountId, '5');
    desk.nowMs = rightMs;
    for (let i = 0; i < 2; i++) {
      const [found] = await about(accountId);
      assert.equal(found?.level, 'warning');
      assert.match(
        found?.finding ?? '',
        /^Its next refresh is at 2037-01-31T12:00:00Z, more than a month ahead/,
      );
    }
    await desk.run(accounts, 'credit', accountId, '5');
    const [found, ...others] = await about(accountId);
    assert.deepEqual([found?.level, others], ['ok', []]);
    assert.match(found?.finding ?? '', /goes back from 2037-01-05T00:00:00Z to 2026-01-31T12:00:00Z/);
  });
});
