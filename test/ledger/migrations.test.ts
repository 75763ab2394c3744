// Ledgers of other versions: an older one is brought up to date whole or not at all, a newer one is used if nothing in
// it breaks this program. What the old ledger holds is written here by hand (test/fixtures/ledger).

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { hashKey } from '../../src/ledger/keys.ts';
import { LedgerOutdated, LedgerUnavailable, type OpenLedger } from '../../src/ledger/ledger.ts';
import { openLedger } from '../../src/ledger/open.ts';
import { fitnessOf, migrate } from '../../src/ledger/sqlite/migrate.ts';
import { migrations } from '../../src/ledger/sqlite/migrations/index.ts';
import type { Migration } from '../../src/ledger/sqlite/migrations/migration.ts';
import { dayMs, hourMs, minuteMs } from '../../src/time.ts';
import { assertBooksAgree, balancesOf, charging, startMs } from './bench.ts';

const fixture = join(import.meta.dirname, '../fixtures/ledger/version-1.sqlite');
const dueMs = Date.UTC(2026, 1, 28, 12);

const accountIds = {
  trial: 'acc_10lzJ44CyeZiL3',
  basic: 'acc_3OyetAQxc94Yw2',
  corrected: 'acc_1XcHOzXIup91cQ',
  changed: 'acc_35nqh4zzrYUmU2',
  grown: 'acc_08tT7QYqZNT3if',
  shrunk: 'acc_5WxDKyVWsNDgW0',
  ended: 'acc_3vFSaPRx882vVD',
  closed: 'acc_0UWKEwy3e0rqac',
};
const basicKey = { keyId: 'key_3TbmNR6ZmhmyRZ', key: 'dd_live_1uoHJdrUH4Bpr5vOuEx55Ium80PRXkK' };
const testKey = { keyId: 'key_5RgWmuPTHxnf2N', key: 'dd_test_1RrO0vuEFkpNIKt4krwoPOly14gUepV' };

