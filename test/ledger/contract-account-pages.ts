// The list of accounts, page by page, whatever the engine: held against a plain list of what was opened.

import assert from 'node:assert/strict';
import fc from 'fast-check';
import { LedgerRefusal } from '../../src/ledger/ledger.ts';
import { dayMs } from '../../src/time.ts';
import {
  type Bench,
  balanceOf,
  charging,
  customer,
  type Engine,
  type Guarantee,
  runsOf,
  startMs,
} from './bench.ts';

type Made = { readonly accountId: string; readonly name: string; readonly plan: string };

/** Letters that engines fold otherwise than a program does, and signs that mean something in a search. */
const names = [
  'Ärger & Söhne',
  'ÄRGER',
  'Straße',
  'İstanbul',
  'Ωmega',
  '100% _Haus_',
  'O’Brien \\ Co',
  'acme',
];
const searches = [
  '',
  'ä',
  'Ä',
  'ß',
  'i̇',
  'ω',
  '%',
  '_',
  '\\',
  'ACME',
  'basic',
  'acc_',
  'account 11',
  'nobody',
];

const anyOpening = fc.record({
  name: fc.constantFrom(...names),
  plan: fc.constantFrom('trial' as const, 'basic' as const, 'premium' as const),
  /** Clocks differ, and go back. */
  agoMs: fc.nat(10 * dayMs),
});
type Opening = typeof anyOpening extends fc.Arbitrary<infer T> ? T : never;

const anyReading = fc.record({
  search: fc.constantFrom(...searches),
  also: fc.array(fc.nat(209), { maxLength: 3 }),
  limit: fc.integer({ min: 7, max: 250 }),
  meanwhile: fc.array(anyOpening, { maxLength: 3 }),
});

const isFound = ({ accountId, name, plan }: Made, search: string): boolean =>
  [accountId, name, plan].some((text) => text.toLowerCase().includes(search.toLowerCase()));

async function open({ accounts }: Bench, { name, plan, agoMs }: Opening): Promise<Made> {
  const { accountId } = await accounts.createAccount({ name, plan, atMs: startMs - agoMs });
  return { accountId, name, plan };
}

export function accountPageGuarantees(guarantee: Guarantee, engine: Engine): void {
  guarantee(
    'page after page, every account that is searched for is told once, in the order of their opening',
    async (bench) => {
      const { accounts } = bench;
      await accounts.openPublicSandbox(startMs);
      const made: Made[] = [];
      for (let at = 0; at < 210; at++) {
        made.push(await open(bench, { name: `Account ${at}`, plan: 'trial', agoMs: at }));
      }
      await fc.assert(
        fc.asyncProperty(anyReading, async ({ search, also: places, limit, meanwhile }) => {
          const also = places.flatMap((at) => made[at]?.accountId ?? []);
          const told: string[] = [];
          const toOpen = [...meanwhile];
          let after: string | null | undefined;
          while (after !== null) {
            const page = await accounts.accountPage({ search, also, after, limit, atMs: startMs });
            assert.ok(page.accounts.length === limit || page.after === null);
            assert.ok(page.accounts.length <= limit);
            told.push(...page.accounts.map(({ accountId }) => accountId));
            after = page.after;
            const next = after === null ? undefined : toOpen.shift();
            if (next !== undefined) made.push(await open(bench, next));
          }
          const wanted = made.filter((each) => also.includes(each.accountId) || isFound(each, search));
          assert.deepEqual(
            told,
            wanted.map(({ accountId }) => accountId),
          );
        }),
        { numRuns: runsOf(engine, 40) },
      );
    },
  );

  guarantee('a page refreshes what is due on it, and nothing else', async ({ accounts, ledger }) => {
    const [first, second] = [await customer(accounts, 'basic'), await customer(accounts, 'basic')];
    for (const { caller, accountId } of [first, second]) await ledger.charge(charging(caller, accountId, 4));
    const dueMs = startMs + 40 * dayMs;
    const page = await accounts.accountPage({
      search: '',
      also: [],
      after: undefined,
      limit: 1,
      atMs: dueMs,
    });
    assert.deepEqual(page.accounts, [await accounts.findAccount(first.accountId, dueMs)]);
    assert.equal(page.accounts[0]?.balance, 5_000);
    assert.equal(await balanceOf(accounts, second.accountId, startMs), 4_996);
    const wish = { search: '', also: [], limit: 1, atMs: dueMs };
    const next = await accounts.accountPage({ ...wish, after: first.accountId });
    assert.deepEqual([next.accounts[0]?.balance, next.after], [5_000, null]);
    await assert.rejects(accounts.accountPage({ ...wish, after: 'acc_none' }), LedgerRefusal);
  });
}
