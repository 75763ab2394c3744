// What is answered for a postcode that nobody lives in: one that never was, or is no longer.

import { refuse } from '../../contract/refusal.ts';

/** For a postcode that is unknown, or was withdrawn in `terminated`. */
export function refusePostcode(terminated: string | null | undefined) {
  return typeof terminated === 'string'
    ? refuse(
        'POSTCODE_NOT_FOUND',
        `The Royal Mail withdrew this postcode in ${terminated}; use the one that took its place.`,
        { terminated },
      )
    : refuse('POSTCODE_NOT_FOUND');
}