describe('a ledger of version 1', () => {
  let folder = '';
  let path = '';
  let opened: OpenLedger | undefined;
  const open = async (): Promise<OpenLedger> => {
    opened = await openLedger({ home: folder });
    return opened;
  };

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'domesday-migrations-'));
    path = join(folder, 'ledger.sqlite');
    copyFileSync(fixture, path);
  });

  afterEach(async () => {
    await opened?.ledger.close();
    opened = undefined;
    rmSync(folder, { recursive: true });
  });

  it('keeps every account, and its balance is the sum of allowance and lasting credits', async () => {
    const { accounts } = await open();
    const found = (await accounts.listAccounts(dueMs - 1)).map(
      ({ accountId, name, plan, balance, lasting, allowance, refreshAtMs, closedAtMs }) =>
        [accountId, name, plan, balance, lasting, allowance, refreshAtMs, closedAtMs] as const,
    );
    assert.deepEqual(found, [
      [accountIds.trial, 'Trial', 'trial', 30, 30, 100, null, null],
      [accountIds.basic, 'Basic', 'basic', 33, 33, 100, Date.UTC(2026, 2, 31, 12), null],
      [accountIds.corrected, 'Corrected', 'standard', 30_700, 700, 30_000, dueMs, null],
      [accountIds.changed, 'Changed', 'standard', 55_011, 11, 30_000, dueMs, null],
      [accountIds.grown, 'Grown', 'premium', 99_999, 0, 100_000, Date.UTC(2026, 2, 3, 12), null],
      [accountIds.shrunk, 'Shrunk', 'basic', 5_000, 0, 5_000, dueMs + 50, null],
      [accountIds.ended, 'Ended', 'trial', 5_000, 0, 100, null, null],
      [accountIds.closed, 'Closed', 'enterprise', 1_999_995, 0, 2_000_000, dueMs, startMs + 71],
    ]);
    const grown = await accounts.findAccount(accountIds.grown, startMs);
    assert.deepEqual(grown?.terms, { limits: { minute: null, day: 9_000 } });
    const closed = await accounts.findAccount(accountIds.closed, startMs);
    assert.deepEqual(closed?.terms, { allowance: 2_000_000, limits: { minute: 600 } });
    assert.deepEqual(closed?.limits, { minute: 600, day: null, month: null });
    assert.equal(grown?.createdAtMs, startMs);
    await assertBooksAgree(accounts);
  });

  it('keeps every entry of the journal, and says which part of it was lasting', async () => {
    const { accounts } = await open();
    const basic = (await accounts.journalOf(accountIds.basic)).map(
      ({ seq, atMs, kind, credits, lasting, balanceAfter, lastingAfter, chargeId, note }) =>
        [seq, atMs, kind, credits, lasting, balanceAfter, lastingAfter, chargeId ?? note] as const,
    );
    assert.deepEqual(basic, [
      [11, dueMs + 3, 'charge', -100, -7, 33, 33, 'charge-005'],
      [10, dueMs + 2, 'grant', 40, 40, 133, 40, 'goodwill'],
      [9, dueMs + 1, 'charge', -7, 0, 93, 0, 'charge-004'],
      [8, dueMs + 1, 'refresh', -380, -480, 100, 0, null],
      [7, startMs + 12, 'charge', -90, -20, 480, 480, 'charge-003'],
      [6, startMs + 11, 'grant', 500, 500, 570, 500, 'lost at the refresh'],
      [5, startMs + 10, 'charge', -30, 0, 70, 0, 'charge-002'],
      [4, startMs, 'grant', 100, 0, 100, 0, 'opened on basic'],
    ]);
    const [newest, , ninth] = await accounts.journalOf(accountIds.basic);
    assert.deepEqual([newest?.requestId, ninth?.requestId], ['charge-005', 'request-4']);
    assert.deepEqual([newest?.keyId, newest?.endpoint], [basicKey.keyId, '/crime/by-postcode']);
    const shortly = async (accountId: string) =>
      (await accounts.journalOf(accountId)).map(({ seq, kind, credits, lasting }) => [
        seq,
        kind,
        credits,
        lasting,
      ]);
    assert.deepEqual(await shortly(accountIds.trial), [
      [3, 'charge', -120, -20],
      [2, 'grant', 50, 50],
      [1, 'grant', 100, 0],
    ]);
    assert.deepEqual(await shortly(accountIds.corrected), [
      [14, 'correction', -300, -300],
      [13, 'grant', 1_000, 1_000],
      [12, 'grant', 30_000, 0],
    ]);
    assert.deepEqual(await shortly(accountIds.changed), [
      [18, 'grant', 11, 11],
      [17, 'grant', 25_000, 0],
      [16, 'grant', 25_000, 0],
      [15, 'grant', 5_000, 0],
    ]);
    assert.deepEqual(await shortly(accountIds.grown), [
      [22, 'charge', -1, 0],
      [21, 'grant', 99_890, -10],
      [20, 'grant', 10, 10],
      [19, 'grant', 100, 0],
    ]);
    assert.deepEqual(await shortly(accountIds.shrunk), [
      [24, 'correction', -4_000, 0],
      [23, 'grant', 9_000, 0],
    ]);
    assert.deepEqual(await shortly(accountIds.ended), [[25, 'grant', 5_000, 0]]);
    assert.deepEqual(await shortly(accountIds.closed), [
      [27, 'charge', -5, 0],
      [26, 'grant', 2_000_000, 0],
    ]);
  });

  it('keeps every key in its state', async () => {
    const { ledger, accounts } = await open();
    const keys = (await accounts.listKeys(accountIds.basic)).map((key) => {
      assert.equal(key.accountId, accountIds.basic);
      return [key.keyId, key.kind, key.name, key.lastFour, key.expiresAtMs, key.revokedAtMs, key.replacedBy];
    });
    assert.deepEqual(keys, [
      [basicKey.keyId, 'live', 'Basic live', 'RXkK', null, null, null],
      [testKey.keyId, 'test', 'ci', 'UepV', null, null, null],
      ['key_0k1dcQDhVuxT3a', 'live', null, 'A6Js', null, startMs + 82, null],
      ['key_1UqwZ9g1IAPpiq', 'live', 'short', 'h8oA', startMs + dayMs, null, null],
      ['key_17J9FG4mHPKBwK', 'test', 'turn', 'pl5R', startMs + 85 + hourMs, null, 'key_5evuSD4s97iNLu'],
      ['key_5evuSD4s97iNLu', 'test', 'turn', 'W78U', null, null, null],
    ]);
    const kindAt = async (key: string, atMs: number) => (await ledger.admit(hashKey(key), atMs)).kind;
    assert.equal(await kindAt(basicKey.key, startMs), 'admitted');
    assert.equal(await kindAt('dd_live_0EvNBWG8Ny08dgkHo7zAqSKy60IA6Js', startMs), 'unknown', 'revoked');
    const short = 'dd_live_1PAOEYYIJteacLDxKKt9owXKz1Hh8oA';
    assert.equal(await kindAt(short, startMs + dayMs - 1), 'admitted');
    assert.equal(await kindAt(short, startMs + dayMs), 'unknown', 'expired');
    const ofClosed = 'dd_live_1q0qbGWoF9n8glhfcXzOgdLUW3NjtYW';
    assert.equal(await kindAt(ofClosed, startMs), 'unknown', 'account closed');
  });

  it('keeps usage and windows', async () => {
    const { accounts } = await open();
    const usage = (await accounts.usageOf(accountIds.basic)).map(
      ({ hourStartMs, keyId, endpoint, status, calls, credits }) => [
        hourStartMs,
        keyId,
        endpoint,
        status,
        calls,
        credits,
      ],
    );
    assert.deepEqual(usage, [
      [startMs, basicKey.keyId, '/bank-rates', 200, 2, 120],
      [dueMs, basicKey.keyId, '/bank-rates', 200, 1, 7],
      [dueMs, basicKey.keyId, '/bank-rates', 404, 1, 0],
      [dueMs, basicKey.keyId, '/crime/by-postcode', 200, 1, 100],
      [dueMs, testKey.keyId, '/council-tax', 200, 1, 0],
    ]);
    const usedBy = async (mode: 'live' | 'test') =>
      (await accounts.windowsOf(accountIds.basic, mode, dueMs + 6 * minuteMs)).map(({ used }) => used);
    assert.deepEqual(await usedBy('live'), [0, 4, 4], 'its minute is over');
    assert.deepEqual(await usedBy('test'), [3, 3, 3]);
  });

  it('charges, refreshes and changes plans by the rules of today', async () => {
    const { ledger, accounts } = await open();
    const caller = { accountId: accountIds.basic, keyId: basicKey.keyId, mode: 'live' } as const;
    const repeated = await ledger.charge(charging(caller, 'charge-005', 100, dueMs + 10));
    assert.equal(repeated.kind, 'charged', 'an id charged before the migration is charged once');
    assert.equal(repeated.creditsRemaining, 33);
    const again = await ledger.charge(charging(caller, 'after', 3, dueMs + 10));
    assert.deepEqual([again.kind, again.creditsRemaining], ['charged', 30]);
    assert.deepEqual(await balancesOf(accounts, accountIds.basic, Date.UTC(2026, 2, 31, 12)), [130, 30]);
    const change = { plan: 'premium', atMs: startMs + 100 } as const;
    assert.equal((await accounts.changePlan(accountIds.changed, change)).balance, 55_011 + 45_000);
    await assertBooksAgree(accounts);
  });

  it('is migrated once by several processes that open it at once', async () => {
    const script = `
      import { openLedger } from ${JSON.stringify(import.meta.resolve('../../src/ledger/open.ts'))};
      const { ledger, accounts } = await openLedger({ home: ${JSON.stringify(folder)} });
      await accounts.grantCredits('${accountIds.ended}', { credits: 1, atMs: ${startMs} });
      await ledger.close();`;
    const codes = await Promise.all(
      [1, 2, 3, 4].map(async () => {
        const child = spawn(process.execPath, ['--input-type=module', '-e', script], { stdio: 'inherit' });
        const [code] = await once(child, 'exit');
        return Number(code);
      }),
    );
    assert.deepEqual(codes, [0, 0, 0, 0]);
    const { accounts } = await open();
    assert.deepEqual(await balancesOf(accounts, accountIds.ended), [5_004, 4]);
    assert.deepEqual(await balancesOf(accounts, accountIds.basic), [33, 33]);
    await assertBooksAgree(accounts);
  });

  it('is as before when its migration is killed half way, and then migrated by the next opening', async () => {
    const before = contentOf(path);
    const script = `
      import { DatabaseSync } from 'node:sqlite';
      import { migrate } from ${JSON.stringify(import.meta.resolve('../../src/ledger/sqlite/migrate.ts'))};
      import { migrations } from ${JSON.stringify(import.meta.resolve('../../src/ledger/sqlite/migrations/index.ts'))};
      const [one, two] = migrations;
      const up = (db) => { two.up(db); process.kill(process.pid, 'SIGKILL'); };
      migrate(new DatabaseSync(${JSON.stringify(path)}), [one, { ...two, up }]);`;
    const child = spawn(process.execPath, ['--input-type=module', '-e', script], { stdio: 'inherit' });
    const [, signal] = await once(child, 'exit');
    assert.equal(signal, 'SIGKILL');
    assert.deepEqual(contentOf(path), before);
    const { accounts } = await open();
    assert.deepEqual(await balancesOf(accounts, accountIds.basic), [33, 33]);
  });

  it('is as before when its migration fails', () => {
    const before = contentOf(path);
    const db = new DatabaseSync(path);
    const [one, two] = migrations;
    assert.ok(one && two);
    const up = (inside: DatabaseSync): void => {
      two.up(inside);
      throw new Error('half way');
    };
    assert.throws(() => migrate(db, [one, { ...two, up }]), /half way/);
    db.close();
    assert.deepEqual(contentOf(path), before);
  });

  it('is left alone by who must not change it', async () => {
    const before = contentOf(path);
    await assert.rejects(openLedger({ home: folder, ifOlder: 'refuse' }), LedgerOutdated);
    assert.deepEqual(contentOf(path), before);
  });
});

