// Calls that are sent again. A caller names a call by an Idempotency-Key; for a day the ledger remembers which call a key
// stood for, so that the same call is charged once however often it is sent.

import { hash } from 'node:crypto';
import { dayMs } from '../time.ts';
import type { Recollection, Repeatable } from './ledger.ts';

const rememberedMs = dayMs;

/** Long enough that no two keys or calls meet by chance or by search (128 bits), short enough to be kept for each call. */
const digestChars = 22;

const digestOf = (text: string): string => hash('sha256', text, 'base64url').slice(0, digestChars);

/** `call` is the same text for calls that mean the same. */
export const repeatable = (key: string, call: string): Repeatable => ({
  key: digestOf(key),
  call: digestOf(call),
});

/** A clock that was set back by less than a day forgets nothing; one that was wrong by more leaves nothing behind for ever. */
const isRemembered = (firstAtMs: number, atMs: number): boolean => Math.abs(atMs - firstAtMs) < rememberedMs;

/** What the ledger has under a key. */
export type Remembered = { readonly call: string; readonly atMs: number };

export function recollect({ call }: Repeatable, found: Remembered | undefined, atMs: number): Recollection {
  if (found === undefined || !isRemembered(found.atMs, atMs)) return 'new';
  return found.call === call ? 'same' : 'other';
}

/** Entries whose time lies outside of these are forgotten. */
export const rememberedBetween = (atMs: number): readonly [afterMs: number, beforeMs: number] => [
  atMs - rememberedMs,
  atMs + rememberedMs,
];
