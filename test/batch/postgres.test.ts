// The promise of a batch with the ledger in PostgreSQL: the same as with a file, in one round trip for each step.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { testPostgres } from '../postgres.ts';
import { openRig, type Rig } from '../rig.ts';
import { growthOf, sendBatch, withMadeUp } from './bench.ts';
import { assertEqualToSingleCalls } from './equal.ts';

let rig: Rig;
before(async () => {
  const server = await testPostgres();
  rig = await openRig({ endpoints: withMadeUp, databaseUrl: server.url(await server.createDatabase()) });
});
after(() => rig.close());

test('a batch equals the same calls made one after the other', () => assertEqualToSingleCalls(() => rig, 40));

test('a hundred calls are charged in one commit, in their order', async () => {
  const { key, accountId } = await rig.customer({ credits: 70, limits: { minute: null, day: null } });
  const calls = Array.from({ length: 100 }, (_, place) => ({
    path: '/bank-rates',
    params: { limit: place + 1 },
    idempotencyKey: `call-${place}`,
  }));
  const figures = ['domesday_ledger_batch_charges_count', 'domesday_ledger_batch_charges_sum'];
  const grown = await growthOf(rig, figures, async () => {
    const { results, billing } = (await sendBatch(rig, key, { calls })).json();
    assert.deepEqual(
      results.map(({ status }: { status: number }) => status),
      calls.map((_, place) => (place < 70 ? 200 : 402)),
    );
    assert.deepEqual([billing.creditsCharged, billing.creditsRemaining], [70, 0]);
  });
  assert.deepEqual(grown, [1, 70]);
  const journal = await rig.accounts.journalOf(accountId);
  assert.equal(journal.filter(({ kind }) => kind === 'charge').length, 70);
});
