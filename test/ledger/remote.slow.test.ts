// The ledger across a port keeps the contract of every engine, and says so when its owner is gone.

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { MessageChannel, Worker } from 'node:worker_threads';
import { LedgerOutOfService, LedgerUnavailable, type OpenLedger } from '../../src/ledger/ledger.ts';
import { openLedger } from '../../src/ledger/open.ts';
import { remoteLedger, serveLedger } from '../../src/ledger/remote.ts';
import {
  assertBooksAgree,
  balancesOf,
  charging,
  customer,
  type Engine,
  startMs,
  writeCounts,
} from './bench.ts';
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
  return { ledger: { ...ledger, close }, accounts, journals: owner.journals, maintain: owner.maintain };
}

const engine: Engine = {
  name: 'SQLite, across a port',
  fresh: async () => {
    const folder = mkdtempSync(join(tmpdir(), 'domesday-ledger-'));
    return {
      open: () => openAcross(folder),
      nextRequest: () => nextTurn(),
      settle: writeCounts,
      remove: async () => rmSync(folder, { recursive: true }),
    };
  },
};

ledgerContract(engine);

test('every worker thread reaches accounts and charges of the one ledger', async () => {
  const home = mkdtempSync(join(tmpdir(), 'domesday-ledger-'));
  const owner = await openLedger({ home });
  const { accountId: sharedAccountId } = await customer(owner.accounts, 'basic', { allowance: 0 });
  const made = await Promise.all(
    ['Ada', 'Bea', 'Cy'].map(async (name) => {
      const { port1, port2 } = new MessageChannel();
      serveLedger(port1, owner);
      const worker = new Worker(new URL('./remote-worker.ts', import.meta.url), {
        workerData: { ledgerPort: port2, sharedAccountId, name },
        transferList: [port2],
      });
      const [accountId] = await once(worker, 'message');
      return String(accountId);
    }),
  );
  const found = (await owner.accounts.listAccounts(startMs)).map(({ accountId }) => accountId);
  assert.deepEqual(found.sort(), [...made, sharedAccountId].sort());
  assert.deepEqual(await balancesOf(owner.accounts, sharedAccountId), [15, 15]);
  for (const accountId of made) assert.deepEqual(await balancesOf(owner.accounts, accountId), [0, 0]);
  await assertBooksAgree(owner.accounts);
  await owner.ledger.close();
  rmSync(home, { recursive: true });
});

test('a visitor with the public key is counted across the port', async () => {
  const home = mkdtempSync(join(tmpdir(), 'domesday-ledger-'));
  const { ledger } = await openAcross(home);
  const remaining = async () => {
    const admission = await ledger.admitVisitor({ host: '192.0.2.1', from: 'elsewhere' }, startMs);
    return admission.kind === 'admitted' ? admission.standing.minuteRemaining : admission.kind;
  };
  assert.deepEqual([await remaining(), await remaining()], [9, 8]);
  await ledger.close();
  rmSync(home, { recursive: true });
});

test('a fault comes across the port as what it is, and one that nobody foresaw as an outage', async () => {
  const home = mkdtempSync(join(tmpdir(), 'domesday-ledger-'));
  const owner = await openLedger({ home });
  const { port1, port2 } = new MessageChannel();
  const faults = [
    new LedgerOutOfService('lost', 'for good'),
    new LedgerUnavailable('locked'),
    new TypeError('a slip'),
    new RangeError('0'),
  ];
  serveLedger(port1, {
    accounts: owner.accounts,
    ledger: { ...owner.ledger, charge: () => Promise.reject(faults.shift()) },
  });
  const { ledger, accounts } = remoteLedger(port2);
  await accounts.openPublicSandbox(startMs);
  const { caller } = await customer(accounts);
  const charge = () => ledger.charge(charging(caller, 'c1'));
  await assert.rejects(charge(), (error) => error instanceof LedgerOutOfService && error.message === 'lost');
  await assert.rejects(charge(), (error) => error instanceof LedgerUnavailable && error.message === 'locked');
  await assert.rejects(charge(), (error) => {
    assert.ok(error instanceof LedgerUnavailable);
    assert.equal(error.message, 'The ledger failed unexpectedly.');
    return true;
  });
  await assert.rejects(charge(), RangeError);
  port1.close();
  await owner.ledger.close();
  rmSync(home, { recursive: true });
});

test('a question whose owner ends is answered with an outage, not left open', async () => {
  const { port1, port2 } = new MessageChannel();
  const { ledger, accounts } = remoteLedger(port2);
  const asked = [ledger.ready(), accounts.listAccounts(startMs)];
  port1.close();
  for (const each of asked) await assert.rejects(each, LedgerUnavailable);
  await assert.rejects(accounts.recomputeBalances(), LedgerUnavailable);
});

test('a ledger that is lost for good is so on the other side too', async () => {
  const home = mkdtempSync(join(tmpdir(), 'domesday-ledger-'));
  const owner = await openLedger({ home });
  const { port1, port2 } = new MessageChannel();
  serveLedger(port1, owner);
  const { ledger } = remoteLedger(port2);
  const { caller } = await customer(owner.accounts, 'basic');
  rmSync(join(home, 'ledger.sqlite'));
  const isForGood = (error: unknown) => error instanceof LedgerOutOfService && error.howLong === 'for good';
  await assert.rejects(ledger.charge(charging(caller, 'c1')), isForGood);
  port2.close();
  await owner.ledger.close();
  rmSync(home, { recursive: true });
});
