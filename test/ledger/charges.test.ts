// Charges that are committed together: whatever an engine makes of them, each gets an answer.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ChargeQueue } from '../../src/ledger/charges.ts';
import { Doubts } from '../../src/ledger/doubts.ts';
import { LedgerUnavailable } from '../../src/ledger/ledger.ts';
import { eventLoop } from '../../src/ledger/pace.ts';
import { Writer } from '../../src/ledger/writer.ts';
import { Metrics } from '../../src/metrics/metrics.ts';
import { charging } from './bench.ts';

test('a charge that the engine left out is an outage, not left open', async () => {
  const writer = new Writer(
    {
      attempt: (work) => ({ kind: 'done', result: work() }),
      lookAgain: () => 'absent',
      giveBack: () => 0,
      explain: () => '',
    },
    eventLoop,
    new Doubts({ read: () => [], add: () => undefined, remove: () => undefined }),
    { patienceMs: 0, tell: () => undefined, metrics: new Metrics() },
  );
  const charged = { kind: 'charged', creditsRemaining: 1, refreshAtMs: null } as const;
  const queue = new ChargeQueue(writer, eventLoop, () => [charged]);
  const caller = { accountId: 'acc_1', keyId: 'key_1', mode: 'live' } as const;
  const [first, second] = await Promise.allSettled(
    ['c1', 'c2'].map((chargeId) => queue.add(charging(caller, chargeId))),
  );
  assert.deepEqual(first, { status: 'fulfilled', value: charged });
  assert.ok(second?.status === 'rejected' && second.reason instanceof LedgerUnavailable);
});
