// The same sequences of calls and changes, by a service on a ledger in PostgreSQL and by one on a file.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { testPostgres } from '../../postgres.ts';
import { noonMs, openRig, type Rig } from '../../rig.ts';

const asks = {
  'a kept answer': { url: '/api/v1/bank-rates?limit=1' },
  'the same as CSV': { url: '/api/v1/bank-rates?limit=1', headers: { accept: 'text/csv' } },
  'an answer that is not kept': { url: '/api/v1/area/statistics?postcode=NP10+8WA' },
  'dearer or cheaper': { url: '/api/v1/postcodes/lookup?postcode=NP10+8WA' },
  'what waits for nobody but says so': {
    url: '/api/v1/council-tax/property?postcode=NP10+8WA&address=1',
  },
  'an unknown postcode': { url: '/api/v1/postcodes/lookup?postcode=ZE3+9ZZ' },
  'a slip': { url: '/api/v1/bank-rates?limit=many' },
  'nothing to pay': { url: '/api/v1/account' },
  'what the caller has': { url: '/api/v1/bank-rates?limit=1', headers: { 'if-none-match': '*' } },
  'what the caller had': { url: '/api/v1/bank-rates?limit=1', headers: { 'if-none-match': '"old"' } },
  'a call with a key of its own': { url: '/api/v1/bank-rates?limit=1', headers: { 'idempotency-key': 'k' } },
  'an outcome of the sandbox': {
    url: '/api/v1/bank-rates?limit=1',
    headers: { 'x-sandbox-outcome': 'RATE_LIMITED' },
  },
} as const;
type Ask = keyof typeof asks;

type Op =
  | { readonly op: 'ask'; readonly ask: Ask; readonly key: number; readonly times: number }
  | { readonly op: 'wait'; readonly ms: number }
  | { readonly op: 'credit'; readonly credits: number }
  | { readonly op: 'suspend' | 'resume' }
  | { readonly op: 'bind'; readonly to: readonly string[] | null }
  | { readonly op: 'limit'; readonly minute: number | null }
  | { readonly op: 'rotate' };

const anyAsk = (ask: fc.Arbitrary<Ask>): fc.Arbitrary<Op> =>
  fc.record({
    op: fc.constant('ask'),
    ask,
    key: fc.nat(2),
    times: fc.integer({ min: 1, max: 3 }),
  });
const anyOp: fc.Arbitrary<Op> = fc.oneof(
  { weight: 6, arbitrary: anyAsk(fc.constantFrom<Ask>('a kept answer', 'an answer that is not kept')) },
  { weight: 6, arbitrary: anyAsk(fc.constantFrom(...namesOf(asks))) },
  fc.record({ op: fc.constant('wait'), ms: fc.constantFrom(1_000, 60_000, 3_600_000, 86_400_000) }),
  fc.record({ op: fc.constant('credit'), credits: fc.constantFrom(-1, 1, 20) }),
  fc.record({ op: fc.constantFrom('suspend', 'resume') }),
  fc.record({ op: fc.constant('bind'), to: fc.constantFrom(null, ['/bank-rates']) }),
  fc.record({ op: fc.constant('limit'), minute: fc.constantFrom(null, 4, 8) }),
  fc.record({ op: fc.constant('rotate') }),
);

function namesOf(all: typeof asks): Ask[] {
  const names: Ask[] = [];
  for (const name of Object.keys(all)) if (isAsk(name)) names.push(name);
  return names;
}

function isAsk(name: string): name is Ask {
  return name in asks;
}

/** A customer of one of the services, to whom everything happens that happens to the other's. */
class Side {
  readonly #rig: Rig;
  #accountId = '';
  #keys: { keyId: string; key: string }[] = [];

  constructor(rig: Rig) {
    this.#rig = rig;
  }

  async start(credits: number): Promise<void> {
    this.#rig.clock.nowMs = noonMs;
    const { accountId, ...live } = await this.#rig.customer({ credits, limits: { minute: 8 } });
    const test = await this.#rig.accounts.createKey({ accountId, kind: 'test', atMs: noonMs });
    this.#accountId = accountId;
    this.#keys = [live, test];
  }

