// What the council tax endpoints ask of a postcode: which authority it lies in.

import { refuse } from '../../contract/refusal.ts';
import type { Authorities, Authority } from '../../tables/council-tax/authorities.ts';
import type { PostcodeRow } from '../../tables/postcodes/postcodes.ts';

export function authorityOf(
  authorities: Authorities,
  row: PostcodeRow,
): Authority | ReturnType<typeof refuse<'COUNCIL_TAX_NOT_FOUND'>> {
  if (row.authorityCode === null) {
    return refuse(
      'COUNCIL_TAX_NOT_FOUND',
      'This postcode belongs to no place (a PO box or a business mailing), so it has no authority; send the postcode of the property.',
    );
  }
  return (
    findAuthority(authorities, row.authorityCode) ??
    refuse(
      'COUNCIL_TAX_NOT_FOUND',
      `The postcode is in ${row.authorityCode}, which is not one of the billing authorities here; find its council with /council-tax/authorities.`,
    )
  );
}

/** An older directory of postcodes may have the code of a council that has since been merged into one other. */
function findAuthority(authorities: Authorities, code: string) {
  const [successor, ...others] = authorities.findAbolished(code)?.successors ?? [];
  return authorities.find(code) ?? (others.length === 0 ? authorities.find(successor ?? '') : undefined);
}
