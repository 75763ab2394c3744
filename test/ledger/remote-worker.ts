// A worker thread that uses both halves of a ledger owned by another thread; started by remote.test.ts.

import assert from 'node:assert/strict';
import { parentPort, workerData } from 'node:worker_threads';
import { hashKey } from '../../src/ledger/keys.ts';
import { LedgerRefusal } from '../../src/ledger/ledger.ts';
import { remoteLedger } from '../../src/ledger/remote.ts';
import { charging, startMs } from './bench.ts';

const { ledgerPort, sharedAccountId, name } = workerData;
const { ledger, accounts } = remoteLedger(ledgerPort);

const made = await accounts.createAccount({ name, plan: 'basic', terms: { allowance: 10 }, atMs: startMs });
const { accountId } = made;
assert.deepEqual([made.balance, made.lasting, made.limits.minute], [10, 0, 10]);
const { key } = await accounts.createKey({ accountId, kind: 'live', atMs: startMs });
const admission = await ledger.admit(hashKey(key), startMs);
assert.ok(admission.kind === 'admitted');
const charges = Array.from({ length: 12 }, (_, i) =>
  ledger.charge(charging(admission.caller, `${name} ${i}`)),
);
const results = await Promise.all(charges);
assert.equal(results.filter(({ kind }) => kind === 'charged').length, 10);
assert.equal((await accounts.journalOf(accountId)).length, 11);
assert.equal((await accounts.listKeys(accountId)).length, 1);
assert.equal((await accounts.windowsOf(accountId, 'live', startMs))[0]?.used, 1);
assert.equal(await accounts.findAccount('acc_none', startMs), undefined);
await assert.rejects(accounts.revokeKey('key_none', startMs), (error) => {
  assert.ok(error instanceof LedgerRefusal);
  assert.match(error.message, /^There is no key key_none/);
  return true;
});
for (let i = 0; i < 5; i++) await accounts.grantCredits(sharedAccountId, { credits: 1, atMs: startMs });
await ledger.close();
parentPort?.postMessage(accountId);
