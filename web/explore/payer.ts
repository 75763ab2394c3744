// Who pays for the calls of the explorer, and the key that they are made with.

import { accountKey, type Key, type KeySource, renewing } from '../api/key.ts';
import { ask, type Refusal } from '../ask.ts';
import { sandboxKey } from '../document-facts.ts';
import type { Me } from '../me.ts';
import { isOfTown } from './place.ts';

export type Payer = {
  /** `sandbox`: the public key, free, a made-up town. `demo`: this machine's demo account. `visitors`: the operator's allowance.
   *  `account`: the reader's own. */
  readonly kind: 'sandbox' | 'demo' | 'visitors' | 'account';
  /** Of the account, where the reader may know it. */
  readonly name: string | undefined;
  /** What was answered to one of them is not asked for again: `sandbox`, `strangers` or the id of an account. */
  readonly purse: string;
  readonly key: KeySource;
};

/** Undefined where the operator has turned the public key off. */
export const sandboxPayer: Payer | undefined =
  sandboxKey === undefined ? undefined : publicPayer({ kind: 'key', key: sandboxKey });

function publicPayer(key: Key): Payer {
  return { kind: 'sandbox', name: undefined, purse: 'sandbox', key: () => key };
}

const accountPayers = new Map<string, Payer>();

export function accountPayer({
  accountId,
  name,
}: {
  readonly accountId: string;
  readonly name: string;
}): Payer {
  const known = accountPayers.get(accountId);
  if (known !== undefined) return known;
  const payer: Payer = { kind: 'account', name, purse: accountId, key: accountKey(accountId) };
  accountPayers.set(accountId, payer);
  return payer;
}

export const strangersPurse = 'strangers';

/** Stands for the payer of whoever is not signed in until that is found: calls with it wait for the key. */
export function awaitedPayer(found: Promise<KeySource>): Payer {
  return {
    kind: 'visitors',
    name: undefined,
    purse: strangersPurse,
    key: async (refused) => (await found)(refused),
  };
}

let strangers: Promise<Payer | Refusal> | undefined;

/** Who pays for whoever is not signed in, as the service says; asked once. */
export function findStrangersPayer(): Promise<Payer | Refusal> {
  strangers ??= findThem();
  return strangers;
}

async function findThem(): Promise<Payer | Refusal> {
  const make = () => ask('POST /portal/explore/key', {});
  const answer = await make();
  if (answer.kind === 'refused') {
    // It may be over the next time.
    if (answer.code !== 'NOT_ALLOWED') strangers = undefined;
    return answer;
  }
  return {
    kind: answer.told.payer,
    name: undefined,
    purse: strangersPurse,
    key: renewing(make, answer.told),
  };
}

/** Of a reader who could pay. */
export type Choice = { readonly of: 'account'; readonly accountId: string } | { readonly of: 'strangers' };

const place = 'domesday-explore-payer';
const strangersWord = 'visitor';

/** A tab without storage asks again. */
export function readChoice(): Choice | undefined {
  try {
    const kept = sessionStorage.getItem(place);
    if (kept === null) return undefined;
    return kept === strangersWord ? { of: 'strangers' } : { of: 'account', accountId: kept };
  } catch (fault) {
    if (fault instanceof DOMException) return undefined;
    throw fault;
  }
}

export function keepChoice(choice: Choice | undefined): void {
  try {
    if (choice === undefined) sessionStorage.removeItem(place);
    else sessionStorage.setItem(place, choice.of === 'account' ? choice.accountId : strangersWord);
  } catch (fault) {
    if (!(fault instanceof DOMException)) throw fault;
  }
}

/** Before the explorer's own code is there: no call of a place can be made until it is known who pays. Undefined where that is not
 *  sure without asking the reader. */
export async function findPayerAhead(slug: string, me: Promise<Me | undefined>): Promise<Payer | undefined> {
  if (isOfTown(slug)) return sandboxPayer;
  if (readChoice()?.of === 'account') return undefined;
  const [strangers, known] = await Promise.all([findStrangersPayer(), me]);
  return strangers.kind === 'refused' || known === undefined || known.person !== null ? undefined : strangers;
}
