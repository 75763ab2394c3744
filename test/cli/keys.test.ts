// `domesday keys` as an operator types it, and what the service then says to the key.

import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { accounts } from '../../src/cli/accounts.ts';
import { CommandRefused, WrongUsage } from '../../src/cli/command.ts';
import { keys } from '../../src/cli/keys.ts';
import { hashKey, parseKey } from '../../src/ledger/keys.ts';
import { Desk, textOf } from './ledger-desk.ts';

const hourMs = 3_600_000;

describe('domesday keys', () => {
  let desk: Desk;
  let accountId: string;
  beforeEach(async () => {
    desk = new Desk();
    const made = await desk.json(accounts, 'create', '--name', 'Acme', '--plan', 'basic');
    accountId = textOf(made.accountId);
  });
  afterEach(() => desk.remove());

  const create = async (...args: string[]) => {
    const { keyId, key } = await desk.json(keys, 'create', '--account', accountId, ...args);
    return { keyId: textOf(keyId), key: textOf(key) };
  };

  /** What the service says to the key at a time. */
  const admitted = async (key: string, atMs: number): Promise<string> => {
    const { ledger } = await desk.openLedger();
    try {
      return (await ledger.admit(hashKey(key), atMs)).kind;
    } finally {
      await ledger.close();
    }
  };

  it('create prints exactly id and key as JSON, live unless --test', async () => {
    const printed = await desk.json(keys, 'create', '--account', accountId);
    assert.deepEqual(Object.keys(printed), ['keyId', 'key']);
    const parsed = parseKey(textOf(printed.key));
    assert.ok(parsed.kind === 'key');
    assert.equal(parsed.mode, 'live');
    const test = await create('--test', '--name', 'ci');
    assert.match(test.key, /^dd_test_/);
    assert.equal(await admitted(test.key, desk.nowMs), 'admitted');
  });

  it('a key is shown at create, never by list', async () => {
    const text = await desk.run(keys, 'create', '--account', accountId, '--name', 'website');
    const key = /^dd_live_\w+$/m.exec(text)?.[0] ?? '';
    assert.equal(parseKey(key).kind, 'key');
    for (const args of [[], ['--json']]) {
      const listed = await desk.run(keys, 'list', '--account', accountId, ...args);
      assert.ok(listed.includes('website') && listed.includes(key.slice(-4)));
      assert.ok(!listed.includes(key) && !listed.includes(hashKey(key)));
    }
  });

  it('a date of expiry includes that day, a time is exact', async () => {
    const day = await create('--expires', '2026-02-03');
    assert.equal(await admitted(day.key, Date.UTC(2026, 1, 4) - 1), 'admitted');
    assert.equal(await admitted(day.key, Date.UTC(2026, 1, 4)), 'unknown');
    const today = await create('--expires', '2026-01-31');
    assert.equal(await admitted(today.key, desk.nowMs), 'admitted');
    const exact = await create('--expires', '2026-02-03T10:00:00+01:00');
    assert.equal(await admitted(exact.key, Date.UTC(2026, 1, 3, 9) - 1), 'admitted');
    assert.equal(await admitted(exact.key, Date.UTC(2026, 1, 3, 9)), 'unknown');
  });

  it('an expiry that is past or no date is wrong usage', async () => {
    const wrong = [
      '2026-01-30',
      '2026-02-30',
      '2026-13-01',
      'tomorrow',
      '2026-02-03T25:00:00Z',
      '2026-02-03T10:00',
    ];
    for (const expires of wrong) await assert.rejects(create('--expires', expires), WrongUsage, expires);
  });

  it('revoke stops a key, once', async () => {
    const { keyId, key } = await create();
    assert.match(await desk.run(keys, 'revoke', keyId), /Revoked key_/);
    assert.equal(await admitted(key, desk.nowMs), 'unknown');
    await assert.rejects(desk.run(keys, 'revoke', keyId), CommandRefused);
    await assert.rejects(desk.run(keys, 'revoke', 'key_x'), /There is no key key_x/);
    assert.match(await desk.run(keys, 'list', '--account', accountId), /revoked/);
  });

  it('rotate makes a key of the same mode and name and revokes the old one', async () => {
    const { keyId, key } = await create('--test', '--name', 'ci');
    const printed = await desk.json(keys, 'rotate', keyId);
    assert.deepEqual(Object.keys(printed), ['keyId', 'key']);
    assert.match(textOf(printed.key), /^dd_test_/);
    assert.equal(await admitted(key, desk.nowMs), 'unknown');
    assert.equal(await admitted(textOf(printed.key), desk.nowMs), 'admitted');
    const { keys: listed } = await desk.json(keys, 'list', '--account', accountId);
    assert.ok(Array.isArray(listed));
    assert.deepEqual(
      listed.map(({ name, state, replacedBy }) => [name, state, replacedBy]),
      [
        ['ci', 'revoked', printed.keyId],
        ['ci', 'works', null],
      ],
    );
  });

  it('rotate with an overlap lets both work until it ends', async () => {
    const { keyId, key } = await create();
    const text = await desk.run(keys, 'rotate', keyId, '--overlap', '24');
    assert.match(text, /works until 2026-02-01T12:00:00Z/);
    assert.equal(await admitted(key, desk.nowMs + 24 * hourMs - 1), 'admitted');
    assert.equal(await admitted(key, desk.nowMs + 24 * hourMs), 'unknown');
    await assert.rejects(desk.run(keys, 'rotate', keyId), CommandRefused, 'rotated already');
  });

  it('wrong usage is told apart from refusal', async () => {
    const wrong = [
      [],
      ['show'],
      ['create'],
      ['create', '--account', accountId, 'extra'],
      ['list'],
      ['revoke'],
      ['rotate', 'key_x', '--overlap', '-1'],
      ['rotate', 'key_x', '--overlap', '1.5'],
      ['rotate', 'key_x', '--overlap', '99999999'],
    ];
    for (const args of wrong) await assert.rejects(desk.run(keys, ...args), WrongUsage, args.join(' '));
    await assert.rejects(desk.run(keys), /one of create, list, revoke, rotate/);
    await assert.rejects(desk.run(keys, 'create', '--account', 'acc_x'), CommandRefused);
    await assert.rejects(desk.run(keys, 'list', '--account', 'acc_x'), CommandRefused);
  });

  it('--help prints the help', async () => {
    assert.equal(await desk.run(keys, 'rotate', '--help'), keys.help);
  });
});
