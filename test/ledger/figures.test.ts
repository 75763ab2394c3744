// What the ledger tells of itself in the metrics: how transactions ended and how many charges went together, what waits and
// what is in doubt, and whether the room for a full disk is there.

import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { it } from 'node:test';
import { ChargeQueue } from '../../src/ledger/charges.ts';
import { Doubts } from '../../src/ledger/doubts.ts';
import { LedgerRefusal, LedgerUnavailable } from '../../src/ledger/ledger.ts';
import { openLedger } from '../../src/ledger/open.ts';
import type { Attempt } from '../../src/ledger/outcome.ts';
import { eventLoop } from '../../src/ledger/pace.ts';
import { letReserveGo } from '../../src/ledger/sqlite/keeping/reserve.ts';
import { Writer } from '../../src/ledger/writer.ts';
import { Metrics } from '../../src/metrics/metrics.ts';
import { charging } from './bench.ts';

const caller = { accountId: 'acc_1', keyId: 'key_1', mode: 'live' } as const;

async function read(metrics: Metrics) {
  const { numbers, histograms } = await metrics.snapshot();
  const countOf = (name: string, labels: string) =>
    (histograms.get(name)?.get(labels)?.buckets ?? []).reduce((sum, count) => sum + count, 0);
  return {
    gauge: (name: string) => numbers.get(name)?.get(''),
    batches: countOf('domesday_ledger_batch_charges', ''),
    charges: histograms.get('domesday_ledger_batch_charges')?.get('')?.sum,
    ends: ['done', 'refused', 'failed'].map((result) =>
      countOf('domesday_ledger_commit_seconds', `result="${result}"`),
    ),
  };
}

it('transactions are counted by how they ended, charges by those they went with, and what waits is told', async () => {
  const metrics = new Metrics();
  const doubtful = ['a', 'b'];
  const doubts = new Doubts({ read: () => doubtful, add: () => undefined, remove: () => undefined });
  let end: () => Attempt<never> | undefined = () => undefined;
  const writer = new Writer(
    {
      attempt: async (work) => end() ?? { kind: 'done', result: await work() },
      lookAgain: () => 'absent',
      giveBack: () => 0,
      explain: () => '',
    },
    eventLoop,
    doubts,
    { patienceMs: 0, tell: () => undefined, metrics },
  );
  const result = { kind: 'charged', creditsRemaining: 1, refreshAtMs: null } as const;
  const queue = new ChargeQueue(eventLoop, metrics, {
    patienceMs: 0,
    faultOf: () => undefined,
    writes: 'in this thread',
    write: (charges) => writer.transact(() => charges.map(() => result)),
  });
  const adding = ['c1', 'c2', 'c3'].map((chargeId) => queue.add(charging(caller, chargeId)));
  assert.equal((await read(metrics)).gauge('domesday_ledger_waiting_charges'), 3);
  await Promise.all(adding);
  const after = await read(metrics);
  assert.deepEqual([after.batches, after.charges, after.ends], [1, 3, [1, 0, 0]]);
  assert.equal(after.gauge('domesday_ledger_waiting_charges'), 0);
  assert.equal(after.gauge('domesday_ledger_doubtful_charges'), 0);
  end = () => ({ kind: 'failed', error: new LedgerRefusal('no') });
  await assert.rejects(
    writer.transact(() => undefined),
    LedgerRefusal,
  );
  end = () => ({ kind: 'failed', error: new Error('the disk') });
  await assert.rejects(
    writer.transact(() => undefined),
    LedgerUnavailable,
  );
  assert.deepEqual((await read(metrics)).ends, [1, 1, 1]);
  doubts.recall();
  assert.equal((await read(metrics)).gauge('domesday_ledger_doubtful_charges'), 2);
});

it('the reserve of a home is told as long as it is there', async () => {
  const home = mkdtempSync(join(tmpdir(), 'domesday-figures-'));
  const metrics = new Metrics();
  const { ledger, maintain } = await openLedger({ home, metrics });
  maintain();
  const kept = async () => (await read(metrics)).gauge('domesday_ledger_reserve_kept');
  while (!existsSync(join(home, 'domesday.reserve'))) await eventLoop.pause(5);
  assert.equal(await kept(), 1);
  await ledger.close();
  letReserveGo(join(home, 'domesday.sqlite'));
  assert.equal(await kept(), 0);
  rmSync(home, { recursive: true });
});
