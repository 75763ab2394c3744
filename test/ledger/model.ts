// Random sequences of operations, through one opening or another, against a ledger so naive that it can be
// believed: it keeps every call and counts them afresh each time.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { hashKey } from '../../src/ledger/keys.ts';
import {
  type Caller,
  LedgerRefusal,
  type Mode,
  type OpenLedger,
  type PlanName,
  type Terms,
  type Window,
} from '../../src/ledger/ledger.ts';
import { plans } from '../../src/ledger/plans.ts';
import { charging, type Engine, runsOf, type Storage, startMs, withStorage } from './bench.ts';

type Op =
  | { readonly op: 'admit'; readonly key: number; readonly times: number }
  | { readonly op: 'call'; readonly key: number; readonly times: number; readonly credits: number }
  | { readonly op: 'charge'; readonly credits: readonly number[] }
  | { readonly op: 'grant'; readonly credits: number }
  | { readonly op: 'plan'; readonly plan: PlanName; readonly terms: Terms }
  | { readonly op: 'key'; readonly mode: Mode; readonly lifeMs: number | undefined }
  | { readonly op: 'revoke'; readonly key: number }
  | { readonly op: 'rotate'; readonly key: number; readonly overlapMs: number }
  | { readonly op: 'wait'; readonly ms: number }
  | { readonly op: 'reopen' }
  | { readonly op: 'switch' }
  | { readonly op: 'move' };

const wait = fc.constantFrom(1, 20_000, 60_000, 3_600_000, 86_400_000, 27 * 86_400_000, 70 * 86_400_000);
const limit = fc.constantFrom(null, 2, 3, 5, 8);
const terms: fc.Arbitrary<Terms> = fc.record({
  allowance: fc.nat(40),
  limits: fc.record({ minute: limit, day: limit, month: limit }, { requiredKeys: [] }),
});
const key = fc.nat(5);

const anyCall: fc.Arbitrary<Op> = fc.record({
  op: fc.constant('call'),
  key,
  times: fc.integer({ min: 1, max: 4 }),
  credits: fc.integer({ min: 1, max: 4 }),
});

const anyOp: fc.Arbitrary<Op> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({ op: fc.constant('admit'), key, times: fc.integer({ min: 1, max: 4 }) }),
  },
  { weight: 3, arbitrary: anyCall },
  {
    weight: 4,
    arbitrary: fc.record({
      op: fc.constant('charge'),
      credits: fc.array(fc.integer({ min: 1, max: 15 }), { minLength: 1, maxLength: 5 }),
    }),
  },
  { weight: 3, arbitrary: fc.record({ op: fc.constant('wait'), ms: wait }) },
  fc.record({ op: fc.constant('grant'), credits: fc.integer({ min: -30, max: 30 }) }),
  fc.record({
    op: fc.constant('plan'),
    plan: fc.constantFrom<PlanName>('trial', 'basic', 'standard', 'enterprise'),
    terms,
  }),
  fc.record({
    op: fc.constant('key'),
    mode: fc.constantFrom<Mode>('live', 'test'),
    lifeMs: fc.option(wait, { nil: undefined }),
  }),
  fc.record({ op: fc.constant('revoke'), key }),
  fc.record({ op: fc.constant('rotate'), key, overlapMs: fc.constantFrom(0, 30_000, 3_600_000) }),
  fc.record({ op: fc.constant('reopen') }),
  { weight: 2, arbitrary: fc.record({ op: fc.constant('switch') }) },
  { weight: 2, arbitrary: fc.record({ op: fc.constant('move') }) },
);

type ModelKey = {
  readonly keyId: string;
  readonly hash: string;
  readonly mode: Mode;
  state: 'good' | 'rotated' | 'revoked';
  endsAtMs: number;
};

/** Two purses of single credits: what a month gave, and what lasts. */
class NaiveLedger {
  plan: PlanName = 'basic';
  terms: Terms = {};
  anchorMs = startMs;
  periodEndsMs = naiveAnniversary(startMs, startMs);
  /** What this period has given, entry by entry. */
  given: number[] = [];
  monthly = 0;
  lasting = 0;
  journal: number[] = [];
  readonly keys: ModelKey[] = [];
  readonly calls: { readonly mode: Mode; readonly atMs: number }[] = [];

  get balance(): number {
    return this.monthly + this.lasting;
  }

  get refreshAtMs(): number | null {
    return this.plan === 'trial' ? null : this.periodEndsMs;
  }

