// The ledger across a port keeps the contract of every engine, and says so when its owner is gone.

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { MessageChannel } from 'node:worker_threads';
import { openEmbeddedLedger } from '../../src/ledger/embedded.ts';
import { LedgerUnavailable, type OpenLedger } from '../../src/ledger/ledger.ts';
import { remoteLedger, serveLedger } from '../../src/ledger/remote.ts';
import type { Engine } from './bench.ts';
import { ledgerContract } from './contract.ts';

function openAcross(path: string): OpenLedger {
  const owner = openEmbeddedLedger({ path });
  const { port1, port2 } = new MessageChannel();
  serveLedger(port1, owner.ledger);
  const remote = remoteLedger(port2);
  const close = async () => {
    await remote.close();
    await owner.ledger.close();
  };
  return { ...owner, ledger: { ...remote, close } };
}

const engine: Engine = {
  name: 'embedded, across a port',
  fresh: async () => {
    const folder = mkdtempSync(join(tmpdir(), 'domesday-ledger-'));
    return {
      open: async () => openAcross(join(folder, 'ledger.sqlite')),
      nextRequest: () => nextTurn(),
      settle: ({ ledger }) => ledger.ready(),
      remove: async () => rmSync(folder, { recursive: true }),
    };
  },
};

ledgerContract(engine);

test('a question whose owner ends is answered with an outage, not left open', async () => {
  const { port1, port2 } = new MessageChannel();
  const remote = remoteLedger(port2);
  const asked = remote.ready();
  port1.close();
  await assert.rejects(asked, LedgerUnavailable);
});
