// The key that pages call the API with: of 15 minutes, in the memory of this document alone, never stored or in a cookie.

import { ask, type Refusal } from '../ask.ts';
import type { ApiRefusal } from './refusal.ts';

export type Key = { readonly kind: 'key'; readonly key: string };

/** A key that still works, made anew where the last one is about to end, or is the one that the API has refused. */
export type KeySource = (refused?: string) => Promise<Key | ApiRefusal>;

type Made = { readonly key: string; readonly expiresAtMs: number };
type Making = Promise<{ readonly kind: 'told'; readonly told: Made } | Refusal>;

const spareMs = 30_000;

const isGood = ({ key, expiresAtMs }: Made, refused: string | undefined): boolean =>
  key !== refused && expiresAtMs - spareMs > Date.now();

/** All panels ask at once and get one key. */
export function renewing(make: () => Making, first?: Making): KeySource {
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
  const made = await keyOf();
  if (made.kind === 'refused') return made;
  const outcome = await call(made.key);
  if (!isKeyRefused(outcome)) return outcome;
  const next = await keyOf(made.key);
  return next.kind === 'refused' ? next : call(next.key);
}