  get allowance(): number {
    return this.terms.allowance ?? plans[this.plan].allowance ?? 0;
  }

  /** The balance that whoever asks next will find. */
  balanceAt(nowMs: number): number {
    const isDue = this.refreshAtMs !== null && nowMs >= this.refreshAtMs;
    return isDue ? this.allowance + this.lasting : this.balance;
  }

  open(allowance: number): void {
    this.terms = { allowance };
    this.#setMonthly(allowance);
  }

  refresh(nowMs: number): void {
    if (this.refreshAtMs === null || nowMs < this.refreshAtMs) return;
    this.#setMonthly(this.allowance);
    this.periodEndsMs = naiveAnniversary(this.anchorMs, nowMs);
  }

  charge(credits: number): 'charged' | 'insufficient' {
    if (this.balance < credits) return 'insufficient';
    for (let i = 0; i < credits; i++) {
      if (this.monthly > 0) this.monthly -= 1;
      else this.lasting -= 1;
    }
    this.journal.push(-credits);
    return 'charged';
  }

  grant(credits: number): void {
    if (credits > 0) this.lasting += credits;
    for (let i = 0; i > credits; i--) {
      if (this.lasting > 0) this.lasting -= 1;
      else this.monthly -= 1;
    }
    this.journal.push(credits);
  }

  #setMonthly(credits: number): void {
    this.journal.push(credits - this.monthly);
    this.monthly = credits;
    this.given = [credits];
  }

  change(plan: PlanName, given: Terms, nowMs: number): void {
    const startsPeriod = this.plan === 'trial' && plan !== 'trial' && nowMs >= this.periodEndsMs;
    this.plan = plan;
    this.terms = given;
    if (startsPeriod) {
      this.#setMonthly(this.allowance);
      this.anchorMs = nowMs;
      this.periodEndsMs = naiveAnniversary(nowMs, nowMs);
    } else {
      const missing = this.allowance - this.given.reduce((sum, credits) => sum + credits, 0);
      if (missing <= 0) return;
      this.monthly += missing;
      this.given.push(missing);
      this.journal.push(missing);
    }
  }

  admit({ mode, state, endsAtMs }: ModelKey, nowMs: number) {
    if (state === 'revoked' || nowMs >= endsAtMs) return { kind: 'unknown' };
    this.refresh(nowMs);
    this.calls.push({ mode, atMs: nowMs });
    const limits =
      mode === 'test' ? plans.basic.limits : { ...plans[this.plan].limits, ...this.terms.limits };
    const used = (letters: number) =>
      this.calls.filter(
        (call) => call.mode === mode && iso(call.atMs).slice(0, letters) === iso(nowMs).slice(0, letters),
      ).length;
    const counts: Record<Window, number> = { month: used(7), day: used(10), minute: used(16) };
    const hit = (['month', 'day', 'minute'] as const).find(
      (window) => counts[window] > (limits[window] ?? Number.POSITIVE_INFINITY),
    );
    return {
      kind: hit === undefined ? 'admitted' : 'limited',
      window: hit,
      balance: this.balance,
      refreshAtMs: this.refreshAtMs,
      minuteRemaining: limits.minute === null ? null : Math.max(0, limits.minute - counts.minute),
    };
  }
}

const iso = (atMs: number): string => new Date(atMs).toISOString();

function naiveAnniversary(anchorMs: number, afterMs: number): number {
  const anchor = new Date(anchorMs);
  for (let months = 1; ; months++) {
    for (let day = anchor.getUTCDate(); ; day--) {
      const date = new Date(anchorMs);
      date.setUTCDate(1);
      date.setUTCMonth(date.getUTCMonth() + months);
      const month = date.getUTCMonth();
      date.setUTCDate(day);
      if (date.getUTCMonth() !== month) continue;
      if (date.getTime() > afterMs) return date.getTime();
      break;
    }
  }
}

class Run {
  readonly #storage: Storage;
  readonly #model = new NaiveLedger();
  readonly #beside: () => Promise<OpenLedger>;
  #current: OpenLedger;
  #other: OpenLedger;
  #nowMs = startMs;
  #charges = 0;
  #accountId = '';

  constructor(storage: Storage, current: OpenLedger, other: OpenLedger, beside: () => Promise<OpenLedger>) {
    this.#storage = storage;
    this.#current = current;
    this.#other = other;
    this.#beside = beside;
  }

