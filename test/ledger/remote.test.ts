// The ledger across a port keeps the contract of every engine, and says so when its owner is gone.

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { MessageChannel } from 'node:worker_threads';
import { LedgerUnavailable, type OpenLedger } from '../../src/ledger/ledger.ts';
import { openLedger } from '../../src/ledger/open.ts';
import { remoteLedger, serveLedger } from '../../src/ledger/remote.ts';
import type { Engine } from './bench.ts';
import { ledgerContract } from './contract.ts';

async function openAcross(home: string): Promise<OpenLedger> {
  const owner = await openLedger({ home });
  const { port1, port2 } = new MessageChannel();
  serveLedger(port1, owner);
  const { ledger, accounts } = remoteLedger(port2);
  const close = async () => {
    await ledger.close();
    await owner.ledger.close();
  };
  return { ledger: { ...ledger, close }, accounts, maintain: owner.maintain };
}

const engine: Engine = {
  name: 'SQLite, across a port',
  fresh: async () => {
    const folder = mkdtempSync(join(tmpdir(), 'domesday-ledger-'));
    return {
      open: () => openAcross(folder),
      nextRequest: () => nextTurn(),
      settle: ({ ledger }) => ledger.ready(),
      remove: async () => rmSync(folder, { recursive: true }),
    };
  },
};

ledgerContract(engine);

test('a question whose owner ends is answered with an outage, not left open', async () => {
  const { port1, port2 } = new MessageChannel();
  const { ledger } = remoteLedger(port2);
  const asked = ledger.ready();
  port1.close();
  await assert.rejects(asked, LedgerUnavailable);
});
