// Gives charges back whose callers were told that the ledger was out, though their commit came through after all.

import { hourStart } from '../calendar.ts';
import type { Movement } from '../rules.ts';
import type { Posting } from './posting.ts';

/** The id of the entry that gives a charge back: it names the charge, and comes once at most. */
export const reversalOf = (chargeId: string): string => `reversal of ${chargeId}`;

/** The charge that such an entry gives back. */
export const reversedBy = (reversalId: string): string => reversalId.slice(reversalOf('').length);

type Reversal = {
  readonly posting: Posting;
  /** What is added to the usage of the charge's key and endpoint. */
  readonly usage: {
    readonly hourStartMs: number;
    readonly status: number;
    readonly calls: number;
    readonly credits: number;
  };
};

/** Of a charge that stands and was not given back: credits go back as they were taken, and out of the usage. What was
 *  given back pays for no repetition: the engine forgets the call too. */
export function reverse(chargeId: string, charge: Movement & { readonly atMs: number }): Reversal {
  const { atMs } = charge;
  const credits = -charge.credits;
  const note = 'its commit was in doubt and its caller was told that it failed';
  return {
    posting: {
      kind: 'reversal',
      atMs,
      credits,
      lasting: 0 - charge.lasting,
      note,
      chargeId: reversalOf(chargeId),
    },
    usage: { hourStartMs: hourStart(atMs), status: 200, calls: -1, credits: -credits },
  };
}
