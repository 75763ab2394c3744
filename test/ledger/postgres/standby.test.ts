// A database that takes no writes: a read replica whose address was given for that of its primary.

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import { LedgerUnavailable } from '../../../src/ledger/ledger.ts';
import { openLedger } from '../../../src/ledger/open.ts';
import { OwnPostgres } from '../../postgres.ts';
import { runDomesday } from '../../rig.ts';

test('a read replica is refused in one sentence, with and without a ledger in it', async () => {
  const server = await OwnPostgres.make();
  const home = mkdtempSync(path.join(tmpdir(), 'domesday-standby-'));
  try {
    const url = server.url('postgres');
    const { ledger } = await openLedger({ home, databaseUrl: url });
    await ledger.close();
    await server.stop();
    server.becomeReplica();
    await server.start();
    const message =
      'The database of DATABASE_URL is a read replica, which takes no writes; give the address of its primary.';
    for (const databaseUrl of [url, server.url('template1')])
      await assert.rejects(openLedger({ home, databaseUrl }), (error) => {
        assert.ok(error instanceof LedgerUnavailable);
        assert.equal(error.message, message);
        return true;
      });
    const told = await runDomesday(['accounts', 'list'], { DOMESDAY_HOME: home, DATABASE_URL: url });
    assert.ok(told.err.includes(message), told.err);
    assert.notEqual(told.code, 0);
  } finally {
    await server.remove();
    rmSync(home, { recursive: true });
  }
});
