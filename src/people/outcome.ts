// How this room refuses: one way for all its files.

import type { Done, Refusal } from './people.ts';

export const done: Done = { kind: 'done' };

export function refuse(
  code: Refusal['code'],
  message: string,
  more: Pick<Refusal, 'field' | 'retryAfterSeconds'> = {},
): Refusal {
  return { kind: 'refused', code, message, ...more };
}

export function refuseForNow(retryAfterMs: number): Refusal {
  const retryAfterSeconds = Math.max(1, Math.ceil(retryAfterMs / 1000));
  const wait =
    retryAfterSeconds < 120 ? `${retryAfterSeconds} seconds` : `${Math.ceil(retryAfterSeconds / 60)} minutes`;
  return refuse('TOO_MANY', `Too many tries; wait ${wait} and try again.`, { retryAfterSeconds });
}

/** The same for whatever is not this account's or person's: nobody learns that it exists. */
export const notFound = (thing: string): Refusal =>
  refuse('NOT_FOUND', `There is no such ${thing}; load the page again to see what there is.`);