  async start(allowance: number): Promise<void> {
    const made = { name: 'Ada', plan: 'basic', terms: { allowance }, atMs: startMs } as const;
    this.#accountId = (await this.#current.accounts.createAccount(made)).accountId;
    this.#model.open(allowance);
    await this.#makeKey('live', undefined);
  }

  async step(op: Op): Promise<void> {
    const { accounts } = this.#current;
    const model = this.#model;
    const atMs = this.#nowMs;
    await this.#storage.nextRequest();
    switch (op.op) {
      case 'admit':
        for (let i = 0; i < op.times; i++) await this.#admit(this.#key(op.key));
        break;
      case 'call':
        await this.#callAtOnce(this.#key(op.key), op.times, op.credits);
        break;
      case 'charge':
        await this.#charge(op.credits);
        break;
      case 'grant': {
        const granting = accounts.grantCredits(this.#accountId, { credits: op.credits, atMs });
        // What is refused changes nothing, a refresh that was due included.
        if (op.credits === 0 || model.balanceAt(atMs) + op.credits < 0) {
          await assert.rejects(granting, LedgerRefusal);
        } else {
          await granting;
          model.refresh(atMs);
          model.grant(op.credits);
        }
        break;
      }
      case 'plan':
        model.refresh(atMs);
        await accounts.changePlan(this.#accountId, { plan: op.plan, terms: op.terms, atMs });
        model.change(op.plan, op.terms, atMs);
        break;
      case 'key':
        await this.#makeKey(op.mode, op.lifeMs);
        break;
      case 'revoke':
        await this.#revoke(this.#key(op.key));
        break;
      case 'rotate':
        await this.#rotate(this.#key(op.key), op.overlapMs);
        break;
      case 'wait':
        this.#nowMs += op.ms;
        break;
      case 'reopen': {
        const isOne = this.#current.ledger === this.#other.ledger;
        await this.#current.ledger.close();
        this.#current = await this.#beside();
        if (isOne) this.#other = this.#current;
        break;
      }
      case 'switch':
        await this.#storage.settle(this.#current);
        [this.#current, this.#other] = [this.#other, this.#current];
        break;
      case 'move':
        for (const { ledger } of [this.#current, this.#other]) await ledger.close();
        await this.#storage.move?.();
        this.#current = await this.#beside();
        this.#other = await this.#beside();
        break;
    }
    await this.#compare();
  }

  #key(index: number): ModelKey {
    const found = this.#model.keys[index % this.#model.keys.length];
    assert.ok(found);
    return found;
  }

  async #admit(modelKey: ModelKey): Promise<void> {
    const expected = this.#model.admit(modelKey, this.#nowMs);
    const actual = await this.#current.ledger.admit(modelKey.hash, this.#nowMs);
    if (actual.kind === 'unknown') {
      assert.deepEqual(expected, { kind: 'unknown' });
      return;
    }
    const { creditsRemaining, refreshAtMs, minuteRemaining } = actual.standing;
    const window = actual.kind === 'limited' ? actual.window : undefined;
    const seen = { kind: actual.kind, window, balance: creditsRemaining, refreshAtMs, minuteRemaining };
    assert.deepEqual(seen, expected);
  }

  /** Calls at the same moment, each admitted and then charged; in one where the engine does that. */
  async #callAtOnce(modelKey: ModelKey, times: number, credits: number): Promise<void> {
    const places = Array.from({ length: times }, (_, place) => place);
    const admissions = places.map(() => this.#model.admit(modelKey, this.#nowMs));
    const isCharged = modelKey.mode === 'live';
    const expected = admissions.map(({ kind, minuteRemaining }) => {
      const charge = kind === 'admitted' && isCharged ? this.#model.charge(credits) : undefined;
      return JSON.stringify({ kind, minuteRemaining, charge });
    });
    const left = this.#model.balance;
    const seen = await Promise.all(places.map(() => this.#call(modelKey, credits)));
    // They came at once: nobody said which was first.
    assert.deepEqual(seen.map(({ outcome }) => JSON.stringify(outcome)).sort(), expected.sort());
    const balances = seen.flatMap(({ creditsRemaining }) => creditsRemaining ?? []);
    assert.equal(Math.min(left, ...balances), left);
  }

  async #call({ hash, keyId, mode }: ModelKey, credits: number) {
    const { ledger } = this.#current;
    const caller: Caller = { accountId: this.#accountId, keyId, mode };
    const charge = charging(caller, `c${this.#charges++}`, credits, this.#nowMs);
    const admission = await ledger.admit(hash, this.#nowMs);
    if (admission.kind === 'unknown') return { outcome: admission, creditsRemaining: undefined };
    const { kind, standing } = admission;
    const isDue = kind === 'admitted' && mode === 'live';
    const charged = isDue ? await ledger.charge(charge) : undefined;
    const outcome = { kind, minuteRemaining: standing.minuteRemaining, charge: charged?.kind };
    return { outcome, creditsRemaining: charged?.creditsRemaining };
  }

  async #charge(amounts: readonly number[]): Promise<void> {
    const atMs = this.#nowMs;
    const caller: Caller = { accountId: this.#accountId, keyId: this.#key(0).keyId, mode: 'live' };
    this.#model.refresh(atMs);
    const expected = amounts.map((credits) => this.#model.charge(credits));
    const results = await Promise.all(
      amounts.map((credits) =>
        this.#current.ledger.charge(charging(caller, `c${this.#charges++}`, credits, atMs)),
      ),
    );
    assert.deepEqual(
      results.map(({ kind }) => kind),
      expected,
    );
  }

  async #makeKey(mode: Mode, lifeMs: number | undefined): Promise<void> {
    const expiry = lifeMs === undefined ? {} : { expiresAtMs: this.#nowMs + lifeMs };
    const wanted = { accountId: this.#accountId, kind: mode, atMs: this.#nowMs, ...expiry };
    const { keyId, key: text } = await this.#current.accounts.createKey(wanted);
    const endsAtMs = expiry.expiresAtMs ?? Number.POSITIVE_INFINITY;
    this.#model.keys.push({ keyId, hash: hashKey(text), mode, state: 'good', endsAtMs });
  }

  async #revoke(old: ModelKey): Promise<void> {
    const revoking = this.#current.accounts.revokeKey(old.keyId, this.#nowMs);
    if (old.state === 'revoked') return assert.rejects(revoking, LedgerRefusal);
    await revoking;
    old.state = 'revoked';
  }

  async #rotate(old: ModelKey, overlapMs: number): Promise<void> {
    const rotating = this.#current.accounts.rotateKey(old.keyId, { overlapMs, atMs: this.#nowMs });
    if (old.state !== 'good' || old.endsAtMs <= this.#nowMs) return assert.rejects(rotating, LedgerRefusal);
    const { keyId, key: text } = await rotating;
    this.#model.keys.push({ ...old, keyId, hash: hashKey(text) });
    old.state = overlapMs === 0 ? 'revoked' : 'rotated';
    old.endsAtMs = Math.min(old.endsAtMs, this.#nowMs + overlapMs);
  }

  async #compare(): Promise<void> {
    const { accounts } = this.#current;
    await this.#storage.nextRequest();
    const [check] = await accounts.recomputeBalances();
    const { balance, lasting, journal } = this.#model;
    const sum = journal.reduce((total, credits) => total + credits, 0);
    assert.deepEqual([check?.balance, check?.journalSum, check?.kind], [balance, sum, 'equal']);
    assert.deepEqual([check?.lasting, check?.journalLastingSum], [lasting, lasting]);
    const entries = await accounts.journalOf(this.#accountId);
    assert.deepEqual(
      entries.map(({ credits }) => credits).filter((credits) => credits !== 0),
      journal.filter((credits) => credits !== 0).reverse(),
    );
  }
}

export function modelContract(engine: Engine): void {
  describe(`${engine.name}: any sequence of operations`, () => {
    const ofCalls = fc.array(fc.oneof({ weight: 3, arbitrary: anyCall }, anyOp), {
      minLength: 30,
      maxLength: 40,
    });
    const sequences = {
      'of any kind': [fc.nat(40), fc.array(anyOp, { maxLength: 40 }), 60],
      'of calls for the most part': [fc.integer({ min: 40, max: 200 }), ofCalls, 30],
    } as const;
    for (const [name, [allowance, ops, numRuns]] of Object.entries(sequences)) {
      it(`${name} gives the balances, journals and admissions of a naive ledger`, async () => {
        await fc.assert(
          fc.asyncProperty(allowance, ops, (given, steps) =>
            withStorage(engine, async ({ storage, beside, ...first }) => {
              const run = new Run(storage, first, await beside(), beside);
              await run.start(given);
              for (const op of steps) await run.step(op);
            }),
          ),
          { numRuns: runsOf(engine, numRuns) },
        );
      });
    }
  });
}
