// Which charges of a transaction are written by one statement. Those by one key take two thirds of the time that they take one by
// one; those of one request share nearly all they say, and take half.

import type { Charge } from '../ledger.ts';

/** How many one statement writes, the most first, by what they share. */
export const sizes = { key: [20, 8, 4], request: [50, 20] } as const;

/** Those that share a request are also of one moment, endpoint and price. */
export type Together = {
  readonly charges: readonly [Charge, ...Charge[]];
  readonly share: keyof typeof sizes;
};

export type Portion = Together | { readonly charges: readonly [Charge]; readonly share: 'nothing' };

/** In their order. */
export function portionsOf(charges: readonly Charge[]): readonly Portion[] {
  const portions: Portion[] = [];
  let from = 0;
  let runEnd = 0;
  for (let first = charges[from]; first !== undefined; first = charges[from]) {
    if (from === runEnd) runEnd = endOf(charges, from, charges.length, isOfRun);
    const alikeMost = Math.min(runEnd, from + sizes.request[0]);
    const ofRequest = largest(sizes.request, endOf(charges, from, alikeMost, isAlike) - from);
    const count = ofRequest ?? largest(sizes.key, runEnd - from) ?? 1;
    if (count === 1) portions.push({ charges: [first], share: 'nothing' });
    else {
      const others = charges.slice(from + 1, from + count);
      portions.push({ charges: [first, ...others], share: ofRequest === undefined ? 'key' : 'request' });
    }
    from += count;
  }
  return portions;
}

const largest = (ofSizes: readonly number[], most: number): number | undefined =>
  ofSizes.find((size) => size <= most);

/** Where those end that go with the first. */
function endOf(
  charges: readonly Charge[],
  from: number,
  most: number,
  goesWith: (first: Charge, other: Charge) => boolean,
): number {
  const first = charges[from];
  let end = from + 1;
  for (let next = charges[end]; end < most; next = charges[end]) {
    if (first === undefined || next === undefined || !goesWith(first, next)) break;
    end += 1;
  }
  return end;
}

/** By one key. Charges with an Idempotency-Key stand alone. */
const isOfRun = (first: Charge, other: Charge): boolean =>
  first.repeatable === undefined &&
  other.repeatable === undefined &&
  other.caller.keyId === first.caller.keyId &&
  other.caller.accountId === first.caller.accountId;

/** Of one request. */
const isAlike = (first: Charge, other: Charge): boolean =>
  other.requestId === first.requestId &&
  other.atMs === first.atMs &&
  other.endpoint === first.endpoint &&
  other.credits === first.credits;
