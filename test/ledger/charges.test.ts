// Charges that are committed together: whatever an engine makes of them, each gets an answer.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ChargeQueue } from '../../src/ledger/charges.ts';
import { LedgerUnavailable } from '../../src/ledger/ledger.ts';
import { eventLoop } from '../../src/ledger/pace.ts';

import { Metrics } from '../../src/metrics/metrics.ts';
import { charging } from './bench.ts';

test('a charge that the engine left out is an outage, not left open', async () => {
  const charged = { kind: 'charged', creditsRemaining: 1, refreshAtMs: null } as const;
  const queue = new ChargeQueue(eventLoop, new Metrics(), { patienceMs: 0, write: async () => [charged] });
  const caller = { accountId: 'acc_1', keyId: 'key_1', mode: 'live' } as const;
  const [first, second] = await Promise.allSettled(
    ['c1', 'c2'].map((chargeId) => queue.add(charging(caller, chargeId))),
  );
  assert.deepEqual(first, { status: 'fulfilled', value: charged });
  assert.ok(second?.status === 'rejected' && second.reason instanceof LedgerUnavailable);
});
