// Who pays for the calls of the explorer, and the key that they are made with.

import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { ApiPath } from '../api/call.ts';
import { credits } from '../api/credits.ts';
import { accountKey, type Key, type KeySource, renewing } from '../api/key.ts';
import { ask, type Refusal } from '../ask.ts';
import { sandboxKey } from '../document-facts.ts';
import { creditsText } from '../formats.ts';

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

const strangersPurse = 'strangers';

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

export const PayerContext = createContext<Payer | undefined>(undefined);

export function usePayer(): Payer {
  const payer = useContext(PayerContext);
  if (payer === undefined) throw new Error('Nobody pays for this page.');
  return payer;
}

/** What further calls cost, said before they are made: "free", "2 credits". */
export function useCost(...paths: readonly ApiPath[]): string {
  const { kind } = usePayer();
  const sum = paths.reduce((total, path) => total + credits[path], 0);
  return kind === 'sandbox' || sum === 0 ? 'free' : creditsText(sum);
}
