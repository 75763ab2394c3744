// How this room refuses, and reads what it has kept: one way for all its files.

import type { Row } from '../records/records.ts';
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

export function textIn(row: Row, column: string): string {
  const value = row[column];
  if (typeof value !== 'string') throw new TypeError(`${column} of a record is no text`);
  return value;
}

export function textOrNullIn(row: Row, column: string): string | null {
  return row[column] === null ? null : textIn(row, column);
}

export function numberIn(row: Row, column: string): number {
  const value = row[column];
  if (typeof value !== 'number') throw new TypeError(`${column} of a record is no number`);
  return value;
}

export function numberOrNullIn(row: Row, column: string): number | null {
  return row[column] === null ? null : numberIn(row, column);
}

/** One of some words, as records keep it. */
export function wordIn<const T extends string>(row: Row, column: string, words: readonly T[]): T {
  const text = textIn(row, column);
  const found = words.find((word) => word === text);
  if (found === undefined) throw new TypeError(`${column} of a record is "${text}"`);
  return found;
}
