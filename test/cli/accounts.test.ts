// `domesday accounts` as an operator types it, over a home folder of its own.

import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { accounts } from '../../src/cli/accounts.ts';
import { CommandRefused, WrongUsage } from '../../src/cli/command.ts';
import { keys } from '../../src/cli/keys.ts';
import { hashKey } from '../../src/ledger/keys.ts';
import { Desk, textOf } from './ledger-desk.ts';

describe('domesday accounts', () => {
  let desk: Desk;
  beforeEach(() => {
    desk = new Desk();
  });
  afterEach(() => desk.remove());

  const create = async (...args: string[]): Promise<string> =>
    textOf((await desk.json(accounts, 'create', '--name', 'Acme', ...args)).accountId);
  const show = (accountId: string) => desk.json(accounts, 'show', accountId);

  it('create makes home, ledger and account, and prints exactly the id as JSON', async () => {
    const printed = await desk.json(accounts, 'create', '--name', 'Acme', '--plan', 'basic');
    assert.deepEqual(Object.keys(printed), ['accountId']);
    assert.match(textOf(printed.accountId), /^acc_\w+$/);
    const shown = await show(textOf(printed.accountId));
    assert.deepEqual(
      [shown.name, shown.plan, shown.balance, shown.refreshAt, shown.ownTerms],
      ['Acme', 'basic', 5_000, '2026-02-28T12:00:00.000Z', null],
    );
  });

  it('create in words says the id and how to make a key', async () => {
    const text = await desk.run(accounts, 'create', '--name', 'Acme', '--plan', 'trial');
    assert.match(text, /Created account acc_/);
    assert.match(text, /trial: 100 credits once/);
    assert.match(text, /domesday keys create --account acc_/);
  });

  it('own credits and limits replace the plan’s; none means no limit', async () => {
    const id = await create('--plan', 'basic', '--credits', '77', '--per-minute', '3', '--per-day', 'none');
    const shown = await show(id);
    assert.deepEqual(
      [shown.balance, shown.allowance, shown.limits],
      [77, 77, { minute: 3, day: null, month: 5_000 }],
    );
  });

  it('enterprise needs --credits, at create and at plan', async () => {
    await assert.rejects(create('--plan', 'enterprise'), WrongUsage);
    const id = await create('--plan', 'basic');
    await assert.rejects(desk.run(accounts, 'plan', id, 'enterprise'), WrongUsage);
    const moved = await desk.json(accounts, 'plan', id, 'enterprise', '--credits', '9000');
    assert.deepEqual(
      [moved.plan, moved.balance, moved.limits],
      ['enterprise', 9_000, { minute: null, day: null, month: null }],
    );
  });

  it('plan clears own terms and says so', async () => {
    const id = await create('--plan', 'basic', '--per-minute', '3');
    const text = await desk.run(accounts, 'plan', id, 'standard');
    assert.match(text, /from basic to standard/);
    assert.match(text, /own credits and limits are cleared/);
    assert.equal((await show(id)).balance, 30_000);
    assert.match(
      await desk.run(accounts, 'plan', id, 'basic'),
      /from the next refresh: 2026-02-28T12:00:00Z/,
    );
    assert.match(await desk.run(accounts, 'plan', id, 'trial'), /never/);
  });

  it('rename gives another name and nothing else, and refuses what is no name and whom it may not', async () => {
    const id = await create('--plan', 'basic');
    assert.match(
      await desk.run(accounts, 'rename', id, 'Acme Lettings & Sons'),
      /is called Acme Lettings & Sons now/,
    );
    assert.deepEqual([(await show(id)).name, (await show(id)).balance], ['Acme Lettings & Sons', 5_000]);
    assert.match(await desk.run(accounts, 'list'), /Acme Lettings & Sons/);
    await assert.rejects(desk.run(accounts, 'rename', id, ''), CommandRefused);
    await assert.rejects(desk.run(accounts, 'rename', id), WrongUsage);
    await assert.rejects(desk.run(accounts, 'rename', 'acc_none', 'x'), CommandRefused);
    await assert.rejects(desk.run(accounts, 'rename', 'acc_public', 'x'), CommandRefused);
  });

  it('credit grants, a negative number corrects, and never below zero', async () => {
    const id = await create('--plan', 'trial');
    const granted = await desk.json(accounts, 'credit', id, '25');
    assert.deepEqual([granted.balance, granted.allowanceLeft, granted.lasting], [125, 100, 25]);
    assert.match(
      await desk.run(accounts, 'credit', id, '-20', '--note', 'twice'),
      /balance is 105; 5 of it last/,
    );
    assert.match(await desk.run(accounts, 'credit', id, '-100'), /balance is 5; 0 of it last/);
    await assert.rejects(desk.run(accounts, 'credit', id, '-6'), (error) => {
      assert.ok(error instanceof CommandRefused);
      assert.match(error.message, /cannot fall below zero/);
      return true;
    });
    await assert.rejects(desk.run(accounts, 'credit', id, '0'), CommandRefused);
    for (const wrong of ['1.5', '-1.5', 'ten', '']) {
      await assert.rejects(desk.run(accounts, 'credit', id, wrong), WrongUsage, wrong);
    }
  });

  it('show tells windows in use, the last entries and that the journal adds up', async () => {
    const id = await create('--plan', 'basic');
    const { key } = await desk.json(keys, 'create', '--account', id);
    const { ledger } = await desk.openLedger();
    const admission = await ledger.admit(hashKey(textOf(key)), desk.nowMs);
    assert.ok(admission.kind === 'admitted');
    const { caller } = admission;
    const call = { caller, endpoint: '/crime', atMs: desk.nowMs, chargeId: 'c', requestId: 'r', credits: 1 };
    await ledger.charge(call);
    await ledger.close();
    const text = await desk.run(accounts, 'show', id);
    assert.match(text, /Used, live {2}1 of 10 this minute, 1 of 500 this day, 1 of 5,000 this month/);
    assert.match(text, /Used, test {2}0 of 10/);
    assert.match(text, /adds up to the balance/);
    assert.match(text, /charge +-1 +4,999 +0 +key_\w+ +\/crime/);
    const shown = await show(id);
    assert.deepEqual([shown.journalSum, shown.journalEqualsBalance], [4_999, true]);
    for (const shownText of [text, JSON.stringify(shown), await desk.run(accounts, 'list', '--json')]) {
      assert.ok(!shownText.includes(textOf(key)) && !shownText.includes(hashKey(textOf(key))));
    }
  });

  it('show makes a refresh that is due', async () => {
    const id = await create('--plan', 'basic');
    await desk.run(accounts, 'credit', id, '-4000');
    await desk.run(accounts, 'credit', id, '70');
    const before = await desk.run(accounts, 'show', id);
    assert.match(before, /Balance +1,070 credits: 1,000 left of the allowance, 70 lasting/);
    desk.nowMs = Date.UTC(2026, 1, 28, 12);
    const shown = await show(id);
    assert.deepEqual(
      [shown.balance, shown.allowanceLeft, shown.lasting, shown.refreshAt],
      [5_070, 5_000, 70, '2026-03-31T12:00:00.000Z'],
    );
  });

  it('list shows every account, close ends one', async () => {
    const first = await create('--plan', 'basic');
    const second = await create('--plan', 'trial');
    assert.match(await desk.run(accounts, 'close', first), /Closed acc_/);
    const text = await desk.run(accounts, 'list');
    assert.match(text, new RegExp(`${first} +Acme +basic +5,000 +0 .* closed 2026-01-31T12:00:00Z`));
    assert.match(text, new RegExp(`${second} +Acme +trial +100 +0 +- +open`));
    await assert.rejects(desk.run(accounts, 'close', first), CommandRefused);
  });

  it('suspend says why in list, show and JSON, until resume', async () => {
    const accountId = await create('--plan', 'basic');
    const reason = ['--reason', 'two bills unpaid'];
    assert.match(
      await desk.run(accounts, 'suspend', accountId, ...reason),
      /no longer work\. .*accounts resume acc_/,
    );
    assert.match(await desk.run(accounts, 'list'), / suspended 2026-01-31T12:00:00Z/);
    assert.match(await desk.run(accounts, 'show', accountId), /Suspended +2026-\S+: two bills unpaid\n/);
    const { suspended } = await desk.json(accounts, 'show', accountId);
    assert.deepEqual(suspended, { at: '2026-01-31T12:00:00.000Z', reason: 'two bills unpaid' });
    await assert.rejects(desk.run(accounts, 'suspend', accountId, ...reason), CommandRefused);
    assert.match(await desk.run(accounts, 'resume', accountId), /Resumed acc_/);
    await assert.rejects(desk.run(accounts, 'resume', accountId), CommandRefused);
    assert.equal((await desk.json(accounts, 'show', accountId)).suspended, null);
  });

  it('a home without a ledger is refused with what to do, and stays empty', async () => {
    for (const args of [['list'], ['show', 'acc_x'], ['credit', 'acc_x', '5'], ['close', 'acc_x']]) {
      await assert.rejects(desk.run(accounts, ...args), (error) => {
        assert.ok(error instanceof CommandRefused);
        assert.match(error.message, /has no ledger yet; `domesday accounts create`/);
        return true;
      });
    }
  });

  it('an account that is not there is refused in one line', async () => {
    await create('--plan', 'basic');
    for (const args of [
      ['show', 'acc_x'],
      ['plan', 'acc_x', 'basic'],
      ['credit', 'acc_x', '5'],
    ]) {
      await assert.rejects(desk.run(accounts, ...args), (error) => {
        assert.ok(error instanceof CommandRefused);
        assert.match(error.message, /^There is no account acc_x/);
        return true;
      });
    }
  });

  it('wrong usage is told apart from refusal', async () => {
    const wrong = [
      [],
      ['make'],
      ['create'],
      ['create', '--name', 'Acme'],
      ['create', '--name', '', '--plan', 'basic'],
      ['create', '--name', 'Acme', '--plan', 'gold'],
      ['create', '--name', 'Acme', '--plan', 'basic', '--per-minute', '0'],
      ['create', '--name', 'Acme', '--plan', 'basic', '--per-day', 'many'],
      ['create', '--name', 'Acme', '--plan', 'basic', '--credits', '-5'],
      ['create', '--name', 'Acme', '--plan', 'basic', '--colour', 'red'],
      ['create', 'Acme', '--name', 'Acme', '--plan', 'basic'],
      ['show'],
      ['plan', 'acc_x'],
      ['list', 'extra'],
      ['suspend', 'acc_x'],
      ['suspend', '--reason', 'x'],
      ['resume'],
    ];
    for (const args of wrong) await assert.rejects(desk.run(accounts, ...args), WrongUsage, args.join(' '));
    await assert.rejects(
      desk.run(accounts, 'make'),
      /one of create, list, show, plan, credit, rename, suspend, resume, close/,
    );
  });

  it('--home wins over the environment', async () => {
    const other = new Desk();
    try {
      await desk.run(accounts, 'create', '--name', 'Acme', '--plan', 'basic', '--home', other.home);
      assert.equal((await other.run(accounts, 'list')).split('\n').length, 3);
      await assert.rejects(desk.run(accounts, 'list'), CommandRefused);
    } finally {
      other.remove();
    }
  });

  it('--help prints the help, which names every sub-command and plan', async () => {
    const text = await desk.run(accounts, 'create', '--help');
    assert.equal(text, accounts.help);
    for (const word of [
      'create',
      'list',
      'show',
      'plan',
      'credit',
      'suspend',
      'resume',
      'close',
      'trial',
      'enterprise',
      '--home',
    ]) {
      assert.ok(text.includes(word), word);
    }
  });
});
