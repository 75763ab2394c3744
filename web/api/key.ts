// The key that pages call the API with: of 15 minutes, in the memory of this document alone, never stored or in a cookie.

import { ask, type Refusal } from '../ask.ts';
import type { ApiRefusal } from './refusal.ts';

export type Key = { readonly kind: 'key'; readonly key: string };

/** A key that still works, made anew where the last one is about to end, or is the one that the API has refused. At once where there
 *  is one, so that a call is on its way before anything else is done. */
export type KeySource = (refused?: string) => Key | Promise<Key | ApiRefusal>;

type Made = { readonly key: string; readonly expiresAtMs: number };
type Making = Promise<{ readonly kind: 'told'; readonly told: Made } | Refusal>;

const spareMs = 30_000;

const isGood = ({ key, expiresAtMs }: Made, refused: string | undefined): boolean =>
  key !== refused && expiresAtMs - spareMs > Date.now();

/** All panels ask at once and get one key. */
export function renewing(make: () => Making, first?: Made): KeySource {
  let made = first;
  let making: Promise<Key | ApiRefusal> | undefined;
  const makeNext = async (): Promise<Key | ApiRefusal> => {
    const answer = await make().finally(() => {
      making = undefined;
    });
    if (answer.kind === 'refused') return asApiRefusal(answer);
    made = answer.told;
    return keyIn(made);
  };
  return (refused) => {
    if (made !== undefined && isGood(made, refused)) return keyIn(made);
    // Whoever comes first after it ended makes the next.
    making ??= makeNext();
    return making;
  };
}

const keyIn = ({ key }: Made): Key => ({ kind: 'key', key });

const asApiRefusal = ({ code, message, retryAfterSeconds }: Refusal): ApiRefusal => ({
  kind: 'refused',
  code,
  message,
  retryAfterSeconds,
  requestId: null,
});

const accountKeys = new Map<string, KeySource>();

/** Spends what the account has. */
export function accountKey(accountId: string): KeySource {
  const known = accountKeys.get(accountId);
  if (known !== undefined) return known;
  const made = renewing(() => ask('POST /portal/accounts/:accountId/web-key', { in: { accountId } }));
  accountKeys.set(accountId, made);
  return made;
}

/** A key can end before its time, as with its session; the next one will do, and a refused call costs nothing. */
export async function callWithKey<T>(
  keyOf: KeySource,
  call: (key: string) => Promise<T>,
  isKeyRefused: (outcome: T) => boolean,
): Promise<T | ApiRefusal> {
  const source = keyOf();
  const made = source instanceof Promise ? await source : source;
  if (made.kind === 'refused') return made;
  const outcome = await call(made.key);
  if (!isKeyRefused(outcome)) return outcome;
  const next = await keyOf(made.key);
  return next.kind === 'refused' ? next : call(next.key);
}
