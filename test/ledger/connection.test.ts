// The connection of a running ledger when it is exchanged for a new one.

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, test } from 'node:test';
import { databaseFile, openLedger } from '../../src/ledger/open.ts';
import { Connection, type Disk, diskOf } from '../../src/ledger/sqlite/connection.ts';

let home = '';
let disk: Disk;
let connection: Connection;
beforeEach(async () => {
  home = mkdtempSync(join(tmpdir(), 'domesday-connection-'));
  const { ledger } = await openLedger({ home });
  await ledger.close();
  disk = diskOf(databaseFile(home));
  connection = new Connection(disk, disk.open());
});
afterEach(() => rmSync(home, { recursive: true }));

test('the new one leaves the log to whoever copies it, as the old one', () => {
  connection.reopen();
  assert.equal(connection.db.prepare('PRAGMA wal_autocheckpoint').get()?.wal_autocheckpoint, 0);
  connection.close();
});

test('it is not sound before the log is empty', () => {
  const reader = disk.open();
  reader.exec('BEGIN; SELECT * FROM identity');
  connection.db.exec('UPDATE identity SET pulse = pulse + 1');
  assert.throws(() => connection.reopen(), /the log cannot be emptied/);
  reader.close();
  connection.reopen();
  connection.close();
});

test('a closed one is not opened again', () => {
  connection.close();
  assert.throws(() => connection.reopen(), /The ledger is closed/);
});

test('one that is gone at the commit is exchanged', () => {
  const dying = new Connection(
    {
      ...disk,
      commit: (db) => {
        db.close();
        throw new Error('the disk is gone');
      },
    },
    disk.open(),
  );
  dying.begin();
  assert.equal(dying.commit().kind, 'unknown');
  connection.close();
});
