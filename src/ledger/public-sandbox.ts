// The public sandbox key: the same in every installation and no secret, so that documents and examples can hold it. Its
// account has no credits and no other key; its calls are counted per host, so that nobody uses up another's minute.

import { type Spans, spansAt } from './calendar.ts';
import { hashKey } from './keys.ts';
import { type Admission, type Caller, LedgerRefusal, type Window, type WindowUse } from './ledger.ts';
import { limitsOf } from './plans.ts';
import { findLimitHit, minuteRemaining, useOf } from './rules.ts';

export const publicKey = 'dd_test_PublicSandboxKeyForAnyone26NNv4';

export const publicKeyHash = hashKey(publicKey);

export const publicCaller: Caller = { accountId: 'acc_public', keyId: 'key_public', mode: 'test' };

/** Every account but that of the public key. */
export const isCustomer = ({ accountId }: { readonly accountId: string }): boolean =>
  accountId !== publicCaller.accountId;

/** What was made for everybody is nobody's to change: with credits or a live key it would be an open till. */
export function checkPrivate(accountId: string): void {
  if (isCustomer({ accountId })) return;
  throw new LedgerRefusal(
    `${accountId} belongs to the public sandbox key and stays as it is; to turn the key off, start the service with DOMESDAY_PUBLIC_SANDBOX=off.`,
  );
}

/** Hosts of one generation; two are remembered. One that is not heard of while so many others are begins anew. */
const generationMost = 25_000;

/** Trial never renews, and here it gives nothing at the opening either. */
export const publicAccount = {
  name: 'public sandbox key',
  plan: 'trial',
  terms: { allowance: 0 },
} as const;
const limits = limitsOf(publicAccount.plan, publicAccount.terms, 'test');

/** Calls by the public key per host. Kept in memory alone: a start forgets them. */
export class Visitors {
  #young = new Map<string, HostCalls>();
  #old = new Map<string, HostCalls>();

  admit(host: string, atMs: number): Admission {
    const spans = spansAt(atMs);
    const calls = this.#callsOf(host);
    calls.add(spans);
    const standing = {
      creditsRemaining: 0,
      refreshAtMs: null,
      limits,
      minuteRemaining: minuteRemaining(limits, calls, spans),
      minuteResetAtMs: spans.minute.endMs,
    };
    const hit = findLimitHit(limits, calls, spans);
    return hit === undefined
      ? { kind: 'admitted', caller: publicCaller, standing }
      : { kind: 'limited', caller: publicCaller, standing, ...hit };
  }

  windowsOf(host: string, atMs: number): readonly WindowUse[] {
    return useOf(limits, this.#find(host) ?? noCalls, spansAt(atMs));
  }

  #find(host: string): HostCalls | undefined {
    return this.#young.get(host) ?? this.#old.get(host);
  }

  #callsOf(host: string): HostCalls {
    const known = this.#young.get(host);
    if (known !== undefined) return known;
    const calls = this.#old.get(host) ?? new HostCalls();
    if (this.#young.size >= generationMost) {
      this.#old = this.#young;
      this.#young = new Map();
    }
    this.#young.set(host, calls);
    return calls;
  }
}

class HostCalls {
  readonly #minute = { startMs: 0, count: 0 };
  readonly #day = { startMs: 0, count: 0 };
  readonly #month = { startMs: 0, count: 0 };

  add({ minute, day, month }: Spans): void {
    addIn(this.#minute, minute.startMs);
    addIn(this.#day, day.startMs);
    addIn(this.#month, month.startMs);
  }

  countIn(window: Window, startMs: number): number {
    const counted = { minute: this.#minute, day: this.#day, month: this.#month }[window];
    return counted.startMs === startMs ? counted.count : 0;
  }
}

const noCalls = new HostCalls();

function addIn(counted: { startMs: number; count: number }, startMs: number): void {
  counted.count = counted.startMs === startMs ? counted.count + 1 : 1;
  counted.startMs = startMs;
}
