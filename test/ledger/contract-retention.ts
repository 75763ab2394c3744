// What retention keeps, whatever the engine: trims at any moments change no balance, no usage and no younger entry.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import type { Accounts, OpenLedger } from '../../src/ledger/ledger.ts';
import { repeatable } from '../../src/ledger/repeats.ts';
import { dayMs } from '../../src/time.ts';
import { charging, customer, type Engine, runsOf, startMs, withStorage } from './bench.ts';

const lasts = { allowance: 1_000_000 };

/** All that a trim must leave as it is. */
const standing = (accounts: Accounts, ids: readonly string[]) =>
  Promise.all(
    ids.map(async (accountId) => ({
      account: await accounts.findAccount(accountId, startMs),
      usage: await accounts.usageOf(accountId),
      balance: (await accounts.journalOf(accountId))[0]?.balanceAfter,
    })),
  );

async function assertSound({ journals, accounts }: OpenLedger): Promise<void> {
  const { breaks, different, contradictions } = await journals.verify(startMs);
  assert.deepEqual([breaks, different, contradictions], [[], [], []]);
  for (const { kind } of await accounts.recomputeBalances()) assert.equal(kind, 'equal');
}

const anyStep = fc.oneof(
  { weight: 4, arbitrary: fc.record({ who: fc.nat(1), days: fc.integer({ min: 0, max: 9 }) }) },
  { weight: 1, arbitrary: fc.record({ back: fc.integer({ min: 62, max: 90 }) }) },
);

export function retentionContract(engine: Engine): void {
  describe(`${engine.name}: trims`, () => {
    it('what is remembered of calls goes with their entries: the books agree, and can be trimmed again', async () => {
      await withStorage(engine, async (open) => {
        const { caller, accountId } = await customer(open.accounts, 'trial', lasts);
        const called = { ...charging(caller, 'called'), repeatable: repeatable('key', 'call') };
        await open.ledger.charge(called);
        const atMs = startMs + 100 * dayMs;
        await open.accounts.grantCredits(accountId, { credits: 1, atMs });
        for (const days of [30, 31]) {
          await open.journals.trim({ beforeMs: startMs + days * dayMs, atMs });
          await assertSound(open);
        }
      });
    });

    it('any number of them, with charges between, leave balances, usage, younger entries and chains that hold', async () => {
      await fc.assert(
        fc.asyncProperty(fc.array(anyStep, { minLength: 10, maxLength: 60 }), (steps) =>
          withStorage(engine, async ({ beside, ...one }) => {
            const other = await beside();
            // On trial, so that no refresh comes between.
            const customers = [
              await customer(one.accounts, 'trial', lasts),
              await customer(one.accounts, 'trial', lasts),
            ];
            const ids = customers.map(({ accountId }) => accountId);
            let atMs = startMs;
            let spent = 0;
            for (const [i, step] of steps.entries()) {
              if ('back' in step) {
                const before = await standing(one.accounts, ids);
                const wanted = { beforeMs: atMs - step.back * dayMs, atMs };
                await other.journals.trim(wanted);
                assert.deepEqual(await standing(one.accounts, ids), before);
                await assertSound(one);
                for (const accountId of ids) {
                  const [, ...old] = (await one.accounts.journalOf(accountId)).filter(
                    (each) => each.atMs < wanted.beforeMs,
                  );
                  assert.deepEqual(old, [], 'one at most is left of what was before');
                }
              } else {
                atMs += step.days * dayMs;
                const payer = customers[step.who];
                assert.ok(payer);
                spent += 1;
                const { kind } = await one.ledger.charge(charging(payer.caller, `c${i}`, 1, atMs));
                assert.equal(kind, 'charged');
              }
            }
            const balances = (await standing(one.accounts, ids)).map(({ account }) => account?.balance ?? 0);
            assert.equal(
              balances.reduce((sum, balance) => sum + balance, 0),
              2 * lasts.allowance - spent,
            );
            await assertSound(other);
          }),
        ),
        { numRuns: runsOf(engine, 25) },
      );
    });
  });
}
