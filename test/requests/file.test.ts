// The file of the last requests may be lost at any moment, whatever is done to it: that is said once, and it is made anew.

import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, rmdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import type { LedgerNotice } from '../../src/ledger/ledger.ts';
import { RequestsFile, requestsFile } from '../../src/requests/file.ts';
import { DatabaseUnavailable } from '../../src/storage/sql.ts';
import { temporaryHome } from '../rig.ts';

const put =
  "INSERT INTO request_chunks VALUES (?, 'acc', 1, 1, 1, '[]', NULL) ON CONFLICT (chunk_id) DO NOTHING";
const chunks = async (file: RequestsFile) => (await file.all('SELECT chunk_id FROM request_chunks')).length;

type Desk = { readonly path: string; readonly notices: LedgerNotice[]; readonly open: () => RequestsFile };

async function inHome(work: (desk: Desk) => Promise<void>): Promise<void> {
  const { home, remove } = temporaryHome();
  const notices: LedgerNotice[] = [];
  const opened: RequestsFile[] = [];
  const open = () => {
    const file = new RequestsFile(home, (notice) => notices.push(notice));
    opened.push(file);
    return file;
  };
  try {
    await work({ path: requestsFile(home), notices, open });
  } finally {
    for (const file of opened) file.close();
    remove();
  }
}

const levels = (notices: readonly LedgerNotice[]) => notices.map(({ level }) => level);

test('requests outlive a restart, in a file for its owner alone that nobody makes before the first question', async () => {
  await inHome(async ({ path, notices, open }) => {
    const first = open();
    assert.throws(() => statSync(path), /ENOENT/);
    await first.all(put, ['a']);
    assert.equal((statSync(path).mode & 0o777).toString(8), '600');
    first.close();
    await assert.rejects(chunks(first), DatabaseUnavailable);
    assert.equal(await chunks(open()), 1);
    assert.deepEqual(notices, []);
  });
});

const losses: Readonly<Record<string, (path: string) => void>> = {
  removed: (path) => rmSync(path),
  'exchanged for an empty one': (path) => {
    rmSync(path);
    writeFileSync(path, '');
  },
};

for (const [what, act] of Object.entries(losses)) {
  test(`a file that is ${what} while it is used is begun anew, which is said once`, async () => {
    await inHome(async ({ path, notices, open }) => {
      const file = open();
      await file.all(put, ['a']);
      act(path);
      await file.all(put, ['b']);
      assert.equal(await chunks(file), 1);
      assert.deepEqual(levels(notices), ['warn']);
      assert.match(notices[0]?.message ?? '', /begin anew/);
    });
  });
}

const damages: Readonly<Record<string, (path: string) => void>> = {
  'is no database': (path) => writeFileSync(path, 'certainly no database'.repeat(500)),
  'is damaged': (path) => {
    const bytes = readFileSync(path);
    bytes.fill(0xa5, 1_000);
    writeFileSync(path, bytes);
  },
  'belongs to another program': (path) => {
    rmSync(path);
    const db = new DatabaseSync(path);
    db.exec('CREATE TABLE somebody_elses (x); PRAGMA user_version = 7');
    db.close();
  },
};

for (const [what, act] of Object.entries(damages)) {
  test(`a file that ${what} when it is opened is made anew, which is said once`, async () => {
    await inHome(async ({ path, notices, open }) => {
      const first = open();
      await first.all(put, ['a']);
      first.close();
      act(path);
      const second = open();
      await second.all(put, ['b']);
      assert.equal(await chunks(second), 1);
      assert.deepEqual(levels(notices), ['warn']);
    });
  });
}

test('where it cannot be made that is told once, and it is used once it can', async () => {
  await inHome(async ({ path, notices, open }) => {
    mkdirSync(path);
    const file = open();
    for (let tries = 0; tries < 3; tries += 1) await assert.rejects(chunks(file), DatabaseUnavailable);
    rmdirSync(path);
    assert.equal(await chunks(file), 0);
    assert.deepEqual(levels(notices), ['error', 'info']);
    await assert.rejects(
      file.all('SELECT nothing FROM nowhere'),
      (error) => !(error instanceof DatabaseUnavailable),
    );
    await assert.rejects(file.all(put, ['a\0b']), RangeError);
  });
});