describe('a ledger of version 5', () => {
  it('keeps its keys, bound to nothing, and can then have keys that are bound', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'domesday-migrations-'));
    copyFileSync(
      join(import.meta.dirname, '../fixtures/ledger/version-5.sqlite'),
      join(folder, 'ledger.sqlite'),
    );
    const { ledger, accounts, journals } = await openLedger({ home: folder });
    try {
      const atMs = startMs + 200 * dayMs;
      const found = await accounts.listAccounts(startMs);
      const named = Map.groupBy(found, ({ name }) => name);
      const keysOf = async (name: string) => {
        const [account] = named.get(name) ?? [];
        assert.ok(account);
        return (await accounts.listKeys(account.accountId)).map((key) => [key.kind, key.name, key.binding]);
      };
      assert.deepEqual(await keysOf('Eve'), [
        ['live', 'Eve\u2019s', null],
        ['live', 'Eve\u2019s', null],
        ['test', null, null],
      ]);
      assert.deepEqual(await keysOf('public sandbox key'), [['test', 'public sandbox key', null]]);
      const accountId = named.get('Hal')?.[0]?.accountId ?? assert.fail('there is no Hal');
      const binding = { origins: ['https://www.example.com'], endpoints: null, addresses: null };
      const { key } = await accounts.createKey({ accountId, kind: 'publishable', binding, atMs });
      const admission = await ledger.admit(hashKey(key), atMs);
      assert.ok(admission.kind === 'admitted');
      assert.deepEqual(admission.caller.binding, binding);
      const { breaks, different, contradictions, entries } = await journals.verify(atMs);
      assert.deepEqual([breaks, different, contradictions], [[], [], []]);
      assert.ok(entries > 30);
    } finally {
      await ledger.close();
      rmSync(folder, { recursive: true });
    }
  });
});

