// What every engine of the ledger guarantees of calls with an Idempotency-Key. Part of contract.ts.

import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { Caller, Charge, Ledger } from '../../src/ledger/ledger.ts';
import { repeatable } from '../../src/ledger/repeats.ts';
import { dayMs } from '../../src/time.ts';
import {
  assertBooksAgree,
  type Bench,
  balanceOf,
  charging,
  customer,
  type Engine,
  type Guarantee,
  runsOf,
  startMs,
} from './bench.ts';

type Wish = {
  readonly key: string;
  readonly call?: string;
  readonly credits?: number;
  readonly atMs?: number;
};

const repeating = (
  caller: Caller,
  chargeId: string,
  { key, call = 'a call', credits = 1, atMs = startMs }: Wish,
): Charge => ({ ...charging(caller, chargeId, credits, atMs), repeatable: repeatable(key, call) });

const kindOf = async (ledger: Ledger, charge: Charge): Promise<string> => (await ledger.charge(charge)).kind;

export function repeatGuarantees(guarantee: Guarantee, engine: Engine): void {
  guarantee('the same call with the same key is charged once and then replayed', async (bench) => {
    const { ledger, accounts } = bench;
    const { accountId, caller } = await customer(accounts, 'trial', { allowance: 1 });
    const mine = repeatable('k', 'a call');
    assert.equal(await ledger.recall(caller, mine, startMs), 'new');
    assert.equal(await kindOf(ledger, repeating(caller, 'c1', { key: 'k' })), 'charged');
    assert.equal(await ledger.recall(caller, mine, startMs), 'same');
    assert.equal(await ledger.recall(caller, repeatable('k', 'another call'), startMs), 'other');
    assert.equal(await ledger.recall(caller, repeatable('l', 'a call'), startMs), 'new');
    const again = await ledger.charge(repeating(caller, 'c2', { key: 'k' }));
    assert.deepEqual(
      again,
      { kind: 'replayed', creditsRemaining: 0, refreshAtMs: null },
      'on an empty balance',
    );
    const other = await ledger.charge(repeating(caller, 'c3', { key: 'k', call: 'another call' }));
    assert.deepEqual(other, { kind: 'mismatched', creditsRemaining: 0, refreshAtMs: null });
    assert.equal(await kindOf(ledger, repeating(caller, 'c4', { key: 'l' })), 'insufficient');
    const usage = (await accounts.usageOf(accountId)).map(({ status, calls, credits }) => [
      status,
      calls,
      credits,
    ]);
    assert.deepEqual(usage, [
      [200, 2, 1],
      [400, 1, 0],
      [402, 1, 0],
    ]);
    assert.equal((await accounts.journalOf(accountId)).length, 2);
    await assertBooksAgree(accounts);
  });

  guarantee(
    'charges asked for at once with one key take credits once',
    async ({ ledger, accounts, beside }) => {
      const { accountId, caller } = await customer(accounts, 'basic', { allowance: 9 });
      const other = await beside();
      const asked = [ledger, other.ledger].flatMap((at, side) =>
        Array.from({ length: 20 }, (_, i) => kindOf(at, repeating(caller, `${side}-${i}`, { key: 'k' }))),
      );
      const kinds = await Promise.all(asked);
      assert.equal(kinds.filter((kind) => kind === 'charged').length, 1);
      assert.equal(kinds.filter((kind) => kind === 'replayed').length, 39);
      assert.equal(await balanceOf(accounts, accountId), 8);
      await assertBooksAgree(accounts);
    },
  );

  guarantee('keys of one account share what is remembered, accounts do not', async ({ ledger, accounts }) => {
    const { accountId, caller } = await customer(accounts, 'basic');
    const { keyId } = await accounts.createKey({ accountId, kind: 'live', atMs: startMs });
    const stranger = await customer(accounts, 'basic');
    assert.equal(await kindOf(ledger, repeating(caller, 'c1', { key: 'k' })), 'charged');
    assert.equal(await kindOf(ledger, repeating({ ...caller, keyId }, 'c2', { key: 'k' })), 'replayed');
    assert.equal(await ledger.recall(stranger.caller, repeatable('k', 'a call'), startMs), 'new');
    assert.equal(await kindOf(ledger, repeating(stranger.caller, 'c3', { key: 'k' })), 'charged');
  });

  guarantee(
    'what is remembered outlives the opening that made it',
    async ({ ledger, accounts, ...bench }) => {
      const { caller } = await customer(accounts, 'basic');
      await ledger.charge(repeating(caller, 'c1', { key: 'k' }));
      await ledger.close();
      const reopened = await bench.beside();
      await bench.storage.nextRequest();
      assert.equal(await reopened.ledger.recall(caller, repeatable('k', 'a call'), startMs), 'same');
      assert.equal(await kindOf(reopened.ledger, repeating(caller, 'c2', { key: 'k' })), 'replayed');
    },
  );

  guarantee('a charge that is sent again by its own id stays charged', async ({ ledger, accounts }) => {
    const { accountId, caller } = await customer(accounts, 'basic', { allowance: 3 });
    const mine = repeating(caller, 'c1', { key: 'k', credits: 2 });
    const kinds = await Promise.all([kindOf(ledger, mine), kindOf(ledger, mine)]);
    assert.deepEqual([...kinds, await kindOf(ledger, mine)], ['charged', 'charged', 'charged']);
    assert.equal(await balanceOf(accounts, accountId), 1);
  });

  guarantee(
    'a key is remembered for a day, whichever way the clock goes, and then free again',
    async (bench) => {
      const { ledger, accounts } = bench;
      const { accountId, caller } = await customer(accounts, 'basic');
      const recallAt = (atMs: number, call = 'a call') => ledger.recall(caller, repeatable('k', call), atMs);
      await ledger.charge(repeating(caller, 'c1', { key: 'k' }));
      assert.equal(await recallAt(startMs + dayMs - 1), 'same');
      assert.equal(await recallAt(startMs - dayMs + 1), 'same', 'a clock set back');
      assert.equal(await recallAt(startMs + dayMs), 'new');
      assert.equal(await recallAt(startMs - dayMs), 'new', 'a clock that was years ahead');
      const later = { key: 'k', call: 'another call', atMs: startMs + dayMs };
      assert.equal(await kindOf(ledger, repeating(caller, 'c2', later)), 'charged');
      assert.equal(await recallAt(startMs + 2 * dayMs - 1, 'another call'), 'same');
      assert.equal(await recallAt(startMs + 2 * dayMs - 1), 'other');
      assert.equal((await accounts.journalOf(accountId)).length, 3);
    },
  );

  guarantee(
    'a charge that was refused for want of credits remembers nothing',
    async ({ ledger, accounts }) => {
      const { accountId, caller } = await customer(accounts, 'trial', { allowance: 0 });
      assert.equal(await kindOf(ledger, repeating(caller, 'c1', { key: 'k' })), 'insufficient');
      await accounts.grantCredits(accountId, { credits: 1, atMs: startMs });
      const other = { key: 'k', call: 'another call' };
      assert.equal(await kindOf(ledger, repeating(caller, 'c2', other)), 'charged');
    },
  );

  guarantee('any order of charges, with and without keys, does as a list of what was sent would', (bench) =>
    fc.assert(
      fc.asyncProperty(fc.array(turn, { maxLength: 8 }), (turns) => followList(bench, turns)),
      {
        numRuns: runsOf(engine, 60),
      },
    ),
  );
}

