// Who pays for the calls of the explorer, and the key that they are made with.

import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { ApiRefusal } from '../api/call.ts';
import { ask, type Refusal } from '../ask.ts';
import { sandboxKey } from '../document-facts.ts';

type Key = { readonly kind: 'key'; readonly key: string };

export type Payer = {
  /** `sandbox`: the public key, free, a made-up town. `demo`: this machine's demo account. `visitors`: the operator's allowance.
   *  `account`: the reader's own. */
  readonly kind: 'sandbox' | 'demo' | 'visitors' | 'account';
  /** Of the account, where the reader may know it. */
  readonly name: string | undefined;
  /** A key that still works, made anew where the last one is about to end, or is the one that the API has refused. */
  readonly key: (refused?: string) => Promise<Key | ApiRefusal>;
};

export const PayerContext = createContext<Payer | undefined>(undefined);

export function usePayer(): Payer {
  const payer = useContext(PayerContext);
  if (payer === undefined) throw new Error('Nobody pays for this page.');
  return payer;
}

/** Undefined where the operator has turned the public key off. */
export const sandboxPayer: Payer | undefined =
  sandboxKey === undefined ? undefined : publicPayer({ kind: 'key', key: sandboxKey });

function publicPayer(key: Key): Payer {
  return { kind: 'sandbox', name: undefined, key: async () => key };
}

type Made = { readonly key: string; readonly expiresAtMs: number };
type Making = Promise<{ readonly kind: 'told'; readonly told: Made } | Refusal>;

const spareMs = 30_000;

const isGood = ({ key, expiresAtMs }: Made, refused: string | undefined): boolean =>
  key !== refused && expiresAtMs - spareMs > Date.now();

/** In the memory of this document alone. All panels ask at once and get one key. */
function renewing(make: () => Making, first?: Making): Payer['key'] {
  let last = first;
  return async (refused) => {
    const seen = last;
    const answer = await seen;
    if (answer?.kind === 'told' && isGood(answer.told, refused)) return { kind: 'key', key: answer.told.key };
    // Whoever comes first after it ended makes the next.
    if (last === seen) last = make();
    const made = await last;
    if (made === undefined) throw new Error('A key was not even asked for.');
    return made.kind === 'told' ? { kind: 'key', key: made.told.key } : asApiRefusal(made);
  };
}

const asApiRefusal = ({ code, message, retryAfterSeconds }: Refusal): ApiRefusal => ({
  kind: 'refused',
  code,
  message,
  retryAfterSeconds,
  requestId: null,
});

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
  const make = () => ask('POST /portal/accounts/:accountId/web-key', { in: { accountId } });
  const payer: Payer = { kind: 'account', name, key: renewing(make) };
  accountPayers.set(accountId, payer);
  return payer;
}

let strangers: Promise<Payer | Refusal> | undefined;

/** Who pays for whoever is not signed in, as the service says; asked once. */
export function findStrangersPayer(): Promise<Payer | Refusal> {
  strangers ??= findThem();
  return strangers;
}

async function findThem(): Promise<Payer | Refusal> {
  const make = () => ask('POST /portal/explore/key', {});
  const first = make();
  const answer = await first;
  if (answer.kind === 'refused') {
    // It may be over the next time.
    if (answer.code !== 'NOT_ALLOWED') strangers = undefined;
    return answer;
  }
  return { kind: answer.told.payer, name: undefined, key: renewing(make, first) };
}
