// A home, a backup and a depot that were made before version 1.0 (by commit 8f36b4e; test/fixtures/before-1.0) are recognised by any
// part of them, refused in one sentence that says what to do, and left as they are.

import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import {
  copyFileSync,
  cpSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { accounts } from '../src/cli/accounts.ts';
import { check } from '../src/cli/check.ts';
import type { Command } from '../src/cli/command.ts';
import { backup as backUp, restore } from '../src/cli/database/backup.ts';
import { move } from '../src/cli/database/move.ts';
import { ingest } from '../src/cli/ingest.ts';
import { keys } from '../src/cli/keys.ts';
import { ledger } from '../src/cli/ledger.ts';
import { lookup } from '../src/cli/lookup.ts';
import { people } from '../src/cli/people/people.ts';
import { releases } from '../src/cli/releases.ts';
import { update } from '../src/cli/update.ts';
import { LedgerUnavailable } from '../src/ledger/ledger.ts';
import { openLedger } from '../src/ledger/open.ts';
import { ReleaseDamaged } from '../src/release/reader.ts';
import { openHome } from '../src/release/store.ts';
import { layouts } from '../src/tables/index.ts';
import { runDomesday } from './rig.ts';

const made = path.join(import.meta.dirname, 'fixtures/before-1.0');
const rates = path.join(import.meta.dirname, 'fixtures/bank-rate/iadb-daily.csv');
const whatToDo =
  'was made before Domesday 1.0; start with an empty home, and domesday update brings the data.';

let folder = '';
let home = '';
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'domesday-before-'));
  home = path.join(folder, 'home');
});
afterEach(() => rmSync(folder, { recursive: true }));

const take = (part: string): void =>
  cpSync(path.join(made, 'home', part), path.join(home, part), { recursive: true });

const contentOf = (root: string): ReadonlyMap<string, string> =>
  new Map(
    globSync('**/*', { cwd: root })
      .filter((file) => statSync(path.join(root, file)).isFile())
      .map((file) => [file, hash('sha256', readFileSync(path.join(root, file)))]),
  );

/** What it refuses with; nothing below `folder` is changed by it. */
async function refusalOf(command: Command, ...args: string[]): Promise<string> {
  const before = contentOf(folder);
  const io = {
    env: { DOMESDAY_HOME: home },
    out: () => undefined,
    err: () => undefined,
    isTerminal: false,
    asTyped: (text: string) => text,
    now: () => Date.UTC(2027, 0, 31),
  };
  const said = await command.run(args, io).then(
    () => 'nothing',
    (error: Error) => error.message,
  );
  assert.deepEqual(contentOf(folder), before, `${command.name} ${args.join(' ')}`);
  return said;
}

describe('a home that was made before 1.0', () => {
  for (const part of ['ledger.sqlite', 'records.sqlite', 'releases', 'sandbox']) {
    it(`is refused by every command for its ${part} alone`, async () => {
      take(part);
      const backup = path.join(folder, 'backup.sqlite');
      const commands: readonly (readonly [Command, ...string[]])[] = [
        [accounts, 'list'],
        [accounts, 'create', '--name', 'Bob', '--plan', 'trial'],
        [keys, 'list', '--account', 'acc_x'],
        [people, 'list'],
        [backUp, backup],
        [restore, path.join(made, 'home/ledger.sqlite')],
        [move, home, 'postgres://nobody@127.0.0.1:1/nowhere'],
        [ledger, 'trim', '--before', '2026-01-01'],
        [ingest, rates],
        [update],
        [update, '--dry-run'],
        [releases, 'list'],
        [releases, 'fetch', '--from', path.join(made, 'depot')],
        [releases, 'publish', path.join(folder, 'depot')],
        [lookup, 'PO1 1AA'],
        [check],
      ];
      for (const [command, ...args] of commands)
        assert.equal(
          await refusalOf(command, ...args),
          `The home folder ${home} ${whatToDo}`,
          `${command.name} ${args.join(' ')}`,
        );
    });
  }

  it('is not begun by a service, which says so in one line', async () => {
    cpSync(path.join(made, 'home'), home, { recursive: true });
    const before = contentOf(home);
    const { code, out, err } = await runDomesday(['serve', '--home', home, '--port', '0']);
    assert.deepEqual([code, out], [1, '']);
    assert.match(err, /^The home folder \S+ was made before Domesday 1\.0; start with an empty home, .*\n$/);
    assert.deepEqual(contentOf(home), before);
  });

  it('gives none of its parts to whoever opens them by themselves', async () => {
    cpSync(path.join(made, 'home'), home, { recursive: true });
    const before = contentOf(home);
    const isRefusal = (kind: new (...parts: never[]) => Error, what: string) => (error: unknown) =>
      error instanceof kind && error.message === `${what} ${whatToDo}`;
    const file = path.join(home, 'domesday.sqlite');
    copyFileSync(path.join(home, 'ledger.sqlite'), file);
    await assert.rejects(openLedger({ home }), isRefusal(LedgerUnavailable, file));
    rmSync(file);
    for (const store of Object.values(openHome(home, layouts)))
      assert.throws(() => store.openCurrent(), isRefusal(ReleaseDamaged, `Release ${store.currentId()}`));
    // Whoever reads a file with a log leaves an index of the log beside it.
    const now = contentOf(home);
    for (const [name, content] of before) assert.equal(now.get(name), content, name);
  });
});

it('a home of which ledger and records were two files is refused in the same sentence', async () => {
  for (const [name, applicationId] of [
    ['ledger.sqlite', 0x44_44_4c_47],
    ['records.sqlite', 0x44_44_52_43],
  ] as const) {
    mkdirSync(home, { recursive: true });
    const file = path.join(home, name);
    const db = new DatabaseSync(file);
    db.exec(`CREATE TABLE versions (version); PRAGMA application_id = ${applicationId}`);
    db.close();
    assert.equal(await refusalOf(accounts, 'list'), `The home folder ${home} ${whatToDo}`);
    rmSync(file);
  }
});

it('a backup that was made before 1.0 is not restored', async () => {
  mkdirSync(home);
  writeFileSync(path.join(home, 'service.lock'), ''); // whoever restores takes it
  const backup = path.join(folder, 'backup.sqlite');
  copyFileSync(path.join(made, 'home/ledger.sqlite'), backup);
  assert.equal(await refusalOf(restore, backup), `${backup} ${whatToDo}`);
});

it('from a depot that was filled before 1.0 nothing is fetched, and nothing is published there', async () => {
  const depot = path.join(folder, 'depot');
  cpSync(path.join(made, 'depot'), depot, { recursive: true });
  const refusal = `What is published in ${depot} was made before Domesday 1.0; publish into an empty place and follow that one.`;
  const fetched = await runDomesday(['releases', 'fetch', '--from', depot, '--home', home]);
  assert.deepEqual([fetched.code, fetched.err], [1, `${refusal}\n`]);
  assert.equal(openHome(home, layouts).releases.currentId(), undefined);
  const publisher = path.join(folder, 'publisher');
  const loaded = await runDomesday(['ingest', rates, '--home', publisher]);
  assert.equal(loaded.code, 0, loaded.err);
  const before = contentOf(depot);
  const published = await runDomesday(['releases', 'publish', depot, '--sample', '--home', publisher]);
  assert.equal(published.code, 1);
  assert.ok(published.err.endsWith(`\n${refusal}\n`), published.err);
  assert.deepEqual(contentOf(depot), before);
});
