// The public sandbox key: the same in every installation and no secret, so that documents and examples can hold it. Its
// account has no credits and no other key; its calls are counted per host, so that nobody uses up another's minute.

import { spansAt } from './calendar.ts';
import { hashKey } from './keys.ts';
import {
  type Admission,
  type Caller,
  LedgerRefusal,
  type Limits,
  type Visitor,
  type WindowUse,
} from './ledger.ts';
import { limitsOf } from './plans.ts';
import { findLimitHit, minuteRemaining, useOf } from './rules.ts';
import { CallsByHost } from './visitors/calls-by-host.ts';

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

/** Trial never renews, and here it gives nothing at the opening either. */
export const publicAccount = {
  name: 'public sandbox key',
  plan: 'trial',
  terms: { allowance: 0 },
} as const;

const elsewhereLimits: Limits = limitsOf(publicAccount.plan, publicAccount.terms, 'test');

/** Of each host. A page of our own asks for a place in several calls at once, so those have a bucket of their own; whoever
 *  pretends to be one gets more of what is made up. */
const limitsFor = ({ from, pageCallsPerMinute = 120 }: Visitor): Limits =>
  from === 'elsewhere'
    ? elsewhereLimits
    : { minute: pageCallsPerMinute, day: Math.max(2_000, pageCallsPerMinute), month: null };

/** Calls by the public key per host. */
export class Visitors {
  readonly #calls: Readonly<Record<Visitor['from'], CallsByHost>> = {
    elsewhere: new CallsByHost(),
    'our pages': new CallsByHost(),
  };

  admit(visitor: Visitor, atMs: number): Admission {
    const { host, from } = visitor;
    const limits = limitsFor(visitor);
    const spans = spansAt(atMs);
    const calls = this.#calls[from].add(host, spans);
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

  windowsOf(visitor: Visitor, atMs: number): readonly WindowUse[] {
    const { host, from } = visitor;
    return useOf(limitsFor(visitor), this.#calls[from].of(host), spansAt(atMs));
  }
}