type Sent = {
  readonly who: 0 | 1;
  readonly key: string | undefined;
  readonly call: string;
  readonly through: 0 | 1;
};

/** What is asked for at once, and how far the clock moves before. */
type Turn = { readonly sent: readonly Sent[]; readonly passMs: number };

const turn: fc.Arbitrary<Turn> = fc.record({
  sent: fc.array(
    fc.record({
      who: fc.constantFrom(0, 1),
      key: fc.constantFrom('k', 'l', undefined),
      call: fc.constantFrom('a', 'b'),
      through: fc.constantFrom(0, 1),
    }),
    { maxLength: 6 },
  ),
  passMs: fc.constantFrom(0, 1, dayMs / 2, dayMs - 1, dayMs, -dayMs / 2),
});

/** What each key of each account was charged for, and when. What was ever more than a day off may be forgotten for good,
 *  or come back with a clock that does. */
type List = Map<string, { readonly call: string; readonly atMs: number; mayBeForgotten: boolean }>;

const isWithinDay = (oneMs: number, otherMs: number) => Math.abs(oneMs - otherMs) < dayMs;

/** Two openings of one storage are asked, one at a time, so that the list knows who comes first. */
async function followList(
  { accounts, beside, storage, ledger }: Bench,
  turns: readonly Turn[],
): Promise<void> {
  const callers = [await customer(accounts), await customer(accounts)] as const;
  const other = await beside();
  const list: List = new Map();
  const charged = new Map<string, number>(callers.map(({ accountId }) => [accountId, 0]));
  let atMs = startMs;
  let number = 0;
  for (const { sent, passMs } of turns) {
    atMs += passMs;
    for (const each of list.values()) each.mayBeForgotten ||= !isWithinDay(each.atMs, atMs);
    for (const [place, at] of [ledger, other.ledger].entries()) {
      await storage.nextRequest();
      const asked = sent.filter(({ through }) => (through === 0) === (place === 0));
      const results = await Promise.all(
        asked.map(({ who, key, call }) => {
          number += 1;
          const { caller } = callers[who];
          const id = `${caller.accountId} ${number}`;
          return at.charge(
            key === undefined ? charging(caller, id, 1, atMs) : repeating(caller, id, { key, call, atMs }),
          );
        }),
      );
      for (const [index, { who, key, call }] of asked.entries()) {
        const kind = results[index]?.kind;
        const name = `${who} ${key}`;
        const known = key === undefined ? undefined : list.get(name);
        const isKnown = known !== undefined && isWithinDay(known.atMs, atMs);
        if (isKnown && !(known.mayBeForgotten && kind === 'charged')) {
          assert.equal(kind, known.call === call ? 'replayed' : 'mismatched');
          continue;
        }
        assert.equal(kind, 'charged');
        if (key !== undefined) list.set(name, { call, atMs, mayBeForgotten: false });
        const { accountId } = callers[who];
        charged.set(accountId, Number(charged.get(accountId)) + 1);
      }
    }
  }
  for (const [accountId, times] of charged) {
    const charges = (await accounts.journalOf(accountId)).filter(({ kind }) => kind === 'charge');
    assert.equal(charges.length, times);
  }
  if (other.ledger !== ledger) await other.ledger.close();
}
