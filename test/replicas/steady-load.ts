// Callers who call without pause through the proxy and write down what became of each call, so that it can be held against
// the journal.

import assert from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';
import { openLedger } from '../../src/ledger/open.ts';
import type { Reply } from '../deploy/proxies.ts';
import type { Customer, Fleet } from './fleet.ts';

/** `until answered`: a call that failed is sent again under its Idempotency-Key, as callers should. */
type Again = 'never' | 'until answered';

/** Proxies may send a single look-up again, since it is a GET; a batch they may not. */
type Kind = 'look-ups' | 'batches';

const againMs = 50;
/** Nobody is answered for so long: it does not recover by itself. */
const silenceMs = 120_000;

export class SteadyLoad implements AsyncDisposable {
  readonly #fleet: Fleet;
  readonly #customer: Customer;
  readonly #again: Again;
  readonly #kind: Kind;
  readonly #callers: Promise<unknown>;
  /** Replies that no promise allows, or that failed. */
  readonly odd: string[] = [];
  /** Ids of calls whose reply was 200. */
  readonly answered = new Set<string>();
  charged = 0;
  replayed = 0;
  /** Tries that came to nothing, by status; 0 is a connection that broke. */
  readonly failed = new Map<number, number>();
  #state: 'calling' | 'stopping' | 'given up' = 'calling';
  #lastMs = performance.now();

  constructor(fleet: Fleet, customer: Customer, callers: number, again: Again, kind: Kind = 'look-ups') {
    this.#fleet = fleet;
    this.#customer = customer;
    this.#again = again;
    this.#kind = kind;
    this.#callers = Promise.all(Array.from({ length: callers }, (_, number) => this.#callOn(number)));
  }

  /** Until so many more calls were answered. */
  async answers(more: number): Promise<void> {
    for (const until = this.answered.size + more; this.answered.size < until; ) {
      assert.deepEqual(this.odd, []);
      const silentMs = performance.now() - this.#lastMs;
      assert.ok(silentMs < silenceMs, `nobody was answered for ${Math.round(silentMs / 1000)} s`);
      await pause(5);
    }
  }

  /** Every call that was begun is answered first. */
  async stop(): Promise<void> {
    this.#state = 'stopping';
    await this.#callers;
  }

  /** Where a test failed: whatever is under way is left. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#state = 'given up';
    await this.#callers;
  }

  async #callOn(caller: number): Promise<void> {
    const isLeft = () => this.odd.length > 0 || this.#state === 'given up';
    for (let count = 0; this.#state === 'calling' && !isLeft(); count += 1) {
      const id = `load-${caller}-${count}`;
      while (!this.answered.has(id) && !isLeft()) {
        await this.#call(id);
        if (!this.answered.has(id)) await pause(againMs);
      }
    }
  }

  #ask(headers: Readonly<Record<string, string>>): Promise<Reply> {
    const { key } = this.#customer;
    return this.#kind === 'look-ups' ? this.#fleet.ask(key, headers) : this.#fleet.askBatch(key, headers);
  }

  async #call(id: string): Promise<void> {
    const headers = { 'x-request-id': id, 'idempotency-key': id };
    const { status = 0, headers: told, body } = await this.#ask(headers).catch(lost);
    this.#lastMs = performance.now();
    const isReplayed = told['idempotent-replayed'] === 'true';
    if (status === 200 && (isReplayed || told['x-credits-charged'] === '1')) {
      this.answered.add(id);
      if (isReplayed) this.replayed += 1;
      else this.charged += 1;
      return;
    }
    this.failed.set(status, (this.failed.get(status) ?? 0) + 1);
    const mayFail = this.#again === 'until answered' && (status === 0 || status >= 500);
    if (!mayFail) this.odd.push(`${id}: ${status} ${JSON.stringify(told)} ${body}`);
  }
}

const lost = (error: Error): Reply => ({ status: 0, headers: {}, body: error.message });

export type Books = {
  readonly charges: number;
  /** Charges that were in doubt and given back. */
  readonly reversals: number;
};

/** Every answered call stands in the journal exactly once, nothing else does, and all that `domesday check` proves holds. */
export async function assertEachPaidOnce(
  fleet: Fleet,
  { accountId }: Customer,
  { answered }: SteadyLoad,
): Promise<Books> {
  const home = fleet.replicas[0]?.home ?? assert.fail('a fleet has a replica');
  const { ledger, accounts } = await openLedger({
    home,
    databaseUrl: fleet.databaseUrl,
    ifMissing: 'refuse',
  });
  const journal = await accounts.journalOf(accountId);
  await ledger.close();
  const reversed = new Set(journal.filter(({ kind }) => kind === 'reversal').map(({ chargeId }) => chargeId));
  const charges = journal.filter(({ kind }) => kind === 'charge');
  const standing = charges
    .filter(({ chargeId }) => !reversed.has(`reversal of ${chargeId}`))
    .map(({ requestId }) => requestId ?? '');
  const paid = new Set(standing);
  assert.equal(paid.size, standing.length, 'a call was charged twice');
  const free = [...answered].filter((id) => !paid.has(id));
  assert.deepEqual(free, [], 'answered without a charge in the journal');
  const unanswered = standing.filter((id) => !answered.has(id));
  assert.deepEqual(unanswered, [], 'charged without an answer');
  await fleet.run('check');
  return { charges: charges.length, reversals: reversed.size };
}
