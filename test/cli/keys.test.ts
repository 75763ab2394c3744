// `domesday keys` as an operator types it, and what the service then says to the key.

import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { accounts } from '../../src/cli/accounts.ts';
import { CommandRefused, WrongUsage } from '../../src/cli/command.ts';
import { keys } from '../../src/cli/keys.ts';
import { hashKey, parseKey } from '../../src/ledger/keys.ts';
import { hourMs } from '../../src/time.ts';
import { Desk, textOf } from './ledger-desk.ts';

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

  it('a publishable key is bound to origins and endpoints, which list and rotate know', async () => {
    const origins = ['--origin', 'https://WWW.example.com/', '--origin', 'http://localhost:3000'];
    const endpoints = ['--endpoint', '/bank-rates', '--endpoint', '/api/v1/crime/by-postcode'];
    const text = await desk.run(
      keys,
      'create',
      ...['--account', accountId, '--publishable', ...origins, ...endpoints],
    );
    const key = /^dd_pub_\w+$/m.exec(text)?.[0] ?? '';
    assert.equal(parseKey(key).kind, 'key');
    assert.equal(await admitted(key, desk.nowMs), 'admitted');
    assert.match(
      text,
      /works for \/bank-rates, \/crime\/by-postcode, only for pages on https:\/\/www\.example\.com, http:\/\/localhost:3000\./,
    );
    const { key: anywhere } = await create('--publishable', '--origin', 'https://example.org');
    assert.match(anywhere, /^dd_pub_/);
    await create();
    const [first] = await boundIn();
    await desk.json(keys, 'rotate', textOf(first?.keyId));
    const bound = ['publishable', ['https://www.example.com', 'http://localhost:3000']];
    assert.deepEqual(
      (await boundIn()).map((each) => [each.mode, each.origins, each.endpoints]),
      [
        [...bound, ['/bank-rates', '/crime/by-postcode']],
        ['publishable', ['https://example.org'], null],
        ['live', null, null],
        [...bound, ['/bank-rates', '/crime/by-postcode']],
      ],
    );
    const listed = await desk.run(keys, 'list', '--account', accountId);
    assert.match(listed, /BOUND TO/);
    assert.match(
      listed,
      /https:\/\/www\.example\.com http:\/\/localhost:3000 \/bank-rates \/crime\/by-postcode\n/,
    );
  });

  it('any key is bound to endpoints and addresses, and change replaces what is named', async () => {
    const bound = ['--endpoint', '/bank-rates', '--address', '203.0.113.0/24', '--address', '2001:DB8::1'];
    const args = ['create', '--account', accountId, '--name', 'server', ...bound];
    const text = await desk.run(keys, ...args);
    assert.match(text, /works for \/bank-rates, only for calls from 203\.0\.113\.0\/24, 2001:db8::1\/128\./);
    const [made] = await boundIn();
    const keyId = textOf(made?.keyId);
    const endsAt = ['--expires', '2026-03-31'];
    const changed = await desk.run(keys, 'change', keyId, ...endsAt, '--address', 'any', '--name', '');
    assert.match(changed, /Changed key_\w+, from the next request\.\nIt works only for \/bank-rates\.\n/);
    assert.match(changed, /works until 2026-04-01T00:00:00Z/);
    const told = await desk.json(keys, 'change', keyId, '--expires', 'never', '--endpoint', 'all');
    assert.deepEqual([told.name, told.expiresAt, told.endpoints, told.addresses], [null, null, null, null]);
    assert.match(await desk.run(keys, 'change', keyId, '--name', 'x'), /every endpoint, from anywhere/);
    for (const address of ['10.0.0.1/8', 'example.com', '10.0.0.0/40', '']) {
      await assert.rejects(desk.run(keys, 'change', keyId, '--address', address), CommandRefused, address);
    }
    assert.deepEqual((await boundIn()).length, 1);
  });

  const boundIn = async () => {
    const { keys: listed } = await desk.json(keys, 'list', '--account', accountId);
    assert.ok(Array.isArray(listed));
    return listed.map((each): Record<string, unknown> => ({ ...each }));
  };

  it('an origin, an endpoint or a mix of kinds that makes no sense is told, and no key is made', async () => {
    const wrong: [args: string[], told: RegExp][] = [
      [['--publishable'], /--publishable needs --origin/],
      [['--origin', 'https://a.example'], /--origin .*add --publishable/],
      [['--endpoint', '/bank-rate'], /Did you mean \/bank-rates\?/],
      [['--publishable', '--test', '--origin', 'https://a.example'], /not both/],
      [
        ['--publishable', '--origin', 'https://a.example', '--endpoint', '/bank-rate'],
        /Did you mean \/bank-rates\?/,
      ],
    ];
    for (const [args, told] of wrong) {
      const made = desk.run(keys, 'create', '--account', accountId, ...args);
      await assert.rejects(
        made,
        (error) => error instanceof WrongUsage && told.test(error.message),
        args.join(' '),
      );
    }
    for (const origin of ['null', '*', 'https://*.example.com', 'http://example.com', 'example.com']) {
      const args = ['create', '--account', accountId, '--publishable', '--origin', origin];
      await assert.rejects(
        desk.run(keys, ...args),
        (error) =>
          error instanceof CommandRefused && error.message.startsWith(`"${origin}" is not an origin`),
      );
    }
    assert.deepEqual(await boundIn(), []);
  });

  it('wrong usage is told apart from refusal', async () => {
    const wrong = [
      [],
      ['show'],
      ['create'],
      ['create', '--account', accountId, 'extra'],
      ['list'],
      ['revoke'],
      ['change', 'key_x'],
      ['change', '--name', 'x'],
      ['change', 'key_x', '--expires', 'soon'],
      ['change', 'key_x', '--endpoint', '/no'],
      ['rotate', 'key_x', '--overlap', '-1'],
      ['rotate', 'key_x', '--overlap', '1.5'],
      ['rotate', 'key_x', '--overlap', '99999999'],
    ];
    for (const args of wrong) await assert.rejects(desk.run(keys, ...args), WrongUsage, args.join(' '));
    await assert.rejects(desk.run(keys), /one of create, list, change, revoke, rotate/);
    await assert.rejects(desk.run(keys, 'create', '--account', 'acc_x'), CommandRefused);
    await assert.rejects(desk.run(keys, 'list', '--account', 'acc_x'), CommandRefused);
  });

  it('--help prints the help', async () => {
    assert.equal(await desk.run(keys, 'rotate', '--help'), keys.help);
  });
});
