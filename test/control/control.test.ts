// Commands beside a service: the same calls, the same answers and the same refusals as in one process, and a clear word where
// nobody answers.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdirSync, readdirSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, test } from 'node:test';
import { openOperator, roomsOver } from '../../src/cli/operator.ts';
import { version } from '../../src/cli/version.ts';
import { readSettings } from '../../src/config.ts';
import { type Operator, operatorIn, type Rooms } from '../../src/control/calls.ts';
import { findService, ServiceUnreachable } from '../../src/control/client.ts';
import { serveControl } from '../../src/control/server.ts';
import { CallFailed, framesIn, jsonFrame, readError } from '../../src/control/wire.ts';
import {
  LedgerMissing,
  LedgerOutOfService,
  LedgerRefusal,
  LedgerUnavailable,
} from '../../src/ledger/ledger.ts';
import { openLedger } from '../../src/ledger/open.ts';
import { type Lock, takeLock } from '../../src/lock.ts';
import { AuditLog } from '../../src/people/audit.ts';
import { DatabaseUnavailable } from '../../src/storage/sql.ts';
import { otherUser, testWith } from '../requirements.ts';
import { noonMs, runDomesday, temporaryHome } from '../rig.ts';

let home: string;
let lock: Lock;
let audit: AuditLog;
let rooms: Rooms;
let stack: AsyncDisposableStack;
let reported: unknown[];
let warned: string[];
const socket = () => path.join(home, 'control.sock');

const serve = async (more: { readonly rooms?: Partial<Rooms>; readonly version?: string } = {}) =>
  stack.defer(
    await serveControl({
      home,
      version: more.version ?? version,
      rooms: { ...rooms, ...more.rooms },
      warn: (message) => warned.push(message),
      report: (_, fault) => reported.push(fault),
    }),
  );

async function service(): Promise<Operator> {
  const found = await findService({ home, version });
  return found === 'absent' ? assert.fail('nobody listens') : found;
}

/** What a running service has: the lock of its home, ledger and people. */
beforeEach(async () => {
  stack = new AsyncDisposableStack();
  reported = [];
  warned = [];
  const temporary = temporaryHome();
  home = temporary.home;
  stack.defer(temporary.remove);
  const taken = takeLock(path.join(home, 'service.lock'));
  lock = taken === 'taken' ? assert.fail('somebody has the home') : taken;
  stack.defer(() => lock.release());
  const { ledger, ...opened } = await openLedger({ home });
  stack.defer(() => ledger.close());
  const settings = readSettings({}, { home, 'public-url': 'https://of-the-service.example.com' });
  const over = roomsOver(opened, { settings, now: Date.now, tell: () => {} });
  stack.defer(over.close);
  ({ rooms } = over);
  audit = new AuditLog({ database: opened.database, now: Date.now });
});
afterEach(() => stack.disposeAsync());

test('a call over the socket tells what it tells in the same process', async () => {
  await serve();
  const [here, there] = [operatorIn(rooms), await service()];
  const made = await there.accounts.createAccount({ name: 'Ångström 😀', plan: 'premium', atMs: noonMs });
  const { keyId } = await there.accounts.createKey({ accountId: made.accountId, kind: 'live', atMs: noonMs });
  await there.planPrices.set({ plan: 'basic', price: '£49', link: null });
  await there.members.invite({ kind: 'command' }, { email: 'ann@example.com' });
  const questions: readonly ((operator: Operator) => Promise<unknown>)[] = [
    ({ accounts }) => accounts.listAccounts(noonMs),
    ({ accounts }) => accounts.findAccount(made.accountId, noonMs),
    ({ accounts }) => accounts.findAccount('acc_nobody', noonMs),
    ({ accounts }) => accounts.findKey(made.accountId, keyId),
    ({ accounts }) => accounts.journalOf(made.accountId, { newest: 3 }),
    ({ accounts }) => accounts.recomputeBalances(),
    ({ accounts }) => accounts.backups(),
    ({ journals }) => journals.verify(noonMs),
    ({ persons }) => persons.list({ limit: 10 }),
    ({ persons }) => persons.findByEmail('nobody@example.com'),
    ({ planPrices }) => planPrices.all(),
    ({ joining }) => joining.policy(),
    ({ people }) => people.count(),
  ];
  for (const ask of questions) assert.deepEqual(await ask(there), await ask(here), String(ask));
});