  /** What a caller or an operator is told, without what is another each time. */
  async take(op: Op): Promise<readonly string[]> {
    const { accounts, clock } = this.#rig;
    const atMs = clock.nowMs;
    const accountId = this.#accountId;
    switch (op.op) {
      case 'ask':
        return this.#askAtOnce(op.ask, op.key, op.times);
      case 'wait':
        clock.nowMs += op.ms;
        return [];
      case 'credit':
        return this.#told(accounts.grantCredits(accountId, { credits: op.credits, atMs }));
      case 'suspend':
        return this.#told(accounts.suspendAccount(accountId, { reason: 'late', atMs }));
      case 'resume':
        return this.#told(accounts.resumeAccount(accountId, atMs));
      case 'bind':
        return this.#told(accounts.changeKey(this.#key(0).keyId, { endpoints: op.to, atMs }));
      case 'limit': {
        const terms = { limits: { minute: op.minute } };
        return this.#told(accounts.changePlan(accountId, { plan: 'premium', terms, atMs }));
      }
      case 'rotate': {
        const made = await accounts.rotateKey(this.#key(0).keyId, { overlapMs: 0, atMs });
        // The old one is asked with now and then.
        this.#keys = [made, ...this.#keys.slice(0, 2)];
        return [];
      }
    }
  }

  async books(): Promise<unknown> {
    const { accounts, clock } = this.#rig;
    const [account, windows, usage, journal] = [
      await accounts.findAccount(this.#accountId, clock.nowMs),
      await accounts.windowsOf(this.#accountId, 'live', clock.nowMs),
      await accounts.usageOf(this.#accountId),
      await accounts.journalOf(this.#accountId),
    ];
    return {
      balances: [account?.balance, account?.lasting],
      windows,
      usage: usage.map(({ endpoint, status, calls, credits }) => [endpoint, status, calls, credits]).sort(),
      journal: journal.map(({ credits, balanceAfter, endpoint }) => [credits, balanceAfter, endpoint]),
    };
  }

  #key(index: number): { keyId: string; key: string } {
    return this.#keys[index % this.#keys.length] ?? assert.fail();
  }

  /** Whoever pays nothing is told of the balance before or after those who do: nobody said who is first. */
  async #askAtOnce(ask: Ask, key: number, times: number): Promise<readonly string[]> {
    const told = await Promise.all(Array.from({ length: times }, () => this.#ask(ask, key)));
    const isFree = (reply: string) => reply.includes('"x-credits-charged":"0"');
    const ofNobody = (reply: string) =>
      reply
        .replace(/"(x-credits-remaining|content-length)":"\d+"/g, '')
        .replace(/creditsRemaining\\":\d+/, '');
    return told.map((reply) => (times > 1 && isFree(reply) ? ofNobody(reply) : reply)).sort();
  }

  async #ask(ask: Ask, key: number): Promise<string> {
    const { url, ...more } = asks[ask];
    const reply = await this.#rig.get(url, this.#key(key).key, 'headers' in more ? more.headers : {});
    const { date: _, 'x-request-id': requestId, ...headers } = reply.headers;
    const hidden = [[String(requestId), 'the request']];
    for (const { keyId, key: text } of this.#keys) hidden.push([keyId, 'a key'], [text.slice(-4), 'four']);
    hidden.push([this.#accountId, 'the account']);
    let told = JSON.stringify([reply.statusCode, headers, reply.body]);
    for (const [text = '', name = ''] of hidden) told = told.replaceAll(text, name);
    return told;
  }

  async #told(change: Promise<unknown>): Promise<readonly string[]> {
    return change.then(
      () => ['done'],
      () => ['refused'],
    );
  }
}

test('a service on a database answers as one on a file, and leaves the same books', async (context) => {
  const server = await testPostgres();
  const database = await server.createDatabase();
  const rigs = [await openRig(), await openRig({ databaseUrl: server.url(database) })] as const;
  context.after(async () => {
    for (const rig of rigs) await rig.close();
    await server.dropDatabase(database);
  });
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 0, max: 40 }),
      fc.array(anyOp, { minLength: 10, maxLength: 30 }),
      async (credits, ops) => {
        const sides = [new Side(rigs[0]), new Side(rigs[1])] as const;
        for (const side of sides) await side.start(credits);
        for (const op of ops) {
          const [onFile, onDatabase] = [await sides[0].take(op), await sides[1].take(op)];
          assert.deepEqual(onDatabase, onFile);
        }
        assert.deepEqual(await sides[1].books(), await sides[0].books());
      },
    ),
    { numRuns: 25 },
  );
});