describe('a ledger of a newer version', () => {
  let folder = '';
  let path = '';
  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'domesday-migrations-'));
    path = join(folder, 'ledger.sqlite');
    const { ledger } = await openLedger({ home: folder });
    await ledger.close();
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  const later = (breaks: boolean, since: string): Migration => ({
    version: migrations.length + 1,
    name: 'later',
    breaks,
    since,
    up: (db) => db.exec('ALTER TABLE accounts ADD COLUMN colour TEXT'),
  });
  const bringTo = (...added: readonly Migration[]): void => {
    const db = new DatabaseSync(path);
    migrate(
      db,
      [...migrations, ...added].map((migration, i) => ({ ...migration, version: i + 1 })),
    );
    db.close();
  };

  it('is used where nothing in it breaks this program, and stays of that version', async () => {
    bringTo(later(false, '7.8.0'));
    const { ledger, accounts } = await openLedger({ home: folder });
    assert.equal(
      (await accounts.createAccount({ name: 'Ada', plan: 'basic', atMs: startMs })).balance,
      5_000,
    );
    await ledger.close();
    const db = new DatabaseSync(path);
    assert.equal(db.prepare('PRAGMA user_version').get()?.user_version, migrations.length + 1);
    db.close();
  });

  it('is refused in one line that names the program to use, if one migration of it breaks this one', async () => {
    const harmless = { ...later(false, '8.0.0'), up: () => undefined };
    bringTo(later(true, '7.8.0'), harmless);
    await assert.rejects(openLedger({ home: folder }), (error) => {
      assert.ok(error instanceof LedgerUnavailable);
      assert.match(error.message, /made by a newer Domesday .*use Domesday 7\.8\.0 or later/);
      assert.doesNotMatch(error.message, /\n/);
      return true;
    });
  });

  it('is refused if it does not tell what it changed', () => {
    const db = new DatabaseSync(path);
    db.exec(`PRAGMA user_version = ${migrations.length + 1}`);
    assert.equal(fitnessOf(db, migrations).kind, 'too new');
    db.exec('DROP TABLE migrations');
    assert.equal(fitnessOf(db, migrations).kind, 'too new');
    db.close();
  });
});

it('migrations are numbered from 1 without a gap', () => {
  assert.deepEqual(
    migrations.map(({ version }) => version),
    migrations.map((_, i) => i + 1),
  );
});

/** Everything a ledger says: its version, its tables and every row. */
function contentOf(file: string): unknown {
  const db = new DatabaseSync(file);
  const tables = db.prepare('SELECT name, sql FROM sqlite_schema ORDER BY type, name').all();
  const rows = ['accounts', 'keys', 'endpoints', 'windows', 'journal', 'usage'].map((table) =>
    db.prepare(`SELECT * FROM ${table}`).all(),
  );
  const version = db.prepare('PRAGMA user_version').get();
  db.close();
  return { version, tables, rows };
}