test('a whole command works beside a service: by its settings, and each change is one line of the audit log', async () => {
  await serve();
  const run = async (...args: string[]) => {
    const { code, out, err } = await runDomesday([...args, '--home', home]);
    assert.deepEqual([code, err], [0, ''], args.join(' '));
    return out;
  };
  const create = ['accounts', 'create', '--name', 'A', '--plan', 'basic', '--json'];
  const { accountId } = JSON.parse(await run(...create));
  await run('accounts', 'credit', accountId, '5');
  const { keyId } = JSON.parse(await run('keys', 'create', '--account', accountId, '--json'));
  await run('keys', 'revoke', keyId);
  assert.match(await run('people', 'invite', 'ann@example.com'), /https:\/\/of-the-service\.example\.com\//);
  await run('plans', 'set', 'basic', '--price', '£1');
  await run('ledger', 'trim', '--keep-days', '62');
  await run('accounts', 'close', accountId);
  assert.match(await run('backup', path.join(home, 'backup')), /: 1 account, 3 entries, up to entry 3 /);
  const { lines } = await audit.page(accountId, { limit: 10 });
  assert.deepEqual(
    lines.map(({ who, what }) => [who, what]),
    ['account.closed', 'key.revoked', 'key.created', 'credits.granted', 'account.opened'].map((what) => [
      'operator (command)',
      what,
    ]),
  );
  const refused = await runDomesday(['accounts', 'credit', accountId, '5', '--home', home]);
  assert.deepEqual([refused.code, refused.err.split('\n').length], [1, 2], refused.err);
  assert.match(refused.err, /closed/);
});

test('an error is of the same class on the other side', async () => {
  const errors = [
    new LedgerRefusal('refused'),
    new LedgerMissing('missing'),
    new LedgerUnavailable('away'),
    new LedgerOutOfService('checked', 'until it is checked'),
    new DatabaseUnavailable('no people'),
    new RangeError('too far'),
  ];
  let next = 0;
  const failing = () => Promise.reject(errors[next]);
  await serve({ rooms: { planPrices: failing } });
  const { planPrices } = await service();
  for (; next < errors.length; next += 1) {
    await assert.rejects(planPrices.all(), (error) => {
      assert.deepEqual(error, errors[next]);
      assert.equal(Object.getPrototypeOf(error), Object.getPrototypeOf(errors[next]));
      return true;
    });
  }
  assert.deepEqual(reported, []);
});

test('of a fault of the program the command learns where to look, and nothing else', async () => {
  const fault = new TypeError('secret of line 7');
  await serve({ rooms: { planPrices: () => Promise.reject(fault) } });
  const { planPrices } = await service();
  await assert.rejects(planPrices.all(), new CallFailed('The service failed; its log says why.'));
  assert.deepEqual(reported, [fault]);
  const told = await runDomesday(['plans', 'list', '--home', home]);
  assert.deepEqual([told.code, told.out, told.err], [1, '', 'The service failed; its log says why.\n']);
});

test('nothing that is not on the list can be called, and what is no call is not answered', async () => {
  await serve();
  const told = async (sent: Buffer) => {
    const client = connect(socket());
    client.write(sent);
    const frames = await Array.fromAsync(framesIn(client, 2 ** 20));
    return frames.slice(1).map((frame) => (frame.kind === 'error' ? readError(frame).name : frame.kind));
  };
  for (const [room, name] of [
    ['accounts', 'openGuests'],
    ['accounts', 'constructor'],
    ['accounts', 'toString'],
    ['__proto__', 'toString'],
    ['constructor', 'name'],
    ['nothing', 'all'],
  ]) {
    assert.deepEqual(
      await told(jsonFrame('call', { room, name, args: [] })),
      ['CallFailed'],
      `${room}.${name}`,
    );
  }
  for (const sent of [
    jsonFrame('call', null),
    jsonFrame('call', { room: 'planPrices', name: 'all' }),
    jsonFrame('value', { room: 'planPrices', name: 'all', args: [] }),
    Buffer.from('GET / HTTP/1.1\r\n\r\n'),
    Buffer.alloc(100, 0xff),
  ]) {
    assert.deepEqual(await told(sent), [], sent.toString('latin1'));
  }
  await (await service()).planPrices.all();
  assert.deepEqual(reported, []);
});

test("the socket is the owner's alone whatever the umask, and gone with its service", async () => {
  const before = process.umask(0);
  try {
    await serve();
    assert.equal(process.umask(), 0);
  } finally {
    process.umask(before);
  }
  assert.equal(statSync(socket()).mode & 0o077, 0);
  await stack.disposeAsync();
  assert.equal(existsSync(socket()), false);
});

test("a socket that was left by a service that is gone is in nobody's way", async () => {
  writeFileSync(socket(), '');
  assert.equal(await findService({ home, version }), 'absent');
  await serve();
  await (await service()).planPrices.all();
});

test('where nobody listens is told from a service that hangs', async () => {
  assert.equal(await findService({ home, version }), 'absent');
  const silent = createServer().listen(socket());
  await once(silent, 'listening');
  silent.unref();
  await assert.rejects(findService({ home, version, patienceMs: 30 }), (error) => {
    assert.ok(error instanceof ServiceUnreachable);
    assert.match(error.message, /has not answered for 0\.03 s, so it hangs or is stopped;.* Kill it/);
    return true;
  });
  silent.close();
});

test('a command of another version says what to do', async () => {
  await serve({ version: '9.9.9' });
  const { code, out, err } = await runDomesday(['accounts', 'list', '--home', home]);
  assert.deepEqual([code, out], [1, '']);
  assert.match(err, /is Domesday 9\.9\.9, and this command is \S+; restart the service[^\n]*\n$/);
  const check = await runDomesday(['check', '--home', home]);
  assert.equal(check.code, 1);
  assert.match(
    check.out,
    /problem {2}service: The service on .* is Domesday 9\.9\.9.*\n +→ Restart the service/,
  );
});

test('in a home whose path is too long for a socket, service and command say so', async () => {
  const short = home;
  home = path.join(home, 'a'.repeat(100));
  mkdirSync(home);
  await serve();
  assert.match(warned.join(), /\/a{100}\/control\.sock has \d+ bytes and a socket may have 100/);
  assert.equal(existsSync(socket()), false);
  await assert.rejects(
    findService({ home, version }),
    /A service runs on .*; move the home folder to a shorter path/,
  );
  home = short;
});

test('on Windows commands refuse while a service runs', async () => {
  await assert.rejects(
    findService({ home, version, platform: 'win32' }),
    /A service runs on .* on Windows, commands work only while no service runs; stop the service first/,
  );
});

testWith(otherUser, 'another user of the machine is told whose the service is', async (uid) => {
  await serve();
  assert.ok(process.seteuid !== undefined);
  process.seteuid(uid);
  try {
    await assert.rejects(
      findService({ home, version }),
      /belongs to another user; run the command as that user/,
    );
  } finally {
    process.seteuid(0);
  }
  // By its real user, as a command has it; the module needs nothing else.
  chmodSync(home, 0o755);
  const script = `import(${JSON.stringify(new URL('../../src/lock.ts', import.meta.url).href)})
    .then(({ takeLock }) => takeLock(process.argv[1]))
    .catch(({ code, path }) => console.log(code, path))`;
  const file = path.join(home, 'service.lock');
  const told = spawnSync(process.execPath, ['-e', script, file], { uid, encoding: 'utf8' });
  assert.equal(told.stdout, `EACCES ${file}\n`, told.stderr);
});

test('a command that is killed in the middle harms nothing: what it asked for is done, and others are answered', async () => {
  const { promise: held, resolve: letGo } = Promise.withResolvers<void>();
  const begun = Promise.withResolvers<void>();
  const planPrices = async () => {
    const real = await rooms.planPrices();
    return {
      ...real,
      all: () => real.all(),
      clear: () => real.clear('basic'),
      set: async (price: Parameters<typeof real.set>[0]) => {
        begun.resolve();
        await held;
        await real.set(price);
      },
    };
  };
  await serve({ rooms: { planPrices } });
  const killed = connect(socket());
  const args = [{ plan: 'basic', price: '£1', link: null }];
  killed.write(jsonFrame('call', { room: 'planPrices', name: 'set', args }));
  await begun.promise;
  killed.destroy();
  const half = connect(socket());
  half.write(jsonFrame('call', { room: 'planPrices', name: 'clear', args: ['basic'] }).subarray(0, 20));
  half.destroy();
  const other = await service();
  assert.deepEqual(await other.planPrices.all(), []);
  letGo();
  while ((await other.planPrices.all()).length === 0) await new Promise(setImmediate);
  assert.deepEqual(reported, []);
});

/** Breaks what is connected, as the end of a service does. */
async function breakable(): Promise<() => void> {
  const behind = `${socket()}.behind`;
  renameSync(socket(), behind);
  const ends: { destroy(): void }[] = [];
  const between = createServer((client) => {
    const server = connect(behind);
    ends.push(client, server);
    client.pipe(server).pipe(client);
  }).listen(socket());
  await once(between, 'listening');
  stack.defer(() => {
    between.close();
    renameSync(behind, socket());
  });
  return () => {
    for (const end of ends) end.destroy();
  };
}

const gone = /The service ended while it worked on this\. Look whether it was done/;

test('a service that ends in the middle of a call, or of a copy, does not leave the command in the dark', async () => {
  let breakAll = () => {};
  const endless = async function* () {
    yield Buffer.from('a beginning');
    breakAll();
    await new Promise(() => {});
  };
  await serve({
    rooms: {
      planPrices: () => {
        breakAll();
        return new Promise(() => {});
      },
      copies: async () => ({ database: endless }),
    },
  });
  breakAll = await breakable();
  const { planPrices, copies } = await service();
  await assert.rejects(planPrices.all(), gone);
  await assert.rejects(Array.fromAsync(copies.database()), gone);
});

test('a copy of the database comes whole, one at a time, and leaves nothing in the home', async () => {
  await serve();
  const { accounts, copies, backups } = await service();
  const { accountId } = await accounts.createAccount({ name: 'A', plan: 'premium', atMs: noonMs });
  const here = operatorIn(rooms).copies;
  const both = await Promise.allSettled([Array.fromAsync(here.database()), Array.fromAsync(here.database())]);
  assert.deepEqual(
    both.map((each) => (each.status === 'fulfilled' ? 'whole' : each.reason)),
    ['whole', new LedgerRefusal('Another backup is being made; try again when it is done.')],
  );
  // Killed in the middle.
  writeFileSync(path.join(home, 'domesday.sqlite.copy'), 'half');
  const chunks = await Array.fromAsync(copies.database());
  const file = path.join(home, 'received');
  writeFileSync(file, Buffer.concat(chunks));
  const db = new DatabaseSync(file, { readOnly: true });
  assert.deepEqual(
    [...db.prepare('PRAGMA integrity_check').all(), ...db.prepare('SELECT id, name FROM accounts').all()].map(
      (row) => ({ ...row }),
    ),
    [{ integrity_check: 'ok' }, { id: accountId, name: 'A' }],
  );
  db.close();
  assert.deepEqual(
    readdirSync(home).filter((name) => name.includes('.copy')),
    [],
  );
  assert.equal((await accounts.backups()).lastAtMs, null);
  await backups.note(noonMs);
  assert.equal((await accounts.backups()).lastAtMs, noonMs);
});

test('whoever reads a copy slowly holds up whoever makes it, and whoever stops reading ends it', async () => {
  let made = 0;
  const ended = Promise.withResolvers<void>();
  const endless = async function* () {
    try {
      for (;;) {
        made += 1;
        yield Buffer.alloc(2 ** 16, made);
      }
    } finally {
      ended.resolve();
    }
  };
  await serve({ rooms: { copies: async () => ({ database: endless }) } });
  const { copies } = await service();
  let read = 0;
  for await (const chunk of copies.database()) {
    read += 1;
    assert.deepEqual([chunk.length, chunk[0]], [2 ** 16, read]);
    if (read === 200) break;
  }
  await ended.promise;
  assert.ok(made < read + 100, `${made} chunks were made for ${read} that were read`);
});

test('a service that is stopped waits for no copy, and the command is told', async () => {
  const endless = async function* () {
    for (;;) yield Buffer.alloc(2 ** 16);
  };
  await serve({ rooms: { copies: async () => ({ database: endless }) } });
  const { copies } = await service();
  const chunks = copies.database()[Symbol.asyncIterator]();
  await chunks.next();
  await stack.disposeAsync();
  await assert.rejects(async () => {
    while (!(await chunks.next()).done);
  }, gone);
});

test('an error in the middle of a copy is no end of it', async () => {
  const failing = async function* () {
    yield Buffer.from('a beginning');
    throw new LedgerUnavailable('the disk is full');
  };
  await serve({ rooms: { copies: async () => ({ database: failing }) } });
  const { copies } = await service();
  await assert.rejects(Array.fromAsync(copies.database()), new LedgerUnavailable('the disk is full'));
});

test('commands without a service have the home one after the other', async () => {
  lock.release();
  const io = { env: {}, out: () => {}, err: () => {}, isTerminal: false, now: Date.now };
  const open = () => openOperator({ ...io, asTyped: (text) => text }, { home, ifMissing: 'make' });
  const file = path.join(home, 'service.lock');
  const first = await open();
  assert.equal(takeLock(file), 'taken');
  const second = open();
  await first.close();
  const { operator, close } = await second;
  assert.equal(takeLock(file), 'taken');
  await operator.planPrices.all();
  await close();
  const free = takeLock(file);
  assert.ok(free !== 'taken');
  free.release();
});
